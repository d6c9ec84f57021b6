"""A difference in words: templates filled with numbers, nothing generated.

A system is never called better or worse here: `direction_text` says which way a score points, if
any.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from simpatico import wording
from simpatico.comparison.difference import Difference
from simpatico.comparison.samples import MIN_PAIRS, MIN_VALUES, PEOPLE, PERCENT, Unit
from simpatico.stats.correction import Correction
from simpatico.stats.power import POWER

CORRECTIONS: dict[Correction, str] = {
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "bonferroni": "Bonferroni",
}
SHARED: dict[Unit, str] = {"prompt": "that both replied to", "dialog": "that both took part in"}
HINT = "Suggestive, not significant after correction"
"""For what only the uncorrected p or the interval indicates."""
STABLE_FIELDS = 13
"""The first fields of the JSON, whose order scripts rely on."""


def difference_as_json(d: Difference) -> dict[str, Any]:
    """All fields, with the verdict as a sentence and the finding as a word."""
    fields = asdict(d)
    head = {name: fields.pop(name) for name in list(fields)[:STABLE_FIELDS]}
    return {**head, "verdict": verdict_sentence(d), "finding": d.finding, **fields}


def verdict_sentence(d: Difference) -> str:
    """What one difference shows, with its interval."""
    match d.finding:
        case "too_few":
            units = f"{units_text(d)} {SHARED[d.unit]}" if d.paired else units_text(d)
            verb = "is" if d.n_a == d.n_b == 1 else "are"
            minimum = f"{MIN_PAIRS} are" if d.paired else f"{MIN_VALUES} each are"
            return f"{d.title}: {units} {verb} too few to compare; at least {minimum} needed."
        case "same":
            if d.mean_a is None or d.mean_a != d.mean_b:
                return f"{d.title}: the values are too large to compute a difference."
            return f"{d.title}: identical in all {units_text(d)}."
        case "unclear":
            return f"{d.title}: {amount_text(d)}. {detectable_text(d)}"
        case "hint":
            return f"{claim_text(d)}: {amount_text(d)}. {HINT}."
        case _:
            return f"{claim_text(d)}: {amount_text(d)}."


def claim_text(d: Difference) -> str:
    """Who is more or less so than whom."""
    return f"{caution_text(d)}{d.a} {comparison_phrase(d)} {d.b}"


def caution_text(d: Difference) -> str:
    """What stands before a claim that is only suggestive."""
    return "Possibly: " if d.finding == "hint" else ""


def comparison_phrase(d: Difference) -> str:
    """What `a` does more or less than `b`; ends in "than"."""
    return d.more if (d.difference or 0.0) > 0 else d.less


def amount_text(d: Difference) -> str:
    """The difference in the score's unit, with its interval."""
    value = with_unit(wording.format_difference(d.difference, difference_digits(d)), d)
    if d.evidence == PEOPLE and d.mean_a is not None and d.mean_b is not None:
        value = f"{rating_text(d.mean_a, d)} vs. {rating_text(d.mean_b, d)}, {value}"
    if d.low is None or d.high is None:
        return f"{value} (no CI: the differences do not vary)"
    return f"{value} {wording.format_interval(d.low, d.high, difference_digits(d))}"


def difference_text(d: Difference) -> str:
    """The difference and its interval, without a unit."""
    value = wording.format_difference(d.difference, difference_digits(d))
    if d.low is None or d.high is None:
        return value
    return f"{value} {wording.format_interval(d.low, d.high, difference_digits(d))}"


def rating_text(value: float, d: Difference) -> str:
    """The mean rating of a system with the digits of the difference; a share in percent."""
    digits = difference_digits(d)
    return f"{wording.format_number(value, digits)}{'%' if d.score_unit == PERCENT else ''}"


def detectable_text(d: Difference) -> str:
    """The smallest difference that a study of this size would have detected."""
    if d.detectable is None:
        return f"With {units_text(d)} no difference is detectable, however large."
    amount = with_unit(wording.format_significant(d.detectable), d)
    return f"Smallest detectable difference ({100 * POWER:.0f}% power): {amount}."


def direction_text(d: Difference) -> str:
    """Which way the score points; most scores describe a style, of which more is not better."""
    exploratory = ", exploratory" if d.evidence in ("weak", "unproven") else ""
    if not d.better and d.evidence == "follows these raters":
        return d.evidence
    if not d.better:
        return (
            f"{'model output' if exploratory else 'descriptive'} (no better direction){exploratory}"
        )
    return f"{d.better} is better{exploratory}"


def units_text(d: Difference) -> str:
    """The number of prompts or dialogs; in paired samples it is the same for both systems."""
    if d.n_a != d.n_b:
        return f"{wording.format_count(d.n_a)} and {wording.format_count(d.n_b)} {d.unit}s"
    return wording.format_count(d.n_a, d.unit) + ("" if d.paired else " each")


def with_unit(value: str, d: Difference) -> str:
    """The value followed by the unit of the score, if that has one."""
    return f"{value} {d.score_unit}" if d.score_unit else value


def difference_digits(d: Difference) -> int:
    """Digits after the point that the interval supports."""
    # By rounding an interval can be a single point, which supports no number of digits.
    low, high = (None, None) if d.low == d.high else (d.low, d.high)
    return wording.interval_digits(low, high)
