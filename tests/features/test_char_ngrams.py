"""Runs of characters in buckets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.features.char_ngrams import (
    CharNgramSettings,
    count_char_ngrams,
    ngram_hashes,
)

TWO = CharNgramSettings(2, 2, 2**16)


def test_a_text_of_three_runs():
    """ "ab" with its edges is \\n a b \\n: three runs of two, each once, so 1 / sqrt(3) each.

    Two characters: log(3) - 4 = -2.901388.
    """
    _, bucket, value = count_char_ngrams(["ab"], TWO)
    assert value == pytest.approx([3**-0.5] * 3 + [-2.901388], abs=1e-6)
    assert bucket[-1] == 2**16
    assert sorted(bucket) == list(bucket)


def test_a_run_that_comes_twice_counts_one_and_log_two():
    """ "aaa": runs \\na, aa, aa, a\\n: 1, 1 + log 2, 1 over the root of 2 + (1 + log 2) ** 2."""
    twice = 1 + np.log(2)
    value = count_char_ngrams(["aaa"], TWO).value
    assert sorted(value[:-1]) == pytest.approx(
        sorted(np.array([1, 1, twice]) / np.sqrt(2 + twice**2))
    )


def test_the_hash_of_a_run_worked_out_by_hand():
    """One character, code 97: (1 ^ 97) * 0x9E3779B1 = 96 * 2,654,435,761 = 254,825,833,056.

    Its lower 32 bits are 1,422,762,592; shifted by 15 those are 43,419; XOR of both 1,422,724,091.
    """
    assert ngram_hashes(np.array([97], np.uint64), 1).tolist() == [1_422_724_091]


def test_weighed_sums_what_is_in_the_buckets():
    settings = CharNgramSettings(1, 1, 4)
    counts = count_char_ngrams(["a", "", "ab"], settings)
    plain = np.ones(5)
    by_hand = [count_char_ngrams([text], settings).value.sum() for text in ("a", "", "ab")]
    assert counts.dot(plain) == pytest.approx(by_hand)


@given(st.lists(st.text(max_size=30), min_size=1, max_size=8))
def test_a_text_counts_the_same_alone_and_among_others(texts):
    settings = CharNgramSettings(2, 4, 2**10)
    weights = np.random.default_rng(0).normal(size=settings.columns)
    at_once = count_char_ngrams(texts, settings).dot(weights)
    alone = [count_char_ngrams([text], settings).dot(weights)[0] for text in texts]
    assert at_once.tolist() == alone


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (CharNgramSettings(0, 2), "character n-grams of 0 to 2 characters; they are 1 to 5 long"),
        (CharNgramSettings(3, 2), "character n-grams of 3 to 2 characters; they are 1 to 5 long"),
        (CharNgramSettings(2, 6), "character n-grams of 2 to 6 characters; they are 1 to 5 long"),
        (CharNgramSettings(2, 4, 1000), "1000 buckets; their number must be a power of 2"),
        (CharNgramSettings(), None),
    ],
)
def test_settings_that_make_no_sense(settings, problem):
    assert settings.problem == problem
