"""Williams' test of two dependent correlations: is one larger than another on the same units?

Scores k and h are correlated with one rating j; as they share j, jk and jh are not independent.
Formulas as collected by Diedenhofen & Musch (2015), "cocor", PLOS ONE 10(4).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, sqrt, tanh

from scipy.special import stdtr

from simpatico.stats.correlation import NORMAL_QUANTILE
from simpatico.stats.draws import SMALLEST_P
from simpatico.stats.result import Result, Status, make_result, no_result

MIN_UNITS = 4
"""One degree of freedom must be left."""

SINGULAR = 1e-12
"""A determinant below this is 0 but for rounding: one column follows from the others."""


@dataclass(frozen=True)
class Overlapping:
    """Correlations of j with k and of j with h, of k with h, over the same n units."""

    jk: float
    jh: float
    kh: float
    n: int

    @property
    def determinant(self) -> float:
        """|R| = 1 + 2 jk jh kh - jk² - jh² - kh²."""
        jk, jh, kh = self.jk, self.jh, self.kh
        return 1 + 2 * jk * jh * kh - jk**2 - jh**2 - kh**2

    @property
    def fault(self) -> Status | None:
        """Why there is nothing to test: too few units, or linearly dependent columns."""
        if self.n < MIN_UNITS:
            return "too_few"
        # Written so that a NaN anywhere is degenerate too.
        regular = abs(self.jk) < 1 and abs(self.jh) < 1 and self.determinant >= SINGULAR
        return None if regular else "degenerate"


def williams_t(r: Overlapping) -> float:
    """t = (jk - jh) sqrt((n-1)(1+kh) / (2 |R| (n-1)/(n-3) + m² (1-kh)³)), m = (jk + jh) / 2."""
    mean = (r.jk + r.jh) / 2
    under = 2 * (r.n - 1) / (r.n - 3) * r.determinant + mean**2 * (1 - r.kh) ** 3
    return (r.jk - r.jh) * sqrt((r.n - 1) * (1 + r.kh) / under)


def williams_test(r: Overlapping) -> Result:
    """jk - jh with Zou's interval and the two-sided p of t on n - 3 degrees of freedom.

    Williams (1959), which Steiger (1980) recommends for correlations that share a variable.
    """
    method = "Williams t, Zou interval"
    if r.fault is not None:
        return no_result(r.fault, n=r.n, method=method)
    p = max(2 * float(stdtr(r.n - 3, -abs(williams_t(r)))), SMALLEST_P)
    return make_result(r.jk - r.jh, n=r.n, method=method, interval=zou_interval(r), p_value=p)


def zou_interval(r: Overlapping) -> tuple[float, float] | None:
    """Interval of a - b out of the Fisher intervals (l, u) of a = jk and of b = jh (Zou 2007).

    low = a - b - sqrt((a - l₁)² + (u₂ - b)² - 2 c (a - l₁)(u₂ - b)), high likewise, c being the
    correlation of a and b: c = (kh s - a b / 2 (s - kh²)) / ((1 - a²)(1 - b²)), s = 1 - a² - b²
    (Dunn & Clark 1969, equation 8).
    """
    a, b = r.jk, r.jh
    s = 1 - a**2 - b**2
    c = (r.kh * s - a * b / 2 * (s - r.kh**2)) / ((1 - a**2) * (1 - b**2))
    reach = NORMAL_QUANTILE / sqrt(r.n - 3)
    low_a, high_a = a - tanh(atanh(a) - reach), tanh(atanh(a) + reach) - a
    low_b, high_b = b - tanh(atanh(b) - reach), tanh(atanh(b) + reach) - b
    down = low_a**2 + high_b**2 - 2 * c * low_a * high_b
    up = high_a**2 + low_b**2 - 2 * c * high_a * low_b
    return (a - b - sqrt(down), a - b + sqrt(up)) if min(down, up) > 0 else None
