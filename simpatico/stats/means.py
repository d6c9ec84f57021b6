"""The difference of two systems' means, and its standard error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum, sqrt

import numpy as np

from simpatico.arrays import Floats
from simpatico.comparison.samples import Sample

LARGEST = 1e150
"""Beyond this a square would overflow."""
NOISE = 1e-12


@dataclass(frozen=True)
class Spread:
    """A mean difference with its standard error and degrees of freedom."""

    value: float
    error: float
    freedom: float
    n: int

    def reach(self, confidence: float) -> float:
        """Half the width of the t interval."""
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, (1 + confidence) / 2)) * self.error


def mean_difference(sample: Sample) -> Spread | None:
    """Mean of the pair differences, or difference of the means with Welch's (1947) freedom.

    Null where the numbers are too large to be squared.
    """
    both = np.concatenate([sample.first, sample.second])
    size = float(np.abs(both).max(initial=0.0))
    if not size < LARGEST:
        return None
    if sample.paired:
        n = len(sample.first)
        value, variance = moments(sample.first - sample.second, size)
        spread = Spread(value, sqrt(variance / n), n - 1.0, n)
    else:
        spread = welch(sample.first, sample.second, size)
    gone = spread.error == 0 and abs(spread.value) <= NOISE * size
    return replace(spread, value=0.0) if gone else spread


def welch(first: Floats, second: Floats, size: float) -> Spread:
    """Difference of two means that need not vary alike."""
    (mean_a, var_a), (mean_b, var_b) = moments(first, size), moments(second, size)
    n, m = len(first), len(second)
    u, v = var_a / n, var_b / m
    top = max(u, v) or 1.0
    parts = (u / top) ** 2 / (n - 1) + (v / top) ** 2 / (m - 1)
    freedom = ((u + v) / top) ** 2 / parts if parts else n + m - 2.0
    return Spread(mean_a - mean_b, sqrt(u + v), freedom, n + m)


def moments(values: Floats, size: float) -> tuple[float, float]:
    """Mean and variance; the variance is 0 where values of this size differ by rounding only."""
    mean = fsum(values) / len(values)
    if np.ptp(values) <= NOISE * size:
        return mean, 0.0
    return mean, fsum((values - mean) ** 2) / (len(values) - 1)


def mean(values: Floats) -> float | None:
    """The mean; null where there is none."""
    if not len(values) or not np.abs(values).max() < LARGEST:
        return None
    return fsum(values) / len(values)
