"""Tests of two dependent correlations: is one larger than another on the same units?

Scores k and h are correlated with one rating j; as they share j, jk and jh are not independent.
Formulas as collected by Diedenhofen & Musch (2015), "cocor", PLOS ONE 10(4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import atanh, isfinite, sqrt, tanh
from typing import Any, Literal

from scipy.special import ndtr, ndtri, stdtr

from simpatico.stats.correlation import SMALLEST_P
from simpatico.stats.draws import CONFIDENCE
from simpatico.stats.result import Result, make_result, no_result

MIN_UNITS = 4
"""One degree of freedom must be left."""

SINGULAR = 1e-12


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
    def fault(self) -> Literal["too_few", "degenerate"] | None:
        """Why there is nothing to test: too few units, or linearly dependent columns."""
        if self.n < MIN_UNITS:
            return "too_few"
        perfect = any(not abs(r) < 1 for r in (self.jk, self.jh))
        return "degenerate" if self.determinant < SINGULAR or perfect else None


@dataclass(frozen=True)
class Comparison:
    """The difference of two correlations with Zou's interval, and the test statistic of its p.

    `statistic` is t with `df` degrees of freedom, or z where `df` is null.
    """

    difference: Result
    statistic: float | None = None
    df: int | None = None

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self.difference), "statistic": self.statistic, "df": self.df}


def williams(r: Overlapping) -> Comparison:
    """t = (jk - jh) sqrt((n-1)(1+kh) / (2 |R| (n-1)/(n-3) + m² (1-kh)³)), m = (jk + jh) / 2.

    Williams (1959), which Steiger (1980) recommends; n - 3 degrees of freedom.
    """

    def t() -> float:
        mean = (r.jk + r.jh) / 2
        under = 2 * (r.n - 1) / (r.n - 3) * r.determinant + mean**2 * (1 - r.kh) ** 3
        return (r.jk - r.jh) * sqrt((r.n - 1) * (1 + r.kh) / under)

    return compare_correlations(r, "Williams t", t, df=r.n - 3)


def hotelling(r: Overlapping) -> Comparison:
    """t = (jk - jh) sqrt((n-3)(1+kh) / (2 |R|)), n - 3 degrees of freedom (Hotelling 1940).

    Conditional on the sampled values of k and h; Williams' t is not.
    """

    def t() -> float:
        return (r.jk - r.jh) * sqrt((r.n - 3) * (1 + r.kh) / (2 * r.determinant))

    return compare_correlations(r, "Hotelling t", t, df=r.n - 3)


def steiger(r: Overlapping) -> Comparison:
    """z = (atanh jk - atanh jh) sqrt((n-3) / (2 - 2c)), c at the mean of both (Steiger 1980)."""

    def z() -> float:
        mean = (r.jk + r.jh) / 2
        c = fisher_z_correlation(r, mean, mean)
        if c >= 1:
            return float("nan")
        return (atanh(r.jk) - atanh(r.jh)) * sqrt((r.n - 3) / (2 - 2 * c))

    return compare_correlations(r, "Steiger z, pooled", z)


def fisher_z_correlation(r: Overlapping, a: float, b: float) -> float:
    """Correlation c of two Fisher-transformed correlations a and b (Dunn & Clark 1969, 8).

    c = (kh s - a b / 2 (s - kh²)) / ((1 - a²)(1 - b²)), s = 1 - a² - b².
    """
    s = 1 - a**2 - b**2
    return (r.kh * s - a * b / 2 * (s - r.kh**2)) / ((1 - a**2) * (1 - b**2))


def zou_interval(r: Overlapping) -> tuple[float, float] | None:
    """Interval of a - b out of the Fisher intervals (l, u) of a = jk and of b = jh (Zou 2007).

    low = a - b - sqrt((a - l₁)² + (u₂ - b)² - 2 c (a - l₁)(u₂ - b)), high likewise, c being the
    correlation of a and b.
    """
    a, b = r.jk, r.jh
    c = fisher_z_correlation(r, a, b)
    reach = float(ndtri((1 + CONFIDENCE) / 2)) / sqrt(r.n - 3)
    low_a, high_a = a - tanh(atanh(a) - reach), tanh(atanh(a) + reach) - a
    low_b, high_b = b - tanh(atanh(b) - reach), tanh(atanh(b) + reach) - b
    down = low_a**2 + high_b**2 - 2 * c * low_a * high_b
    up = high_a**2 + low_b**2 - 2 * c * high_a * low_b
    return (a - b - sqrt(down), a - b + sqrt(up)) if min(down, up) > 0 else None


def compare_correlations(
    r: Overlapping, name: str, statistic: Callable[[], float], *, df: int | None = None
) -> Comparison:
    """The test and the interval, or why there are none; `statistic` is called only if it exists."""
    method, fault = f"{name}, Zou interval", r.fault
    value = float("nan") if fault else statistic()
    if not isfinite(value):
        return Comparison(no_result(fault or "degenerate", n=r.n, method=method))
    tail = ndtr(-abs(value)) if df is None else stdtr(df, -abs(value))
    p = max(2 * float(tail), SMALLEST_P)
    interval = zou_interval(r)
    difference = make_result(r.jk - r.jh, n=r.n, method=method, interval=interval, p_value=p)
    return Comparison(difference, value, df)
