"""Matrix products whose bits do not depend on how many threads the machine's BLAS takes.

A BLAS shares a large product out among threads and then adds partial sums in another order, which
changes the last bits. For most scores that is harmless, but k-means turns a last bit into another
cluster, and BERTScore's maximum into another match. Here everything is cut into blocks of one
shape, each too small to be shared out: OpenBLAS does so above 2^18 multiplications.
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from simpatico.arrays import Floats32

MAX_MULTIPLICATIONS = 2**17
"""In a block: half of where OpenBLAS begins to use threads."""
MAX_SIDE = 64
"""Rows of a block."""


def blocked_product(first: Floats32, second: Floats32) -> Floats32:
    """Every row of the first by every row of the second: first @ second.T."""
    side = max(2, min(MAX_SIDE, isqrt(MAX_MULTIPLICATIONS // max(first.shape[1], 1))))

    def blocks(rows: Floats32) -> Floats32:
        """The rows in blocks of `side`, the last filled up with zeros."""
        count = -(-len(rows) // side)
        padded = np.zeros((count * side, rows.shape[1]), rows.dtype)
        padded[: len(rows)] = rows
        return padded.reshape(count, side, rows.shape[1])

    a, b = blocks(first), blocks(second)
    tiles = np.matmul(a[:, None], b.transpose(0, 2, 1)[None]).transpose(0, 2, 1, 3)
    padded = tiles.reshape(len(a) * side, len(b) * side)
    return np.asarray(padded[: len(first), : len(second)])
