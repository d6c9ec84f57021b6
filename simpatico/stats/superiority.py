"""How often one system comes out higher: the effect as "times in 100"."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from simpatico.arrays import Floats
from simpatico.stats.result import Result, nothing, result

STEPS = 100


def in_pairs(first: Floats, second: Floats, confidence: float = 0.95) -> Result:
    """Share of pairs in which the first is higher, ties counted half (Grissom & Kim 2012).

    The interval is Wilson's (1927) for that share, which also has a width at 0 and 1.
    """
    n, method = len(first), "share of pairs, Wilson interval"
    if not n:
        return nothing("too_few", n=0, method=method)
    share = float(((first > second) + 0.5 * (first == second)).mean())
    z = normal_point(confidence)
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z * sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    interval = max(0.0, centre - reach), min(1.0, centre + reach)
    return result(share, n=n, method=method, interval=interval)


def at_random(first: Floats, second: Floats, confidence: float = 0.95) -> Result:
    """P(a > b) + P(a = b) / 2 for one value of each drawn at random (McGraw & Wong 1992).

    It is U / (m n) of Mann and Whitney; the interval is method 5 of Newcombe (2006).
    """
    n, m = len(first), len(second)
    method = "one of each at random, Newcombe interval"
    if not n or not m:
        return nothing("too_few", n=n + m, method=method)
    ordered = np.sort(second)
    below = np.searchsorted(ordered, first, "left") + np.searchsorted(ordered, first, "right")
    chance = float(below.mean()) / (2 * m)
    interval = newcombe(chance, n, m, normal_point(confidence))
    return result(chance, n=n + m, method=method, interval=interval)


def newcombe(chance: float, n: int, m: int, z: float) -> tuple[float, float]:
    """The chances whose distance to the one seen is z times their own standard error."""

    def near(value: float) -> bool:
        return (value - chance) ** 2 <= z**2 * spread(value, n, m)

    return edge(near, chance, 0.0), edge(near, chance, 1.0)


def spread(chance: float, n: int, m: int) -> float:
    """Variance of the chance seen if this one is true (Hanley & McNeil 1982, sizes averaged)."""
    other = 1 - chance
    inner = (n + m) / 2 - 1
    return chance * other * (1 + inner * (other / (2 - chance) + chance / (1 + chance))) / (n * m)


def edge(near: Callable[[float], bool], inside: float, outside: float) -> float:
    """Where `near` stops to hold between a place inside and one outside, by halving."""
    for _ in range(STEPS):
        middle = (inside + outside) / 2
        if near(middle):
            inside = middle
        else:
            outside = middle
    return inside


def normal_point(confidence: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))
