"""Two scores against one judgement: which of them follows it more closely?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats
from simpatico.stats.bootstrap import DEFINED, FEWEST_CLUSTERS, correlation_draws, reaching_zero
from simpatico.stats.cluster_draws import coded
from simpatico.stats.correlation import NAMES, Kind, estimate, lacking
from simpatico.stats.dependent import (
    Comparison,
    Nonoverlapping,
    Overlapping,
    hotelling,
    raghunathan,
    steiger,
    williams,
)
from simpatico.stats.draws import percentile_interval
from simpatico.stats.result import Result, Status, nothing, result

Test = Literal["williams", "steiger", "hotelling"]
TESTS: dict[Test, Callable[[Overlapping], Comparison]] = {
    "williams": williams,
    "steiger": steiger,
    "hotelling": hotelling,
}


def rivals(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    target: npt.ArrayLike,
    *,
    kind: Kind = "pearson",
    test: Test = "williams",
) -> Comparison:
    """How much more a correlates with the target than b, over rows where all three are there.

    Rows are taken as independent. With Spearman the same test is used on correlations of ranks
    (Myers & Sirois 2006); for tau-b there is none, see `rivals_drawn`.
    """
    whole, lack = listwise(a, b, target)
    n, name = whole.shape[1], NAMES[kind]
    if kind == "kendall" or lack is not None:
        method = f"{name}: {test} is for product moments" if kind == "kendall" else name
        return Comparison(nothing(lack or "degenerate", n=n, method=method))
    x, y, z = whole
    r = Overlapping(estimate(z, x, kind), estimate(z, y, kind), estimate(x, y, kind), n)
    found = TESTS[test](r)
    named = found.difference.named(f"{name}, {found.difference.method}")
    return replace(found, difference=named)


def unrelated(
    first: tuple[npt.ArrayLike, npt.ArrayLike],
    second: tuple[npt.ArrayLike, npt.ArrayLike],
    *,
    kind: Kind = "pearson",
) -> Comparison:
    """How much more the first two columns correlate than the second two, over the same rows."""
    whole, lack = listwise(*first, *second)
    if lack is not None:
        return Comparison(nothing(lack, n=whole.shape[1], method=NAMES[kind]))
    pairs = {"jk": (0, 1), "hm": (2, 3), "jh": (0, 2), "jm": (0, 3), "kh": (1, 2), "km": (1, 3)}
    r = {name: estimate(whole[i], whole[j], kind) for name, (i, j) in pairs.items()}
    found = raghunathan(Nonoverlapping(**r, n=whole.shape[1]))
    named = found.difference.named(f"{NAMES[kind]}, {found.difference.method}")
    return replace(found, difference=named)


def rivals_drawn(
    columns: tuple[npt.ArrayLike, npt.ArrayLike],
    target: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    kind: Kind = "pearson",
    seed: int = 0,
) -> Result:
    """The same difference over resamples of whole clusters, for rows that belong together."""
    names = np.asarray(clusters)
    table = [np.asarray(c, dtype=np.float64) for c in (*columns, target)]
    kept = np.isfinite(table).all(axis=0)
    (x, y, z), lack = listwise(*table)
    code, groups = coded(names[kept])
    method = f"{NAMES[kind]}, difference, bootstrap of {groups:,} clusters"
    if lack is not None:
        return nothing(lack, n=len(z), method=method)
    value = estimate(x, z, kind) - estimate(y, z, kind)
    if groups < FEWEST_CLUSTERS:
        return result(value, n=len(z), method=f"{method}: too few for an interval")
    drawn = correlation_draws(np.column_stack([x, y]), z, code, kind=kind, seed=seed)
    spread = drawn[:, 0] - drawn[:, 1]
    spread = spread[np.isfinite(spread)]
    if len(spread) < DEFINED * len(drawn) or np.ptp(spread) < 1e-12:
        return result(value, n=len(z), method=f"{method}: too few for an interval")
    interval, p = percentile_interval(spread), reaching_zero(spread)
    return result(value, n=len(z), method=method, interval=interval, p_value=p)


def listwise(*columns: npt.ArrayLike) -> tuple[Floats, Status | None]:
    """The columns, one row each, where all are there, and why they cannot be correlated."""
    table = np.array([np.asarray(c, dtype=np.float64) for c in columns])
    table = table[:, np.isfinite(table).all(axis=0)]
    return table, lacking(*table)
