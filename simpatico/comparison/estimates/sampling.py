"""Which dialogs people should rate next, and how many ratings a wanted interval needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import exp, sqrt
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats, Ints
from simpatico.comparison.estimates.dialogs import DialogTable
from simpatico.errors import DataError
from simpatico.stats.draws import draw_uniform
from simpatico.stats.prediction_powered import RatedUnits, prediction_powered, t_quantile
from simpatico.wording import format_count

BINS = 5
"""Strata within a system: five take out 1 − 1/5² of a uniform proxy's variance (Cochran 1977)."""
MIN_IN_BIN = 2
SAMPLE_COLUMNS = ("dialog", "system", "proxy", "stratum", "weight", "ratings")


@dataclass(frozen=True)
class SampleSize:
    """How many dialogs to draw, and how many people should rate each."""

    dialogs: int
    raters: int = 1
    seed: int = 0


def draw_sample(table: DialogTable, proxy: Floats, rated: Bools, size: SampleSize) -> pl.DataFrame:
    """The dialogs to rate, with those rated before, their strata and weights.

    Strata are a system's dialogs in bins of equal number along the proxy. Numbers rated, with those
    before, are made as equal as possible over systems and then over bins; within a bin every dialog
    is as likely. `weight`: dialogs of the stratum for each one of it that is rated or drawn;
    `ratings`: how many to collect, 0 for dialogs that have some.
    """
    if (n := int((~rated).sum())) < size.dialogs:
        raise DataError(
            f"--n {size.dialogs:,} is more than there are dialogs without a rating: {n:,}"
        )
    # Two orders: one that broke ties of the proxy would, if it drew as well, favour some of them.
    ties, order = (draw_uniform(len(rated), size.seed, stream) for stream in (0, 1))
    per_system = spread_evenly(
        size.dialogs, table.count_by_system(rated), table.count_by_system(np.ones_like(rated))
    )
    drawn, weight = np.zeros_like(rated), np.zeros(len(rated))
    stratum = np.zeros(len(rated), dtype=np.int64)
    for g in range(len(table.systems)):
        rows = np.flatnonzero(table.group == g)
        ranks = np.argsort(np.lexsort((ties[rows], proxy[rows])))
        stratum[rows], have, new = choose_strata(ranks, rated[rows], int(per_system[g]))
        sizes = np.bincount(stratum[rows])
        for h, n_new in enumerate(new):
            own = rows[stratum[rows] == h]
            free = own[~rated[own]]
            drawn[free[np.argsort(order[free])][:n_new]] = True
            weight[own] = sizes[h] / max(have[h] + n_new, 1)
    listed = drawn | rated
    columns = {"proxy": proxy, "stratum": stratum + 1, "weight": weight}
    ratings = pl.Series("ratings", np.where(drawn, size.raters, 0))
    frame = table.frame.select("dialog", "system").with_columns(**columns, ratings=ratings)
    return frame.filter(listed).sort("system", "dialog")


def choose_strata(ranks: Ints, rated: Bools, n: int) -> tuple[Ints, Ints, Ints]:
    """The stratum of each dialog of a system by its rank, and in each the rated and the new ones.

    As many strata as have two dialogs each: one without any would not be represented at all.
    """
    for bins in range(BINS, 0, -1):
        stratum = ranks * bins // len(ranks)
        have = np.bincount(stratum[rated], minlength=bins)
        new = spread_evenly(n, have, np.bincount(stratum, minlength=bins))
        if (have + new).min() >= MIN_IN_BIN:
            break
    return stratum, have, new


def spread_evenly(n: int, have: Ints, capacity: Ints) -> Ints:
    """Up to n more, one by one, where there are fewest so far and there is still room."""
    totals, room = have.astype(np.int64), capacity - have
    added = np.zeros(len(totals), dtype=np.int64)
    for _ in range(n):
        possible = np.where(added < room, totals + added, np.iinfo(np.int64).max)
        if not (added < room).any():
            break
        added[int(np.argmin(possible))] += 1
    return added


@dataclass(frozen=True)
class RatingSpread:
    """Variance of dialogs' mean ratings within systems, and what is left of it beside a proxy.

    `error` and `left_error` are the standard errors of the logs of both, 0 for assumed ones;
    `noise`: variance of single ratings of a dialog, null where none has two; `raters`: per dialog.
    """

    variance: float
    left: float
    n: int
    error: float = 0.0
    left_error: float = 0.0
    noise: float | None = None
    raters: float = 1.0

    @property
    def correlation(self) -> float:
        """Of ratings and proxy within systems."""
        return sqrt(max(1 - self.left / self.variance, 0.0))

    def with_raters(self, k: int) -> RatingSpread:
        """The spread where k people rate each dialog: their noise is divided by k."""
        if k == self.raters:
            return self
        if self.noise is None:
            raise DataError(
                f"--k {k} needs ratings in which some dialogs have two raters or more: without, "
                "nobody knows how much raters differ"
            )
        change = self.noise * (1 / k - 1 / self.raters)
        floor = 1e-9 * self.variance
        return RatingSpread(
            max(self.variance + change, floor),
            max(self.left + change, floor),
            *(self.n, self.error, self.left_error, self.noise, float(k)),
        )


