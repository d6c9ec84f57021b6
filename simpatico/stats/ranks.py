"""Ranks and pairs: the sums that rank correlations are made of, without looking at all pairs."""

from __future__ import annotations

import numpy as np

from simpatico.arrays import Floats, Ints


def dense(values: Floats) -> tuple[Ints, Ints]:
    """The place of each value among the distinct ones, and how many rows hold each of these."""
    _, place, rows = np.unique(values, return_inverse=True, return_counts=True)
    return place.reshape(-1), rows


def ranks(values: Floats) -> Floats:
    """Ranks from 1, tied values sharing the mean of theirs."""
    place, rows = dense(values)
    return (np.cumsum(rows) - (rows - 1) / 2)[place]


def below(x: Floats, y: Floats) -> Ints:
    """For each row, how many rows are smaller in both x and y.

    Rows are put in order of x, larger y first among ties, so that an earlier row with a smaller y
    has a smaller x; these are counted bit by bit of y: n log n steps, each over whole columns.
    """
    order = np.lexsort((-y, x))
    place, _ = dense(y)
    found = np.zeros(len(x), dtype=np.int64)
    for bit in range(int(place.max(initial=0)).bit_length() - 1, -1, -1):
        group = place[order] >> (bit + 1)
        one = (place[order] >> bit) & 1 == 1
        zeros = np.concatenate([[0], np.cumsum(~one)])
        start = np.searchsorted(group, group)
        found[order] += np.where(one, zeros[:-1] - zeros[start], 0)
        order = order[np.argsort(place[order] >> bit, kind="stable")]
    return found


def agreement(x: Floats, y: Floats) -> Ints:
    """For each row, how many others it agrees with in direction less those it disagrees with."""
    return below(x, y) + below(-x, -y) - below(-x, y) - below(x, -y)


def untied(values: Floats) -> Ints:
    """For each row, how many rows have another value."""
    place, rows = dense(values)
    return (len(values) - rows)[place]
