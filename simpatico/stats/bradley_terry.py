"""Bradley-Terry strengths of systems out of paired comparisons, with intervals over clusters.

P(i is preferred to j) = 1 / (1 + exp(s_j - s_i)), Bradley & Terry (1952); a tie is half a win of
each. Strengths s are log-odds against a system of mean strength 0. The likelihood has a finite
maximum only if, however the systems are split in two, some system of each part beat one of the
other (Ford 1957; Hunter 2004, assumption 1): the graph of wins must be strongly connected. Where it
is not, each strongly connected group has strengths of its own: the limit of the whole's.
Example: i won 3 of 4 against j: s_i - s_j = log(3/1), so that s_i = .549 and s_j = -.549.

Fitted by Newton's method rather than Hunter's MM: it needs some ten steps instead of hundreds, so
that all resamples are fitted at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simpatico.arrays import Bools, Floats, Ints
from simpatico.stats.bootstrap import resample_clusters, rounded_result
from simpatico.stats.draws import Draws
from simpatico.stats.result import Result

STEPS, LONGEST_STEP, TOLERANCE = 100, 2.0, 1e-10
"""Newton's steps at most, the longest one (a longer one may overshoot), and the last one."""
DRAWS = 2_000


class Strength(NamedTuple):
    """A system's strength within its group of comparable systems, and the share of its wins."""

    group: int
    strength: Result
    win_rate: Result


def bradley_terry(wins: Floats, *, seed: int = 0) -> list[Strength]:
    """Strength and win rate of each system; `wins[c, i, j]`: wins of i over j in cluster c."""
    clusters, k, _ = wins.shape
    groups = comparable_groups(wins.sum(axis=0))

    def statistic(counts: Floats) -> Floats:
        drawn = (counts @ wins.reshape(clusters, -1)).reshape(-1, k, k)
        values = np.full((len(drawn), 2, k), np.nan)
        for group in np.unique(groups):
            own = np.flatnonzero(groups == group)
            if len(own) > 1:
                values[:, 0, own] = fit_strengths(drawn[:, own[:, None], own])
        won, lost = drawn.sum(axis=2), drawn.sum(axis=1)
        values[:, 1] = won / np.where(won + lost > 0, won + lost, np.nan)
        return values.reshape(len(drawn), -1)

    plan = Draws(DRAWS, seed)
    values = resample_clusters(statistic, clusters, plan, width=k * k, with_sample=True)
    compared = wins + wins.transpose(0, 2, 1)
    n = compared.sum(axis=(0, 2)).astype(int)
    with_system = (compared.sum(axis=2) > 0).sum(axis=0)
    results = [
        rounded_result(values[:, i], int(with_system[i % k]), n=int(n[i % k])) for i in range(2 * k)
    ]
    return [Strength(int(groups[i]), results[i], results[k + i]) for i in range(k)]


def fit_strengths(wins: Floats) -> Floats:
    """Strengths with mean 0 of each matrix of wins; NaN where none are finite."""
    k = wins.shape[1]
    finite: Bools = np.asarray(reachable(wins > 0).all(axis=(1, 2)))
    compared, strength = wins + wins.transpose(0, 2, 1), np.zeros(wins.shape[:2])
    won = wins.sum(axis=2)
    active = finite.copy()
    for _ in range(STEPS):
        s = strength[active]
        if not len(s):
            break
        p = 1 / (1 + np.exp(s[:, None, :] - s[:, :, None]))
        gradient = won[active] - (compared[active] * p).sum(axis=2)
        weights = compared[active] * p * (1 - p)
        # minus the Hessian is a Laplacian; 1/k in every cell fixes the mean, which it leaves free
        information = np.eye(k) * weights.sum(axis=2)[:, None, :] - weights + 1 / k
        step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        strength[active] = s + np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        active[active] = np.abs(step).max(axis=1) > TOLERANCE
    strength -= strength.mean(axis=1, keepdims=True)
    strength[~finite | active] = np.nan
    return strength


def reachable(wins: Bools) -> Bools:
    """Whether a chain of wins leads from each system to each other (Warshall 1962)."""
    reach = wins | np.eye(wins.shape[1], dtype=bool)
    for middle in range(wins.shape[1]):
        reach |= reach[:, :, middle, None] & reach[:, None, middle, :]
    return reach


def comparable_groups(wins: Floats) -> Ints:
    """The number of each system's group, from 0, within which strengths are finite."""
    reach = reachable(wins[None] > 0)[0]
    first = np.argmax(reach & reach.T, axis=1)
    return np.unique(first, return_inverse=True)[1].reshape(-1).astype(np.int64)


def linked_groups(wins: Floats) -> Ints:
    """The number of each system's group, from 0, whose systems a chain of comparisons links."""
    return comparable_groups(wins + wins.T)
