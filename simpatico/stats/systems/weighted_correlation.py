"""Weighted correlations of many pairs of short rows at once, or of a few long ones."""

from __future__ import annotations

from typing import Literal

import numpy as np

from simpatico.arrays import Floats

Coefficient = Literal["pearson", "spearman", "kendall"]

LONG = 64
"""Up to here all pairs of a row are compared; beyond, rows are sorted."""

TINY = 1e-24
"""A row whose variance is this small a part of its mean square varies by rounding only."""


def weighted_correlation(x: Floats, z: Floats, weights: Floats, coefficient: Coefficient) -> Floats:
    """Correlation along the last axis, which all three share; NaN where a row does not vary.

    Weights count how often a value occurs: 0 for one left out, 2 for one drawn twice. The other
    axes broadcast. Pearson's r, Spearman's rho with mid-ranks (1904), Kendall's tau-b (1945).
    """
    if coefficient == "pearson":
        return weighted_pearson(x, z, weights)
    if coefficient == "spearman":
        return cosine(centred_ranks(x, weights), centred_ranks(z, weights), weights)
    if x.shape[-1] > LONG:
        return weighted_tau_long(x, z, weights)
    return weighted_tau(x, z, weights)


def weighted_pearson(x: Floats, z: Floats, weights: Floats) -> Floats:
    """Pearson's r from values centred by their weighted means."""
    total = np.maximum(weights.sum(axis=-1), 1)
    deviations = []
    for row in (x, z):
        mean = np.einsum("...i,...i->...", row, weights) / total
        deviation = row - mean[..., None]
        variance = np.einsum("...i,...i,...i->...", weights, deviation, deviation)
        varies = variance > TINY * np.einsum("...i,...i,...i->...", weights, row, row)
        deviations.append(deviation * varies[..., None])
    return cosine(deviations[0], deviations[1], weights)


def cosine(x: Floats, z: Floats, weights: Floats) -> Floats:
    """Σ w x z / sqrt(Σ w x² Σ w z²); NaN where either row is 0."""
    products = np.einsum("...i,...i,...i->...", weights, x, z)
    squares = np.einsum("...i,...i,...i->...", weights, x, x) * np.einsum(
        "...i,...i,...i->...", weights, z, z
    )
    return divide_by_root(products, squares)


def divide_by_root(products: Floats, squares: Floats) -> Floats:
    """products / sqrt(squares) within [-1, 1], NaN where there are no squares."""
    valid = squares > 0
    r = products / np.sqrt(np.where(valid, squares, 1))
    return np.where(valid, np.clip(r, -1, 1), np.nan)


def centred_ranks(x: Floats, weights: Floats) -> Floats:
    """Twice the mid-rank less its mean: the weight below a value less the weight above."""
    if x.shape[-1] > LONG:
        return centred_ranks_long(x, weights)
    signs = np.sign(x[..., :, None] - x[..., None, :])
    return np.asarray(np.einsum("...ik,...k->...i", signs, weights))


def centred_ranks_long(x: Floats, weights: Floats) -> Floats:
    """The same by sorting: below a group of equal values lies the running sum of weights."""
    shape = np.broadcast_shapes(x.shape, weights.shape)
    x, weights = (a[(None,) * (len(shape) - a.ndim)] for a in (x, weights))
    order = np.argsort(x, axis=-1)
    values = np.take_along_axis(x, order, axis=-1)
    sums = np.cumsum(np.take_along_axis(weights, order, axis=-1), axis=-1)
    first = np.ones(values.shape, dtype=bool)
    first[..., 1:] = values[..., 1:] != values[..., :-1]
    last = np.ones(values.shape, dtype=bool)
    last[..., :-1] = first[..., 1:]
    before = np.zeros(shape)
    before[..., 1:] = sums[..., :-1]
    below = np.maximum.accumulate(np.where(first, before, 0), axis=-1)
    upto = np.where(last, sums, sums[..., -1:])[..., ::-1]
    sorted_ranks = below + np.minimum.accumulate(upto, axis=-1)[..., ::-1] - sums[..., -1:]
    ranks = np.empty(shape)
    np.put_along_axis(ranks, np.broadcast_to(order, shape), sorted_ranks, axis=-1)
    return ranks


def weighted_tau(x: Floats, z: Floats, weights: Floats) -> Floats:
    """Tau-b: concordant less discordant pairs over the root of the pairs untied in x and in z."""
    i, k = np.triu_indices(x.shape[-1], 1)
    x, z = np.sign(x[..., i] - x[..., k]), np.sign(z[..., i] - z[..., k])
    pairs = weights[..., i] * weights[..., k]
    concordant = np.einsum("...p,...p->...", x * z, pairs)
    x_pairs, z_pairs = (np.einsum("...p,...p->...", np.abs(signs), pairs) for signs in (x, z))
    return divide_by_root(concordant, x_pairs * z_pairs)


def weighted_tau_long(x: Floats, z: Floats, weights: Floats) -> Floats:
    """Tau-b of each pair of rows in turn, by sorting: all pairs would be too many."""
    from scipy.stats import kendalltau

    shape = np.broadcast_shapes(x.shape, z.shape, weights.shape)
    rows = [np.broadcast_to(a, shape).reshape(-1, shape[-1]) for a in (x, z, weights)]
    taus = np.full(len(rows[0]), np.nan)
    for index, (one, other, weight) in enumerate(zip(*rows, strict=True)):
        sample = np.repeat(np.arange(shape[-1]), weight.astype(np.int64))
        if len(sample) and np.ptp(one[sample]) and np.ptp(other[sample]):
            taus[index] = kendalltau(one[sample], other[sample], method="asymptotic").statistic
    return taus.reshape(shape[:-1])
