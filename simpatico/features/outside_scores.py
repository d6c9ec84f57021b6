"""Scores that another program computed: a table with a row per dialog or turn, a column a score."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import polars as pl

from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.lexicon import mtime_and_size
from simpatico.parquet import check_parquet
from simpatico.turns import Turns

KEYS = ("dialog", "turn", "speaker")
OTHERS = ("system", "text", "prompt")
"""Columns that a table may have beside, and that are no scores."""


@dataclass(frozen=True)
class OutsideScores:
    """The table in a file, and the value of a column for each turn, null where it has none.

    A row for a whole dialog is about the speakers of a system in it, not about people.
    """

    file: str
    column: str

    needs: ClassVar[tuple[Feature, ...]] = ()

    @property
    def fingerprint(self) -> str:
        return f"scores_sha256:{hashlib.sha256(Path(self.file).read_bytes()).hexdigest()[:12]}"

    def compute(self, turns: Turns, features: Features) -> pl.Series:
        table = read_outside_scores(self.file)
        keys = [key for key in KEYS if key in table.columns]
        rows = turns.frame.select("dialog", "turn", "speaker", "system")
        joined = rows.join(
            table.select(*keys, self.column), on=keys, how="left", maintain_order="left"
        )
        if "speaker" in keys or "turn" in keys:
            return joined[self.column]
        of_people = (pl.col("system") == "human").fill_null(True)
        alone = of_people.all().over("dialog")
        return joined.select(pl.when(~of_people | alone).then(pl.col(self.column))).to_series()


def read_outside_scores(file: str) -> pl.DataFrame:
    """The keys and the scores of a table in CSV, TSV, JSON lines or Parquet."""
    path = Path(file)
    if not path.is_file():
        raise MissingResource(f"no scores at {file!r}; check the path")
    return parse_outside_scores(path, mtime_and_size(path))


@lru_cache(maxsize=4)
def parse_outside_scores(path: Path, stamp: tuple[int, int]) -> pl.DataFrame:
    """The table in a file, checked."""
    table = read_table(path)
    if "dialog" not in table.columns:
        raise DataError(
            f"{path}:1: there is no column 'dialog'; outside scores need dialog, and one column of "
            "numbers for each score (optionally turn and speaker)"
        )
    keys = [key for key in KEYS if key in table.columns]
    scores = [c for c in table.columns if c not in (*KEYS, *OTHERS)]
    numbers = table.select(pl.col(c).cast(pl.Float64, strict=False) for c in scores)
    lost = [c for c in scores if has_text(table[c], numbers[c])]
    numbers = numbers.drop(lost)
    if not numbers.columns:
        why = f"; {lost[0]!r} has text in it" if lost else ""
        raise DataError(f"{path}:1: no column of numbers beside {', '.join(keys)}{why}")
    rows = table.select(
        pl.col(k).cast(pl.Int32 if k == "turn" else pl.String, strict=False) for k in keys
    )
    if twice := int(rows.is_duplicated().sum()):
        raise DataError(f"{path}: {twice} rows are about the same {' and '.join(keys)}; keep one")
    return pl.concat([rows, numbers.fill_nan(None)], how="horizontal")


def has_text(column: pl.Series, numbers: pl.Series) -> bool:
    """Whether a column has cells that are neither numbers nor empty."""
    cells = column.cast(pl.String).str.strip_chars().fill_null("")
    return bool((numbers.is_null() & (cells != "")).any())


def read_table(path: Path) -> pl.DataFrame:
    """Any of the four kinds of table; CSV cells as text."""
    try:
        match path.suffix.lower():
            case ".parquet":
                check_parquet(path)
                return pl.read_parquet(path, glob=False)
            case ".jsonl" | ".ndjson":
                return pl.read_ndjson(path)
            case ".tsv":
                return pl.read_csv(path, separator="\t", infer_schema=False, glob=False)
            case _:
                return pl.read_csv(path, infer_schema=False, glob=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, UnicodeDecodeError):
        raise DataError(
            f"{path}: cannot be read as a table; give CSV, TSV, JSON lines or Parquet"
        ) from None
