"""The three emotion metrics on heads in the place of a lexicon.

Of the known words tea, rain, dog and do the first numbers x are 1, 3, -1 and 2. The head of joy says
σ(x), that of sadness σ(-x), the other six σ(-40), which is 0 but for 4e-18.
"""

from math import log2

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico import load, score, signature
from simpatico.errors import BadValue, MissingResource
from simpatico.features.emotions import EMOTIONS
from simpatico.features.heads import folder as head_folder
from simpatico.features.heads.folder import HeadEvaluation
from simpatico.metric import EVIDENCE, collect_evidence, missing_resource
from tests.conftest import talk
from tests.metrics.heads import WORDS, nulls, word_heads
from tests.metrics.test_engagement import turns_of
from tests.test_contract import check_rules

NOTHING = ({"first": [0.0] * 4}, -40.0)
HEADS = dict.fromkeys(EMOTIONS, NOTHING) | {
    "joy": ({"first": [1.0, 0.0, 0.0, 0.0]}, 0.0),
    "sadness": ({"first": [-1.0, 0.0, 0.0, 0.0]}, 0.0),
}
MODEL = word_heads("plutchik", HEADS)
FOLDER = MODEL.rpartition("/")[2]
THREE = ("emotional_entropy", "emotion_matching", "emotion_shares")


def logistic(x):
    return 1 / (1 + np.exp(-x))


def bits(*shares):
    return -sum(share * log2(share) for share in shares)


def rows(name, turns, level="turn"):
    metric = load(name, emotions=MODEL)
    return score(turns, [metric]).at(level)[metric.scores[0].name].to_list()


def test_the_entropy_of_two_probabilities():
    """tea: joy σ(1) = .731059, sadness σ(-1) = .268941, which add up to 1: .839942 bits."""
    (value,) = rows("emotional_entropy", talk("x: Tea!"))
    assert value == pytest.approx(bits(logistic(1), logistic(-1)), abs=1e-7)
    assert value == pytest.approx(0.839942, abs=1e-5)


def test_a_dialog_has_the_entropy_of_summed_probabilities():
    """x says tea and dog: joy σ(1) + σ(-1) = 1, and sadness 1 as well: one bit."""
    assert rows("emotional_entropy", talk("x: tea", "y: do", "x: dog"), "dialog")[0] == (
        pytest.approx(1.0, abs=1e-7)
    )


def test_shares_are_probabilities_divided_by_their_sum():
    metric = load("emotion_shares", emotions=MODEL)
    row = score(talk("x: rain"), [metric]).at("turn").row(0, named=True)
    mark = f"[{FOLDER}]"
    assert row[f"joy_share{mark}"] == pytest.approx(logistic(3), abs=1e-7)
    assert row[f"sadness_share{mark}"] == pytest.approx(logistic(-3), abs=1e-7)
    assert row[f"fear_share{mark}"] == pytest.approx(0.0, abs=1e-12)


def test_matching_of_joy_with_sadness():
    """tea: joy before sadness; dog: sadness before joy; six at the mid-rank 3.5, then 7 and 8. Less
    4.5: -1 six times, 2.5 and 3.5. (6 + 2 x 2.5 x 3.5) / (6 + 6.25 + 12.25) = 23.5 / 24.5."""
    turns = talk("x: tea", "y: dog", "x: dog")
    assert rows("emotion_matching", turns) == [None, pytest.approx(23.5 / 24.5), pytest.approx(1)]


def test_what_cannot_be_judged_is_null_and_says_why():
    turns = talk("x: tea", "y: zzz", "x: tea", "y: ...", "x: tea", "y: чай")
    entropy, matching, shares = (load(name, emotions=MODEL) for name in THREE)
    expected = [None, "no_known_words", None, "no_words", None, "other_script"]
    assert nulls(entropy, turns) == nulls(shares, turns) == expected
    assert nulls(matching, turns) == [
        "answers_nothing",
        "no_known_words",
        "answered_no_known_words",
        "no_words",
        "no_words",
        "other_script",
    ]


