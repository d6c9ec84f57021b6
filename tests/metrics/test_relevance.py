"""Relevance by hand: a head over the extremes of four known words.

tea (1, 5), rain (3, 2), dog (-1, 0), do (2, 2); maxima, then minima. The head multiplies the
largest first numbers of both sides and takes 2 away: heard "do" (2) and said tea (1) make 0, rain
(3) makes 4, dog (-1) makes -4.
"""

import numpy as np
import pytest
from safetensors.numpy import load_file

from simpatico import load, score
from simpatico.errors import MissingResource
from simpatico.features.embeddings import Embeddings
from simpatico.features.heads import folder as head_folder
from simpatico.metric import collect_evidence, missing_resource
from simpatico.models.names import why_missing
from tests.conftest import talk
from tests.metrics.heads import answers, heads_folder, nulls, scores, word_head
from tests.models.tiny import tiny

WEIGHTS = {"product": [1.0, 0.0, 0.0, 0.0]}
METRIC = load("relevance", model=word_head("relevance", WEIGHTS, -2.0))


def logistic(x):
    return 1 / (1 + np.exp(-x))


def test_probabilities_by_hand():
    turns = answers(*((text, None) for text in ("tea", "rain", "dog")))
    values = scores(METRIC, turns)
    assert values == pytest.approx([0.5, logistic(4), logistic(-4)], abs=1e-7)
    assert values == pytest.approx([0.5, 0.982014, 0.017986], abs=1e-6)


def test_the_same_reply_to_something_else_is_another_pair():
    """Heard dog (-1), said rain (3): -3 - 2 = -5."""
    assert scores(METRIC, answers(("rain", None), query="dog")) == [
        pytest.approx(logistic(-5), abs=1e-7)
    ]


def test_over_an_encoder_it_is_the_head_of_both_vectors():
    """The inner product of both vectors, times 2, less 1."""
    bert = f"path:{tiny('bert')}"
    query, reply = Embeddings(bert).compute(None, None).of(["good tea", "I like rain."])
    metric = load("relevance", model=f"path:{heads_folder('relevance')}")
    values = scores(metric, talk("x: good tea", "y: I like rain."))
    assert values == [None, pytest.approx(logistic(2 * float(query @ reply) - 1), abs=1e-6)]


def test_it_has_one_score_a_mean_over_turns():
    (definition,) = METRIC.scores
    assert (definition.title, definition.more, definition.less) == (
        "Relevance",
        "is more relevant than",
        "is less relevant than",
    )
    turns = talk("x: do", "y: tea", "x: do", "y: rain")
    row = score(turns, [METRIC]).at("dialog").row(1, named=True)
    assert row[METRIC.name] == pytest.approx((0.5 + logistic(4)) / 2, abs=1e-7)


def test_what_cannot_be_judged_is_null_and_says_why():
    turns = answers(("...", None), ("чай", None), ("zzz", None), ("tea", None))
    assert nulls(METRIC, turns) == ["no_words", "other_script", "no_known_words", None]


def test_words_that_raise_and_words_that_lower():
    """Heard dog (-1): "tea rain" makes -3 - 2 = -5; without rain -1 - 2 = -3; without tea -5."""
    turns = talk("x: dog", "y: tea rain")
    ((row, start, end, weight),) = collect_evidence(METRIC, turns).rows()
    assert (row, start, end) == (1, 4, 8)
    assert weight == pytest.approx(logistic(-5) - logistic(-3), abs=1e-7)
    assert weight < 0
    ((_, start, _, weight),) = collect_evidence(METRIC, talk("x: do", "y: tea rain")).rows()
    assert (start, weight) == (4, pytest.approx(logistic(4) - 0.5, abs=1e-7))


def test_where_none_is_shipped_it_says_how_to_train_one(monkeypatch, tmp_path):
    monkeypatch.setattr(head_folder, "SHIPPED", tmp_path)
    metric = load("relevance")
    sentence = (
        "relevance needs a trained model: train one with `simpatico train relevance --data DIALOGS "
        "--out MODEL`, then add `--set relevance.model=path:MODEL`"
    )
    assert missing_resource(metric) == sentence
    with pytest.raises(MissingResource) as error:
        collect_evidence(metric, talk("x: do", "y: tea rain"))
    assert str(error.value) == sentence
    assert metric.card.careful == (
        "Texts on one subject look as if they followed each other, sense or not."
    )


QUERY, REPLY = "Do you like tea or coffee?", "I prefer tea, with a little milk."


def shipped(*replies):
    """What the shipped model says of replies to `QUERY`."""
    if why := why_missing("package:minilm"):
        pytest.skip(why)
    return scores(load("relevance"), answers(*((text, None) for text in replies), query=QUERY))


def test_the_shipped_model_by_plain_numpy():
    """tanh of the first layer over (u, v, uv, |u - v|, u'Mv), a second layer, and the sigmoid."""
    (value,) = shipped(REPLY)
    u, v = Embeddings().compute(None, None).of([QUERY, REPLY]).astype(np.float64)
    w = {
        name.removeprefix("relevant."): array.astype(np.float64)
        for name, array in load_file(
            head_folder.SHIPPED / "relevance" / "model.safetensors"
        ).items()
    }
    inputs = np.concatenate([u, v, u * v, np.abs(u - v), [u @ w["bilinear"] @ v]])
    hidden = np.tanh(inputs @ w["weight_0"] + w["offset_0"])
    (logit,) = hidden @ w["weight_1"][:, 0] + w["offset_1"]
    assert value == pytest.approx(logistic(logit), abs=1e-6)
    assert value == pytest.approx(0.9789, abs=1e-4)


@pytest.mark.parametrize("reply", [QUERY, QUERY.lower(), "the the the the"])
def test_what_repeats_the_query_or_makes_no_sense_is_no_reply_to_it(reply):
    good, bad = shipped(REPLY, reply)
    assert bad < 0.3 < good
