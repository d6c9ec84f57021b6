"""Probability of superiority: how often one system scores higher than another, ties half."""

from __future__ import annotations

from math import sqrt

import numpy as np

from simpatico.arrays import Floats
from simpatico.stats.result import Result, make_result, no_result

BISECTIONS = 100


def superiority_in_pairs(first: Floats, second: Floats, confidence: float = 0.95) -> Result:
    """Share of pairs in which the first is higher, ties counted half (Grissom & Kim 2012)."""
    shares = (first > second) + 0.5 * (first == second)
    share = float(shares.mean()) if len(first) else 0.0
    return share_with_interval(share, len(first), "share of pairs", confidence)


def share_with_interval(share: float, n: int, what: str, confidence: float = 0.95) -> Result:
    """A share p of n units; the interval is Wilson's (1927), which has a width at 0 and 1 too:

    (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n).
    """
    method = f"{what}, Wilson interval"
    if not n:
        return no_result("too_few", n=0, method=method)
    z = normal_quantile(confidence)
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z * sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    interval = max(0.0, centre - reach), min(1.0, centre + reach)
    return make_result(share, n=n, method=method, interval=interval)


def superiority_at_random(first: Floats, second: Floats, confidence: float = 0.95) -> Result:
    """P(a > b) + P(a = b) / 2 for one value of each drawn at random (McGraw & Wong 1992).

    It is U / (m n) of Mann and Whitney; the interval is method 5 of Newcombe (2006).
    """
    n, m = len(first), len(second)
    method = "one of each at random, Newcombe interval"
    if not n or not m:
        return no_result("too_few", n=n + m, method=method)
    values = np.sort(second)
    below = np.searchsorted(values, first, "left") + np.searchsorted(values, first, "right")
    probability = float(below.mean()) / (2 * m)
    interval = newcombe_interval(probability, n, m, z=normal_quantile(confidence))
    return make_result(probability, n=n + m, method=method, interval=interval)


def newcombe_interval(probability: float, n: int, m: int, *, z: float) -> tuple[float, float]:
    """The probabilities whose distance to the observed one is z times their own standard error.

    Found by bisection on either side, since the standard error depends on the bound itself.
    """
    bounds = []
    for outside in (0.0, 1.0):
        inside = probability
        for _ in range(BISECTIONS):
            middle = (inside + outside) / 2
            if (middle - probability) ** 2 <= z**2 * superiority_variance(middle, n, m):
                inside = middle
            else:
                outside = middle
        bounds.append(inside)
    return bounds[0], bounds[1]


def superiority_variance(probability: float, n: int, m: int) -> float:
    """Variance of the estimate if this probability p is true (Hanley & McNeil 1982).

    p q (1 + k (q/(2-p) + p/(1+p))) / (n m), q = 1 - p, with both sizes averaged: k = (n+m)/2 - 1.
    """
    p, q = probability, 1 - probability
    k = (n + m) / 2 - 1
    return p * q * (1 + k * (q / (2 - p) + p / (1 + p))) / (n * m)


def normal_quantile(confidence: float) -> float:
    """z of a two-sided normal interval."""
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))
