"""What scores have in common: their correlations in groups, and each system's profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import numpy as np
import polars as pl
from scipy.special import ndtri

from simpatico.arrays import Floats, Ints
from simpatico.stats.cluster_draws import scaled
from simpatico.stats.draws import LEVEL

FEWEST = 3
PERFECT = 1e-12
"""A correlation as near to 1 as this is 1 but for rounding."""


@dataclass(frozen=True)
class Structure:
    """Correlations of every two scores, and the tree that puts like with like.

    `r`, its 95% interval `low` to `high` (null where n <= 3 or |r| = 1) and `n` follow `names` (in
    alphabetical order); `order` is the names from leaf to leaf of the tree; `linkage` is its joints
    as scipy writes them: two parts, their distance, leaves below.
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


def structure(scores: pl.DataFrame) -> Structure:
    """Correlations of the columns, clustered by absolute size (UPGMA on 1 - |r|, Sokal 1958).

    Two scores that never vary together count as unrelated. Columns are taken in alphabetical
    order, so that neither their order nor that of the rows can change the tree.
    """
    names = sorted(scores.columns)
    columns = [scores[name].cast(pl.Float64).fill_null(float("nan")).to_numpy() for name in names]
    matrix = np.column_stack(columns) if columns else np.empty((scores.height, 0))
    r, n = pairwise(matrix)
    joints, leaves = tree(r)
    low, high = fisher(r, n)
    return Structure(
        names=names,
        r=listed(r),
        low=listed(low),
        high=listed(high),
        n=n.tolist(),
        order=[names[i] for i in leaves],
        linkage=joints,
    )


def pairwise(matrix: Floats) -> tuple[Floats, Ints]:
    """r of every two columns over the rows where both are there, NaN without any; and these n."""
    there = np.isfinite(matrix)
    x, seen = scaled(matrix), there.astype(np.float64)
    n = seen.T @ seen
    rows = np.maximum(n, 1)
    sums, squares, products = x.T @ seen, (x * x).T @ seen, x.T @ x
    spread = squares - sums**2 / rows
    enough = spread > 1e-10 * rows
    varied = enough & enough.T & (n >= FEWEST)
    root = np.sqrt(np.where(varied, spread * spread.T, 1))
    r = np.where(varied, np.clip((products - sums * sums.T / rows) / root, -1, 1), np.nan)
    own = np.arange(len(r))
    r[own, own] = np.where(np.isfinite(r[own, own]), 1.0, np.nan)
    return (r + r.T) / 2, n.astype(np.int64)


def fisher(r: Floats, n: Ints) -> tuple[Floats, Floats]:
    """tanh(atanh r ± z / sqrt(n - 3)) of each r, the ends of its interval (1921); NaN without."""
    there = (np.abs(r) < 1 - PERFECT) & (n > 3)
    z = np.arctanh(np.where(there, r, 0))
    reach = float(ndtri((1 + LEVEL) / 2)) / np.sqrt(np.where(there, n - 3, 1))
    return np.where(there, np.tanh(z - reach), np.nan), np.where(there, np.tanh(z + reach), np.nan)


def listed(matrix: Floats) -> list[list[float | None]]:
    """The numbers as JSON has them, null for NaN."""
    return [[float(v) if isfinite(v) else None for v in row] for row in matrix]


def tree(r: Floats) -> tuple[list[list[float]], list[int]]:
    """Joints of the tree and the order of its leaves, neighbours as alike as the tree allows."""
    if len(r) < 2:
        return [], list(range(len(r)))
    from scipy.cluster.hierarchy import leaves_list, linkage

    # Rounded, so that ties are ties whatever the order of the rows that were summed.
    apart = np.round(1 - np.abs(np.nan_to_num(r, nan=0.0)), 10)
    joints = linkage(apart[np.triu_indices(len(r), 1)], method="average", optimal_ordering=True)
    return joints.tolist(), leaves_list(joints).tolist()


@dataclass(frozen=True)
class Profile:
    """One system's mean of one score, as it is and between 0 and 1 for a radar.

    `among`: 0 is the lowest system and 1 the highest, null where they do not differ; `within`: the
    place in the declared range of the score, null where that is open.
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


def profiles(systems: pl.DataFrame, ranges: Mapping[str, tuple[float, float]]) -> list[Profile]:
    """Each system's profile out of the table of systems (`ScoreTable.at("system")`).

    Every score is as it is: where lower is better it still counts upwards.
    """
    return [
        profile
        for score, span in ranges.items()
        if score in systems.columns
        for profile in profiles_of(systems, score, span)
    ]


def profiles_of(systems: pl.DataFrame, score: str, span: tuple[float, float]) -> list[Profile]:
    """One score's profile of every system."""
    means = [m for m in systems[score].to_list() if m is not None and isfinite(m)]
    across = (min(means), max(means)) if means else (0.0, 0.0)
    columns = systems.select(
        pl.col("system"),
        value=pl.col(score),
        low=column_of(systems, f"{score}_low"),
        high=column_of(systems, f"{score}_high"),
        n=column_of(systems, f"{score}_n").fill_null(0),
    )
    return [
        Profile(
            system=row["system"],
            score=score,
            value=row["value"],
            low=row["low"],
            high=row["high"],
            n=int(row["n"]),
            among=placed(row["value"], across),
            within=placed(row["value"], span),
        )
        for row in columns.iter_rows(named=True)
    ]


def column_of(systems: pl.DataFrame, name: str) -> pl.Expr:
    return pl.col(name) if name in systems.columns else pl.lit(None, pl.Float64)


def placed(value: float | None, span: tuple[float, float]) -> float | None:
    """Where the value stands between the two ends, 0 to 1; null where they span nothing."""
    low, high = span
    if value is None or not isfinite(value) or not isfinite(high - low) or high <= low:
        return None
    return min(1.0, max(0.0, (value - low) / (high - low)))
