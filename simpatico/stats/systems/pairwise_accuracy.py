"""Does a metric order pairs of systems as raters do? Pairwise accuracy: plain, with ties, soft.

Matrices are systems by inputs; a cell that is missing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats, Ints
from simpatico.stats.draws import DRAWS, draw_counts, draw_flips, percentile_interval
from simpatico.stats.result import Result, make_result, no_result
from simpatico.stats.systems.resampling import BLOCK, check_draws, check_matrices, memory_slices

Indices = npt.NDArray[np.intp]


class TiedAccuracy(NamedTuple):
    """Accuracy with ties, and the score difference up to which a pair counts as tied."""

    accuracy: Result
    epsilon: Result


class SystemPairs(NamedTuple):
    """Pairs of systems on one input: which input, the scores' difference, the raters' order."""

    inputs: Ints
    difference: Floats
    order: Floats


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
    known = np.isfinite(agreement)
    n = len(np.unique(np.concatenate([i[known], k[known]])))
    return mean_over_systems(agreement, (i, k), n, method=method, draws=(draws, seed))


def one_sided_flip_p(differences: Floats, draws: int, seed: int) -> Floats:
    """One-sided p of the sum of each row of paired differences, by flips of their signs.

    p = (1 + draws with at least this sum) / (1 + draws); NaN for a row without differences.
    """
    known = np.isfinite(differences).any(axis=1)
    values = np.where(np.isfinite(differences), differences, 0.0)
    values = values / np.maximum(np.abs(values).max(axis=1, initial=0, keepdims=True), 1e-300)
    observed, extreme = values.sum(axis=1), np.ones(len(values))
    for stream, size in draw_blocks(draws):
        coins = draw_flips(values.shape[1], size, seed, stream)
        sums = np.where(coins, -1.0, 1.0) @ values.T
        extreme += np.count_nonzero(sums >= observed - 1e-9, axis=0)
    return np.where(known, extreme / (1 + draws), np.nan)


def draw_blocks(draws: int) -> Iterator[tuple[int, int]]:
    """The stream and the size of each block of draws."""
    for stream, start in enumerate(range(0, draws, BLOCK)):
        yield stream, min(BLOCK, draws - start)


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
    known = np.isfinite(agreement)
    i, k = pairs[0][known], pairs[1][known]
    counts = draw_counts(int(k.max()) + 1, draws[0], draws[1], stream=1)
    pair_counts = counts[:, i] * counts[:, k]
    total = pair_counts.sum(axis=1)
    means = pair_counts @ agreement[known] / np.where(total > 0, total, np.nan)
    value = float(agreement[known].mean())
    return make_result(value, n=n, method=method, interval=percentile_interval(means))


def tied_accuracy(
    scores: npt.ArrayLike,
    ratings: npt.ArrayLike,
    *,
    epsilon: float | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> TiedAccuracy:
    """Mean over inputs of the share of pairs of systems ordered or tied as the raters have them.

    acc_eq = (concordant + tied in both) / all pairs; scores that differ by no more than epsilon are
    tied. Without a given epsilon it is the one with the greatest accuracy, acc*_eq (Deutsch, Foster
    & Freitag, EMNLP 2023), found anew in each resample of inputs, of which there are n.
    """
    name = "acc*_eq" if epsilon is None else f"acc_eq at epsilon {epsilon:g}"
    method = f"{name}, BOOT-INPUTS, {draws} draws, seed {seed}"
    check_draws(draws)
    x, z = check_matrices(scores, ratings)
    pairs = system_pairs(x, z)
    units, index = np.unique(pairs.inputs, return_inverse=True)
    if not len(units):
        none = no_result("too_few", n=0, method=method)
        return TiedAccuracy(none, none)
    curve, sizes = tie_curve(pairs, index, epsilon)
    value = curve.best_accuracy(np.ones((1, len(units))))[0]
    threshold = np.append(0.0, sizes)[curve.best_end()] if epsilon is None else epsilon
    values = [
        curve.best_accuracy(counts[part])
        for stream, size in draw_blocks(draws)
        for counts in [draw_counts(len(units), size, seed, stream)]
        for part in memory_slices(len(counts), len(curve.gain))
    ]
    interval = percentile_interval(np.concatenate(values))
    return TiedAccuracy(
        make_result(value, n=len(units), method=method, interval=interval),
        make_result(threshold, n=len(units), method=f"epsilon of {method}"),
    )


def system_pairs(x: Floats, z: Floats) -> SystemPairs:
    """All pairs of systems scored and rated on the same input, smallest differences first."""
    i, k = np.triu_indices(len(x), 1)
    difference, order = x[i] - x[k], np.sign(z[i] - z[k])
    known = np.isfinite(difference) & np.isfinite(order)
    inputs = np.broadcast_to(np.arange(x.shape[1]), known.shape)[known]
    difference, order = difference[known], order[known]
    by_size = np.argsort(np.abs(difference), kind="stable")
    return SystemPairs(inputs[by_size], difference[by_size], order[by_size])


class TieCurve(NamedTuple):
    """Accuracy as a function of epsilon: without new ties, and what each pair adds as a tie.

    Pairs go by the size of their difference, so accuracy at an epsilon is a running sum; `ends` are
    the last pairs of each size, `inputs` is the input of each pair.
    """

    plain: Floats
    inputs: Indices
    gain: Floats
    ends: Indices

    def gains(self, weights: Floats) -> Floats:
        """What ties up to each end add to the sum over inputs, for each row of their weights."""
        added = weights[:, self.inputs]
        added *= self.gain
        return np.cumsum(added, axis=1, out=added)[:, self.ends]

    def best_accuracy(self, weights: Floats) -> Floats:
        """The accuracy at the best end, or without new ties, for each row of weights."""
        top = self.gains(weights).max(axis=1, initial=0.0)
        return np.asarray((weights @ self.plain + top) / weights.sum(axis=1))

    def best_end(self) -> int:
        """The first end at which accuracy is greatest; 0 where no new ties are best."""
        gains = self.gains(np.ones((1, len(self.plain))))[0]
        # equal sums that differ by rounding must not make a larger epsilon look better
        return int(np.argmax(np.round(np.append(0.0, gains), 9)))


def tie_curve(pairs: SystemPairs, index: Indices, epsilon: float | None) -> tuple[TieCurve, Floats]:
    """Accuracy as a function of epsilon, and the epsilons to try: none where one is given."""
    share = 1 / np.bincount(index)[index]
    size = np.abs(pairs.difference)
    near = 1e-12 * size[-1]
    order = np.where(size <= (epsilon or 0.0) + near, 0.0, np.sign(pairs.difference))
    correct = (order == pairs.order) * share
    gain = (pairs.order == 0) * share - correct
    plain = np.bincount(index, correct).astype(float)
    changing = np.flatnonzero(gain)
    size = size[changing]
    ends = np.flatnonzero(np.diff(size, append=np.inf) > near)[: None if epsilon is None else 0]
    return TieCurve(plain, index[changing], gain[changing], ends), size[ends]
