"""Correlation of two columns: Pearson, Spearman, Kendall tau-b, each with interval, p and n."""

from __future__ import annotations

from math import atanh, sqrt, tanh
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtr

from simpatico.arrays import Floats
from simpatico.stats.draws import LEVEL
from simpatico.stats.ranks import below, dense, ranks
from simpatico.stats.result import Result, Status, nothing, result

Kind = Literal["pearson", "spearman", "kendall"]

NAMES: dict[Kind, str] = {
    "pearson": "Pearson r",
    "spearman": "Spearman rho",
    "kendall": "Kendall tau-b",
}
INTERVALS: dict[Kind, str] = {
    "pearson": "Fisher interval",
    "spearman": "Bonett-Wright interval",
    "kendall": "Bonett-Wright interval",
}
FEWEST = 3
"""Two points always lie on a line."""

FLAT = 1e-13
"""Columns that vary by less than this share of their size vary by rounding only."""

SMALLEST_P = float(np.finfo(np.float64).tiny)
"""A p too small for the machine is shown as the smallest number it has, never as 0."""

EVIDENCE_N = 5
EVIDENCE_P = 0.05


def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> Result:
    """Product-moment r over rows where both are there, t test, Fisher's z interval (1921)."""
    return correlation(x, y)


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> Result:
    """Pearson r of mid-ranks, t test, interval of Bonett & Wright (2000)."""
    return correlation(x, y, kind="spearman")


def kendall(x: npt.ArrayLike, y: npt.ArrayLike) -> Result:
    """tau-b = (C - D) / sqrt((P - Tx)(P - Ty)) of P pairs, C agreeing, D not, T tied (1945)."""
    return correlation(x, y, kind="kendall")


def correlation(x: npt.ArrayLike, y: npt.ArrayLike, *, kind: Kind = "pearson") -> Result:
    """One of the three; rows where either is NaN or infinite are left out and not in n.

    Rows are taken as independent; `bootstrap` is for rows that belong together.
    """
    x, y = both(x, y)
    n, method = len(x), f"{NAMES[kind]}, {INTERVALS[kind]}"
    if (lack := lacking(x, y)) is not None:
        return nothing(lack, n=n, method=method)
    value = estimate(x, y, kind)
    p_value = normal_p(x, y, value) if kind == "kendall" else student_p(value, n)
    return result(
        value, n=n, method=method, interval=fisher_interval(value, n, kind), p_value=p_value
    )


def both(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The rows where both columns hold a finite number."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    kept = np.isfinite(a) & np.isfinite(b)
    return a[kept], b[kept]


def lacking(*columns: Floats) -> Status | None:
    """Why there is no correlation among these columns; null when there is one."""
    if len(columns[0]) < FEWEST:
        return "too_few"
    return "degenerate" if any(flat(c) for c in columns) else None


def flat(column: Floats) -> bool:
    """Whether nothing but rounding varies."""
    size = float(np.abs(column).max(initial=0))
    return size == 0 or float(np.ptp(column / size)) <= FLAT


def standard(column: Floats) -> Floats:
    """Mean 0 and length 1, without overflow on the way."""
    column = column / np.abs(column).max()
    column = column - column.mean()
    return np.asarray(column / np.linalg.norm(column))


def estimate(x: Floats, y: Floats, kind: Kind) -> float:
    """The correlation of two columns that vary."""
    if kind == "kendall":
        return tau_b(x, y)
    if kind == "spearman":
        x, y = ranks(x), ranks(y)
    return float(np.clip(standard(x) @ standard(y), -1, 1))


def tau_b(x: Floats, y: Floats) -> float:
    """Kendall's tau-b; C and D are counted in n log n steps (Knight 1966)."""
    score = int(below(x, y).sum()) - int(below(-x, y).sum())
    return score / sqrt(untied_pairs(x) * untied_pairs(y))


def untied_pairs(values: Floats) -> int:
    """Pairs of rows with two different values."""
    _, rows = dense(values)
    return (len(values) ** 2 - int((rows**2).sum())) // 2


def fisher_interval(value: float, n: int, kind: Kind) -> tuple[float, float] | None:
    """tanh(atanh r ± z s): s² = 1/(n-3), (1 + r²/2)/(n-3) for ranks, .437/(n-4) for tau."""
    free = n - 4 if kind == "kendall" else n - 3
    if free < 1 or abs(value) >= 1:
        return None
    spread = {"pearson": 1.0, "spearman": 1 + value**2 / 2, "kendall": 0.437}[kind]
    reach = float(ndtri((1 + LEVEL) / 2)) * sqrt(spread / free)
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
    _, rows = dense(values)
    t = rows.astype(object)  # cubes of large groups outgrow 64 bits
    pairs = t * (t - 1)
    return int(pairs.sum()) // 2, int((pairs * (2 * t + 5)).sum()), int((pairs * (t - 2)).sum())


def refused(found: Result) -> str | None:
    """Why a correlation is no evidence, as a sentence; null when it may count as some."""
    if found.value is None:
        return f"There is no correlation to speak of ({found.status}, n = {found.n})."
    told = f"{found.value:.4f} over n = {found.n}"
    p = "" if found.p_value is None else f" (p = {found.p_value:.3f})"
    if found.n < EVIDENCE_N:
        return f"{told} is no evidence: so few points line up by chance{p}."
    if found.p_value is None:
        return f"{told} is no evidence: it has no p-value."
    if found.p_value > EVIDENCE_P:
        return f"{told} is no evidence: chance gives as much too often{p}."
    return None
