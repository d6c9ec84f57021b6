"""Every score against every quality judged, as rows for people, scripts and pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.stats.bootstrap import bootstrap_many
from simpatico.stats.correction import Correction, correct
from simpatico.stats.correlation import Kind, correlation
from simpatico.stats.result import Result, Row
from simpatico.turns import Level
from simpatico.validation.matching import matched

Clusters = Literal["dialog", "system"]


@dataclass(frozen=True)
class Correlated(Row):
    """One score's correlation with one quality.

    `nulls`: judged units that have no score or no judgement; `unmatched`: judged units that are not
    among the scored ones at all; `family`: tests that `p_adjusted` accounts for, tests without a p
    not counted.
    """

    nulls: int
    unmatched: int
    family: int


@dataclass(frozen=True)
class How:
    """Which correlation, over what units, and how its uncertainty is found.

    `clusters`: rows of one dialog (or system) are resampled together; where every row is a cluster
    of its own, or with null, rows are independent and the interval is Fisher's.
    """

    level: Level = "turn"
    kind: Kind = "pearson"
    clusters: Clusters | None = "dialog"
    correction: Correction = "holm"
    seed: int = 0


def correlations(
    scores: pl.DataFrame, gold: pl.DataFrame, how: How | None = None
) -> list[Correlated]:
    """Each score with each quality, joined by unit key; p corrected over a quality's scores.

    `scores`: a table of turns or dialogs (`ScoreTable.at`); `gold`: `Judgements.gold()`.
    """
    how = how or How()
    both = matched(scores, gold, how.level)
    rows: list[Correlated] = []
    for quality in both.qualities:
        frame = both.of(quality)
        found = each(frame, both.scores, how)
        named = [
            row(quality, score, result, units=frame.height, unmatched=both.unmatched[quality])
            for score, result in zip(both.scores, found, strict=True)
        ]
        rows += with_correction(named, how.correction)
    return rows


def each(frame: pl.DataFrame, scores: list[str], how: How) -> list[Result]:
    """The correlation of each score, over rows that may belong together."""
    y = numbers(frame["value"])
    columns = [numbers(frame[score]) for score in scores]
    clusters = clusters_of(frame, how)
    if clusters is None or not columns:
        return [correlation(x, y, kind=how.kind) for x in columns]
    codes = clusters.to_numpy()
    return bootstrap_many(np.column_stack(columns), y, codes, kind=how.kind, seed=how.seed)


def clusters_of(frame: pl.DataFrame, how: How) -> pl.Series | None:
    """A number for each row's cluster; null where every row stands for itself."""
    if how.level == "system" or how.clusters is None:
        return None
    clusters = frame[how.clusters]
    alone = clusters.n_unique() == len(clusters)
    return None if alone else clusters.rank("dense").fill_null(0).cast(pl.Int64)


def numbers(column: pl.Series) -> Floats:
    """A column with null as NaN."""
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def row(quality: str, score: str, result: Result, *, units: int, unmatched: int) -> Correlated:
    """A result under the names of what it is about."""
    return Correlated(
        quality=quality,
        score=score,
        p_adjusted=None,
        nulls=units - result.n,
        unmatched=unmatched,
        family=0,
        **asdict(result),
    )


def with_correction(rows: Iterable[Correlated], correction: Correction) -> list[Correlated]:
    """The rows of one family with their p-values corrected."""
    rows = list(rows)
    adjusted, family = correct([r.p_value for r in rows], correction)
    return [replace(r, p_adjusted=p, family=family) for r, p in zip(rows, adjusted, strict=True)]
