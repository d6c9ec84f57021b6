"""A scale from numbers to the width of a drawing, in percent, with round ticks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from simpatico.charts.html import text_of
from simpatico.wording import MAX_DIGITS, format_number

SMALLEST = 1e-300
"""What is no larger has too few digits left to be divided into ticks."""


@dataclass(frozen=True)
class Axis:
    """From `low` at the left edge to `high` at the right one."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """Where the value stands, 0 at the left end and 1 at the right one."""
        return (value - self.low) / (self.high - self.low)

    def at(self, value: float) -> str:
        """Where the value stands, as SVG writes it; nothing is ever clipped or moved."""
        return f"{text_of(100 * self.share(value))}%"

    def ticks(self, about: int = 3) -> list[float]:
        """About so many round numbers inside the axis."""
        step = rounded_step((self.high - self.low) / max(about, 1))
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(i * step, 12) for i in range(first, last + 1)]


def rounded_step(size: float) -> float:
    """The step of 1, 2 or 5 times a power of ten that is nearest above `size`."""
    power: float = 10.0 ** floor(log10(size))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= size * (1 - 1e-9))


def around(values: Iterable[float | None], margin: float = 0.08) -> Axis:
    """An axis that holds all these values with some air on both sides."""
    known = [v for v in values if v is not None and isfinite(v)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    reach = next(r for r in (high - low, abs(high) * 0.1, 1.0) if r > SMALLEST)
    return Axis(low - margin * reach, high + margin * reach)


def labels(ticks: list[float]) -> list[str]:
    """The ticks as text, all with the digits that tell them apart."""
    exact = (d for d in range(MAX_DIGITS) if all(round(t, d) == t for t in ticks))
    digits = next(exact, MAX_DIGITS)
    return [format_number(t, digits) for t in ticks]
