"""Verdicts: templates filled with numbers, in plain words; no prose is made up.

A system is never called better or worse here: `judged` says which way a score points, if any.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from simpatico.comparison.difference import Difference
from simpatico.comparison.samples import EACH, PAIRS, Unit
from simpatico.stats.correction import Correction
from simpatico.wording import (
    format_count,
    format_difference,
    format_interval,
    format_significant,
    interval_digits,
)

CORRECTIONS: dict[Correction, str] = {
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "bonferroni": "Bonferroni",
}
SHARED: dict[Unit, str] = {"prompt": "that both answered", "dialog": "that both took part in"}
HINT = "A hint, not a finding"
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
            return f"{told.title}: {amount(told)}. {would_show(told)}"
        case "hint":
            return f"{claim(told)}: {amount(told)}. {HINT}."
        case _:
            return f"{claim(told)}: {amount(told)}."


def claim(told: Difference) -> str:
    """Who is more or less so than whom."""
    perhaps = "perhaps " if told.finding == "hint" else ""
    return f"{told.a} {perhaps}{phrase(told)} {told.b}"


def phrase(told: Difference) -> str:
    """What `a` does more or less than `b`; ends in "than"."""
    return told.more if (told.difference or 0.0) > 0 else told.less


def amount(told: Difference) -> str:
    """By how much, in the score's unit, and between which bounds."""
    value = with_unit(format_difference(told.difference, digits(told)), told)
    if told.low is None or told.high is None:
        return f"{value} (no interval: nothing varies)"
    return f"{value} {format_interval(told.low, told.high, digits(told))}"


def would_show(told: Difference) -> str:
    """What a study of this size could have shown."""
    if told.detectable is None:
        return f"With {counted(told)} no difference, however large, would have shown."
    return f"{with_unit(format_significant(told.detectable), told)} or more would have shown."


def judged(told: Difference) -> str:
    """Which way the score points."""
    return f"{told.better} is better" if told.better else "neither better nor worse in itself"


def too_few(told: Difference) -> str:
    held = f"{counted(told)} {SHARED[told.unit]}" if told.paired else counted(told)
    verb = "is" if told.n_a == told.n_b == 1 else "are"
    asked = f"{PAIRS} are" if told.paired else f"{EACH} each are"
    return f"{told.title}: {held} {verb} too few to compare; at least {asked} needed."


def same(told: Difference) -> str:
    if told.mean_a is None or told.mean_a != told.mean_b:
        return f"{told.title}: no difference can be computed; the numbers are too large."
    return f"{told.title}: equal in all {counted(told)}."


def counted(told: Difference) -> str:
    """The prompts or dialogs of a comparison; in pairs they are the same for both."""
    if told.n_a != told.n_b:
        return f"{format_count(told.n_a)} and {format_count(told.n_b)} {told.unit}s"
    return format_count(told.n_a, told.unit) + ("" if told.paired else " each")


def with_unit(value: str, told: Difference) -> str:
    return f"{value} {told.score_unit}" if told.score_unit else value


def digits(told: Difference) -> int:
    """Digits after the point that the interval supports; an interval can be a point by rounding."""
    return (
        interval_digits(None, None)
        if told.low == told.high
        else interval_digits(told.low, told.high)
    )
