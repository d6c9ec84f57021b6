"""Word lists with weights: ours by name, the user's by path, and their sums over every turn."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico import limits
from simpatico.arrays import Floats
from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.lexicon_files import lexicon_rows
from simpatico.features.word_ids import WordIds
from simpatico.features.words import WORD, Words, WordTable, normalise_texts
from simpatico.turns import Turns

SHIPPED = Path(__file__).parents[1] / "data" / "lexica"


@dataclass(frozen=True)
class Lexicon:
    """Weights of terms in categories; a term that ends in * matches all words with that prefix.

    Row 0 of `weights` is zero, for words that match nothing.
    """

    categories: tuple[str, ...]
    sha256: str
    rows: WordIds = field(compare=False, repr=False)
    stems: dict[str, int] = field(compare=False, repr=False)
    weights: Floats = field(compare=False, repr=False)

    def of(self, table: WordTable, categories: Sequence[str] | None = None) -> Floats:
        """A row of weights for each word of the vocabulary: its own, else its longest stem's.

        The columns are all categories, or these in their order.
        """
        rows = self.rows.of(table)
        if self.stems:
            lengths = sorted({len(s) for s in self.stems}, reverse=True)
            for row, word in enumerate(table.vocabulary):
                if not rows[row]:
                    stems = (self.stems.get(word[:n], 0) for n in lengths if n <= len(word))
                    rows[row] = next(filter(None, stems), 0)
        columns = [self.categories.index(c) for c in categories or self.categories]
        return np.asarray(self.weights[:, columns][rows])


@dataclass(frozen=True)
class LexiconSums:
    """Per turn, the summed weights of its words in each of `categories`, in that order."""

    lexicon: str
    categories: tuple[str, ...]

    needs: ClassVar[tuple[Feature, ...]] = (Words(),)

    @property
    def fingerprint(self) -> str:
        return f"lexicon_sha256:{load_lexicon(self.lexicon).sha256[:12]}"

    def compute(self, turns: Turns, features: Features) -> Floats:
        table: WordTable = features[Words()]
        return table.sums(self.weights(table))

    def weights(self, table: WordTable) -> Floats:
        """A row for each word of the vocabulary, with its weight in each of the categories."""
        lexicon = load_lexicon(self.lexicon)
        if missing := set(self.categories) - set(lexicon.categories):
            raise DataError(
                f"lexicon {self.lexicon!r} has no category {sorted(missing)} among its "
                f"{len(lexicon.categories):,}; it needs {', '.join(self.categories)}"
            )
        return lexicon.of(table, self.categories)


def load_lexicon(source: str) -> Lexicon:
    """A lexicon we ship, by name, or the user's file: .csv, .tsv, .txt, .dic, .dicx or SQLite."""
    ours = shipped_lexica()
    path = SHIPPED / f"{source}.csv" if source in ours else Path(source)
    if not path.is_file():
        raise MissingResource(f"no lexicon {source!r}: give a file's path or one of {ours}")
    return parse_lexicon(path, mtime_and_size(path))


@cache
def shipped_lexica() -> list[str]:
    """The names of the lexica that we ship."""
    return sorted(path.stem for path in SHIPPED.glob("*.csv"))


def mtime_and_size(path: Path) -> tuple[int, int]:
    """What changes when a file does: what was read from it is kept in memory until then."""
    status = path.stat()
    return status.st_mtime_ns, status.st_size


def folder_stamps(folder: Path) -> tuple[tuple[int, int], ...]:
    """Time and size of each file of a folder, in order of their names."""
    with os.scandir(folder) as entries:
        files = sorted((e.name, e.stat()) for e in entries if e.is_file())
    return tuple((status.st_mtime_ns, status.st_size) for _, status in files)


@lru_cache(maxsize=8)
def parse_lexicon(path: Path, stamp: tuple[int, int]) -> Lexicon:
    """The lexicon in a file.

    Terms that can never be a word of a turn, such as "#fun" or ":)", are left out; a term that
    stands twice in a category, perhaps in another case, has the mean of its weights.
    """
    schema = {"term": pl.String, "category": pl.String, "weight": pl.Float64}
    rows = pl.DataFrame(list(lexicon_rows(path)), schema=schema, orient="row")
    term = normalise_texts(rows["term"])
    rows = rows.with_columns(term=term).filter(term.str.contains(rf"^(?:{WORD})\*?$"))
    if rows.is_empty():
        raise DataError(f"{path}: it has no words")
    rows = rows.group_by("term", "category").agg(pl.col("weight").mean())
    terms, categories = (rows[c].unique().sort() for c in ("term", "category"))
    if len(terms) * len(categories) > limits.LEXICON_CELLS:
        raise DataError(
            f"{path}: {len(terms):,} terms in {len(categories):,} categories are too many; "
            "leave out what no metric uses"
        )
    weights = np.zeros((len(terms) + 1, len(categories)))
    at = terms.search_sorted(rows["term"]) + 1, categories.search_sorted(rows["category"])
    weights[at[0].to_numpy(), at[1].to_numpy()] = rows["weight"].to_numpy()
    rows_by_term = {t: i for i, t in enumerate(terms, 1)}
    stems = {t[:-1]: i for t, i in rows_by_term.items() if t.endswith("*")}
    words = {t: i for t, i in rows_by_term.items() if not t.endswith("*")}
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return Lexicon(tuple(categories), sha256, WordIds(words), stems, weights)
