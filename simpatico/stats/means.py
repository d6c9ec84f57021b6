"""The difference of two systems' means with its standard error: paired t or Welch."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np

from simpatico.arrays import Floats
from simpatico.stats.draws import DRAWS, SMALLEST_P

MAX_SQUARABLE = 1e150
"""Beyond this a square would overflow."""

NOISE = 1e-12
"""Values that differ by less than this share of their size differ by rounding only."""


@dataclass(frozen=True)
class MeanDifference:
    """A mean difference with its standard error and degrees of freedom."""

    value: float
    standard_error: float
    df: float
    n: int

    def half_width(self, confidence: float) -> float:
        """Half the width of the t interval."""
        from scipy.special import stdtrit

        return float(stdtrit(self.df, (1 + confidence) / 2)) * self.standard_error

    @property
    def p_value(self) -> float:
        """Two-sided p of t; where nothing varies, the smallest p that a permutation could give."""
        from scipy.special import stdtr

        if self.standard_error == 0:
            return 1 / (1 + DRAWS)
        p = 2 * float(stdtr(self.df, -abs(self.value / self.standard_error)))
        return max(p, SMALLEST_P)


def mean_difference(first: Floats, second: Floats, *, paired: bool) -> MeanDifference | None:
    """Mean of the pair differences, or difference of the means.

    Paired: SE = SD / sqrt(n), n - 1 degrees of freedom (Student 1908). Unpaired: `welch`. Null
    where the numbers are too large to be squared, or where there is neither a difference nor any
    variation around none.
    """
    size = float(np.abs(np.concatenate([first, second])).max(initial=0.0))
    if not size < MAX_SQUARABLE:
        return None
    if paired:
        n = len(first)
        value, variance = mean_and_variance(first - second, size)
        difference = MeanDifference(value, sqrt(variance / n), n - 1.0, n)
    else:
        difference = welch(first, second, size)
    same = difference.standard_error == 0 and abs(difference.value) <= NOISE * size
    return None if same else difference


def welch(first: Floats, second: Floats, size: float) -> MeanDifference:
    """Difference of two means with unequal variances (Welch 1947).

    SE² = u + v with u = s₁²/n, v = s₂²/m; df = (u + v)² / (u²/(n-1) + v²/(m-1)), computed relative
    to the larger of u and v so that nothing underflows.
    """
    (mean_a, var_a), (mean_b, var_b) = (mean_and_variance(v, size) for v in (first, second))
    n, m = len(first), len(second)
    u, v = var_a / n, var_b / m
    top = max(u, v) or 1.0
    parts = (u / top) ** 2 / (n - 1) + (v / top) ** 2 / (m - 1)
    df = ((u + v) / top) ** 2 / parts if parts else n + m - 2.0
    return MeanDifference(mean_a - mean_b, sqrt(u + v), df, n + m)


def mean_and_variance(values: Floats, size: float) -> tuple[float, float]:
    """Mean and variance; the variance is 0 where values of this size differ by rounding only."""
    mean = fsum(values) / len(values)
    if np.ptp(values) <= NOISE * size:
        return mean, 0.0
    return mean, fsum((values - mean) ** 2) / (len(values) - 1)


def finite_mean(values: Floats) -> float | None:
    """The mean; null where there are no values or they are too large."""
    if not len(values) or not np.abs(values).max() < MAX_SQUARABLE:
        return None
    return fsum(values) / len(values)
