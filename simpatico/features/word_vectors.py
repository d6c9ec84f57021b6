"""A text's words as the extremes of their vectors: in every dimension the largest and the smallest.

Vectors are read from a folder with one .npy file of numbers, a row a word, and one .parquet file
with the words in the same order. Words without a vector are left out; where a contraction has none,
its parts are taken ("don't" is "do" and "n't").
Example: tea (1, 5) and rain (3, 2) make (3, 5, 1, 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl
from polars.exceptions import PolarsError

from simpatico.arrays import Floats32
from simpatico.errors import DataError
from simpatico.features import Feature, Features
from simpatico.features.words import words
from simpatico.models.folder import finite
from simpatico.models.names import Model, find, short
from simpatico.turns import Turns

GLOVE = "package:glove-50d"


@dataclass(frozen=True)
class WordExtremes:
    """Maxima, then minima, over the vectors of a text's words."""

    model: str = GLOVE

    needs: ClassVar[tuple[Feature, ...]] = ()

    @property
    def fingerprint(self) -> str:
        model = find(self.model)
        return f"{short(model.name)}_sha256:{model.sha256[:12]}"

    def compute(self, turns: Turns, features: Features) -> Extremes:
        return Extremes(vectors(find(self.model)))


@dataclass(frozen=True)
class Vectors:
    """A vector for every known word."""

    places: Mapping[str, int] = field(repr=False)
    numbers: Floats32 = field(repr=False)

    def rows(self, word: str) -> list[int]:
        """Where the word's vector is, or those of its parts; nowhere if it is not known."""
        if word in self.places:
            return [self.places[word]]
        return [self.places[part] for part in parts(word) if part in self.places]


@dataclass(frozen=True)
class Extremes:
    """Pools texts; a row of NaN stands for a text of which no word is known."""

    vectors: Vectors

    def of(self, texts: Iterable[str]) -> Floats32:
        """A row for each text: maxima, then minima."""
        table = words(pl.Series("text", list(texts), pl.String))
        known = [self.vectors.rows(word) for word in table.vocabulary]
        found = np.full((len(table.counts), 2 * self.vectors.numbers.shape[1]), np.nan, np.float32)
        for text, (start, end) in enumerate(zip(table.ends[:-1], table.ends[1:], strict=True)):
            rows = [row for code in table.codes[start:end] for row in known[code]]
            if rows:
                some = self.vectors.numbers[rows]
                found[text] = np.concatenate([some.max(axis=0), some.min(axis=0)])
        return found


def parts(word: str) -> list[str]:
    """A contraction as newspapers' word lists cut it: do n't, i 'm."""
    if word.endswith("n't"):
        return [word[:-3], "n't"]
    head, mark, tail = word.partition("'")
    return [head, mark + tail] if mark else []


def vectors(model: Model) -> Vectors:
    """The vectors of a model; read once."""
    return _vectors(model.sha256, model.folder)


@lru_cache(maxsize=2)
def _vectors(sha256: str, folder: Path) -> Vectors:
    numbers, names = sorted(folder.glob("*.npy")), sorted(folder.glob("*.parquet"))
    if len(numbers) != 1 or len(names) != 1:
        raise DataError(
            f"{folder}: {len(numbers)} .npy and {len(names)} .parquet files; "
            "word vectors are one of each"
        )
    try:
        # mapped, so that a header that promises more than the file holds takes no memory
        found = np.lib.format.open_memmap(numbers[0], mode="r")
        told = pl.read_parquet(names[0], glob=False).to_series().cast(pl.String).to_list()
    except (OSError, ValueError, OverflowError, IndexError, PolarsError):
        raise DataError(f"{folder}: its word vectors cannot be read; get them again") from None
    if found.ndim != 2 or len(found) != len(told) or not finite(found):
        raise DataError(
            f"{folder}: {len(told):,} words and numbers of shape {found.shape}; "
            "word vectors have a row of finite numbers for each word"
        )
    return Vectors({word: row for row, word in enumerate(told)}, np.array(found, np.float32))
