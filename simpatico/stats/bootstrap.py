"""Correlations whose rows belong together: intervals and p over resamples of whole clusters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats, Ints
from simpatico.stats.cluster_draws import Draws, coded, pearson_draws
from simpatico.stats.correlation import NAMES, Kind, both, estimate, lacking
from simpatico.stats.draws import percentile_interval
from simpatico.stats.rank_draws import exact, rank_draws
from simpatico.stats.result import Result, nothing, result

FEWEST_CLUSTERS = 10
"""With fewer, their resamples say next to nothing about further ones."""

DEFINED = 0.9
"""The share of draws that must have a value before their spread is shown."""


def bootstrap(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    kind: Kind = "pearson",
    seed: int = 0,
) -> Result:
    """`bootstrap_many` of one column."""
    column = np.asarray(x, dtype=np.float64)[:, None]
    return bootstrap_many(column, y, clusters, kind=kind, seed=seed)[0]


def bootstrap_many(
    scores: npt.ArrayLike,
    target: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    kind: Kind = "pearson",
    seed: int = 0,
) -> list[Result]:
    """Each column's correlation with the target, 9,999 draws of whole clusters shared by all.

    The interval is the middle 95% of the draws; p = 2 (1 + draws on the rarer side of 0) / (1 +
    draws), the level at which that interval would reach 0. Both are null under ten clusters.
    """
    matrix, y = np.asarray(scores, dtype=np.float64), np.asarray(target, dtype=np.float64)
    code, _ = coded(clusters)
    drawn = correlation_draws(matrix, y, code, kind=kind, seed=seed)
    return [
        summary(matrix[:, m], y, code, drawn=drawn[:, m], kind=kind) for m in range(matrix.shape[1])
    ]


def correlation_draws(
    scores: Floats, target: Floats, code: Ints, *, kind: Kind, seed: int
) -> Floats:
    """One row per draw, one column per score; NaN where nothing varied."""
    draws = Draws(seed=seed)
    if kind == "pearson":
        return pearson_draws(scores, target, code, draws=draws)
    return rank_draws(scores, target, code, kind=kind, draws=draws)


def summary(x: Floats, y: Floats, code: Ints, *, drawn: Floats, kind: Kind) -> Result:
    """The correlation of two columns and what its draws say about it."""
    kept = np.isfinite(x) & np.isfinite(y)
    groups = len(np.unique(code[kept]))
    method = f"{NAMES[kind]}, bootstrap of {groups:,} clusters"
    if kind != "pearson" and not exact(len(x), int(code.max(initial=-1)) + 1, kind):
        method += ", first order"
    x, y = both(x, y)
    if (lack := lacking(x, y)) is not None:
        return nothing(lack, n=len(x), method=method)
    value = estimate(x, y, kind)
    usable = drawn[np.isfinite(drawn)]
    if groups < FEWEST_CLUSTERS or len(usable) < DEFINED * len(drawn):
        told = f"{method}: too few for an interval"
        return result(value, n=len(x), method=told)
    return result(
        value,
        n=len(x),
        method=method,
        interval=percentile_interval(usable),
        p_value=reaching_zero(usable),
    )


def reaching_zero(drawn: Floats) -> float:
    """The level at which the percentile interval of these draws reaches 0, by the +1 rule."""
    rarer = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    return min(1.0, 2 * (1 + rarer) / (1 + len(drawn)))
