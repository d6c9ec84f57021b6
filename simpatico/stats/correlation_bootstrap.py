"""Correlations whose rows come in clusters: intervals and p over resamples of whole clusters."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Bools, Floats, Ints
from simpatico.stats.bootstrap import (
    CountStatistic,
    bootstrap_p,
    cluster_codes,
    defined_draws,
    resample_clusters,
    sum_by_cluster,
)
from simpatico.stats.correlation import (
    NAMES,
    Kind,
    correlation_coefficient,
    missing_reason,
)
from simpatico.stats.draws import Draws, percentile_interval
from simpatico.stats.ranks import concordance, count_untied, dense_ranks, mid_ranks
from simpatico.stats.result import Result, make_result, no_result

EXACT_ROWS = 500
EXACT_CLUSTERS = 100
MAX_PAIRED_ROWS = 20_000
"""Rank correlations are recomputed in every draw up to EXACT_ROWS rows, and beyond when there are
fewer than EXACT_CLUSTERS clusters, for tau-b only while all pairs of rows can be looked at."""

ROWS_AT_ONCE = 200
NEARLY_ONE = 1 - 1e-15
"""Fisher's z of a perfect correlation is infinite; this one is the largest that is not."""


def bootstrap_correlation(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    kind: Kind = "pearson",
    seed: int = 0,
) -> Result:
    """`bootstrap_correlations` of one column."""
    column = np.asarray(x, dtype=np.float64)[:, None]
    return bootstrap_correlations(column, y, clusters, kind=kind, seed=seed)[0]


def bootstrap_correlations(
    scores: npt.ArrayLike,
    target: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    kind: Kind = "pearson",
    seed: int = 0,
) -> list[Result]:
    """Each column's correlation with the target; all share the same 9,999 draws of clusters.

    The interval is the middle 95% of the draws; p = 2 (1 + draws on the rarer side of 0) / (1 +
    draws), the level at which that interval would reach 0. Both are null under ten clusters.
    """
    matrix, y = np.asarray(scores, dtype=np.float64), np.asarray(target, dtype=np.float64)
    code, n_clusters = cluster_codes(clusters)
    draws = correlation_draws(matrix, y, code, kind=kind, seed=seed)
    exact = kind == "pearson" or ranks_are_exact(len(y), n_clusters, kind)
    results = []
    for x, column_draws in zip(matrix.T, draws.T, strict=True):
        rows = np.isfinite(x) & np.isfinite(y)
        a, b, groups = x[rows], y[rows], len(np.unique(code[rows]))
        method = f"{NAMES[kind]}, bootstrap of {groups:,} clusters"
        method += "" if exact else ", first order"
        if (reason := missing_reason(a, b)) is not None:
            results.append(no_result(reason, n=len(a), method=method))
            continue
        value, usable = correlation_coefficient(a, b, kind), defined_draws(column_draws, groups)
        interval, p_value = None, None
        if usable is None:
            method += ": too few for an interval"
        else:
            interval, p_value = percentile_interval(usable), bootstrap_p(usable)
        results.append(
            make_result(value, n=len(a), method=method, interval=interval, p_value=p_value)
        )
    return results


def correlation_draws(
    scores: Floats, target: Floats, code: Ints, *, kind: Kind, seed: int
) -> Floats:
    """One row per draw, one column per score; NaN where nothing varied."""
    draws = pearson_draws if kind == "pearson" else partial(rank_draws, kind=kind)
    return draws(scores, target, code, draws=Draws(seed=seed))


def pearson_draws(scores: Floats, target: Floats, code: Ints, *, draws: Draws) -> Floats:
    """r of each column with the target, one row per draw, out of `counts @ sums`.

    A score that is NaN leaves its row out of its own sums only; columns without NaN share those of
    the target.
    """
    rows = np.isfinite(target)
    scores, target, clusters = scores[rows], target[rows], int(code.max(initial=-1)) + 1
    code = code[rows]
    finite = np.isfinite(scores)
    x, y = standardise_columns(scores), standardise_columns(target[:, None])
    complete = np.asarray(finite.all(axis=0))
    gaps = finite[:, ~complete] * 1.0
    parts = [[np.ones_like(y), y, y * y], [x, x * x, x * y], [gaps, gaps * y, gaps * y * y]]
    sums = np.hstack([sum_by_cluster(np.hstack(part), code, clusters) for part in parts])
    return resample_clusters(
        lambda counts: pearson_from_sums(counts @ sums, complete), clusters, draws
    )


