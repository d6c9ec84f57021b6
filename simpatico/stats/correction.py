"""Correction of p-values for the number of tests in a family.

A p that does not exist (NaN) is no test: it is left out of the size of the family and stays NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats

Correction = Literal["holm", "bh", "bonferroni"]


def bonferroni(p_values: npt.ArrayLike) -> Floats:
    """min(1, m p): bounds the probability of any false positive among m tests (Dunn 1961)."""
    return adjust_p_values(p_values, lambda p: p * len(p))


def holm(p_values: npt.ArrayLike) -> Floats:
    """max over j <= i of (m - j + 1) p(j): as Bonferroni, never less powerful (Holm 1979)."""
    return adjust_p_values(p_values, lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """min over j >= i of m p(j) / j: bounds the false discovery rate (1995)."""
    return adjust_p_values(
        p_values,
        lambda p: np.minimum.accumulate((p * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1],
    )


CORRECTIONS: dict[Correction, Callable[[npt.ArrayLike], Floats]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "bonferroni": bonferroni,
}


def adjust_p_values(p_values: npt.ArrayLike, step: Callable[[Floats], Floats]) -> Floats:
    """`step` over the finite p-values in rising order, put back in their places, at most 1."""
    raw = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(raw.shape, np.nan)
    finite = np.flatnonzero(np.isfinite(raw))
    order = finite[np.argsort(raw[finite], kind="stable")]
    if len(order):
        adjusted[order] = np.minimum(1.0, step(raw[order]))
    return adjusted


def correct_p_values(
    p_values: Sequence[float | None], how: Correction = "holm"
) -> tuple[list[float | None], int]:
    """Corrected p-values with null for null, and how many tests the family has."""
    raw = np.array([np.nan if p is None else p for p in p_values], dtype=np.float64)
    adjusted = CORRECTIONS[how](raw)
    return [float(p) if np.isfinite(p) else None for p in adjusted], int(np.isfinite(raw).sum())
