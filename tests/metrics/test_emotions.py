"""Golden numbers for the three emotion metrics, on a lexicon small enough to add up by hand."""

from math import log2, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico import load, score
from simpatico.errors import DataError
from simpatico.metrics.emotion_matching import rowwise_spearman
from simpatico.metrics.emotional_entropy import entropy
from tests.conftest import talk

LEXICON = """term,category,weight
glad,joy,2
glad,trust,1
woe,sadness,3
ugh,disgust,1
ugh,anger,1
wait,anticipation,1
boo,fear,1
oh,surprise,1
"""


@pytest.fixture
def lexicon(tmp_path):
    path = tmp_path / "eight.csv"
    path.write_text(LEXICON)
    return str(path)


def test_entropy_of_two_thirds_and_one_third(lexicon):
    """glad: joy 2, trust 1. Shares 2/3 and 1/3: -(2/3 log2 2/3 + 1/3 log2 1/3) = 0.9183 bits."""
    table = score(talk("x: Glad!"), [load("emotional_entropy", lexicon=lexicon)]).at("turn")
    expected = -(2 / 3 * log2(2 / 3) + 1 / 3 * log2(1 / 3))
    assert table["emotional_entropy"][0] == pytest.approx(expected, abs=1e-15)
    assert expected == pytest.approx(0.9183, abs=1e-4)


def test_one_emotion_is_zero_and_words_outside_the_lexicon_are_null_not_zero(lexicon):
    table = score(talk("x: woe woe", "y: table"), [load("emotional_entropy", lexicon=lexicon)])
    assert table.at("turn")["emotional_entropy"].to_list() == [0.0, None]
    assert table.at("turn")["emotional_entropy_null"].to_list() == [None, "no_emotion_words"]


def test_base_and_normalised_variant(lexicon):
    """glad woe: joy 2, trust 1, sadness 3: shares 1/3, 1/6, 1/2. In bits 1.4591; / 3 normalised."""
    bits = 1 / 3 * log2(3) + 1 / 6 * log2(6) + 1 / 2 * log2(2)
    for parameters, expected in [
        ({}, bits),
        ({"base": 4.0}, bits / 2),
        ({"normalised": True}, bits / 3),
    ]:
        metric = load("emotional_entropy", lexicon=lexicon, **parameters)
        value = score(talk("x: glad woe"), [metric]).at("turn")["emotional_entropy"][0]
        assert value == pytest.approx(expected, abs=1e-12)
        assert metric.scores[0].range[1] == pytest.approx(expected / bits * 3)


def test_a_dialog_has_the_entropy_of_its_pooled_words(lexicon):
    table = score(talk("x: glad", "y: oh", "x: woe"), [load("emotional_entropy", lexicon=lexicon)])
    joint = score(talk("x: glad woe"), [load("emotional_entropy", lexicon=lexicon)])
    assert table.at("dialog")["emotional_entropy"][0] == joint.at("dialog")["emotional_entropy"][0]


def test_shares_are_what_the_words_weigh(lexicon):
    row = (
        score(talk("x: glad woe"), [load("emotion_shares", lexicon=lexicon)])
        .at("turn")
        .row(0, named=True)
    )
    assert (row["joy_share"], row["sadness_share"]) == pytest.approx((2 / 6, 3 / 6))
    assert row["fear_share"] == 0.0


