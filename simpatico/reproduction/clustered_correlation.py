"""Differences of correlations over resamples of whole clusters.

Rows of one cluster (a query, a prompt, a dialog) are drawn together, as they are not independent.
Both statistics of a difference come from the same draws, so that what they share cancels.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.stats.bootstrap import bootstrap_p
from simpatico.stats.correlation import correlation_coefficient, missing_reason
from simpatico.stats.correlation_bootstrap import correlation_draws
from simpatico.stats.dependent import Overlapping, williams_test
from simpatico.stats.draws import percentile_interval
from simpatico.stats.result import Result, make_result
from simpatico.wording import format_number, format_p

CorrelationKind = Literal["pearson", "spearman"]
KINDS: tuple[CorrelationKind, ...] = ("pearson", "spearman")


def dense_codes(names: pl.Series) -> Ints:
    """Names of clusters as numbers from 0."""
    return (names.rank("dense") - 1).to_numpy().astype(np.int64)


def correlation_difference(
    two: Floats, ratings: Floats, clusters: Ints, *, kind: CorrelationKind, seed: int
) -> tuple[Result, str]:
    """The first column's correlation with the ratings minus the second's, and both in words.

    Williams' t (Williams 1959; Steiger 1980), which papers use, stands beside the bootstrap's p: it
    takes the rows as independent.
    """
    complete = np.isfinite(two).all(axis=1) & np.isfinite(ratings)
    two, ratings, clusters = two[complete], ratings[complete], clusters[complete]
    method = "difference over resamples of queries"
    if lack := missing_reason(two[:, 0], two[:, 1], ratings):
        return Result(None, None, None, None, len(ratings), lack, method), "no test"
    first, second, between = (
        correlation_coefficient(a, b, kind)
        for a, b in ((two[:, 0], ratings), (two[:, 1], ratings), (two[:, 0], two[:, 1]))
    )
    draws = correlation_draws(two, ratings, clusters, kind=kind, seed=seed)
    gaps = draws[:, 0] - draws[:, 1]
    gaps = gaps[np.isfinite(gaps)]
    test = williams_test(Overlapping(first, second, between, len(ratings)))
    difference = make_result(
        first - second,
        n=len(ratings),
        method=method,
        interval=percentile_interval(gaps),
        p_value=bootstrap_p(gaps),
    )
    return difference, (
        f"{format_number(first, 3)} against {format_number(second, 3)}, "
        f"p {format_p(difference.p_value)} by resamples, "
        f"p {format_p(test.p_value)} by Williams' t"
    )
