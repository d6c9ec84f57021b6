"""What one would write by hand: `re`, a dict and a loop, making the same sums as ours."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from simpatico.features.words import APOSTROPHES, INVISIBLE

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
APOSTROPHE = re.compile(APOSTROPHES)
UNSEEN = re.compile(INVISIBLE)

Entries = dict[str, list[tuple[int, float]]]


def entries(rows: Iterable[tuple[str, str, float]], columns: list[str]) -> Entries:
    """For each word, which of `columns` it adds to and how much."""
    by_word: Entries = {}
    for term, category, weight in rows:
        if weight:
            by_word.setdefault(term.lower(), []).append((columns.index(category), weight))
    return by_word


def sums(texts: Iterable[str], by_word: Entries, width: int) -> list[list[float]]:
    """Per text: a sum for each column, then the number of words."""
    rows = []
    for text in texts:
        if not text.isascii():
            text = unicodedata.normalize("NFKC", UNSEEN.sub("", APOSTROPHE.sub("'", text)))
        row = [0.0] * (width + 1)
        words = WORD.findall(text.lower())
        row[width] = len(words)
        for word in words:
            if word in by_word:
                for column, weight in by_word[word]:
                    row[column] += weight
        rows.append(row)
    return rows
