"""A linear scale from values to the width of a chart, in percent, with round ticks.

Percentages let the browser stretch a chart with its column, without script or a second layout.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from simpatico.charts.html import value_text
from simpatico.wording import MAX_DIGITS, format_number

SMALLEST = 1e-300
"""Ranges no larger than this are subnormal numbers, too coarse to be divided into ticks."""


@dataclass(frozen=True)
class Axis:
    """From `low` at the left edge to `high` at the right one."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """The value's position, 0 at the left end and 1 at the right one."""
        return (value - self.low) / (self.high - self.low)

    def at(self, value: float) -> str:
        """The value's position as an SVG percentage; below 0% and above 100% for values outside."""
        return f"{value_text(100 * self.share(value))}%"

    def ticks(self, about: int = 3) -> list[float]:
        """About so many round numbers inside the axis."""
        step = rounded_step((self.high - self.low) / max(about, 1))
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(i * step, 12) for i in range(first, last + 1)]


def rounded_step(size: float) -> float:
    """The step of 1, 2 or 5 times a power of ten that is nearest above `size`.

    The tolerances of 1e-9, here and in `ticks`, absorb rounding: 0.1 * 3 is more than 0.3.
    """
    power: float = 10.0 ** floor(log10(size))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= size * (1 - 1e-9))


def axis_around(values: Iterable[float | None], margin: float = 0.08) -> Axis:
    """An axis that holds all finite values, with a margin of so much of their range."""
    finite = [v for v in values if v is not None and isfinite(v)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    # A single value gets an axis as wide as a tenth of itself, and zero one from -0.08 to 0.08.
    extent = next(r for r in (high - low, abs(high) * 0.1, 1.0) if r > SMALLEST)
    return Axis(low - margin * extent, high + margin * extent)


def tick_labels(ticks: list[float]) -> list[str]:
    """The ticks as text, all with as many digits as the longest needs."""
    exact = (d for d in range(MAX_DIGITS) if all(round(t, d) == t for t in ticks))
    digits = next(exact, MAX_DIGITS)
    return [format_number(t, digits) for t in ticks]
