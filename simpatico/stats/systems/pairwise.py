"""Does a metric put pairs in the order judges put them? Accuracy over pairs, plain, tied and soft.

Matrices are systems by inputs; a cell that is missing is left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats, Ints
from simpatico.stats.draws import DRAWS, counts, flips, percentile_interval
from simpatico.stats.result import Result, nothing, result
from simpatico.stats.systems.draws import BLOCK, at_least_one, parts
from simpatico.stats.systems.resampling import matrices


class Tied(NamedTuple):
    """Accuracy with ties, and the difference in score up to which a pair counts as tied."""

    accuracy: Result
    epsilon: Result


class Pairs(NamedTuple):
    """Pairs of systems on one input: which input, the score's difference, the judges' order."""

    inputs: Ints
    apart: Floats
    order: Floats


def pairwise_accuracy(
    scores: npt.ArrayLike, judgements: npt.ArrayLike, *, draws: int = DRAWS, seed: int = 0
) -> Result:
    """Share of pairs of systems whose means both put in the same order (Kocmi et al., WMT 2021).

    A tie is an order of its own. The interval resamples systems; n counts them.
    """
    method = f"pairwise accuracy of system means, BOOT-SYSTEMS, {draws} draws, seed {seed}"
    at_least_one(draws)
    x, z = matrices(scores, judgements)
    both = np.isfinite(x).any(axis=1) & np.isfinite(z).any(axis=1)
    i, k = np.triu_indices(int(both.sum()), 1)
    orders = []
    for each in (x[both], z[both]):
        # sums of the same numbers in another order differ in the last digits, which is no order
        means = np.nanmean(each, axis=1) if both.any() else np.zeros(0)
        apart = means[i] - means[k]
        orders.append(np.sign(np.where(np.abs(apart) > 1e-12 * largest(each), apart, 0)))
    agree = (orders[0] == orders[1]).astype(float)
    return over_systems(agree, (i, k), int(both.sum()), method=method, draws=(draws, seed))


def soft_pairwise_accuracy(
    scores: npt.ArrayLike, judgements: npt.ArrayLike, *, draws: int = DRAWS, seed: int = 0
) -> Result:
    """Mean over pairs of systems of 1 - |p_judges - p_metric| (Thompson et al., WMT 2024).

    p is how likely chance alone, swapping the two systems input by input with the same coins for
    every pair, puts the first at least as far ahead. The interval resamples systems; n counts them.
    """
    method = f"soft pairwise accuracy, BOOT-SYSTEMS, {draws} draws, seed {seed}"
    at_least_one(draws)
    x, z = matrices(scores, judgements)
    i, k = np.triu_indices(len(x), 1)
    p_metric, p_judges = (ahead(each[i] - each[k], draws, seed) for each in (x, z))
    agree = 1 - np.abs(p_judges - p_metric)
    there = np.isfinite(agree)
    n = len(np.unique(np.concatenate([i[there], k[there]])))
    return over_systems(agree, (i, k), n, method=method, draws=(draws, seed))


def ahead(apart: Floats, draws: int, seed: int) -> Floats:
    """One-sided p of each row of paired differences having a sum so high, by flips of their signs.

    p = (1 + draws with at least this sum) / (1 + draws); NaN for a row without differences.
    """
    known = np.isfinite(apart).any(axis=1)
    apart = np.where(np.isfinite(apart), apart, 0.0)
    apart = apart / np.maximum(np.abs(apart).max(axis=1, initial=0, keepdims=True), 1e-300)
    seen, reached = apart.sum(axis=1), np.ones(len(apart))
    for number, done in enumerate(range(0, draws, BLOCK)):
        coins = flips(apart.shape[1], min(BLOCK, draws - done), seed, number)
        sums = np.where(coins, -1.0, 1.0) @ apart.T
        reached += np.count_nonzero(sums >= seen - 1e-9, axis=0)
    return np.where(known, reached / (1 + draws), np.nan)


def over_systems(
    agree: Floats,
    pairs: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]],
    n: int,
    *,
    method: str,
    draws: tuple[int, int],
) -> Result:
    """Mean over pairs of systems, with the interval over resamples of systems."""
    if n < 3:
        return nothing("too_few", n=n, method=method)
    there = np.isfinite(agree)
    i, k = pairs[0][there], pairs[1][there]
    weights = counts(int(k.max()) + 1, draws[0], draws[1], stream=1)
    drawn = weights[:, i] * weights[:, k]
    total = drawn.sum(axis=1)
    means = drawn @ agree[there] / np.where(total > 0, total, np.nan)
    value = float(agree[there].mean())
    return result(value, n=n, method=method, interval=percentile_interval(means))


def tied_accuracy(
    scores: npt.ArrayLike,
    judgements: npt.ArrayLike,
    *,
    epsilon: float | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Tied:
    """Mean over inputs of the share of pairs of systems ordered or tied as the judges have them.

    acc_eq = (concordant + tied in both) / all pairs; scores that differ by no more than epsilon are
    tied. Without a given epsilon it is the one with the greatest accuracy, acc*_eq (Deutsch, Foster
    & Freitag, EMNLP 2023), found anew in each resample of inputs, of which there are n.
    """
    name = "acc*_eq" if epsilon is None else f"acc_eq at epsilon {epsilon:g}"
    method = f"{name}, BOOT-INPUTS, {draws} draws, seed {seed}"
    at_least_one(draws)
    x, z = matrices(scores, judgements)
    pairs = pairs_of(x, z)
    units, place = np.unique(pairs.inputs, return_inverse=True)
    if not len(units):
        none = nothing("too_few", n=0, method=method)
        return Tied(none, none)
    curve, sizes = curve_of(pairs, place, epsilon)
    value = curve.greatest(np.ones((1, len(units))))[0]
    cut = np.append(0.0, sizes)[curve.best()] if epsilon is None else epsilon
    drawn = [
        curve.greatest(weights[part])
        for number, done in enumerate(range(0, draws, BLOCK))
        for weights in [counts(len(units), min(BLOCK, draws - done), seed, number)]
        for part in parts(len(weights), len(curve.gain))
    ]
    width = percentile_interval(np.concatenate(drawn))
    return Tied(
        result(value, n=len(units), method=method, interval=width),
        result(cut, n=len(units), method=f"epsilon of {method}"),
    )


def curve_of(
    pairs: Pairs, place: npt.NDArray[np.intp], epsilon: float | None
) -> tuple[Curve, Floats]:
    """Accuracy as a function of epsilon, and the epsilons to try: none where one is given."""
    share = 1 / np.bincount(place)[place]
    size = np.abs(pairs.apart)
    near = 1e-12 * size[-1]
    found = np.where(size <= (epsilon or 0.0) + near, 0.0, np.sign(pairs.apart))
    right = (found == pairs.order) * share
    gain = (pairs.order == 0) * share - right
    plain = np.bincount(place, right).astype(float)
    some = np.flatnonzero(gain)
    size = size[some]
    ends = np.flatnonzero(np.diff(size, append=np.inf) > near)[: None if epsilon is None else 0]
    return Curve(plain, place[some], gain[some], ends), size[ends]


class Curve(NamedTuple):
    """What accuracy is without new ties, and what each pair adds when it becomes one.

    Pairs go by the size of their difference, so accuracy at an epsilon is a running sum; `ends` are
    the last pairs of each size.
    """

    plain: Floats
    place: npt.NDArray[np.intp]
    gain: Floats
    ends: npt.NDArray[np.intp]

    def steps(self, weights: Floats) -> Floats:
        """What ties up to each end add to the sum over inputs, for each row of their weights."""
        added = weights[:, self.place]
        added *= self.gain
        return np.cumsum(added, axis=1, out=added)[:, self.ends]

    def greatest(self, weights: Floats) -> Floats:
        """The accuracy at the best end, or without new ties, for each row of weights."""
        top = self.steps(weights).max(axis=1, initial=0.0)
        return np.asarray((weights @ self.plain + top) / weights.sum(axis=1))

    def best(self) -> int:
        """The first end at which accuracy is greatest; 0 where no new ties are best."""
        steps = self.steps(np.ones((1, len(self.plain))))[0]
        # equal sums that differ by rounding must not make a larger epsilon look better
        return int(np.argmax(np.round(np.append(0.0, steps), 9)))


def pairs_of(x: Floats, z: Floats) -> Pairs:
    """All pairs of systems scored and judged on the same input, smallest differences first."""
    i, k = np.triu_indices(len(x), 1)
    apart, order = x[i] - x[k], np.sign(z[i] - z[k])
    there = np.isfinite(apart) & np.isfinite(order)
    inputs = np.broadcast_to(np.arange(x.shape[1]), there.shape)[there]
    apart, order = apart[there], order[there]
    by_size = np.argsort(np.abs(apart), kind="stable")
    return Pairs(inputs[by_size], apart[by_size], order[by_size])


def largest(x: Floats) -> float:
    """The largest absolute value there is."""
    return float(np.abs(x[np.isfinite(x)]).max(initial=0.0))
