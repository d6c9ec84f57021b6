"""Names that carry a model: what they load, what they are called, and what is refused."""

import pytest

from simpatico import load
from simpatico.errors import UnknownName
from simpatico.metric import score_wording, title_with_model


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("bert_score[mpnet]", {"model": "package:mpnet"}),
        ("fed[smollm2]", {"model": "package:smollm2"}),
        (
            "deep_am_fm[minilm+smollm2]",
            {"encoder_model": "package:minilm", "model": "package:smollm2"},
        ),
        (
            "prism[opus-mt-en-fr+opus-mt-fr-en]",
            {"pivot_model": "package:opus-mt-en-fr", "model": "package:opus-mt-fr-en"},
        ),
    ],
)
def test_a_printed_name_loads_what_it_was_printed_for(name, fields):
    metric = load(name)
    assert metric.name == name
    assert {field: getattr(metric, field) for field in fields} == fields
    assert all(score.name.endswith(name[name.index("[") :]) for score in metric.scores)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("deep_am_fm", "model_encoder", "encoder_model"),
        ("prism", "pivot", "pivot_model"),
        ("emotional_consistency", "neutrality", "neutrality_model"),
        ("emotional_consistency", "polarity", "polarity_model"),
    ],
)
def test_parameters_of_the_last_release_are_still_taken(name, old, new, call, tmp_path):
    """What takes a model is `model`; where a metric takes several, the others are `ROLE_model`."""
    assert getattr(load(name, **{old: "path:x"}), new) == "path:x"
    line = ["score", tmp_path / "a.jsonl", "--plan", "--metrics", name]
    _, _, err = call(*line, "--set", f"{name}.{old}=path:x")
    assert f"--set {name}.{old} is now {name}.{new}" in err


def test_a_published_model_goes_without_brackets():
    assert load("bart_score").name == "bart_score"
    assert load("coherence").name == "coherence"
    assert load("coherence", model="package:mpnet").name == "coherence[mpnet]"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("length[mpnet]", "length uses no model; write length without brackets"),
        ("bert_score[a+b]", "bert_score carries 1 models, not 2: 'a+b'"),
        (
            "fed[]",
            "fed[] names no metric; write fed[MODEL] with a name of `simpatico models`, "
            "or give the parameter model",
        ),
        (
            "fed[smollm2",
            "fed[smollm2 names no metric; write fed[MODEL] with a name of `simpatico models`, "
            "or give the parameter model",
        ),
    ],
)
def test_brackets_that_name_nothing_are_refused(name, sentence):
    with pytest.raises(UnknownName) as error:
        load(name)
    assert str(error.value) == sentence


def test_titles_carry_the_model_as_names_do():
    assert (
        score_wording("bert_score[mpnet]", {"title": "BERTScore"})["title"] == "BERTScore [mpnet]"
    )
    assert score_wording("my_score[mpnet]", {})["title"] == "My score [mpnet]"
    assert title_with_model("Length", "length") == "Length"


def test_a_parameter_is_set_by_the_plain_name_too(call, tmp_path):
    from tests.models.texts import SAMPLES

    options = ["--metrics", "coherence[minilm]", "--set", "coherence.history=3"]
    code, _, err = call("score", SAMPLES, *options, "--out", tmp_path / "run", "--plan")
    assert (code, "history" in err) == (0, False)
