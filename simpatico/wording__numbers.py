"""Numbers as people read them: a true minus, digits that count, no zero before a correlation."""

from __future__ import annotations

from math import floor, inf, isfinite, log10

NOTHING = "–"
MOST = 12
"""Digits after the point at most."""


def number(value: float | None, digits: int = 2) -> str:
    """A number with a true minus, and no minus before 0; a dash where there is none."""
    if value is None or not isfinite(value):
        return NOTHING
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def signed(value: float | None, digits: int = 2) -> str:
    """A difference: with its sign, but for 0."""
    text = number(value, digits)
    plain = text == NOTHING or text.startswith("−") or float(text) == 0
    return text if plain else f"+{text}"


def bare(value: float | None, digits: int = 2) -> str:
    """A correlation or R²: no zero before the point."""
    text = number(value, digits)
    return text.replace("0.", ".", 1) if text.startswith(("0.", "−0.")) else text


def span(low: float | None, high: float | None, digits: int = 2) -> str:
    """An interval in brackets; a dash where there is none."""
    if low is None or high is None:
        return NOTHING
    return f"[{number(low, digits)}, {number(high, digits)}]"


def places(low: float | None, high: float | None) -> int:
    """Digits after the point: two that the interval supports, more if a bound would round to 0."""
    if low is None or high is None or not 0 < high - low < inf:
        return 3
    digits = min(max(1 - floor(log10((high - low) / 2)), 0), MOST)
    while digits < MOST and any(b and not round(b, digits) for b in (low, high)):
        digits += 1
    return digits


def significant(value: float) -> str:
    """Two digits that count."""
    if not value:
        return "0"
    if not isfinite(value):
        return NOTHING
    return number(value, min(max(1 - floor(log10(abs(value))), 0), MOST))


def chance(p: float | None) -> str:
    """A p as papers print it, without the zero before the point."""
    if p is None:
        return NOTHING
    if p < 0.001:
        return "< .001"
    return "= 1" if p >= 0.9995 else f"= {f'{p:.3f}'.removeprefix('0')}"


def count(n: int, noun: str = "", plural: str = "") -> str:
    """1 dialog, 1,505 dialogs."""
    if not noun:
        return f"{n:,}"
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