def measure_spread(
    units: RatedUnits, noise: tuple[float | None, float] = (None, 1.0)
) -> RatingSpread:
    """The spread of the ratings there are; `noise`: of single ratings, and raters per dialog."""
    powered = prediction_powered(units, positive=True)
    rated, n = units.rated, int(units.rated.sum())
    free = n - len(np.unique(units.group[rated]))
    if free < 3:
        raise DataError(
            f"{format_count(n, 'rated dialog')} cannot say how many are needed; rate ten or more, "
            "or give --sd and --r"
        )
    variances, errors = [], []
    for slope in (0.0, powered.slope):
        values = units.ratings[rated] - slope * units.proxy[rated]
        group = units.group[rated]
        counts = np.maximum(np.bincount(group), 1)
        squares = (values - (np.bincount(group, weights=values) / counts)[group]) ** 2
        total = float(squares.sum())
        if total <= 0:
            raise DataError(
                "the ratings are all the same within each system, so there is nothing to plan"
            )
        variances.append(total / (free - bool(slope)))
        errors.append(sqrt(float(((squares / total - 1 / n) ** 2).sum())))
    left = min(variances[1], variances[0])
    return RatingSpread(variances[0], left, n, errors[0], errors[1], *noise)


@dataclass(frozen=True)
class PlannedRatings:
    """Dialogs of each system to rate for an interval of a width; field names are the JSON.

    `alone` without a proxy, `with_proxy` with it; low and high as the pilot's variances allow.
    Null: not with all dialogs of the run.
    """

    estimate: Literal["mean", "difference"]
    width: float
    alone: int | None
    alone_low: int | None
    alone_high: int | None
    with_proxy: int | None
    with_proxy_low: int | None
    with_proxy_high: int | None
    raters: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def plan_ratings(
    spread: RatingSpread, width: float, dialogs: int, raters: int = 1
) -> list[PlannedRatings]:
    """The dialogs to rate for the mean of a system, and for a difference of two.

    `dialogs`: how many each system has in the run, all of them with the proxy.
    """
    spread = spread.with_raters(raters)
    t = t_quantile(max(spread.n - 1, 1))

    def needed(kind: Literal["mean", "difference"], left: float, error: float) -> list[int | None]:
        factors = (1.0, exp(-t * error), exp(t * error))
        explained = spread.variance - left
        return [dialogs_needed((left * x, explained), width, dialogs, kind) for x in factors]

    rows = []
    kinds: tuple[Literal["mean", "difference"], ...] = ("mean", "difference")
    for kind in kinds:
        alone, alone_low, alone_high = needed(kind, spread.variance, spread.error)
        powered, low, high = needed(kind, spread.left, spread.left_error)
        own = PlannedRatings(
            estimate=kind,
            width=width,
            alone=alone,
            alone_low=alone_low,
            alone_high=alone_high,
            with_proxy=powered,
            with_proxy_low=low,
            with_proxy_high=high,
            raters=raters,
        )
        rows.append(own)
    return rows


def dialogs_needed(
    variances: Sequence[float], width: float, dialogs: int, kind: Literal["mean", "difference"]
) -> int | None:
    """The fewest dialogs whose interval is no wider; null where all of them are too few.

    Width of a mean: 2 t √(left / n + explained / dialogs); a difference has twice the variance and
    the degrees of freedom of two systems.
    """
    left, explained = variances
    systems = 1 if kind == "mean" else 2

    def is_narrow(n: int) -> bool:
        variance = systems * (left / n + explained / dialogs)
        return 2 * t_quantile(systems * (n - 1)) * sqrt(variance) <= width

    low, high = 1, dialogs
    if high < 2 or not is_narrow(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_narrow(middle) else (middle, high)
    return high


def read_sample(path: Path) -> pl.DataFrame:
    """Dialog, system, stratum and weight of a file that `simpatico sample` wrote."""
    try:
        frame = pl.read_csv(path, infer_schema=False, glob=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(
            f"{path} cannot be read as a sample ({str(error).splitlines()[0]}); name the file that "
            "`simpatico sample` wrote"
        ) from None
    if missing := [c for c in ("dialog", "system", "weight", "stratum") if c not in frame.columns]:
        raise DataError(
            f"{path} has no column {missing[0]!r}; name the file that `simpatico sample` wrote"
        )
    weight = pl.col("weight").cast(pl.Float64, strict=False)
    frame = frame.select("dialog", "system", "stratum", weight)
    # below 1 a dialog would stand for less than itself
    bad = frame.filter(~(weight.is_finite() & (weight >= 1)).fill_null(value=False))
    if bad.height:
        raise DataError(
            f"{path}: the weight of dialog {bad['dialog'][0]!r} is no number of 1 or more; leave "
            "the column as `simpatico sample` wrote it"
        )
    if (n := int(frame.select("dialog", "system").is_duplicated().sum())) > 0:
        raise DataError(f"{path}: {n} rows repeat the dialog and system of another one; keep one")
    return frame
