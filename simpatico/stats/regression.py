"""How much of the judgements a few scores explain: adjusted R², with a bootstrap interval."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats

Labels = npt.NDArray[np.int64]

RESAMPLES = 2_000


class Fit(NamedTuple):
    """Adjusted R² of a linear regression; null with a `status` where there is none."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    status: str = "ok"


def adjusted_r2(
    scores: Floats,
    judgements: Floats,
    clusters: Labels,
    *,
    sets: Labels | None = None,
    seed: int = 0,
) -> Fit:
    """Fit judgements on scores (one column each) by least squares, over rows without NaN.

    With `sets`, the means of each data set are taken out of all columns first, and R² is what the
    scores explain within sets.

    The interval is the 2.5th to 97.5th percentile over resamples of whole clusters, less by how
    much resamples fit better than the sample on the average, as every resample overfits. Everything
    needed is sums of products, so a resample adds the clusters' sums instead of going over rows.
    """
    rows = np.column_stack([np.ones(len(scores)), scores, judgements])
    whole = np.isfinite(rows).all(axis=1)
    rows, clusters = rows[whole], clusters[whole]
    n, predictors, means = len(rows), rows.shape[1] - 2, 1
    if sets is not None and n:
        rows[:, 1:], means = within(rows[:, 1:], sets[whole])
    if n < predictors + 3:
        return Fit(None, None, None, n, "too_few")
    if (np.ptp(rows[:, 1:], axis=0) == 0).any():
        return Fit(None, None, None, n, "degenerate")
    rows[:, 1:] = (rows[:, 1:] - rows[:, 1:].mean(axis=0)) / rows[:, 1:].std(axis=0)
    _, cluster = np.unique(clusters, return_inverse=True)
    products = np.einsum("ij,ik->ijk", rows, rows).reshape(n, -1)
    sums = np.zeros((cluster.max() + 1, products.shape[1]))
    np.add.at(sums, cluster, products)
    side = rows.shape[1]
    value = explained(sums.sum(axis=0).reshape(1, side, side), means)[0]
    if len(sums) < 2:
        return Fit(float(value), None, None, n)
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=RESAMPLES)
    spread = explained((draws.astype(np.float64) @ sums).reshape(-1, side, side), means)
    spread = spread[np.isfinite(spread)]
    low, high = np.percentile(spread, [2.5, 97.5]) - (spread.mean() - value)
    return Fit(float(value), float(low), float(high), n)


def within(columns: Floats, sets: Labels) -> tuple[Floats, int]:
    """The columns without the mean of each set, and how many sets there are."""
    _, place = np.unique(sets, return_inverse=True)
    n = np.bincount(place)
    means = np.stack([np.bincount(place, column) / n for column in columns.T], axis=1)
    return columns - means[place], len(n)


def explained(products: npt.NDArray[np.float64], means: int) -> Floats:
    """Adjusted R² from products of (1, scores, judgement), one square matrix per sample.

    `means` is how many means were taken out: 1, or one for each data set.
    """
    n = products[:, 0, 0]
    mean = products[:, 0, 1:] / n[:, None]
    centred = products[:, 1:, 1:] - n[:, None, None] * np.einsum("ij,ik->ijk", mean, mean)
    inner, cross, total = centred[:, :-1, :-1], centred[:, :-1, -1], centred[:, -1, -1]
    predictors = inner.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        beta = np.linalg.pinv(inner, hermitian=True) @ cross[..., None]
        r2 = (cross * beta[..., 0]).sum(axis=1) / total
        return np.asarray(1 - (1 - r2) * (n - means) / (n - predictors - means))
