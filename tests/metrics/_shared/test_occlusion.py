"""Which words move an evaluator's score: by hand, then by scoring again without each of them.

The head is that of test_engagement: the largest and the smallest first number of the reply's words,
less 2. tea has 1, rain 3, dog -1.
"""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.metric import collect_evidence
from simpatico.metrics._shared.occlusion import (
    MAX_CHARACTERS,
    MAX_STRETCHES,
    MAX_STRETCHES_A_DIALOG,
    cut_out,
    stretches_per_turn,
    word_stretches,
)
from tests.conftest import talk
from tests.metrics.heads import WORDS, answers, scores
from tests.metrics.test_engagement import METRIC, logistic, near


def evidence_rows(metric, turns):
    """Row, stretch of text and weight of all evidence."""
    texts = turns.frame["text"]
    return [(r, texts[r][s:e], w) for r, s, e, w in collect_evidence(metric, turns).rows()]


def test_words_that_raise_and_words_that_lower():
    """.5 with all; without rain 1 - 1 - 2 = -2, .119203; without dog 3 + 1 - 2 = 2, .880797.

    Without tea it stays .5, which is no evidence.
    """
    turns = talk("x: do", "y: So: Tea, rain – dog!")
    increase, decrease = 0.5 - logistic(-2), 0.5 - logistic(2)
    assert evidence_rows(METRIC, turns) == [
        (1, "rain", pytest.approx(increase, abs=1e-7)),
        (1, "dog", pytest.approx(decrease, abs=1e-7)),
    ]
    assert (increase, decrease) == near(0.380797, -0.380797, within=1e-6)


def test_turns_of_no_score_or_of_one_word_have_no_evidence():
    turns = talk("x: rain dog", "y: rain", "x: zzz yyy", "y: ...", "x: rain dog")
    assert evidence_rows(METRIC, turns) == []
    assert evidence_rows(METRIC, talk("x: rain")) == []


def test_where_the_rest_has_no_known_word_nothing_is_told():
    assert evidence_rows(METRIC, talk("x: do", "y: zzz rain")) == []


def test_many_words_are_left_out_in_groups_of_neighbours():
    text = " ".join(f"w{n}" for n in range(100))
    stretches = word_stretches(text, MAX_STRETCHES)
    assert len(stretches) == MAX_STRETCHES
    words = [text[start:end].split() for start, end in stretches]
    assert [w for group in words for w in group] == text.split()
    assert {len(group) for group in words} == {2, 3}
    assert word_stretches("½ tea", 5) == [(0, 1), (2, 5)]
    assert word_stretches("½", 5) == word_stretches("tea", 5) == word_stretches("", 5) == []
    assert word_stretches("a b " * MAX_CHARACTERS, 5) == []


def test_the_more_turns_a_dialog_has_the_fewer_stretches_of_each():
    """3 turns: 80, which is more than 40. 10 turns: 24. 500 turns: the least, 2."""
    dialogs = pl.Series(["a"] * 3 + ["b"] * 10 + ["c"] * 500)
    assert [stretches_per_turn(dialogs)[n] for n in (0, 3, 13)] == [
        MAX_STRETCHES,
        MAX_STRETCHES_A_DIALOG // 10,
        2,
    ]


def test_a_stretch_takes_its_space_with_it():
    assert cut_out("so nice tea", 3, 7) == "so tea"
    assert cut_out("so nice tea", 0, 2) == "nice tea"
    assert cut_out("so nice, tea", 3, 7) == "so , tea"
    assert cut_out("(so) tea", 1, 3) == "() tea"
    assert cut_out("so tea", 3, 6) == "so "


@given(words=st.lists(st.sampled_from([*WORDS, "zzz"]), min_size=2, max_size=9))
@settings(max_examples=40)
def test_evidence_is_what_scoring_again_without_the_word_gives(words):
    rests = [words[:n] + words[n + 1 :] for n in range(len(words))]
    variants = [(" ".join(subset), None) for subset in (words, *rests)]
    full_score, *without_one = scores(METRIC, answers(*variants, query="do"))
    evidence = collect_evidence(METRIC, answers(variants[0], query="do"))
    weights = {start: (end, weight) for _, start, end, weight in evidence.rows()}
    for number, (word, rest) in enumerate(zip(words, without_one, strict=True)):
        start = len(" ".join(words[:number])) + (number > 0)
        expected = 0.0 if None in (full_score, rest) else full_score - rest
        end, weight = weights.get(start, (start + len(word), 0.0))
        assert end == start + len(word)
        assert weight == pytest.approx(expected if abs(expected) > 0.001 else 0.0, abs=1e-12)
