"""Products of matrices whose bits do not depend on how many threads the machine's BLAS takes.

A large product is shared out among threads, and sums are then made in another order. Here all is
cut into blocks of one shape, each too small to be shared out (OpenBLAS does so above 2^18
multiplications).
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from simpatico.arrays import Floats32

SMALL = 2**17
"""Multiplications in a block, at most."""
SIDE = 64
"""Rows of a block, at most."""


def product(first: Floats32, second: Floats32) -> Floats32:
    """Every row of the first by every row of the second: first @ second.T."""
    side = max(2, min(SIDE, isqrt(SMALL // max(first.shape[1], 1))))
    a, b = blocks(first, side), blocks(second, side)
    found = np.matmul(a[:, None], b.transpose(0, 2, 1)[None]).transpose(0, 2, 1, 3)
    whole = found.reshape(len(a) * side, len(b) * side)
    return np.asarray(whole[: len(first), : len(second)])


def blocks(rows: Floats32, side: int) -> Floats32:
    """The rows in blocks of so many, the last filled up with zeros."""
    count = -(-len(rows) // side)
    filled = np.zeros((count * side, rows.shape[1]), rows.dtype)
    filled[: len(rows)] = rows
    return filled.reshape(count, side, rows.shape[1])
