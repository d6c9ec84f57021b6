"""Spearman and Kendall over resamples of whole clusters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.stats.cluster_draws import Draws, blocks, summed
from simpatico.stats.correlation import Kind, estimate, lacking
from simpatico.stats.ranks import agreement, dense, ranks, untied

EXACT_ROWS = 500
EXACT_CLUSTERS = 100
MOST_PAIRED = 20_000
"""Rank correlations are recomputed in every draw up to EXACT_ROWS rows, and beyond when there are
fewer than EXACT_CLUSTERS clusters, for tau-b only while all pairs of rows can be looked at."""

ROWS_AT_ONCE = 200
NEARLY_ONE = 1 - 1e-15

Statistic = Callable[[Floats], Floats]


def exact(rows: int, clusters: int, kind: Kind) -> bool:
    """Whether every draw is recomputed, or only its change to first order."""
    if kind == "kendall" and rows > MOST_PAIRED:
        return False
    return rows <= EXACT_ROWS or clusters < EXACT_CLUSTERS


def rank_draws(scores: Floats, target: Floats, code: Ints, *, kind: Kind, draws: Draws) -> Floats:
    """Spearman's rho or Kendall's tau-b of each column with the target, one row per draw.

    Small samples: recomputed in every draw. Large ones: the change to first order in the counts
    (influence values, on Fisher's scale), whose error falls as 1 over the number of clusters while
    the width of the interval falls as 1 over its root (Efron & Tibshirani 1993, ch. 22).
    """
    clusters = int(code.max(initial=-1)) + 1
    drawn = np.full((draws.n, scores.shape[1]), np.nan)
    whole = exact(len(target), clusters, kind)
    draw = (every_draw if whole else first_order)(scores, target, code, kind=kind)
    for rows, weights in blocks(clusters, draws, width=len(target) if whole else 1):
        drawn[rows] = draw(weights)
    return drawn


def every_draw(scores: Floats, target: Floats, code: Ints, *, kind: Kind) -> Statistic:
    """All the correlations recomputed out of how often each cluster is drawn."""
    columns = [recomputed(*varying(x, target, code), kind=kind) for x in scores.T]

    def draw(weights: Floats) -> Floats:
        drawn = np.empty((len(weights), len(columns)))
        for column, correlation in enumerate(columns):
            drawn[:, column] = correlation(weights)
        return drawn

    return draw


def varying(x: Floats, y: Floats, code: Ints) -> tuple[Floats, Floats, Ints]:
    """The rows where both are there; none at all where they have no correlation."""
    kept = np.isfinite(x) & np.isfinite(y)
    if lacking(x[kept], y[kept]) is not None:
        kept[:] = False
    return x[kept], y[kept], code[kept]


def recomputed(x: Floats, y: Floats, code: Ints, *, kind: Kind) -> Statistic:
    """The correlation itself as a function of how often each cluster is drawn."""
    if not len(x):
        return lambda weights: np.full(len(weights), np.nan)
    if kind == "spearman":
        return lambda weights: weighted_rho(x, y, weights[:, code])
    agreeing, x_untied, y_untied = pair_sums(x, y, code)
    groups = np.unique(code)

    def tau(weights: Floats) -> Floats:
        w = weights[:, groups]
        s, u, v = (((w @ pairs) * w).sum(axis=1) for pairs in (agreeing, x_untied, y_untied))
        return np.where(u * v > 0, s / np.sqrt(np.where(u * v > 0, u * v, 1)), np.nan)

    return tau


def weighted_rho(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Pearson of mid-ranks among rows that count `weights` times, a row of weights per draw.

    With A = how many are smaller + half of those equal: Σ w A = N² / 2 whatever the ties.
    """
    a, b = weighted_ranks(x, weights), weighted_ranks(y, weights)
    middle = weights.sum(axis=1) ** 3 / 4
    shared = np.einsum("ij,ij,ij->i", weights, a, b) - middle
    x_spread = np.einsum("ij,ij,ij->i", weights, a, a) - middle
    y_spread = np.einsum("ij,ij,ij->i", weights, b, b) - middle
    varied = (x_spread > 0) & (y_spread > 0)
    root = np.sqrt(np.where(varied, x_spread, 1)) * np.sqrt(np.where(varied, y_spread, 1))
    return np.where(varied, np.clip(shared / root, -1, 1), np.nan)


def weighted_ranks(values: Floats, weights: Floats) -> Floats:
    """How much weight stands below each row, and half of what is tied with it."""
    place, rows = dense(values)
    starts = np.concatenate([[0], np.cumsum(rows)[:-1]])
    within = np.add.reduceat(weights[:, np.argsort(place, kind="stable")], starts, axis=1)
    return np.asarray((np.cumsum(within, axis=1) - within / 2)[:, place])


def pair_sums(x: Floats, y: Floats, code: Ints) -> tuple[Floats, ...]:
    """For each two clusters: pairs that agree less those that do not; untied in x; untied in y."""
    order = np.argsort(code, kind="stable")
    across, up = dense(x)[0][order], dense(y)[0][order]
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    group = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(code)))
    sums = [np.zeros((len(starts), len(starts))) for _ in range(3)]
    for start in range(0, len(code), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        a = np.sign(across[rows, None] - across).astype(np.int8)
        b = np.sign(up[rows, None] - up).astype(np.int8)
        for total, pairs in zip(sums, (a * b, np.abs(a), np.abs(b)), strict=True):
            part = np.add.reduceat(pairs, starts, axis=1, dtype=np.int64).astype(np.float64)
            total += summed(part, group[rows], len(starts))
    return tuple(sums)


def first_order(scores: Floats, target: Floats, code: Ints, *, kind: Kind) -> Statistic:
    """tanh(atanh r + Σ w r' / (1 - r²)); r', what one more of a row adds to r, sums to 0."""
    clusters = int(code.max(initial=-1)) + 1
    start, moved = np.full(scores.shape[1], np.nan), np.zeros((clusters, scores.shape[1]))
    for column, score in enumerate(scores.T):
        x, y, group = varying(score, target, code)
        value = estimate(x, y, kind) if len(x) else np.nan
        start[column] = np.arctanh(np.clip(value, -NEARLY_ONE, NEARLY_ONE))
        if abs(value) < NEARLY_ONE:
            change = (rho_change if kind == "spearman" else tau_change)(x, y, value)
            moved[:, column] = np.bincount(group, change / (1 - value**2), clusters)
    return lambda weights: np.tanh(start + weights @ moved)


def tau_change(x: Floats, y: Floats, value: float) -> Floats:
    """Derivative of tau-b by each row's weight."""
    k, u, v = agreement(x, y), untied(x), untied(y)
    root = np.sqrt(float(u.sum())) * np.sqrt(float(v.sum()))
    return np.asarray(2 * k / root - value * (u / u.sum() + v / v.sum()))


def rho_change(x: Floats, y: Floats, value: float) -> Floats:
    """Derivative of Spearman's rho by each row's weight, which also moves the ranks of others."""
    a, b, n = ranks(x) - 0.5, ranks(y) - 0.5, float(len(x))
    spread_x, spread_y = (a @ a - n**3 / 4), (b @ b - n**3 / 4)
    shared = a * b + above(x, b) + above(y, a) - 0.75 * n**2
    own_x = a * a + 2 * above(x, a) - 0.75 * n**2
    own_y = b * b + 2 * above(y, b) - 0.75 * n**2
    root = np.sqrt(spread_x) * np.sqrt(spread_y)
    return np.asarray(shared / root - value / 2 * (own_x / spread_x + own_y / spread_y))


def above(values: Floats, summands: Floats) -> Floats:
    """For each row, the summands of rows with larger values, and half of those tied with it."""
    place, _ = dense(values)
    within = np.bincount(place, weights=summands)
    return np.asarray((within.sum() - np.cumsum(within) + within / 2)[place])