def test_matching_with_ties_by_hand(lexicon):
    """Order: anger, anticipation, disgust, fear, joy, sadness, surprise, trust.

    heard "glad":      joy 2, trust 1: ranks 3.5 for the six zeros, trust 7, joy 8.
    said  "glad woe":  joy 2, trust 1, sadness 3: five zeros at rank 3, trust 6, joy 7, sadness 8.
    Mean rank 4.5; d = rank - 4.5:
      heard: -1 x 6, trust 2.5, joy 3.5 -> sum d^2 = 6 + 6.25 + 12.25 = 24.5
      said:  -1.5 x 5, sadness 3.5, joy 2.5, trust 1.5 -> 11.25 + 12.25 + 6.25 + 2.25 = 32
      cross: five zeros of both 5 x 1.5 = 7.5; sadness -1 x 3.5 = -3.5; joy 3.5 x 2.5 = 8.75;
             trust 2.5 x 1.5 = 3.75 -> 16.5
    rho = 16.5 / sqrt(24.5 x 32) = 16.5 / 28 = 0.589286
    """
    table = score(talk("x: glad", "y: glad woe"), [load("emotion_matching", lexicon=lexicon)])
    values = table.at("turn")["emotion_matching"].to_list()
    assert values == [None, pytest.approx(16.5 / sqrt(24.5 * 32), abs=1e-15)]
    assert values[1] == pytest.approx(0.589286, abs=1e-6)


def test_matching_says_why_there_is_none(lexicon):
    turns = talk("x: glad", "y: table", "x: oh", "y: ...", "x: woe", "y: wait boo oh ugh woe glad")
    frame = score(turns, [load("emotion_matching", lexicon=lexicon)]).at("turn")
    assert frame["emotion_matching_null"].to_list() == [
        "answers_nothing",
        "no_emotion_words",
        "answered_no_emotion_words",
        "no_words",
        "no_words",
        None,
    ]


def test_all_eight_alike_has_no_ranks_to_compare(tmp_path):
    path = tmp_path / "flat.csv"
    names = ["anger", "anticipation", "disgust", "fear", "joy", "sadness", "surprise", "trust"]
    path.write_text(
        "term,category,weight\n" + "".join(f"meh,{n},1\n" for n in names) + "glad,joy,1\n"
    )
    frame = score(talk("x: glad", "y: meh"), [load("emotion_matching", lexicon=str(path))]).at(
        "turn"
    )
    assert frame["emotion_matching"].to_list() == [None, None]
    assert frame["emotion_matching_null"].to_list()[1] == "no_variation"


@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 4), min_size=8, max_size=8), st.permutations(range(8))),
        min_size=1,
        max_size=20,
    )
)
def test_spearman_equals_scipy(rows):
    import numpy as np
    from scipy.stats import spearmanr

    first = np.array([r[0] for r in rows], float)
    second = np.array([r[1] for r in rows], float)
    for a, b, ours in zip(first, second, rowwise_spearman(first, second), strict=True):
        if len(set(a)) == 1:
            assert np.isnan(ours)
        else:
            assert ours == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)


def test_a_lexicon_with_negative_weights_is_refused(tmp_path):
    path = tmp_path / "negative.csv"
    path.write_text(LEXICON + "hm,joy,-1\n")
    with pytest.raises(DataError) as error:
        score(talk("x: hm"), [load("emotional_entropy", lexicon=str(path))])
    assert (
        str(error.value) == f"lexicon {str(path)!r} has negative weights; emotions need 0 or more"
    )


def test_a_turn_has_the_same_bits_alone_and_among_others() -> None:
    sums = np.asfortranarray(np.random.default_rng(4).random((300, 8)))
    alone = [entropy(sums[row : row + 1])[0] for row in range(300)]
    assert entropy(sums).tolist() == alone


def test_shares_of_eight_turns_are_those_of_each() -> None:
    """As many turns as emotions: the table of their sums must not be turned over."""
    said = ["happy", "sad day", "angry", "I fear it", "disgusting", "I trust you", "soon", "wow"]
    metrics = [load("emotion_shares")]
    lines = (f"{'xy'[number % 2]}: {text}" for number, text in enumerate(said))
    table = score(talk(*lines), metrics).at("turn")
    each = [score(talk(f"x: {text}"), metrics).at("turn") for text in said]
    columns = [c for c in table.columns if c.endswith("_share")]
    assert table.select(columns).rows() == [one.select(columns).row(0) for one in each]
    assert table["joy_share"].n_unique() > 2
