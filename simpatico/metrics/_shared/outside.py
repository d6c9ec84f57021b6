"""A score that another program computed, as a metric: compared and validated like ours.

Example: rows of 3 and 4 for the two turns of a speaker give the dialog (3 + 4) / 2 = 3.5.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import inf

import polars as pl

from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.outside_scores import OutsideScores, read_outside_scores
from simpatico.metric import Card, Metric, Score
from simpatico.turns import KEYS, Level, Turns


@dataclass(frozen=True)
class OutsideMetric:
    """Parameters: `file`, a table of scores; `column`, the score in it; `level` of its rows."""

    file: str
    column: str
    level: Level

    @property
    def name(self) -> str:
        return self.column

    @property
    def card(self) -> Card:
        return Card(
            about=f"Computed by another program and read from a file, column {self.column!r}.",
            undefined=f"Null where the file has no row for the {self.level}.",
            citation="",
            kind="other",
            language=None,
            careful="What it measures is not known here.",
        )

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (OutsideScores(self.file, self.column),)

    @property
    def scores(self) -> tuple[Score, ...]:
        mean = pl.col("sum") / pl.col("rows")
        return (Score(self.column, mean, (-inf, inf), "as the file gives it"),)

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        values = features[OutsideScores(self.file, self.column)]
        why = pl.when(values.is_null()).then(pl.lit("no_row"))
        rows = values.is_not_null().cast(pl.Float64)
        return pl.DataFrame({"sum": values.fill_null(0.0), "rows": rows}).with_columns(reason=why)


def outside_metrics(file: str) -> list[Metric]:
    """A metric for each column of scores in a file."""
    table = read_outside_scores(file)
    level: Level = "turn" if "turn" in table.columns else "dialog"
    names = [c for c in table.columns if c not in KEYS["turn"]]
    if clash := sorted({*KEYS["turn"], "prompt", "dialogs"}.intersection(names)):
        raise BadValue(f"{file}: a score cannot be called {clash[0]!r}; rename the column")
    return [OutsideMetric(file, name, level) for name in names]


def count_matches(file: str, dialogs: Collection[str]) -> tuple[int, int, str]:
    """How many rows of a file are about these dialogs, of how many, and one id that is not."""
    ids = read_outside_scores(file)["dialog"]
    others = ids.filter(~ids.is_in(list(dialogs)))
    return len(ids) - len(others), len(ids), str(others[0]) if len(others) else ""
