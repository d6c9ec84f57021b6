"""Sums that are rounded once, so that neither the order of numbers nor how they are split matters.

Long arrays are taken apart as Rump, Ogita and Oishi (2008, Accurate floating-point summation I)
do it: the leading bits of all numbers, which add up without rounding, then those of what is left.
"""

from __future__ import annotations

from math import frexp, fsum, isinf, ldexp
from typing import ClassVar

import numpy as np

from simpatico.arrays import Floats

SHORT = 200
"""Numbers up to which taking them apart costs more than adding them one by one."""
LONG = 8_192
"""Numbers that are taken apart at a time, which stay in the processor's cache."""


def exact_terms(values: Floats) -> list[float]:
    """Few numbers whose exact sum is that of the values."""
    if len(values) <= SHORT:
        return list(values.tolist())
    terms, rest, bits = list[float](), values.copy(), (len(values) + 2).bit_length()
    leading = np.empty_like(rest)
    while most := float(max(rest.max(), -rest.min())):
        if isinf(most) or frexp(most)[1] + bits > 1023:
            return [*terms, *rest.tolist()]
        unit = ldexp(1.0, frexp(most)[1] + bits)
        np.add(rest, unit, out=leading)
        leading -= unit  # multiples of unit / 2^53: no sum of them has more bits
        terms.append(float(leading.sum()))
        rest -= leading
    return terms


class ExactSum:
    """A sum that grows by arrays, in little memory."""

    most: ClassVar[int] = 4_096

    def __init__(self) -> None:
        self.terms = list[float]()
        self.n = 0

    def add(self, values: Floats) -> None:
        """Add all the values."""
        for start in range(0, len(values), LONG):
            self.extend(exact_terms(values[start : start + LONG]))
        self.n += len(values)

    def merge(self, other: ExactSum) -> None:
        """Add the values of another sum."""
        self.extend(other.terms)
        self.n += other.n

    def extend(self, terms: list[float]) -> None:
        """Add numbers, and put few in the place of many."""
        self.terms += terms
        if len(self.terms) > self.most:
            self.terms = exact_terms(np.array(self.terms))

    @property
    def value(self) -> float:
        """The sum, rounded once; OverflowError where it is beyond all floats."""
        return self.terms[0] if len(self.terms) == 1 else fsum(self.terms)

    @property
    def mean(self) -> float | None:
        """The mean of all values; None of no values, or where their sum is beyond all floats."""
        try:
            return self.value / self.n if self.n else None
        except OverflowError:
            return None
