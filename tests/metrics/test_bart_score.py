"""BARTScore's directions by hand, and against transformers' own loss."""

import numpy as np
import polars as pl
import pytest

from simpatico import Turns, load, score
from simpatico.features.likelihood import Likelihoods
from simpatico.models.names import find_model, why_missing
from simpatico.models.runtime import torch_backend as torch_models
from tests.models.tiny import tiny


def conversation(*references):
    """Two turns, of which the second has these references."""
    rows = {"dialog": ["d", "d"], "speaker": ["x", "y"], "text": ["tea or coffee?", "I like tea."]}
    return Turns.from_utterances(pl.DataFrame({**rows, "references": [None, list(references)]}))


def bart_score(kind="bart"):
    return load("bart_score", model=f"path:{tiny(kind)}")


def test_the_directions_by_hand(monkeypatch):
    """Of the first reference -1 (turn) and -5 (reference): F -3. Of the second -4 and -3: F -3.5.

    Each direction takes its own best: precision -1, recall -3, F -3. From what it answers: -2.
    """
    logs = {
        ("A", "I like tea."): [-1.0, -1.0],
        ("I like tea.", "A"): [-4.0, -6.0],
        ("B", "I like tea."): [-4.0],
        ("I like tea.", "B"): [-3.0, -3.0, -3.0],
        ("tea or coffee?", "I like tea."): [-1.0, -3.0],
    }
    monkeypatch.setattr(
        Likelihoods,
        "of",
        lambda self, sources, texts: [np.array(logs[p]) for p in zip(sources, texts, strict=True)],
    )
    row = score(conversation("A", "B"), [bart_score()]).at("turn").row(1, named=True)
    parts = ("", "_precision", "_recall", "_faithfulness")
    assert [row[f"bart_score{part}[bart]"] for part in parts] == [-3.0, -1.0, -3.0, -2.0]


def test_precision_equals_minus_the_loss_of_transformers():
    import torch

    model = find_model(f"path:{tiny('bart')}")
    net, words = torch_models.load_seq2seq(model), torch_models.load_hf_tokenizer(model)
    row = score(conversation("the tea is good"), [bart_score()]).at("turn").row(1, named=True)
    for part, source, text in (
        ("precision", "the tea is good", "I like tea."),
        ("recall", "I like tea.", "the tea is good"),
        ("faithfulness", "tea or coffee?", "I like tea."),
    ):
        ids, labels = (torch.tensor([words(t).input_ids]) for t in (source, text))
        with torch.inference_mode():
            loss = net(input_ids=ids, labels=labels).loss.item()
        assert row[f"bart_score_{part}[bart]"] == pytest.approx(-loss, abs=1e-5)


def test_why_there_is_no_score():
    turns = score(conversation("..."), [bart_score()]).at("turn")
    assert turns["bart_score[bart]_null"].to_list() == ["no_reference", "no_reference"]
    assert turns["bart_score_faithfulness[bart]"].is_not_null().to_list() == [False, True]


def test_a_causal_model_can_stand_in_and_the_name_says_so():
    assert load("bart_score").name == "bart_score"
    assert load("bart_score").missing == why_missing("hub:facebook/bart-large-cnn")
    metric = bart_score("llama")
    assert metric.name == "bart_score[llama]"
    assert score(conversation("tea"), [metric]).at("dialog")["bart_score[llama]"][1] < 0


def test_a_real_model_prefers_what_says_the_same():
    if why := why_missing("package:smollm2"):
        pytest.skip(why)
    metric = load("bart_score", model="package:smollm2")
    same, other = (
        score(conversation(text), [metric]).at("turn")["bart_score[smollm2]"][1]
        for text in ("I like tea a lot.", "The train leaves at nine from platform four.")
    )
    assert same > other
