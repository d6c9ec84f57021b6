"""Correlation of two columns: Pearson, Spearman, Kendall tau-b, each with interval, p and n."""

from __future__ import annotations

from math import atanh, sqrt, tanh
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtr

from simpatico.arrays import Floats
from simpatico.stats.draws import CONFIDENCE, SMALLEST_P
from simpatico.stats.ranks import count_below, dense_ranks, mid_ranks
from simpatico.stats.result import Result, Status, make_result, no_result

Kind = Literal["pearson", "spearman", "kendall"]

NAMES: dict[Kind, str] = {
    "pearson": "Pearson r",
    "spearman": "Spearman rho",
    "kendall": "Kendall tau-b",
}
MIN_ROWS = 3
"""Two points always lie on a line."""

ROUNDING = 1e-13
"""Columns that vary by less than this share of their size vary by rounding only."""

NORMAL_QUANTILE = float(ndtri((1 + CONFIDENCE) / 2))
"""z of a two-sided 95% interval: 1.96."""


def correlation(x: npt.ArrayLike, y: npt.ArrayLike, *, kind: Kind = "pearson") -> Result:
    """The correlation of two columns with interval and p, over the rows where both are finite.

    Pearson: r = Σ(x-x̄)(y-ȳ) / sqrt(Σ(x-x̄)² Σ(y-ȳ)²). Spearman (1904): Pearson's r of mid-ranks.
    Kendall (1945): tau-b = (C - D) / sqrt((P - Tx)(P - Ty)) of P pairs of rows: C concordant, D
    discordant, T tied. Rows are taken as independent; `bootstrap_correlation` is for rows that
    come in clusters.
    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    rows = np.isfinite(a) & np.isfinite(b)
    x, y = a[rows], b[rows]
    n, author = len(x), "Fisher" if kind == "pearson" else "Bonett-Wright"
    method = f"{NAMES[kind]}, {author} interval"
    if (reason := missing_reason(x, y)) is not None:
        return no_result(reason, n=n, method=method)
    value = correlation_coefficient(x, y, kind)
    p_value = normal_p(x, y, value) if kind == "kendall" else student_p(value, n)
    return make_result(
        value, n=n, method=method, interval=fisher_interval(value, n, kind), p_value=p_value
    )


def missing_reason(*columns: Floats) -> Status | None:
    """Why there is no correlation between these columns; null when there is one."""
    if len(columns[0]) < MIN_ROWS:
        return "too_few"
    for column in columns:
        size = float(np.abs(column).max())
        if size == 0 or float(np.ptp(column / size)) <= ROUNDING:
            return "degenerate"
    return None


def unit_vector(column: Floats) -> Floats:
    """The column centred and of length 1, without overflow on the way."""
    column = column / np.abs(column).max()
    column = column - column.mean()
    return np.asarray(column / np.linalg.norm(column))


def correlation_coefficient(x: Floats, y: Floats, kind: Kind) -> float:
    """The correlation of two columns that vary."""
    if kind == "kendall":  # C and D are counted in n log n steps (Knight 1966)
        score = int(count_below(x, y).sum()) - int(count_below(-x, y).sum())
        return score / sqrt(untied_pairs(x) * untied_pairs(y))
    if kind == "spearman":
        x, y = mid_ranks(x), mid_ranks(y)
    return float(np.clip(unit_vector(x) @ unit_vector(y), -1, 1))


def untied_pairs(values: Floats) -> int:
    """Pairs of rows with two different values."""
    _, rows = dense_ranks(values)
    return (len(values) ** 2 - int((rows**2).sum())) // 2


def fisher_interval(value: float, n: int, kind: Kind) -> tuple[float, float] | None:
    """tanh(atanh r ± z s): s² = 1/(n-3) (Fisher 1921), (1 + r²/2)/(n-3) for rho (Bonett & Wright
    2000), .437/(n-4) for tau (Fieller, Hartley & Pearson 1957).
    """
    df = n - 4 if kind == "kendall" else n - 3
    if df < 1 or abs(value) >= 1:
        return None
    variance = {"pearson": 1.0, "spearman": 1 + value**2 / 2, "kendall": 0.437}[kind]
    reach = NORMAL_QUANTILE * sqrt(variance / df)
    return tanh(atanh(value) - reach), tanh(atanh(value) + reach)


def student_p(value: float, n: int) -> float | None:
    """Two-sided p of t = r sqrt((n-2)/(1-r²)); null for a perfect fit, where there is no t."""
    if abs(value) >= 1:
        return None
    t = abs(value) * sqrt((n - 2) / (1 - value**2))
    return max(2 * float(stdtr(n - 2, -t)), SMALLEST_P)


def normal_p(x: Floats, y: Floats, tau: float) -> float | None:
    """Two-sided p of C - D under no association, variance corrected for ties (Kendall 1970)."""
    n = len(x)
    m = n * (n - 1)
    score = tau * sqrt(untied_pairs(x) * untied_pairs(y))
    (x0, x1, x2), (y0, y1, y2) = tie_terms(x), tie_terms(y)
    variance = (m * (2 * n + 5) - x1 - y1) / 18 + 2 * x0 * y0 / m + x2 * y2 / (9 * m * (n - 2))
    if variance <= 0:
        return None
    return max(2 * float(ndtr(-abs(score) / sqrt(variance))), SMALLEST_P)


def tie_terms(values: Floats) -> tuple[int, int, int]:
    """Σ t(t-1)/2, Σ t(t-1)(2t+5) and Σ t(t-1)(t-2) over groups of t tied rows."""
    _, rows = dense_ranks(values)
    t = rows.astype(object)  # cubes of large groups outgrow 64 bits
    pairs = t * (t - 1)
    return int(pairs.sum()) // 2, int((pairs * (2 * t + 5)).sum()), int((pairs * (t - 2)).sum())
