"""Partial correlation: columns with a target, one further column held constant.

r = (xy - xz zy) / sqrt((1 - xz²)(1 - zy²)) of the correlations xy, xz and zy of column x, target y
and constant z (Yule 1907); of ranks it is the partial rank correlation, of tau-b Kendall's (1942).
Example: xy = .5, xz = .4, zy = .3: (.5 - .4 x .3) / sqrt(.84 x .91) = .435.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats, Ints
from simpatico.stats.bootstrap import bootstrap_p, cluster_codes, defined_draws
from simpatico.stats.correlation import (
    MIN_ROWS,
    NAMES,
    Kind,
    correlation_coefficient,
    fisher_interval,
    missing_reason,
    student_p,
)
from simpatico.stats.correlation_bootstrap import correlation_draws
from simpatico.stats.draws import percentile_interval
from simpatico.stats.result import Result, make_result, no_result

SAME = 1e-9
"""Columns whose correlation is so close to 1 are the same: nothing is left when one is constant."""


def partial_correlations(
    scores: npt.ArrayLike,
    target: npt.ArrayLike,
    constant: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    kind: Kind = "pearson",
    seed: int = 0,
) -> list[Result]:
    """Each column's partial correlation with the target, over rows where all three are finite.

    Rows in clusters: bootstrap of clusters, all three correlations from the same draws. Independent
    rows: Fisher's interval and t test with one degree of freedom less (Fisher 1924); those of tau-b
    have no known distribution, so its rows are resampled.
    """
    matrix, y, z = (np.asarray(c, dtype=np.float64) for c in (scores, target, constant))
    complete = np.isfinite(matrix) & np.isfinite(y)[:, None] & np.isfinite(z)[:, None]
    draws, code = None, np.arange(len(y))
    if clusters is not None or kind == "kendall":
        code = code if clusters is None else cluster_codes(clusters)[0]
        draws = partial_draws(np.where(complete, matrix, np.nan), y, z, code, kind=kind, seed=seed)
    results = []
    for i, rows in enumerate(complete.T):
        x, own_y, own_z = matrix[rows, i], y[rows], z[rows]
        n, groups = len(x), len(np.unique(code[rows]))
        method = f"partial {NAMES[kind]}, "
        method += "Fisher interval" if draws is None else f"bootstrap of {groups:,} clusters"
        # three rows are always on a plane: without the constant, two points on a line
        if (reason := missing_reason(x, own_y, own_z)) is not None or n <= MIN_ROWS:
            results.append(no_result(reason or "too_few", n=n, method=method))
            continue
        pairs = ((x, own_y), (own_z, own_y), (x, own_z))
        value = float(partial_r(*(np.asarray(correlation_coefficient(*p, kind)) for p in pairs)))
        interval, p_value = None, None
        if not np.isfinite(value):
            pass
        elif draws is None:
            interval, p_value = fisher_interval(value, n - 1, kind), student_p(value, n - 1)
        elif (usable := defined_draws(draws[:, i], groups)) is None:
            method += ": too few for an interval"
        else:
            interval, p_value = percentile_interval(usable), bootstrap_p(usable)
        results.append(make_result(value, n=n, method=method, interval=interval, p_value=p_value))
    return results


def partial_draws(
    scores: Floats, y: Floats, z: Floats, code: Ints, *, kind: Kind, seed: int
) -> Floats:
    """The partial correlation of each column, one row per draw; columns are NaN where y or z is."""
    # A row without a score takes no part in zy either. Most columns lack the same rows or none.
    masks, mask_of = np.unique(np.isfinite(scores), axis=1, return_inverse=True)
    constants = np.where(masks, z[:, None], np.nan)
    m = scores.shape[1]
    # the same seed draws the same clusters, so that row i is one resample in both
    with_y = correlation_draws(np.hstack([scores, constants]), y, code, kind=kind, seed=seed)
    with_z = correlation_draws(scores, z, code, kind=kind, seed=seed)
    return partial_r(with_y[:, :m], with_y[:, m:][:, mask_of.reshape(-1)], with_z)


def partial_r(xy: Floats, zy: Floats, xz: Floats) -> Floats:
    """The partial correlation out of three correlations; NaN where z equals x or y."""
    rest = (1 - xz**2) * (1 - zy**2)
    same = np.maximum(np.abs(xz), np.abs(zy)) > 1 - SAME
    root = np.sqrt(np.where(same, 1, np.maximum(rest, SAME**2)))
    return np.asarray(np.where(same, np.nan, np.clip((xy - xz * zy) / root, -1, 1)))
