"""Verdicts: templates filled with numbers, in plain words; no prose is made up."""

from __future__ import annotations

from dataclasses import asdict
from math import floor, log10
from typing import Any

from simpatico.compare.correct import Correction
from simpatico.compare.difference import Difference
from simpatico.compare.samples import EACH, PAIRS

CORRECTIONS: dict[Correction, str] = {
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "bonferroni": "Bonferroni",
}
STABLE = 13
"""So many first fields are those that scripts rely on."""


def as_json(told: Difference) -> dict[str, Any]:
    """All fields, with the verdict as a sentence and the finding in a word."""
    fields = asdict(told)
    head = {name: fields.pop(name) for name in list(fields)[:STABLE]}
    return {**head, "verdict": sentence(told), "finding": told.finding, **fields}


def sentence(told: Difference) -> str:
    """What can be said about one difference, and how sure that is."""
    match told.finding:
        case "too_few":
            return too_few(told)
        case "same":
            return same(told)
        case "unclear":
            return f"can't tell: {gap(told)}; {would_show(told)}."
        case "hint":
            return f"a hint: {direction(told)}: {size(told)}."
        case _:
            return f"{direction(told)}: {size(told)}."


def opening(told: Difference) -> str:
    return f"{label(told.score)} of {told.a} and {told.b}"


def direction(told: Difference) -> str:
    """Who is higher or lower; better or worse only where the score has a direction."""
    side = "higher" if (told.difference or 0.0) > 0 else "lower"
    judged = ""
    if told.better:
        judged = " (better)" if told.better == side else " (worse)"
    perhaps = "perhaps " if told.finding == "hint" else ""
    score = label(told.score)
    return f"{possessive(told.a)} {score} is {perhaps}{side}{judged} than {possessive(told.b)}"


def size(told: Difference) -> str:
    """By how much, how often, and how sure that is; all of it in the direction claimed."""
    value, low, high = told.difference or 0.0, told.low, told.high
    times = told.times_in_100 or 0.0
    if value < 0:
        value, times = -value, 100 - times
        low, high = (None if b is None else -b for b in (told.high, told.low))
    amount = f"by {number(value, places(told))}{interval(told, low, high)}"
    return f"{amount}, {times:.0f} times in 100; {tested(told)}, {units(told)}"


def interval(told: Difference, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return " (no interval: nothing varies)"
    ends = f"{number(low, places(told))} to {number(high, places(told))}"
    return f" ({100 * told.confidence:.4g}% {ends})"


def gap(told: Difference) -> str:
    amount = f"{number(told.difference or 0.0, places(told))}{interval(told, told.low, told.high)}"
    return f"{possessive(told.a)} {label(told.score)} minus {possessive(told.b)} is {amount}"


def tested(told: Difference) -> str:
    if told.p_value is None or told.p_adjusted is None:
        return "no p"
    if told.family == 1:
        return f"p {chance(told.p_value)}"
    how = f"after {CORRECTIONS[told.correction]} over {told.family} comparisons"
    if told.finding == "hint":
        return f"p {chance(told.p_value)} alone, {chance(told.p_adjusted).removeprefix('= ')} {how}"
    return f"p {chance(told.p_adjusted)} {how}"


def would_show(told: Difference) -> str:
    """What a study of this size could have shown."""
    if told.detectable is None:
        return f"with {units(told)} no difference, however large, would show"
    about = significant(told.detectable)
    return f"with {units(told)} only differences of about {about} or more would show"


def units(told: Difference) -> str:
    return f"{counted(told)} each" if told.n_a == told.n_b else counted(told)


def counted(told: Difference) -> str:
    if told.n_a == told.n_b:
        return f"{told.n_a:,} {told.unit}{'' if told.n_a == 1 else 's'}"
    return f"{told.n_a:,} and {told.n_b:,} {told.unit}s"


def too_few(told: Difference) -> str:
    least = PAIRS if told.paired else EACH
    held = f"{counted(told)} that both have" if told.paired else units(told)
    asked = f"at least {least}{'' if told.paired else ' each'}"
    return f"too few: the {opening(told)} needs {asked} to be compared; there are {held}."


def same(told: Difference) -> str:
    if told.mean_a is None or told.mean_a != told.mean_b:
        return f"no difference can be computed for the {opening(told)}: the numbers are too large."
    return f"the same: the {opening(told)} is equal in all {counted(told)}."


def label(score: str) -> str:
    return score.replace("_", " ")


def possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def places(told: Difference) -> int:
    """Digits after the point: two that the interval supports, more if a bound would round to 0."""
    if told.low is None or told.high is None:
        return 3
    reach = (told.high - told.low) / 2
    digits = min(max(1 - floor(log10(reach)), 0), 12)
    while digits < 12 and any(b and not round(b, digits) for b in (told.low, told.high)):
        digits += 1
    return digits


def number(value: float, digits: int) -> str:
    """A number with a true minus, and no minus before 0."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def significant(value: float) -> str:
    """Two digits that count."""
    if not value:
        return "0"
    return number(value, min(max(1 - floor(log10(abs(value))), 0), 12))


def chance(p: float) -> str:
    """A p as papers print it, without the zero before the point."""
    if p < 0.001:
        return "< .001"
    return "= 1" if p >= 0.9995 else f"= {f'{p:.3f}'.removeprefix('0')}"
