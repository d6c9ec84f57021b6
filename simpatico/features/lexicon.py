"""Word lists with weights: ours by name, the user's by path, and their sums over every turn."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.lexicon_files import lexicon_rows
from simpatico.features.words import WORD, Words, WordTable, uniform
from simpatico.turns import Turns

SHIPPED = Path(__file__).parents[1] / "data" / "lexica"


@dataclass(frozen=True)
class Lexicon:
    """Weights of terms in categories; a term that ends in * stands for all words it begins."""

    categories: tuple[str, ...]
    sha256: str
    places: dict[str, int] = field(compare=False, repr=False)
    stems: dict[str, int] = field(compare=False, repr=False)
    weights: npt.NDArray[np.float64] = field(compare=False, repr=False)

    def of(self, vocabulary: pl.Series) -> npt.NDArray[np.float64]:
        """A row of weights for each word: its own entry, else that of its longest stem."""
        found = [self.places.get(word, 0) for word in vocabulary]
        if self.stems:
            lengths = sorted({len(s) for s in self.stems}, reverse=True)
            for row, word in enumerate(vocabulary):
                if not found[row]:
                    stems = (self.stems.get(word[:n], 0) for n in lengths if n <= len(word))
                    found[row] = next(filter(None, stems), 0)
        return self.weights[found]


@dataclass(frozen=True)
class LexiconSums:
    """Per turn, the summed weights of its words in each of `categories`, in that order."""

    lexicon: str
    categories: tuple[str, ...]

    needs: ClassVar[tuple[Feature, ...]] = (Words(),)

    @property
    def fingerprint(self) -> str:
        return f"lexicon_sha256:{load_lexicon(self.lexicon).sha256[:12]}"

    def compute(self, turns: Turns, features: Features) -> npt.NDArray[np.float64]:
        table: WordTable = features[Words()]
        return table.sums(self.weights(table.vocabulary))

    def weights(self, vocabulary: pl.Series) -> npt.NDArray[np.float64]:
        """A row for each word, with its weight in each of the categories."""
        lexicon = load_lexicon(self.lexicon)
        if lacking := set(self.categories) - set(lexicon.categories):
            raise DataError(
                f"lexicon {self.lexicon!r} has no category {sorted(lacking)}; "
                f"it has {list(lexicon.categories)}"
            )
        order = [lexicon.categories.index(c) for c in self.categories]
        return lexicon.of(vocabulary)[:, order]


def load_lexicon(source: str) -> Lexicon:
    """A lexicon we ship, by name, or the user's file: .csv, .tsv, .txt, .dic or SQLite."""
    ours = sorted(p.stem for p in SHIPPED.glob("*.csv"))
    path = SHIPPED / f"{source}.csv" if source in ours else Path(source)
    if not path.is_file():
        raise MissingResource(f"no lexicon {source!r}: give a file's path or one of {ours}")
    return parsed(path, stamp(path))


def stamp(path: Path) -> tuple[int, int]:
    """What changes when a file does: a lexicon is kept in memory only as long as this holds."""
    now = path.stat()
    return now.st_mtime_ns, now.st_size


@lru_cache(maxsize=8)
def parsed(path: Path, stamp: tuple[int, int]) -> Lexicon:
    """The lexicon in a file.

    Terms that can never be a word of a turn, such as "#fun" or ":)", are left out; a term that
    stands twice in a category, perhaps in another case, has the mean of its weights.
    """
    schema = {"term": pl.String, "category": pl.String, "weight": pl.Float64}
    rows = pl.DataFrame(list(lexicon_rows(path)), schema=schema, orient="row")
    term = uniform(rows["term"])
    rows = rows.with_columns(term=term).filter(term.str.contains(rf"^(?:{WORD})\*?$"))
    if rows.is_empty():
        raise DataError(f"{path}: no word in it")
    table = rows.pivot("category", index="term", values="weight", aggregate_function="mean")
    categories = tuple(sorted(table.columns[1:]))
    body = table.select(categories).fill_null(0.0).to_numpy()
    weights = np.concatenate([np.zeros((1, len(categories))), body])
    places = {t: i for i, t in enumerate(table["term"], 1)}
    return Lexicon(
        categories,
        hashlib.sha256(path.read_bytes()).hexdigest(),
        {t: i for t, i in places.items() if not t.endswith("*")},
        {t[:-1]: i for t, i in places.items() if t.endswith("*")},
        weights,
    )
