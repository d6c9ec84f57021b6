"""Max and min pooling of word vectors: in every dimension the largest and the smallest value.

Vectors are read from a folder with one .npy file of numbers, a row a word, and one .parquet file
with the words in the same order. Words without a vector are left out; where a contraction has none,
its parts are taken ("don't" is "do" and "n't").
Example: tea (1, 5) and rain (3, 2) make (3, 5, 1, 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

import numpy as np
import polars as pl
from polars.exceptions import PolarsError

from simpatico.arrays import Floats32
from simpatico.errors import DataError
from simpatico.features import Feature, Features
from simpatico.features.words import cut_words
from simpatico.models.folder import all_finite
from simpatico.models.names import Model, find_model, short_model_name
from simpatico.turns import Turns

GLOVE = "package:glove-50d"


@dataclass(frozen=True)
class WordExtremes:
    """Maxima, then minima, over the vectors of a text's words, as RUBER has (Tao et al., 2018)."""

    model: str = GLOVE

    needs: ClassVar[tuple[Feature, ...]] = ()

    @property
    def fingerprint(self) -> str:
        model = find_model(self.model)
        return f"{short_model_name(model.name)}_sha256:{model.sha256[:12]}"

    def compute(self, turns: Turns, features: Features) -> WordVectors:
        return load_word_vectors(find_model(self.model))


@dataclass(frozen=True)
class WordVectors:
    """A vector for every known word; pools those of texts."""

    rows_by_word: Mapping[str, int] = field(repr=False)
    numbers: Floats32 = field(repr=False)

    def rows(self, word: str) -> list[int]:
        """The row of the word's vector, or those of its parts; none if it is unknown."""
        if word in self.rows_by_word:
            return [self.rows_by_word[word]]
        # contractions as the Penn Treebank splits them, and so GloVe's vocabulary: do n't, i 'm
        tail = len(word) - 3 if word.endswith("n't") else word.find("'")
        parts = (word[:tail], word[tail:]) if tail >= 0 else ()
        return [self.rows_by_word[part] for part in parts if part in self.rows_by_word]

    def of(self, texts: Iterable[str]) -> Floats32:
        """A row for each text: maxima, then minima; NaN where no word is known."""
        table = cut_words(pl.Series("text", list(texts), pl.String))
        rows_of = [self.rows(word) for word in table.vocabulary]
        extremes = np.full((len(table.counts), 2 * self.numbers.shape[1]), np.nan, np.float32)
        for text, (start, end) in enumerate(pairwise(table.ends)):
            if rows := [row for code in table.codes[start:end] for row in rows_of[code]]:
                vectors = self.numbers[rows]
                extremes[text] = np.concatenate([vectors.max(axis=0), vectors.min(axis=0)])
        return extremes


@lru_cache(maxsize=2)
def load_word_vectors(model: Model) -> WordVectors:
    """The vectors of a model; read once."""
    folder = model.folder
    numbers, names = sorted(folder.glob("*.npy")), sorted(folder.glob("*.parquet"))
    if len(numbers) != 1 or len(names) != 1:
        raise DataError(
            f"{folder}: {len(numbers)} .npy and {len(names)} .parquet files; "
            "word vectors are one of each"
        )
    try:
        # mapped, so that a header that promises more than the file holds takes no memory
        vectors = np.lib.format.open_memmap(numbers[0], mode="r")
        words = pl.read_parquet(names[0], glob=False).to_series().cast(pl.String).to_list()
    except (OSError, ValueError, OverflowError, IndexError, PolarsError):
        raise DataError(f"{folder}: its word vectors cannot be read; get them again") from None
    if vectors.ndim != 2 or len(vectors) != len(words) or not all_finite(vectors):
        raise DataError(
            f"{folder}: {len(words):,} words and numbers of shape {vectors.shape}; "
            "word vectors have a row of finite numbers for each word"
        )
    return WordVectors({word: row for row, word in enumerate(words)}, np.array(vectors, np.float32))
