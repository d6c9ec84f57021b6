"""Ranks, and counts over pairs of rows that rank correlations are made of, in n log n steps."""

from __future__ import annotations

import numpy as np

from simpatico.arrays import Floats, Ints


def dense_ranks(values: Floats) -> tuple[Ints, Ints]:
    """The rank of each value among the distinct ones, from 0, and how many rows hold each."""
    _, rank, rows = np.unique(values, return_inverse=True, return_counts=True)
    return rank.reshape(-1), rows


def mid_ranks(values: Floats) -> Floats:
    """Ranks from 1, tied values sharing the mean of theirs."""
    rank, rows = dense_ranks(values)
    return (np.cumsum(rows) - (rows - 1) / 2)[rank]


def count_below(x: Floats, y: Floats) -> Ints:
    """For each row, how many rows are smaller in both x and y (Knight 1966, without a merge sort).

    Rows are put in order of x, larger y first among ties, so that an earlier row with a smaller y
    has a smaller x; these are counted bit by bit of y: n log n steps, each over whole columns.
    """
    order = np.lexsort((-y, x))
    rank, _ = dense_ranks(y)
    counts = np.zeros(len(x), dtype=np.int64)
    for bit in range(int(rank.max(initial=0)).bit_length() - 1, -1, -1):
        group = rank[order] >> (bit + 1)
        is_one = (rank[order] >> bit) & 1 == 1
        zeros = np.concatenate([[0], np.cumsum(~is_one)])
        start = np.searchsorted(group, group)
        counts[order] += np.where(is_one, zeros[:-1] - zeros[start], 0)
        order = order[np.argsort(rank[order] >> bit, kind="stable")]
    return counts


def concordance(x: Floats, y: Floats) -> Ints:
    """For each row, its concordant pairs less its discordant ones."""
    return count_below(x, y) + count_below(-x, -y) - count_below(-x, y) - count_below(x, -y)


def count_untied(values: Floats) -> Ints:
    """For each row, how many rows have another value."""
    rank, rows = dense_ranks(values)
    return (len(values) - rows)[rank]
