"""Does a metric order pairs of systems as raters do? Pairwise accuracy, plain and soft.

Matrices are systems by inputs; a cell that is missing is left out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats
from simpatico.stats.draws import DRAWS, draw_counts, draw_flips, percentile_interval
from simpatico.stats.result import Result, make_result, no_result
from simpatico.stats.systems.resampling import BLOCK, check_draws, check_matrices

Indices = npt.NDArray[np.intp]


def pairwise_accuracy(
    scores: npt.ArrayLike, ratings: npt.ArrayLike, *, draws: int = DRAWS, seed: int = 0
) -> Result:
    """Share of pairs of systems with sign(x̄ᵢ - x̄ₖ) = sign(z̄ᵢ - z̄ₖ) (Kocmi et al., WMT 2021).

    A tie is an order of its own. The interval resamples systems; n counts them.
    """
    method = f"pairwise accuracy of system means, BOOT-SYSTEMS, {draws} draws, seed {seed}"
    check_draws(draws)
    x, z = check_matrices(scores, ratings)
    both = np.isfinite(x).any(axis=1) & np.isfinite(z).any(axis=1)
    i, k = np.triu_indices(int(both.sum()), 1)
    orders = []
    for matrix in (x[both], z[both]):
        means = np.nanmean(matrix, axis=1) if both.any() else np.zeros(0)
        difference = means[i] - means[k]
        # sums of the same numbers in another order differ in the last digits, which is no order
        rounding = 1e-12 * float(np.abs(matrix[np.isfinite(matrix)]).max(initial=0.0))
        orders.append(np.sign(np.where(np.abs(difference) > rounding, difference, 0)))
    agreement = (orders[0] == orders[1]).astype(float)
    return mean_over_systems(agreement, (i, k), int(both.sum()), method=method, draws=(draws, seed))


def soft_pairwise_accuracy(
    scores: npt.ArrayLike, ratings: npt.ArrayLike, *, draws: int = DRAWS, seed: int = 0
) -> Result:
    """Mean over pairs of systems of 1 - |p_raters - p_metric| (Thompson et al., WMT 2024).

    p is how likely chance alone, swapping the two systems input by input with the same coins for
    every pair, puts the first at least as far ahead. The interval resamples systems; n counts them.
    """
    method = f"soft pairwise accuracy, BOOT-SYSTEMS, {draws} draws, seed {seed}"
    check_draws(draws)
    x, z = check_matrices(scores, ratings)
    i, k = np.triu_indices(len(x), 1)
    p_metric, p_raters = (one_sided_flip_p(each[i] - each[k], draws, seed) for each in (x, z))
    agreement = 1 - np.abs(p_raters - p_metric)
    is_defined = np.isfinite(agreement)
    n = len(np.unique(np.concatenate([i[is_defined], k[is_defined]])))
    return mean_over_systems(agreement, (i, k), n, method=method, draws=(draws, seed))


def one_sided_flip_p(differences: Floats, draws: int, seed: int) -> Floats:
    """One-sided p of the sum of each row of paired differences, by flips of their signs.

    p = (1 + draws with at least this sum) / (1 + draws); NaN for a row without differences.
    """
    has_value = np.isfinite(differences).any(axis=1)
    values = np.where(np.isfinite(differences), differences, 0.0)
    values = values / np.maximum(np.abs(values).max(axis=1, initial=0, keepdims=True), 1e-300)
    totals, extreme = values.sum(axis=1), np.ones(len(values))
    for stream, start in enumerate(range(0, draws, BLOCK)):
        coins = draw_flips(values.shape[1], min(BLOCK, draws - start), seed, stream)
        sums = np.where(coins, -1.0, 1.0) @ values.T
        extreme += np.count_nonzero(sums >= totals - 1e-9, axis=0)
    return np.where(has_value, extreme / (1 + draws), np.nan)


def mean_over_systems(
    agreement: Floats,
    pairs: tuple[Indices, Indices],
    n: int,
    *,
    method: str,
    draws: tuple[int, int],
) -> Result:
    """Mean over pairs of systems, with the interval over resamples of systems.

    `draws`: how many, and their seed. A pair of systems drawn a and b times counts a b times.
    """
    if n < 3:
        return no_result("too_few", n=n, method=method)
    is_defined = np.isfinite(agreement)
    i, k = pairs[0][is_defined], pairs[1][is_defined]
    counts = draw_counts(int(k.max()) + 1, draws[0], draws[1], stream=1)
    pair_counts = counts[:, i] * counts[:, k]
    total = pair_counts.sum(axis=1)
    means = pair_counts @ agreement[is_defined] / np.where(total > 0, total, np.nan)
    value = float(agreement[is_defined].mean())
    return make_result(value, n=n, method=method, interval=percentile_interval(means))
