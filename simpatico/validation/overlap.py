"""Correlations between the scores of a run, their cluster tree, and the profiles of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import isfinite
from typing import Any

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.comparison.samples import HUMAN, as_floats
from simpatico.run import Run
from simpatico.stats.correlation import NORMAL_QUANTILE
from simpatico.stats.correlation_bootstrap import standardise_columns
from simpatico.stats.result import Row, Status

MIN_DIALOGS = 3
"""Fewest dialogs for a correlation; two always give 1 or -1."""
PERFECT = 1e-12
"""A correlation as near to 1 as this is 1 except for rounding."""


@dataclass(frozen=True)
class ScoreStructure:
    """Correlations between scores, and the cluster tree of similar ones.

    `r`, its 95% interval `low` to `high` (null where n <= 3 or |r| = 1) and `n` follow `names` (in
    alphabetical order); `order` is the names from leaf to leaf of the tree; `linkage` is its merges
    in scipy's format: two clusters, their distance, leaves below. The field names are the JSON.
    """

    names: list[str]
    r: list[list[float | None]]
    low: list[list[float | None]]
    high: list[list[float | None]]
    n: list[list[int]]
    order: list[str]
    linkage: list[list[float]]
    method: str = "Pearson r, Fisher interval, pairs of scores; 1 - |r|, average linkage"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def correlation_structure(scores: pl.DataFrame) -> ScoreStructure:
    """Correlations of the columns, clustered by absolute size (UPGMA on 1 - |r|, Sokal 1958).

    Two scores that never vary together count as unrelated. Columns are taken in alphabetical
    order, so that neither their order nor that of the rows can change the tree.
    """
    names = sorted(scores.columns)
    columns = [as_floats(scores[name]) for name in names]
    matrix = np.column_stack(columns) if columns else np.empty((scores.height, 0))
    r, n = pairwise_correlations(matrix)
    # tanh(atanh r ± z / sqrt(n - 3)), both ends of each interval (Fisher 1921)
    valid = (np.abs(r) < 1 - PERFECT) & (n > 3)
    z = np.arctanh(np.where(valid, r, 0))
    half = NORMAL_QUANTILE / np.sqrt(np.where(valid, n - 3, 1))
    merges, leaves = np.empty((0, 4)), np.arange(len(names))
    if len(names) > 1:
        from scipy.cluster.hierarchy import leaves_list, linkage

        # Rounded, so that ties are ties whatever the order of the rows that were summed.
        distance = np.round(1 - np.abs(np.nan_to_num(r, nan=0.0)), 10)
        pairs = distance[np.triu_indices(len(names), 1)]
        merges = linkage(pairs, method="average", optimal_ordering=True)
        leaves = leaves_list(merges)
    return ScoreStructure(
        names=names,
        r=nan_to_null(r),
        low=nan_to_null(np.where(valid, np.tanh(z - half), np.nan)),
        high=nan_to_null(np.where(valid, np.tanh(z + half), np.nan)),
        n=n.tolist(),
        order=[names[i] for i in leaves],
        linkage=merges.tolist(),
    )


def pairwise_correlations(matrix: Floats) -> tuple[Floats, Ints]:
    """r of every two columns over the rows where both have a value, and the number of these rows.

    NaN where a column does not vary there. From sums over complete pairs, with S = Σx² - (Σx)²/n:
    r = (Σxy - Σx Σy / n) / sqrt(Sx Sy).
    """
    x, present = standardise_columns(matrix), np.isfinite(matrix).astype(np.float64)
    n = present.T @ present
    rows = np.maximum(n, 1)
    sums, squares, products = x.T @ present, (x * x).T @ present, x.T @ x
    centred_squares = squares - sums**2 / rows
    varies = centred_squares > 1e-10 * rows
    valid = varies & varies.T & (n >= MIN_DIALOGS)
    root = np.sqrt(np.where(valid, centred_squares * centred_squares.T, 1))
    r = np.where(valid, np.clip((products - sums * sums.T / rows) / root, -1, 1), np.nan)
    np.fill_diagonal(r, np.where(np.isfinite(np.diag(r)), 1.0, np.nan))
    return (r + r.T) / 2, n.astype(np.int64)


def nan_to_null(matrix: Floats) -> list[list[float | None]]:
    """The numbers as JSON has them, null for NaN."""
    return [[float(v) if isfinite(v) else None for v in row] for row in matrix]


@dataclass(frozen=True)
class SystemProfile:
    """One system's mean of one score, as it is and between 0 and 1 for a radar.

    `among`: 0 is the lowest system and 1 the highest, null where they do not differ; `within`: the
    position in the declared range of the score, null where that is open.
    """

    system: str
    score: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    among: float | None
    within: float | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def system_profiles(
    systems: pl.DataFrame, ranges: Mapping[str, tuple[float, float]]
) -> list[SystemProfile]:
    """Each system's profile, from the table of systems (`ScoreTable.at("system")`).

    Directions are not flipped: a score where lower is better still counts upwards.
    """
    profiles = []
    for score in (name for name in ranges if name in systems.columns):
        means = [m for m in systems[score].to_list() if m is not None and isfinite(m)]
        across = (min(means), max(means)) if means else (0.0, 0.0)
        for row in systems.iter_rows(named=True):
            value = row[score]
            profiles.append(
                SystemProfile(
                    system=row["system"],
                    score=score,
                    value=value,
                    low=row.get(f"{score}_low"),
                    high=row.get(f"{score}_high"),
                    n=int(row.get(f"{score}_n") or 0),
                    among=rescale(value, across),
                    within=rescale(value, ranges[score]),
                )
            )
    return profiles


def rescale(value: float | None, span: tuple[float, float]) -> float | None:
    """The value's position between the two ends, 0 to 1; null where they span nothing."""
    low, high = span
    if value is None or not isfinite(value) or not isfinite(high - low) or high <= low:
        return None
    return min(1.0, max(0.0, (value - low) / (high - low)))


@dataclass(frozen=True, kw_only=True)
class OverlapRow(Row):
    """The correlation of `score` with another score, `against`, over the same dialogs."""

    against: str


def run_structure(run: Run, scores: Sequence[str] = ()) -> ScoreStructure:
    """The structure of a run's scores over dialogs; by default those of a metric's own name.

    People are left out where there are other systems: what they do is not what is compared.
    """
    metrics = run.facts["metrics"]  # read in any case, since that refuses an unfinished run
    table = run.scan("dialog")
    columns = table.collect_schema()
    frame = table.select("system", *(n for n in scores or metrics if n in columns)).collect()
    systems = (frame["system"] != HUMAN).fill_null(False)
    return correlation_structure((frame.filter(systems) if systems.any() else frame).drop("system"))


def overlap_rows(structure: ScoreStructure) -> list[OverlapRow]:
    """Each pair of scores once, as rows."""
    rows = []
    for i, j in combinations(range(len(structure.names)), 2):
        value, n = structure.r[i][j], structure.n[i][j]
        missing: Status = "too_few" if n < MIN_DIALOGS else "degenerate"
        rows.append(
            OverlapRow(
                quality="",
                score=structure.names[i],
                against=structure.names[j],
                value=value,
                low=structure.low[i][j],
                high=structure.high[i][j],
                p_adjusted=None,
                n=n,
                status=missing if value is None else "ok",
                method="Pearson r, Fisher interval",
                level="dialog",
            )
        )
    return rows