def standardise_columns(columns: Floats) -> Floats:
    """Each column with mean 0 and SD 1, NaN as 0, so that differences of sums lose no digits."""
    finite = np.isfinite(columns)
    column = np.where(finite, columns, 0)
    size = np.abs(column).max(axis=0, initial=0)
    column = column / np.where(size > 0, size, 1)
    n = np.maximum(finite.sum(axis=0), 1)
    column = np.where(finite, column - column.sum(axis=0) / n, 0)
    sd = np.sqrt((column**2).sum(axis=0) / n)
    return np.asarray(column / np.where(sd > 0, sd, 1))


def pearson_from_sums(sums: Floats, complete: Bools) -> Floats:
    """r = (Σxy - ΣxΣy/n) / sqrt((Σx² - (Σx)²/n) (Σy² - (Σy)²/n)) of every column.

    Sums come as (n, y, yy), then (x, xx, xy) of all columns, then (n, y, yy) of those with gaps.
    """
    m, gaps = len(complete), int((~complete).sum())
    target = np.empty((3, len(sums), m))
    target[:, :, complete] = sums[:, :3].T[:, :, None]
    target[:, :, ~complete] = sums[:, 3 + 3 * m :].reshape(len(sums), 3, gaps).transpose(1, 0, 2)
    n, y, yy = target
    x, xx, xy = sums[:, 3 : 3 + 3 * m].reshape(len(sums), 3, m).transpose(1, 0, 2)
    n = np.maximum(n, 1)
    x_ss, y_ss = xx - x * x / n, yy - y * y / n
    varies = (x_ss > 1e-10 * n) & (y_ss > 1e-10 * n)
    product = np.where(varies, x_ss * y_ss, 1)
    return np.where(varies, np.clip((xy - x * y / n) / np.sqrt(product), -1, 1), np.nan)


def ranks_are_exact(rows: int, clusters: int, kind: Kind) -> bool:
    """Whether ranks are recomputed in every draw, or only their change to first order."""
    if kind == "kendall" and rows > MAX_PAIRED_ROWS:
        return False
    return rows <= EXACT_ROWS or clusters < EXACT_CLUSTERS


def rank_draws(scores: Floats, target: Floats, code: Ints, *, kind: Kind, draws: Draws) -> Floats:
    """Spearman's rho or Kendall's tau-b of each column with the target, one row per draw.

    Small samples: recomputed in every draw. Large ones: the change to first order in the counts
    (influence values, on Fisher's scale), whose error falls as 1 over the number of clusters while
    the width of the interval falls as 1 over its root (Efron & Tibshirani 1993, ch. 22).
    """
    clusters = int(code.max(initial=-1)) + 1
    if not ranks_are_exact(len(target), clusters, kind):
        linear = first_order_statistic(scores, target, code, kind=kind)
        return resample_clusters(linear, clusters, draws)
    columns = [exact_statistic(*paired_rows(x, target, code), kind=kind) for x in scores.T]

    def recompute(counts: Floats) -> Floats:
        values = [statistic(counts) for statistic in columns]
        return np.array(values).reshape(len(columns), len(counts)).T  # also of no columns

    return resample_clusters(recompute, clusters, draws, width=len(target))


def paired_rows(x: Floats, y: Floats, code: Ints) -> tuple[Floats, Floats, Ints]:
    """The rows where both are finite; none at all where they have no correlation."""
    rows = np.isfinite(x) & np.isfinite(y)
    if missing_reason(x[rows], y[rows]) is not None:
        rows[:] = False
    return x[rows], y[rows], code[rows]


def exact_statistic(x: Floats, y: Floats, code: Ints, *, kind: Kind) -> CountStatistic:
    """The rank correlation itself as a function of how often each cluster is drawn."""
    if not len(x):
        return lambda counts: np.full(len(counts), np.nan)
    if kind == "spearman":
        return lambda counts: weighted_rho(x, y, counts[:, code])
    concordant, x_untied, y_untied = pair_sums(x, y, code)
    groups = np.unique(code)

    def tau(counts: Floats) -> Floats:
        w = counts[:, groups]
        s, u, v = (((w @ pairs) * w).sum(axis=1) for pairs in (concordant, x_untied, y_untied))
        return np.where(u * v > 0, s / np.sqrt(np.where(u * v > 0, u * v, 1)), np.nan)

    return tau


