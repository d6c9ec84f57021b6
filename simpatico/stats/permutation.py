"""Permutation tests of a difference between means, for many scores with one set of draws.

All arrangements are gone through where they are few; else they are drawn, and what was seen counts
as one of the draws (Phipson & Smyth 2010), so that no p is 0.
"""

from __future__ import annotations

from itertools import combinations, product
from math import comb

import numpy as np

from simpatico.arrays import Floats
from simpatico.stats.draws import DRAWS, flips, uniform

CELLS = 2**22
"""Draws times scores that are held in memory at once."""
CLOSE = 1e-9
LEAST_SPREAD = 1e-15


def sign_flip_p(differences: Floats, *, draws: int = DRAWS, seed: int = 0) -> Floats:
    """Two-sided p of pair differences (a row each, a column per score) under flips of their signs.

    Under the null hypothesis each difference is as likely to be negative. |sum| orders the flips as
    |t| does, because the sum of squares stays (Fisher 1935).
    """
    pairs = len(differences)
    exact = 2 ** (pairs - 1) <= draws + 1
    signs = all_signs(pairs) if exact else 1.0 - 2.0 * flips(pairs, draws, seed)
    scaled = differences / scale(differences)
    seen = np.abs(scaled.sum(axis=0)) - CLOSE * np.abs(scaled).sum(axis=0)
    reached = np.zeros(differences.shape[1])
    for block in blocks(differences.shape[1], len(signs)):
        reached[block] = (np.abs(signs @ scaled[:, block]) >= seen[block]).sum(axis=0)
    return share(reached, len(signs), exact=exact)


def all_signs(pairs: int) -> Floats:
    """Every way to flip all but the first; the others mirror these and have the same |sum|."""
    rest = list(product((1.0, -1.0), repeat=pairs - 1))
    return np.column_stack([np.ones(len(rest)), np.array(rest).reshape(len(rest), pairs - 1)])


def relabel_p(values: Floats, first: int, *, draws: int = DRAWS, seed: int = 0) -> Floats:
    """Two-sided p of Welch's t when the labels are dealt anew; the first rows are one system's.

    A t with its own spread keeps the level also where the two systems vary unlike (Janssen 1997).
    """
    units = len(values)
    exact = comb(units, first) <= draws + 1
    labels = all_labels(units, first) if exact else drawn_labels(units, first, draws, seed)
    centred = values - values.mean(axis=0)
    centred = centred / scale(centred)
    own = (np.arange(units) < first)[None].astype(np.float64)
    reached = np.zeros(values.shape[1])
    for block in blocks(values.shape[1], len(labels)):
        seen = welch_squared(own, centred[:, block])
        drawn = welch_squared(labels, centred[:, block])
        reached[block] = (drawn >= seen * (1 - CLOSE) - CLOSE**2).sum(axis=0)
    return share(reached, len(labels), exact=exact)


def all_labels(units: int, first: int) -> Floats:
    chosen = np.array(list(combinations(range(units), first)))
    labels = np.zeros((len(chosen), units))
    np.put_along_axis(labels, chosen, 1.0, axis=1)
    return labels


def drawn_labels(units: int, first: int, draws: int, seed: int) -> Floats:
    """Rows in which `first` places, drawn without replacement, hold 1."""
    keys = uniform(units * draws, seed).reshape(draws, units)
    labels = np.zeros((draws, units))
    np.put_along_axis(labels, np.argpartition(keys, first - 1, axis=1)[:, :first], 1.0, axis=1)
    return labels


def welch_squared(labels: Floats, values: Floats) -> Floats:
    """t² for each row of labels and column of values."""
    n = labels[0].sum()
    m = len(values) - n
    sums, squares = labels @ values, labels @ values**2
    rest, rest_squares = values.sum(axis=0) - sums, (values**2).sum(axis=0) - squares
    spread = (squares - sums**2 / n) / ((n - 1) * n)
    spread += (rest_squares - rest**2 / m) / ((m - 1) * m)
    squared: Floats = (sums / n - rest / m) ** 2 / np.maximum(spread, LEAST_SPREAD)
    return squared


def scale(values: Floats) -> Floats:
    """The largest size in each column, so that no square overflows; 1 where all are 0."""
    largest = np.abs(values).max(axis=0)
    return np.where(largest > 0, largest, 1.0)


def blocks(columns: int, rows: int) -> list[slice]:
    width = max(1, CELLS // max(rows, 1))
    return [slice(start, start + width) for start in range(0, columns, width)]


def share(reached: Floats, arrangements: int, *, exact: bool) -> Floats:
    """Of all arrangements, or of the draws and what was seen."""
    return reached / arrangements if exact else (reached + 1) / (arrangements + 1)
