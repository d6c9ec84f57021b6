"""Both probabilities in one number, by hand: heads over the extremes of four known words.

tea (1, 5), rain (3, 2), dog (-1, 0), do (2, 2). Engagement looks at the reply's largest first
number: tea 1, rain 3, dog -1. Relevance looks at the largest second number of the reply, less 2:
tea 3, rain 0, dog -2.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico import load, score, signature
from simpatico.errors import BadValue, MissingResource, UnknownName
from simpatico.features.heads import folder as head_folder
from simpatico.metric import collect_evidence, missing_resource
from simpatico.models.names import why_missing
from simpatico.registry import preset
from tests.conftest import talk
from tests.metrics.heads import WORDS, answers, heads_folder, nulls, scores, word_head

ENGAGING = word_head("engagement", {"second": [1.0, 0.0, 0.0, 0.0]})
RELEVANT = word_head("relevance", {"second": [0.0, 1.0, 0.0, 0.0]}, -2.0)
MODELS = {"engagement_model": ENGAGING, "relevance_model": RELEVANT}
NAME = "engaging_and_relevant"


def logistic(x):
    return 1 / (1 + np.exp(-x))


def metric(**more):
    return load(NAME, **{**MODELS, **more})


@pytest.mark.parametrize(
    ("combine", "tea", "rain"),
    [
        ("mean", (logistic(1) + logistic(3)) / 2, (logistic(3) + 0.5) / 2),
        ("min", logistic(1), 0.5),
        ("max", logistic(3), logistic(3)),
    ],
)
def test_combined_by_hand(combine, tea, rain):
    """tea: .731059 and .952574, mean .841816; rain: .952574 and .5, mean .726287."""
    values = scores(metric(combine=combine), answers(("tea", None), ("rain", None)))
    assert values == pytest.approx([tea, rain], abs=1e-7)
    if combine == "mean":
        assert values == pytest.approx([0.841816, 0.726287], abs=1e-6)


def test_relevance_may_weigh_more_in_the_mean():
    """tea: .3 x .731059 + .7 x .952574 = .886120; rain: .3 x .952574 + .7 x .5 = .635772."""
    values = scores(metric(weight=0.7), answers(("tea", None), ("rain", None)))
    assert values == pytest.approx([0.886120, 0.635772], abs=1e-6)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (
            {"weight": 1.5},
            "engaging_and_relevant.weight is 1.5; it is from 0 to 1",
        ),
        (
            {"weight": 0.7, "combine": "min"},
            "engaging_and_relevant.weight is 0.7, which applies to the mean only; leave it out where "
            "combine is 'min'",
        ),
    ],
)
def test_a_weight_that_makes_no_sense_is_refused(more, sentence):
    with pytest.raises(BadValue) as error:
        metric(**more)
    assert str(error.value) == sentence


def test_the_mean_is_the_default_and_a_dialog_has_the_mean_over_its_turns():
    turns = talk("x: do", "y: tea", "x: do", "y: rain")
    row = score(turns, [metric()]).at("dialog").row(1, named=True)
    assert row[metric().name] == pytest.approx((0.8418164 + 0.7262871) / 2, abs=1e-6)
    assert metric().scores[0].meaning == "mean of the probabilities of engaging and relevant"
    assert metric(combine="min").scores[0].meaning == (
        "smaller of the probabilities of engaging and relevant"
    )


def test_null_where_either_is():
    """Word vectors know nothing of "good"; the tiny encoder takes any text."""
    bert = f"path:{heads_folder('relevance')}"
    turns = answers(("good", None), ("tea", None), ("...", None), ("чай", None))
    reasons = ["no_known_words", None, "no_words", "other_script"]
    assert nulls(metric(relevance_model=bert), turns) == reasons
    values = scores(metric(relevance_model=bert), turns)
    assert [value is None for value in values] == [True, False, True, True]


def test_a_way_that_is_none_is_refused():
    with pytest.raises(BadValue) as error:
        metric(combine="product")
    assert str(error.value) == (
        "engaging_and_relevant.combine is 'product'; it is 'mean', 'min' or 'max'"
    )


def test_the_name_carries_both_models_unless_they_are_ours():
    folders = "+".join(model.rpartition("/")[2] for model in (ENGAGING, RELEVANT))
    assert metric().name == f"{NAME}[{folders}]"
    assert load(NAME).name == NAME
    assert load(f"{NAME}[a+b]").relevance_model == "package:b"
    assert signature(metric()).count("_sha256:") == 3
    with pytest.raises(UnknownName) as error:
        load(f"{NAME}[a]")
    assert str(error.value) == "engaging_and_relevant carries 2 models, not 1: 'a'"


def test_it_says_which_model_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(head_folder, "SHIPPED", tmp_path)
    one = load(NAME, engagement_model=ENGAGING)
    assert missing_resource(one) == (
        "engaging_and_relevant needs a trained model: train one with `simpatico train relevance "
        "--data DIALOGS --out MODEL`, then add `--set "
        "engaging_and_relevant.relevance_model=path:MODEL`"
    )
    assert missing_resource(load(NAME)) == (
        "engaging_and_relevant needs a trained model: train one with `simpatico train engagement "
        "--data FILE --out MODEL`, then add `--set "
        "engaging_and_relevant.engagement_model=path:MODEL`"
    )
    with pytest.raises(MissingResource):
        score(talk("x: do", "y: tea"), [one])


def test_with_both_models_here_it_is_in_the_preset(monkeypatch, tmp_path):
    for kind in ("engagement", "relevance"):
        word_head(kind, {"second": [1.0, 0.0, 0.0, 0.0]}, folder=tmp_path / kind)
    monkeypatch.setattr(head_folder, "SHIPPED", tmp_path)
    assert NAME in preset("neural")


def test_words_that_raise_either_part_raise_the_whole():
    """ "tea rain": engagement 3, relevance 5 - 2 = 3. Without tea 3 and 0, without rain 1 and 3."""
    turns = talk("x: do", "y: tea rain")
    tea = (logistic(3) - 0.5) / 2
    rain = (logistic(3) - logistic(1)) / 2
    expected = [(1, 0, 3, pytest.approx(tea, abs=1e-7)), (1, 4, 8, pytest.approx(rain, abs=1e-7))]
    assert collect_evidence(metric(), turns).rows() == expected


@given(reply=st.lists(st.sampled_from(list(WORDS)), min_size=1, max_size=5).map(" ".join))
@settings(max_examples=15)
def test_it_lies_between_both_parts_and_the_three_ways_stand_in_order(reply):
    turns = answers((reply, None))
    (engaging,) = scores(load("engagement", model=ENGAGING), turns)
    (relevant,) = scores(load("relevance", model=RELEVANT), turns)
    low, mean, high = (scores(metric(combine=how), turns)[0] for how in ("min", "mean", "max"))
    assert (low, high) == (min(engaging, relevant), max(engaging, relevant))
    assert 0 <= low <= mean <= high <= 1


def test_it_runs_with_the_shipped_models():
    """The mean of what `engagement` and `relevance` say by themselves."""
    if why := why_missing("package:minilm"):
        pytest.skip(why)
    turns = talk("x: Do you like tea or coffee?", "y: I prefer tea, with a little milk.")
    both, *parts = (scores(load(name), turns)[1] for name in (NAME, "engagement", "relevance"))
    assert both == pytest.approx(sum(parts) / 2, abs=1e-9)