def weighted_rho(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Pearson of mid-ranks among rows that count `weights` times, a row of weights per draw.

    With A = how many are smaller + half of those equal: Σ w A = N² / 2 whatever the ties, so the
    sum of squares about the mean is Σ w A² - N³ / 4.
    """
    a, b = weighted_ranks(x, weights), weighted_ranks(y, weights)
    middle = weights.sum(axis=1) ** 3 / 4
    product = np.einsum("ij,ij,ij->i", weights, a, b) - middle
    x_ss = np.einsum("ij,ij,ij->i", weights, a, a) - middle
    y_ss = np.einsum("ij,ij,ij->i", weights, b, b) - middle
    varies = (x_ss > 0) & (y_ss > 0)
    root = np.sqrt(np.where(varies, x_ss, 1)) * np.sqrt(np.where(varies, y_ss, 1))
    return np.where(varies, np.clip(product / root, -1, 1), np.nan)


def weighted_ranks(values: Floats, weights: Floats) -> Floats:
    """The weight below each row, and half of the weight tied with it."""
    rank, rows = dense_ranks(values)
    starts = np.concatenate([[0], np.cumsum(rows)[:-1]])
    totals = np.add.reduceat(weights[:, np.argsort(rank, kind="stable")], starts, axis=1)
    return np.asarray((np.cumsum(totals, axis=1) - totals / 2)[:, rank])


def pair_sums(x: Floats, y: Floats, code: Ints) -> tuple[Floats, ...]:
    """For each two clusters: concordant less discordant pairs; pairs untied in x; untied in y."""
    order = np.argsort(code, kind="stable")
    across, up = dense_ranks(x)[0][order], dense_ranks(y)[0][order]
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    group = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(code)))
    sums = [np.zeros((len(starts), len(starts))) for _ in range(3)]
    for start in range(0, len(code), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        a = np.sign(across[rows, None] - across).astype(np.int8)
        b = np.sign(up[rows, None] - up).astype(np.int8)
        for total, pairs in zip(sums, (a * b, np.abs(a), np.abs(b)), strict=True):
            part = np.add.reduceat(pairs, starts, axis=1, dtype=np.int64).astype(np.float64)
            total += sum_by_cluster(part, group[rows], len(starts))
    return tuple(sums)


def first_order_statistic(
    scores: Floats, target: Floats, code: Ints, *, kind: Kind
) -> CountStatistic:
    """tanh(atanh r + Σ w r' / (1 - r²)); r', what one more of a row adds to r, sums to 0."""
    clusters = int(code.max(initial=-1)) + 1
    start, influence = np.full(scores.shape[1], np.nan), np.zeros((clusters, scores.shape[1]))
    for column, score in enumerate(scores.T):
        x, y, group = paired_rows(score, target, code)
        value = correlation_coefficient(x, y, kind) if len(x) else np.nan
        start[column] = np.arctanh(np.clip(value, -NEARLY_ONE, NEARLY_ONE))
        if abs(value) < NEARLY_ONE:
            change = (rho_influence if kind == "spearman" else tau_influence)(x, y, value)
            influence[:, column] = np.bincount(group, change / (1 - value**2), clusters)
    return lambda counts: np.tanh(start + counts @ influence)


def tau_influence(x: Floats, y: Floats, value: float) -> Floats:
    """Derivative of tau-b by each row's weight."""
    k, u, v = concordance(x, y), count_untied(x), count_untied(y)
    root = np.sqrt(float(u.sum())) * np.sqrt(float(v.sum()))
    return np.asarray(2 * k / root - value * (u / u.sum() + v / v.sum()))


def rho_influence(x: Floats, y: Floats, value: float) -> Floats:
    """Derivative of Spearman's rho by each row's weight, which also moves the ranks of others."""
    a, b, n = mid_ranks(x) - 0.5, mid_ranks(y) - 0.5, float(len(x))
    x_ss, y_ss = (a @ a - n**3 / 4), (b @ b - n**3 / 4)
    product = a * b + sum_above(x, b) + sum_above(y, a) - 0.75 * n**2
    own_x = a * a + 2 * sum_above(x, a) - 0.75 * n**2
    own_y = b * b + 2 * sum_above(y, b) - 0.75 * n**2
    root = np.sqrt(x_ss) * np.sqrt(y_ss)
    return np.asarray(product / root - value / 2 * (own_x / x_ss + own_y / y_ss))


def sum_above(values: Floats, summands: Floats) -> Floats:
    """For each row, the summands of rows with larger values, and half of those tied with it."""
    rank, _ = dense_ranks(values)
    totals = np.bincount(rank, weights=summands)
    return np.asarray((totals.sum() - np.cumsum(totals) + totals / 2)[rank])
