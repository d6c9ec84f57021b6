"""Correction of p-values for their number: a family of tests keeps its promise as a whole.

A p that is not there (NaN) is no test: it is left out of the size of the family and stays NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats

Correction = Literal["holm", "bh", "bonferroni"]


def bonferroni(p_values: npt.ArrayLike) -> Floats:
    """min(1, m p): the chance of any false finding among m tests is held (Dunn 1961)."""
    return adjusted(p_values, lambda p: p * len(p))


def holm(p_values: npt.ArrayLike) -> Floats:
    """max over j <= i of (m - j + 1) p(j): as Bonferroni, never weaker (Holm 1979)."""
    return adjusted(p_values, lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """min over j >= i of m p(j) / j: the share of false findings is held (1995)."""
    return adjusted(
        p_values,
        lambda p: np.minimum.accumulate((p * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1],
    )


CORRECTIONS: dict[Correction, Callable[[npt.ArrayLike], Floats]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "bonferroni": bonferroni,
}


def adjusted(p_values: npt.ArrayLike, step: Callable[[Floats], Floats]) -> Floats:
    """`step` over the p-values that are there, smallest first, back in their places, at most 1."""
    given = np.asarray(p_values, dtype=np.float64)
    done = np.full(given.shape, np.nan)
    there = np.flatnonzero(np.isfinite(given))
    order = there[np.argsort(given[there], kind="stable")]
    if len(order):
        done[order] = np.minimum(1.0, step(given[order]))
    return done


def correct(
    p_values: Sequence[float | None], how: Correction = "holm"
) -> tuple[list[float | None], int]:
    """Corrected p-values with null for null, and how many tests the family has."""
    given = np.array([np.nan if p is None else p for p in p_values], dtype=np.float64)
    done = CORRECTIONS[how](given)
    return [float(p) if np.isfinite(p) else None for p in done], int(np.isfinite(given).sum())
