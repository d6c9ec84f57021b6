"""Numbers, titles and lists as people read them: one formatter for command line, page and cards.

Numbers follow the APA style: a true minus (U+2212), as many digits as the interval supports, and
no zero before the point where a value cannot exceed 1 (correlations, R², p).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, inf, isfinite, log10

NO_VALUE = "–"
MAX_DIGITS = 12
"""Digits after the point at most; beyond them a double's own rounding shows."""


def format_number(value: float | None, digits: int = 2) -> str:
    """A number with a true minus, and no minus before 0; a dash for a missing value."""
    if value is None or not isfinite(value):
        return NO_VALUE
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def format_difference(value: float | None, digits: int = 2) -> str:
    """A number that always shows its sign, except 0."""
    text = format_number(value, digits)
    plain = text == NO_VALUE or text.startswith("−") or float(text) == 0
    return text if plain else f"+{text}"


def format_correlation(value: float | None, digits: int = 2) -> str:
    """A correlation or R²: no zero before the point."""
    text = format_number(value, digits)
    return text.replace("0.", ".", 1) if text.startswith(("0.", "−0.")) else text


def format_interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """An interval in brackets; a dash for a missing bound."""
    missing = low is None or high is None
    return NO_VALUE if missing else f"[{format_number(low, digits)}, {format_number(high, digits)}]"


def format_correlation_interval(low: float | None, high: float | None) -> str:
    """An interval of correlations in brackets; a dash for a missing bound."""
    missing = low is None or high is None
    return NO_VALUE if missing else f"[{format_correlation(low)}, {format_correlation(high)}]"


def interval_digits(low: float | None, high: float | None) -> int:
    """Digits after the point that show two significant digits of the interval's half-width.

    More if a bound would otherwise round to 0, which would read as "touches zero".
    """
    if low is None or high is None or not 0 < high - low < inf:
        return 3
    digits = min(max(1 - floor(log10((high - low) / 2)), 0), MAX_DIGITS)
    while digits < MAX_DIGITS and any(b and not round(b, digits) for b in (low, high)):
        digits += 1
    return digits


def format_significant(value: float) -> str:
    """A number with two significant digits."""
    if not value:
        return "0"
    if not isfinite(value):
        return NO_VALUE
    return format_number(value, min(max(1 - floor(log10(abs(value))), 0), MAX_DIGITS))


def format_p(p: float | None) -> str:
    """A p-value as papers print it after the letter p: `= .034`, `< .001`."""
    if p is None:
        return NO_VALUE
    if p < 0.001:
        return "< .001"
    return "= 1" if p >= 0.9995 else f"= {f'{p:.3f}'.removeprefix('0')}"


def format_count(n: int, noun: str = "", plural: str = "") -> str:
    """1 dialog, 1,505 dialogs."""
    if not noun:
        return f"{n:,}"
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def capitalize(text: str) -> str:
    """The text as it begins a sentence; unlike str.capitalize, other capitals stay."""
    return text[:1].upper() + text[1:]


def title_from_name(name: str) -> str:
    """The name of a score as a title."""
    return capitalize(name.replace("_", " "))


def lower_first_letter(title: str) -> str:
    """A title inside a sentence; names such as BERTScore stay as they are."""
    head, rest = title[:1], title[1:]
    return head.lower() + rest if rest == rest.lower() else title


def join_with_and(words: Sequence[str]) -> str:
    """a, b and c."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
