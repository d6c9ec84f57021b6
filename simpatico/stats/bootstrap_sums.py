"""Statistics that are functions of sums over units: a resample only adds up other units' parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from simpatico.arrays import Floats, Ints
from simpatico.stats.draws import counts, percentile_interval
from simpatico.stats.result import Result, Status, nothing, result

DRAWS = 2_000
FEWEST_UNITS = 3
FEWEST_DRAWN = 5
"""Below this many independent units, resampling them says nothing about others."""

DEFINED = 0.9
"""The share of draws that must give a value before their spread is shown."""

BLOCK = 2_000_000
"""Numbers held at once while resampling."""

TINY = 1e-10


@dataclass(frozen=True)
class Sums:
    """`of` takes sums of `parts` (a row per unit), one row per draw, and gives one value each."""

    name: str
    method: str
    parts: Any
    of: Callable[[Floats], Floats]
    n: int
    status: Status = "ok"


def resampled(
    statistics: Sequence[Sums], clusters: Ints, *, draws: int = DRAWS, seed: int = 0
) -> list[Result]:
    """Each statistic with its percentile interval, all over the same resamples of clusters.

    Draws without a value (nothing varied in them) are left out; where these are more than one in
    ten, or there are under five clusters, there is no interval.
    """
    usable = [s for s in statistics if s.status == "ok"]
    grouped, groups = added_up(usable, clusters)
    seen = [float(s.of(total(parts))[0]) for s, parts in zip(usable, grouped, strict=True)]
    drawn = np.full((len(usable), draws), np.nan)
    if groups >= FEWEST_DRAWN and usable:
        widest = max([groups, *(parts.shape[1] for parts in grouped)])
        size = max(1, BLOCK // widest)
        for block, start in enumerate(range(0, draws, size)):
            weights = counts(groups, min(size, draws - start), seed, block)
            for row, (s, parts) in enumerate(zip(usable, grouped, strict=True)):
                drawn[row, start : start + size] = s.of(np.asarray(weights @ parts))
    made = iter(
        result(value, n=s.n, method=s.method, interval=interval(spread, value))
        for s, value, spread in zip(usable, seen, drawn, strict=True)
    )
    return [
        next(made) if s.status == "ok" else nothing(s.status, n=s.n, method=s.method)
        for s in statistics
    ]


def added_up(statistics: Sequence[Sums], clusters: Ints) -> tuple[list[Any], int]:
    """The parts of each statistic added up within clusters, and how many clusters there are."""
    _, group = np.unique(clusters, return_inverse=True)
    groups = int(group.max()) + 1 if group.size else 0
    if groups == len(group):
        return [s.parts for s in statistics], groups
    member = csr_array((np.ones(len(group)), (group, np.arange(len(group)))))
    return [member @ s.parts for s in statistics], groups


def total(parts: Any) -> Floats:
    return np.asarray(parts.sum(axis=0), dtype=np.float64).reshape(1, -1)


def interval(drawn: Floats, value: float) -> tuple[float, float] | None:
    """The middle 95% of the draws, unless they are few, hardly differ or miss the value itself.

    They miss it where a unit drawn twice changes the statistic, as with ratings that never repeat.
    """
    if not drawn.size or np.isfinite(drawn).mean() < DEFINED:
        return None
    low, high = percentile_interval(drawn)
    return (low, high) if high - low > TINY and low <= value <= high else None


def scattered(rows: Ints, columns: Ints, values: Floats, shape: tuple[int, int]) -> Any:
    """Values added up where rows and columns meet; sparse where most of it is empty."""
    found = csr_array((values, (rows, columns)), shape=shape)
    dense = shape[0] * shape[1] <= max(8 * found.nnz, 1)
    return found.toarray() if dense else found


def per_unit(units: Ints, values: Floats, size: int) -> Floats:
    """Values added up by unit."""
    return np.bincount(units, weights=values, minlength=size).astype(np.float64)


def beside(*columns: Any) -> Any:
    """Parts side by side; sparse if one of them is."""
    if all(isinstance(c, np.ndarray) for c in columns):
        return np.column_stack(columns)
    from scipy.sparse import hstack

    return csr_array(hstack([c if c.ndim == 2 else c[:, None] for c in columns]))


def ratio(upper: npt.ArrayLike, lower: npt.ArrayLike, floor: npt.ArrayLike = TINY) -> Floats:
    """Upper by lower, NaN where the lower is not above the floor."""
    top, bottom = np.broadcast_arrays(np.asarray(upper, float), np.asarray(lower, float))
    fit = bottom > floor
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=fit))


def enough(units: int) -> Status:
    return "ok" if units >= FEWEST_UNITS else "too_few"
