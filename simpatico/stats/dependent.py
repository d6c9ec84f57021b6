"""Is one correlation larger than another, both measured on the same units?

Overlapping: scores k and h against one judgement j. Nonoverlapping: j with k against h with m.
Formulas as collected by Diedenhofen & Musch (2015), "cocor", PLOS ONE 10(4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import atanh, isfinite, sqrt, tanh
from typing import Any, Literal

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from simpatico.stats.correlation import SMALLEST_P
from simpatico.stats.draws import LEVEL
from simpatico.stats.result import Result, nothing, result

FEWEST = 4
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
    def compared(self) -> tuple[float, float]:
        return self.jk, self.jh

    @property
    def fault(self) -> Literal["too_few", "degenerate"] | None:
        """Why there is nothing to test: too few units, or columns that are one and the same."""
        if self.n < FEWEST:
            return "too_few"
        return "degenerate" if self.determinant < SINGULAR or perfect(self.compared) else None


@dataclass(frozen=True)
class Nonoverlapping:
    """Correlations of j with k and of h with m, and the four between the pairs, over n units."""

    jk: float
    hm: float
    jh: float
    jm: float
    kh: float
    km: float
    n: int

    @property
    def compared(self) -> tuple[float, float]:
        return self.jk, self.hm

    @property
    def fault(self) -> Literal["too_few", "degenerate"] | None:
        """Why there is nothing to test: too few units, or columns that are one and the same."""
        if self.n < FEWEST:
            return "too_few"
        rows = [
            [1, self.jk, self.jh, self.jm],
            [self.jk, 1, self.kh, self.km],
            [self.jh, self.kh, 1, self.hm],
            [self.jm, self.km, self.hm, 1],
        ]
        lowest = float(np.linalg.eigvalsh(np.array(rows, dtype=np.float64))[0])
        return "degenerate" if lowest < SINGULAR or perfect(self.compared) else None


def perfect(correlations: tuple[float, ...]) -> bool:
    return any(not abs(r) < 1 for r in correlations)


@dataclass(frozen=True)
class Comparison:
    """The difference of two correlations with Zou's interval, and the test behind its p.

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

    return compared(r, "Williams t", t, df=r.n - 3)


def hotelling(r: Overlapping) -> Comparison:
    """t = (jk - jh) sqrt((n-3)(1+kh) / (2 |R|)), n - 3 degrees of freedom (Hotelling 1940).

    Holds for the very values of k and h at hand only; Williams' t is for what they stand for.
    """

    def t() -> float:
        return (r.jk - r.jh) * sqrt((r.n - 3) * (1 + r.kh) / (2 * r.determinant))

    return compared(r, "Hotelling t", t, df=r.n - 3)


def steiger(r: Overlapping | Nonoverlapping) -> Comparison:
    """z = (atanh a - atanh b) sqrt((n-3) / (2 - 2c)), c with both at their mean (Steiger 1980)."""
    mean = sum(r.compared) / 2
    return compared(r, "Steiger z, pooled", lambda: fisher_z(r, linked(r, mean, mean)))


def raghunathan(r: Nonoverlapping) -> Comparison:
    """z = (atanh jk - atanh hm) sqrt((n-3) / (2 - 2c)), c with both as they are.

    Pearson & Filon's (1898) test on Fisher's scale (Raghunathan, Rosenthal & Rubin 1996).
    """
    return compared(r, "Pearson-Filon z of Fisher z", lambda: fisher_z(r, linked(r, *r.compared)))


def fisher_z(r: Overlapping | Nonoverlapping, c: float) -> float:
    """The difference on Fisher's scale over its deviation, c being the link of its two parts."""
    a, b = r.compared
    return (atanh(a) - atanh(b)) * sqrt((r.n - 3) / (2 - 2 * c)) if c < 1 else float("nan")


def linked(r: Overlapping | Nonoverlapping, a: float, b: float) -> float:
    """Correlation of the two Fisher-transformed correlations (Dunn & Clark 1969, 8 and 9)."""
    scale = (1 - a**2) * (1 - b**2)
    if isinstance(r, Overlapping):
        outside = 1 - a**2 - b**2
        return (r.kh * outside - a * b / 2 * (outside - r.kh**2)) / scale
    jh, jm, kh, km = r.jh, r.jm, r.kh, r.km
    squares = jh**2 + jm**2 + kh**2 + km**2
    through = a * jh * jm + a * kh * km + b * jh * kh + b * jm * km
    return (a * b * squares / 2 + jh * km + jm * kh - through) / scale


def zou(r: Overlapping | Nonoverlapping) -> tuple[float, float] | None:
    """Interval of a - b out of the Fisher intervals of a and of b (Zou 2007)."""
    a, b = r.compared
    c = linked(r, a, b)
    reach = float(ndtri((1 + LEVEL) / 2)) / sqrt(r.n - 3)
    low_a, high_a = a - tanh(atanh(a) - reach), tanh(atanh(a) + reach) - a
    low_b, high_b = b - tanh(atanh(b) - reach), tanh(atanh(b) + reach) - b
    down = low_a**2 + high_b**2 - 2 * c * low_a * high_b
    up = high_a**2 + low_b**2 - 2 * c * high_a * low_b
    return (a - b - sqrt(down), a - b + sqrt(up)) if min(down, up) > 0 else None


def compared(
    r: Overlapping | Nonoverlapping,
    name: str,
    statistic: Callable[[], float],
    *,
    df: int | None = None,
) -> Comparison:
    """The test and the interval, or why there are none."""
    method = f"{name}, Zou interval"
    fault = r.fault
    value = float("nan") if fault else statistic()
    if not isfinite(value):
        return Comparison(nothing(fault or "degenerate", n=r.n, method=method))
    tail = ndtr(-abs(value)) if df is None else stdtr(df, -abs(value))
    a, b = r.compared
    p = max(2 * float(tail), SMALLEST_P)
    return Comparison(result(a - b, n=r.n, method=method, interval=zou(r), p_value=p), value, df)
