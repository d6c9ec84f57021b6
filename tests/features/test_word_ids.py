"""Ids of words against plain dictionaries, whatever is loaded when."""

from __future__ import annotations

import pickle

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from simpatico.features.word_ids import WordIds
from simpatico.features.words import cut_words

WORDS = st.text(st.sampled_from("abcé"), min_size=1, max_size=3)


@given(st.lists(WORDS), st.lists(st.dictionaries(WORDS, st.integers(1, 2**40)), min_size=1))
def test_ids_are_those_of_a_dictionary(text: list[str], all_ids: list[dict[str, int]]) -> None:
    table = cut_words(pl.Series([" ".join(text)]))
    # each is made after the words were looked up for the one before it
    for plain in all_ids:
        for ids in (WordIds(plain), pickle.loads(pickle.dumps(WordIds(plain)))):
            assert ids == plain
            assert ids.of(table).tolist() == [plain.get(word, 0) for word in table.vocabulary]
