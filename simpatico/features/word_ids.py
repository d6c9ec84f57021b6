"""Numbers of words in lexica and models, looked up once a chunk for all of them.

All words that any lexicon or model knows have numbers of this process, from 1. A chunk's vocabulary
is looked up among those, word by word, and what each lexicon or model makes of it is then read off
an array. Only words of lexica and models are kept, so that memory does not grow with the input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import repeat
from threading import Lock
from typing import Any

import numpy as np

from simpatico.arrays import Ints
from simpatico.features.words import WordTable

NUMBERS: dict[str, int] = {}
LOCK = Lock()


class WordIds(dict[str, int]):
    """Ids of words, above 0."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        super().__init__(ids)
        with LOCK:  # two words must not get one number
            numbers = [NUMBERS.setdefault(word, len(NUMBERS) + 1) for word in self]
        self._numbers = np.array(numbers, np.int64)
        self._ids = np.array(list(self.values()), np.int64)

    def __reduce__(self) -> tuple[Callable[..., WordIds], tuple[Any, ...]]:
        # in another process words have other numbers
        return WordIds, (dict(self),)

    def of(self, table: WordTable) -> Ints:
        """The id of each word of the vocabulary; 0 for a word that has none."""
        known, numbers = table.memo.get("numbers", (0, None))
        if known < self._numbers.max(initial=0) or numbers is None:
            known = len(NUMBERS)
            each = map(NUMBERS.get, table.vocabulary.to_list(), repeat(0))
            numbers = np.fromiter(each, np.int64, len(table.vocabulary))
            table.memo["numbers"] = known, numbers
        ids = np.zeros(max(known, numbers.max(initial=0)) + 1, np.int64)
        ids[self._numbers] = self._ids
        return np.asarray(ids[numbers])
