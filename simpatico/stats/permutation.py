"""Permutation tests of a difference between means, for many scores with one set of draws.

All arrangements are enumerated where they are few; otherwise they are drawn, and the observed one
counts as one of the draws (Phipson & Smyth 2010), so that no p is 0.
"""

from __future__ import annotations

from itertools import combinations, product
from math import comb

import numpy as np

from simpatico.arrays import Floats
from simpatico.stats.draws import DRAWS, draw_flips, draw_uniform

CELLS = 2**22
"""Draws times scores that are held in memory at once."""

CLOSE = 1e-9
"""Arrangements closer than this to the observed one are as extreme: they differ by rounding."""

MIN_VARIANCE = 1e-15
"""Of values scaled to at most 1: below this, nothing varies but rounding."""


def sign_flip_p(differences: Floats, *, draws: int = DRAWS, seed: int = 0) -> Floats:
    """Two-sided p of pair differences (a row each, a column per score) under flips of their signs.

    Under the null hypothesis each difference is as likely to be negative. |sum| orders the flips as
    |t| does, because the sum of squares stays (Fisher 1935).
    """
    pairs = len(differences)
    exact = 2 ** (pairs - 1) <= draws + 1
    if exact:  # every way to flip all but the first; the others mirror these, with the same |sum|
        rest = np.array(list(product((1.0, -1.0), repeat=pairs - 1))).reshape(-1, pairs - 1)
        signs = np.column_stack([np.ones(2 ** (pairs - 1)), rest])
    else:
        signs = 1.0 - 2.0 * draw_flips(pairs, draws, seed)
    values = differences / column_size(differences)
    least = np.abs(values.sum(axis=0)) - CLOSE * np.abs(values).sum(axis=0)
    extreme = np.zeros(differences.shape[1])
    for block in column_blocks(differences.shape[1], len(signs)):
        extreme[block] = (np.abs(signs @ values[:, block]) >= least[block]).sum(axis=0)
    return share_of_arrangements(extreme, len(signs), exact=exact)


def relabel_p(values: Floats, first: int, *, draws: int = DRAWS, seed: int = 0) -> Floats:
    """Two-sided p of Welch's t under random labels; the first rows are one system's.

    A studentised statistic keeps its level also where the variances differ (Janssen 1997).
    """
    units = len(values)
    exact = comb(units, first) <= draws + 1
    if exact:  # every way to give `first` of the units the label 1
        ones = np.array(list(combinations(range(units), first)))
    else:  # the smallest of random keys are units drawn without replacement
        keys = draw_uniform(units * draws, seed).reshape(draws, units)
        ones = np.argpartition(keys, first - 1, axis=1)[:, :first]
    labels = np.zeros((len(ones), units))
    np.put_along_axis(labels, ones, 1.0, axis=1)
    deviations = values - values.mean(axis=0)
    deviations = deviations / column_size(deviations)
    own = (np.arange(units) < first)[None].astype(np.float64)
    extreme = np.zeros(values.shape[1])
    for block in column_blocks(values.shape[1], len(labels)):
        sample = welch_t_squared(own, deviations[:, block])
        t_squared = welch_t_squared(labels, deviations[:, block])
        extreme[block] = (t_squared >= sample * (1 - CLOSE) - CLOSE**2).sum(axis=0)
    return share_of_arrangements(extreme, len(labels), exact=exact)


def welch_t_squared(labels: Floats, values: Floats) -> Floats:
    """t² = (mean₁ - mean₂)² / (s₁²/n + s₂²/m) for each row of labels and column of values."""
    n = labels[0].sum()
    m = len(values) - n
    sums, squares = labels @ values, labels @ values**2
    rest, rest_squares = values.sum(axis=0) - sums, (values**2).sum(axis=0) - squares
    variance = (squares - sums**2 / n) / ((n - 1) * n)
    variance += (rest_squares - rest**2 / m) / ((m - 1) * m)
    return np.asarray((sums / n - rest / m) ** 2 / np.maximum(variance, MIN_VARIANCE))


def column_size(values: Floats) -> Floats:
    """The largest absolute value of each column, 1 where all are 0: divided by it, no square
    overflows."""
    largest = np.abs(values).max(axis=0)
    return np.where(largest > 0, largest, 1.0)


def column_blocks(columns: int, rows: int) -> list[slice]:
    """Slices of the columns that fit into memory with so many rows each."""
    width = max(1, CELLS // max(rows, 1))
    return [slice(start, start + width) for start in range(0, columns, width)]


def share_of_arrangements(extreme: Floats, arrangements: int, *, exact: bool) -> Floats:
    """p: of all arrangements, or of the draws and the observed one."""
    return extreme / arrangements if exact else (extreme + 1) / (arrangements + 1)
