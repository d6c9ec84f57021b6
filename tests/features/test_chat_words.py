"""Symbols of words, and associations of pairs, against their definitions word by word."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.features.chat_words import (
    COMMON,
    ENDINGS,
    UNSEEN,
    load_chat_words,
    neighbours,
    symbols,
)
from simpatico.features.words import cut_words

TEXTS = st.lists(
    st.one_of(
        st.text(st.characters(exclude_categories=("Cs", "Cn"))),
        st.lists(
            st.sampled_from(["the", "walking", "zed", "ly", "xly", "7up", "٣x", "flies", "ninety"])
        ).map(" ".join),
    ),
    max_size=6,
)
WORDS = load_chat_words()


def symbol(word: str) -> int:
    """A common word's number; else that of a digit, or of the first ending that matches."""
    number = WORDS.ids.get(word, COMMON + 1)
    if number <= COMMON:
        return number
    if word[0].isdigit():
        return COMMON + len(ENDINGS) + 1
    return COMMON + 1 + next(at for at, end in enumerate(ENDINGS) if word[2:].endswith(end))


@given(TEXTS)
@settings(deadline=None)
def test_symbols_are_those_of_single_words(texts: list[str]) -> None:
    table = cut_words(pl.Series(texts, dtype=pl.String))
    assert symbols(table, WORDS.ids).tolist() == [symbol(word) for word in table.vocabulary]


@given(TEXTS)
@settings(deadline=None)
def test_associations_are_those_of_the_pairs(texts: list[str]) -> None:
    table = cut_words(pl.Series(texts, dtype=pl.String))
    known = dict(zip(WORDS.pairs.tolist(), WORDS.associations.tolist(), strict=True))
    row, keys = neighbours(table, symbols(table, WORDS.ids))
    got_row, got = WORDS.associations_of(table)
    assert np.array_equal(got_row, row)
    assert got.tolist() == [known.get(key, UNSEEN) for key in keys.tolist()]