def test_the_words_that_moved_them():
    """ "tea rain" has the largest first number 3, "tea" 1: rain takes entropy away and tea nothing."""
    turns = talk("x: dog", "y: tea rain")
    ((row, start, end, weight),) = collect_evidence(load(THREE[0], emotions=MODEL), turns).rows()
    assert (row, start, end) == (1, 4, 8)
    assert weight == pytest.approx(
        bits(logistic(3), logistic(-3)) - bits(logistic(1), logistic(-1)), abs=1e-6
    )
    ((row, start, end, weight),) = collect_evidence(
        load(THREE[1], emotions=MODEL), talk("x: tea", "y: dog tea")
    ).rows()
    assert (row, start, end, weight) == (1, 4, 7, pytest.approx(1 - 23.5 / 24.5))


@pytest.mark.parametrize("name", THREE)
def test_the_name_says_who_judges(name):
    metric = load(name, emotions=MODEL)
    assert metric.name == f"{name}[{FOLDER}]"
    assert all(one.name.endswith(f"[{FOLDER}]") for one in metric.scores)
    assert f"{FOLDER}_sha256:" in signature(metric)
    neural = load(f"{name}[neural]")
    assert (neural.name, neural.emotions) == (f"{name}[neural]", "neural")
    assert load(name).name == name


def test_words_and_heads_side_by_side():
    pair = [load("emotional_entropy"), load("emotional_entropy", emotions=MODEL)]
    row = score(talk("x: happy tea"), pair).at("turn").row(0, named=True)
    assert row["emotional_entropy"] is not None
    assert row[f"emotional_entropy[{FOLDER}]"] == pytest.approx(0.839942, abs=1e-5)


@pytest.mark.parametrize("name", THREE)
def test_what_is_neither_words_nor_heads_is_refused(name):
    with pytest.raises(BadValue) as error:
        load(name, emotions="nerual")
    assert str(error.value) == (
        f"{name}.emotions is 'nerual'; it is lexicon, neural, or path:DIR with the folder that "
        "`simpatico train emotion --target plutchik` wrote"
    )
    with pytest.raises(BadValue) as error:
        load(name, emotions="neural", lexicon="mine.csv")
    assert str(error.value) == (
        f"{name} has a lexicon and emotions='neural', which uses none; leave out one of them"
    )


@pytest.mark.parametrize("name", THREE)
def test_heads_that_are_not_here_are_a_sentence(name, tmp_path, monkeypatch):
    monkeypatch.setattr(head_folder, "SHIPPED", tmp_path)
    metric = load(name, emotions="neural")
    assert missing_resource(metric) == (
        f"{name} needs a trained model: train one with `simpatico train emotion --target plutchik "
        f"--data FILE --out MODEL`, then add `--set {name}.emotions=path:MODEL`"
    )
    with pytest.raises(MissingResource) as error:
        score(talk("x: tea"), [metric])
    assert str(error.value) == missing_resource(metric)
    assert missing_resource(load(name)) is None


def test_the_card_tells_how_well_the_heads_do(tmp_path):
    model = word_heads(
        "plutchik", HEADS, tmp_path / "m", HeadEvaluation(0.9, 0.85, "length", 0.5, 70, 70)
    )
    card = load("emotional_entropy", emotions=model).card
    assert card.about == (
        "How evenly a speaker's words spread over eight basic emotions. Trained on chats "
        "(licence: MIT): 40 texts. Test set of 70 texts: AUC 0.85 (anger) to 0.85 (anger)."
    )
    assert card.undefined == "Null when the text has no words, or is in another script."
    assert card.careful == (
        "Even a plain text gets eight small probabilities, whose mix says little, and emotions "
        "that are common everywhere are likely everywhere."
    )


texts = st.lists(st.sampled_from([*WORDS, "zzz", "..."]), max_size=6).map(" ".join)
talks = st.lists(st.lists(texts, min_size=1, max_size=4), min_size=1, max_size=3)


@given(dialogs=talks, chunk=st.integers(1, 8))
@settings(max_examples=3)
def test_heads_keep_the_rules_of_all_metrics(dialogs, chunk):
    turns = turns_of(dialogs)
    for name in THREE:
        metric = load(name, emotions=MODEL)
        check_rules(metric, turns, chunk)
        evidence = collect_evidence(metric, turns)
        assert evidence.schema == pl.Schema(EVIDENCE)
        assert evidence["weight"].is_finite().all()
