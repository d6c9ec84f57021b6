"""Correlations over resamples of whole clusters: rows of one dialog or system stay together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from simpatico.arrays import Floats, Ints
from simpatico.stats.draws import DRAWS, counts

BLOCK = 4_000_000
"""Counts held at once; smaller blocks keep several BLAS threads waiting for each other."""


class Draws(NamedTuple):
    """How many resamples, and the seed they come from."""

    n: int = DRAWS
    seed: int = 0


def blocks(clusters: int, draws: Draws, *, width: int = 1) -> Iterator[tuple[slice, Floats]]:
    """How often each cluster is drawn, a few draws at a time, each block from its own stream.

    `width`: numbers the caller makes of each draw, where these are more than there are clusters.
    """
    size = max(1, BLOCK // max(clusters, width, 1))
    for block, start in enumerate(range(0, draws.n, size)):
        taken = min(size, draws.n - start)
        yield slice(start, start + taken), counts(clusters, taken, draws.seed, block)


def coded(clusters: npt.ArrayLike) -> tuple[Ints, int]:
    """Clusters as numbers from 0, and how many there are."""
    names, code = np.unique(np.asarray(clusters), return_inverse=True)
    return code.reshape(-1).astype(np.int64), len(names)


def summed(columns: Floats, code: Ints, clusters: int) -> Floats:
    """Sums of the columns within each cluster."""
    member = csr_array(
        (np.ones(len(code)), (code, np.arange(len(code)))), shape=(clusters, len(code))
    )
    return np.asarray(member @ columns)


def pearson_draws(scores: Floats, target: Floats, code: Ints, *, draws: Draws) -> Floats:
    """r of each column with the target, one row per draw: `counts @ sums` of the moments.

    A score that is NaN leaves its row out of its own moments only; columns without NaN share those
    of the target.
    """
    kept = np.isfinite(target)
    scores, target, clusters = scores[kept], target[kept], int(code.max(initial=-1)) + 1
    code = code[kept]
    there = np.isfinite(scores)
    x, y = scaled(scores), scaled(target[:, None])
    whole = np.asarray(there.all(axis=0))
    shared = summed(np.hstack([np.ones_like(y), y, y * y]), code, clusters)
    own = summed(np.hstack([x, x * x, x * y]), code, clusters)
    part = there[:, ~whole] * 1.0
    masked = summed(np.hstack([part, part * y, part * y * y]), code, clusters)
    drawn = np.full((draws.n, scores.shape[1]), np.nan)
    columns = np.hstack([shared, own, masked])
    for rows, weights in blocks(clusters, draws):
        drawn[rows] = from_moments(weights @ columns, whole)
    return drawn


def scaled(columns: Floats) -> Floats:
    """Each column with mean 0 and deviation 1, NaN as 0, so that products of sums stay exact."""
    there = np.isfinite(columns)
    column = np.where(there, columns, 0)
    size = np.abs(column).max(axis=0, initial=0)
    column = column / np.where(size > 0, size, 1)
    n = np.maximum(there.sum(axis=0), 1)
    column = np.where(there, column - column.sum(axis=0) / n, 0)
    spread = np.sqrt((column**2).sum(axis=0) / n)
    return np.asarray(column / np.where(spread > 0, spread, 1))


def from_moments(sums: Floats, whole: npt.NDArray[np.bool_]) -> Floats:
    """r of every column out of (n, y, yy), (x, xx, xy) and the (n, y, yy) of columns with gaps."""
    m, gaps = len(whole), int((~whole).sum())
    moments = np.empty((3, len(sums), m))
    moments[:, :, whole] = sums[:, :3].T[:, :, None]
    moments[:, :, ~whole] = sums[:, 3 + 3 * m :].reshape(len(sums), 3, gaps).transpose(1, 0, 2)
    n, y, yy = moments
    x, xx, xy = sums[:, 3 : 3 + 3 * m].reshape(len(sums), 3, m).transpose(1, 0, 2)
    n = np.maximum(n, 1)
    x_spread, y_spread = xx - x * x / n, yy - y * y / n
    varied = (x_spread > 1e-10 * n) & (y_spread > 1e-10 * n)
    squared = np.where(varied, x_spread * y_spread, 1)
    return np.where(varied, np.clip((xy - x * y / n) / np.sqrt(squared), -1, 1), np.nan)
