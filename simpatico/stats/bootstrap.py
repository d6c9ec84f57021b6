"""The cluster bootstrap: whole clusters (dialogs, users, systems) are drawn with replacement.

Rows of one dialog resemble each other, so resampling rows would make intervals too short; instead
all rows of a cluster are drawn together (Davison & Hinkley 1997, section 3.8). A draw is nothing
but how often each cluster counts, and `resample_clusters` is the only loop over draws: a statistic
is a function from counts (draws x clusters) to values (draws x statistics).

Most statistics are functions of sums over clusters, and then a draw costs one matrix product:
`counts @ sums`. `SumStatistic` and `bootstrap_sums` are for these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack

from simpatico.arrays import Floats, Ints
from simpatico.stats.draws import Draws, percentile_interval
from simpatico.stats.result import Result, Status, make_result, no_result

MIN_CLUSTERS = 10
"""With fewer, their resamples say next to nothing about further ones."""

MIN_DEFINED = 0.9
"""The share of draws that must have a value before their interval is shown."""

DECIMALS = 6
"""Results of trained models are rounded: the last bits of a linear algebra library must not show
in a recipe."""

SUM_DRAWS = 2_000
SUM_ROOM = 2_000_000
MIN_UNITS = 3
MIN_SUM_CLUSTERS = 5
"""Below this many independent units, resampling them says nothing about others."""

TINY = 1e-10

CountStatistic = Callable[[Floats], Floats]
"""From counts of clusters, a row per draw, to the statistic, a row (or number) per draw."""


def cluster_codes(clusters: npt.ArrayLike) -> tuple[Ints, int]:
    """Clusters as integers from 0, and how many there are."""
    names, code = np.unique(np.asarray(clusters), return_inverse=True)
    return code.reshape(-1).astype(np.int64), len(names)


def membership(code: Ints, clusters: int) -> csr_array:
    """Clusters by rows: 1 where a row belongs to a cluster."""
    ones = np.ones(len(code))
    return csr_array((ones, (code, np.arange(len(code)))), shape=(clusters, len(code)))


def sum_by_cluster(columns: Floats, code: Ints, clusters: int) -> Floats:
    """Sums of the columns within each cluster."""
    return np.asarray(membership(code, clusters) @ columns)


def resample_clusters(
    statistic: CountStatistic,
    clusters: int,
    draws: Draws,
    *,
    width: int = 1,
    with_sample: bool = False,
) -> Floats:
    """The statistic in every draw; `with_sample` puts its value in the sample first.

    `width`: numbers that the statistic derives from each draw, if more than there are clusters.
    """
    values = [statistic(np.ones((1, clusters)))] if with_sample else []
    values += [statistic(counts) for counts in draws.blocks(clusters, width=width)]
    return np.concatenate(values)


def defined_draws(values: Floats, clusters: int) -> Floats | None:
    """The draws that have a value; null where they are too few to speak about further clusters."""
    finite = values[np.isfinite(values)]
    few = clusters < MIN_CLUSTERS or len(finite) < MIN_DEFINED * len(values)
    return None if few else np.asarray(finite, np.float64)


def bootstrap_p(values: Floats) -> float:
    """Two-sided p of 0: 2 (1 + draws on the rarer side of 0) / (1 + draws), at most 1.

    It is the level at which the percentile interval of the draws just reaches 0, by the + 1 rule.
    """
    rarer = min(int((values <= 0).sum()), int((values >= 0).sum()))
    return min(1.0, 2 * (1 + rarer) / (1 + len(values)))


def rounded_result(
    values: Floats,
    clusters: int,
    *,
    n: int,
    p: bool = False,
    few_allowed: bool = False,
) -> Result:
    """Observed value, interval and (for a difference) p, out of values whose first is observed.

    Where the observed value does not exist there is no interval either. `few_allowed`: an interval
    whatever the number of clusters and of draws that have a value.
    """
    method = f"bootstrap of {clusters:,} clusters"
    if not np.isfinite(values[0]):
        return no_result("degenerate", n=n, method=method)
    value = round(float(values[0]), DECIMALS)
    draws = np.asarray(values[1:], np.float64)
    usable = draws[np.isfinite(draws)] if few_allowed else defined_draws(draws, clusters)
    if usable is None or not len(usable):
        return Result(value, n=n, method=method)
    low, high = (round(bound, DECIMALS) for bound in percentile_interval(usable))
    p_value = round(bootstrap_p(usable), DECIMALS) if p else None
    return Result(value, low, high, p_value, n, method=method)


@dataclass(frozen=True)
class SumStatistic:
    """A statistic that is a function of sums over units.

    `summands`: a row per unit, dense or sparse; `function`: from their sums, one row per draw, to
    one value per draw.
    """

    name: str
    method: str
    summands: Any
    function: Callable[[Floats], Floats]
    n: int
    status: Status = "ok"


SummandsAndFunction = tuple[Any, Callable[[Floats], Floats]]
"""The summands of a `SumStatistic`, and the statistic as a function of their sums."""


def bootstrap_sums(
    statistics: Sequence[SumStatistic], clusters: Ints, *, draws: int = SUM_DRAWS, seed: int = 0
) -> list[Result]:
    """Each statistic with its percentile interval, all over the same resamples of clusters.

    Draws without a value (nothing varied in them) are left out; where these are more than one in
    ten, or there are under five clusters, there is no interval.
    """
    usable = [s for s in statistics if s.status == "ok"]
    code, groups = cluster_codes(clusters)
    sums = [s.summands for s in usable]
    if groups < len(code):
        members = membership(code, groups)
        sums = [members @ summands for summands in sums]
    values = np.full((draws, len(usable)), np.nan)
    if groups >= MIN_SUM_CLUSTERS and usable:
        pairs = list(zip(usable, sums, strict=True))
        values = resample_clusters(
            lambda counts: np.stack(
                [s.function(np.asarray(counts @ part)) for s, part in pairs], 1
            ),
            groups,
            Draws(draws, seed, SUM_ROOM),
            width=max(part.shape[1] for part in sums),
        )
    columns = iter(zip(sums, values.T, strict=True))
    results = []
    for s in statistics:
        if s.status != "ok":
            results.append(no_result(s.status, n=s.n, method=s.method))
            continue
        part, column = next(columns)
        total = np.asarray(part.sum(axis=0), dtype=np.float64).reshape(1, -1)
        value, interval = float(s.function(total)[0]), None
        if column.size and np.isfinite(column).mean() >= MIN_DEFINED:
            low, high = percentile_interval(column)
            # Draws that miss the value: a unit drawn twice changes the statistic, as with ratings
            # that never repeat. Draws that hardly differ are no distribution.
            interval = (low, high) if high - low > TINY and low <= value <= high else None
        results.append(make_result(value, n=s.n, method=s.method, interval=interval))
    return results


def sum_matrix(rows: Ints, columns: Ints, values: Floats, shape: tuple[int, int]) -> Any:
    """Values added up where rows and columns meet; sparse where most of it is empty."""
    matrix = csr_array((values, (rows, columns)), shape=shape)
    dense = shape[0] * shape[1] <= max(8 * matrix.nnz, 1)
    return matrix.toarray() if dense else matrix


def sum_per_unit(units: Ints, values: Floats, size: int) -> Floats:
    """Values added up by unit."""
    return np.bincount(units, weights=values, minlength=size).astype(np.float64)


def stack_columns(*columns: Any) -> Any:
    """Summands side by side; sparse if one of them is."""
    if all(isinstance(c, np.ndarray) for c in columns):
        return np.column_stack(columns)
    return csr_array(hstack([c if c.ndim == 2 else c[:, None] for c in columns]))


def safe_ratio(upper: npt.ArrayLike, lower: npt.ArrayLike, floor: npt.ArrayLike = TINY) -> Floats:
    """upper / lower, NaN where the lower is not above the floor."""
    top, bottom = np.broadcast_arrays(np.asarray(upper, float), np.asarray(lower, float))
    valid = bottom > floor
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=valid))


def units_status(units: int) -> Status:
    """Whether there are enough units for a statistic of their sums."""
    return "ok" if units >= MIN_UNITS else "too_few"
