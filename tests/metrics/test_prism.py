"""Prism's composition by hand, and its pivot with real translators where they are."""

import numpy as np
import polars as pl
import pytest

from simpatico import Turns, load, score
from simpatico.errors import BadValue
from simpatico.features.likelihood import Likelihoods
from simpatico.features.translation import Translation
from simpatico.models.names import why_missing
from tests.models.tiny import tiny

LOGS = {
    ("A", "tea."): [-1.0, -1.0],
    ("tea.", "A"): [-2.0, -4.0],
    ("B", "tea."): [-4.0],
    ("tea.", "B"): [-5.0],
    ("what?", "tea."): [-1.0, -2.0],
    ("tea.", "what?"): [-2.5],
}


def conversation(*references, text="tea."):
    rows = {"dialog": ["d", "d"], "speaker": ["x", "y"], "text": ["what?", text]}
    return Turns.from_utterances(pl.DataFrame({**rows, "references": [None, list(references)]}))


def prism(**more):
    return load("prism", **{"model": f"path:{tiny('marian')}", **more})


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("reference", -2.0),  # A: (-1 - 3) / 2 = -2; B: (-4 - 5) / 2 = -4.5; the best is -2
        ("source", -1.5),  # the turn from what it answers: (-1 - 2) / 2
        ("unreferenced", -2.0),  # both ways with what it answers: (-1.5 - 2.5) / 2
    ],
)
def test_modes_by_hand(mode, expected, monkeypatch):
    monkeypatch.setattr(
        Likelihoods,
        "of",
        lambda self, sources, texts: [np.array(LOGS[p]) for p in zip(sources, texts, strict=True)],
    )
    turns = score(conversation("A", "B"), [prism(mode=mode)]).at("turn")
    assert turns["prism[marian]"].to_list() == [None, expected]
    reason = "no_reference" if mode == "reference" else "answers_nothing"
    assert turns["prism[marian]_null"].to_list() == [reason, None]


def test_with_a_pivot_the_turn_is_written_from_the_translation(monkeypatch):
    calls = []
    real = Likelihoods.of
    monkeypatch.setattr(Likelihoods, "of", lambda s, g, t: calls.append((g, t)) or real(s, g, t))
    metric = prism(pivot_model=f"path:{tiny('marian')}")
    value = score(conversation("so good"), [metric]).at("turn")["prism[marian+marian]"][1]
    french, back = Translation(metric.pivot_model).compute(None, None).of(["so good", "tea."])
    assert calls == [([french], ["tea."]), ([back], ["so good"])]
    assert value < 0


def test_a_translation_is_always_the_same():
    texts = ["I like tea.", "the dog", "so"]
    one = Translation(f"path:{tiny('marian')}").compute(None, None).of(texts)
    other = Translation(f"path:{tiny('marian')}").compute(None, None).of(texts[::-1])
    assert one == other[::-1]


def test_real_translators_prefer_a_paraphrase_to_another_sentence():
    """en-fr-en of opus-mt: log p of the same sentence -.27, a paraphrase -1.5, another -4.4."""
    if why := why_missing("package:opus-mt-fr-en") or why_missing("package:opus-mt-en-fr"):
        pytest.skip(why)
    there = Translation("package:opus-mt-en-fr").compute(None, None)
    reference = "I went hiking with my sister last weekend."
    assert there.of(["Hello, how are you?"]) == ["Bonjour, comment allez-vous ?"]
    metric = prism(model="package:opus-mt-fr-en", pivot_model="package:opus-mt-en-fr")
    texts = [reference, "My sister and I went on a hike last weekend.", "I ate soup with my boss."]
    values = [
        score(conversation(reference, text=text), [metric]).at("turn")[metric.name][1]
        for text in texts
    ]
    assert values[0] > values[1] > values[2]
    assert metric.name == "prism[opus-mt-en-fr+opus-mt-fr-en]"
    assert values[0] == pytest.approx(-0.27, abs=0.05)


def test_a_parameter_that_makes_no_sense_is_refused():
    with pytest.raises(BadValue) as error:
        prism(mode="ref")
    assert str(error.value) == (
        "prism.mode is 'ref'; it is 'reference', 'source' or 'unreferenced'"
    )


def test_the_name_carries_models_even_of_a_folder_that_is_called_as_the_published_one(
    tmp_path, monkeypatch
):
    (tmp_path / "m39v1").symlink_to(tiny("marian"))
    monkeypatch.chdir(tmp_path)
    assert load("prism").missing is None
    assert load("prism").name == load("prism").scores[0].name == "prism[m39v1]"
    both = load("prism", model="package:opus-mt-fr-en", pivot_model="package:opus-mt-en-fr")
    assert both.name == "prism[opus-mt-en-fr+opus-mt-fr-en]"


def test_without_its_model_it_says_what_to_take():
    assert load("prism").missing == (
        "prism needs the model m39v1, converted for transformers, in the folder 'm39v1'; or take "
        "two translators: `--set prism.model=package:opus-mt-fr-en --set "
        "prism.pivot_model=package:opus-mt-en-fr`"
    )
    assert prism(pivot_model="path:nowhere").missing == why_missing("path:nowhere")
