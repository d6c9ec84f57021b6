"""Correction of p-values for the number of tests in a family.

A p that does not exist is no test: it is left out of the size of the family and stays null.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from simpatico.arrays import Floats

Correction = Literal["holm", "bh", "bonferroni", "by"]


def bonferroni(p: Floats) -> Floats:
    """m p: bounds the probability of any false positive among m tests (Dunn 1961)."""
    return p * len(p)


def holm(p: Floats) -> Floats:
    """max over j <= i of (m - j + 1) p(j): as Bonferroni, never less powerful (Holm 1979)."""
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


def benjamini_hochberg(p: Floats) -> Floats:
    """min over j >= i of m p(j) / j: bounds the false discovery rate (1995)."""
    return np.minimum.accumulate((p * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1]


def benjamini_yekutieli(p: Floats) -> Floats:
    """Benjamini-Hochberg times 1 + 1/2 + ... + 1/m: for tests that depend on each other (2001)."""
    return benjamini_hochberg(p) * float((1 / np.arange(1, len(p) + 1)).sum())


CORRECTIONS: dict[Correction, Callable[[Floats], Floats]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "bonferroni": bonferroni,
    "by": benjamini_yekutieli,
}
"""Each from the p-values of a family in rising order to corrected ones, which may exceed 1."""


def correct_p_values(
    p_values: Sequence[float | None], how: Correction = "holm"
) -> tuple[list[float | None], int]:
    """Corrected p-values, at most 1 and null for null, and how many tests the family has."""
    raw = np.array([np.nan if p is None else p for p in p_values], dtype=np.float64)
    finite = np.flatnonzero(np.isfinite(raw))
    order = finite[np.argsort(raw[finite], kind="stable")]
    p_adjusted: list[float | None] = [None] * len(raw)
    for i, p in zip(order, np.minimum(1.0, CORRECTIONS[how](raw[order])), strict=True):
        p_adjusted[i] = float(p)
    return p_adjusted, len(order)
