"""The rules of a gate, such as `empathy >= 0.4`: parsed, never evaluated as code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from operator import ge, gt, le, lt
from typing import Literal

from simpatico.errors import UnknownName, suggest_names

Sign = Literal[">=", "<=", ">", "<"]
SIGNS: dict[Sign, Callable[[float, float], bool]] = {">=": ge, "<=": le, ">": gt, "<": lt}
"""In the order in which they are tried: the longer sign first."""


@dataclass(frozen=True)
class Rule:
    """A score and the bound that its confidence interval must keep."""

    score: str
    sign: Sign
    bound: float

    @property
    def at_least(self) -> bool:
        """Whether the lower end of the interval decides; else the upper one."""
        return self.sign in (">=", ">")

    def holds_for_interval(self, low: float, high: float) -> bool:
        """Whether every value of the interval keeps the rule."""
        return self.holds_for(low if self.at_least else high)

    def holds_for(self, value: float) -> bool:
        """Whether this value keeps the rule."""
        return SIGNS[self.sign](value, self.bound)

    def __str__(self) -> str:
        return f"{self.score} {self.sign} {self.bound:.12g}"


def rule_subject(text: str) -> str:
    """The score that a rule or an amount is about, as it was written."""
    position = min((text.find(c) for c in "<>=" if c in text), default=0)
    return text[:position].strip()


def read_rule(text: str, scores: Sequence[str]) -> Rule:
    """A rule such as `empathy >= 0.4`, about one of these scores."""
    form = f"the rule {text!r} is not of the form 'SCORE >= NUMBER'; the signs are >= <= > <"
    position = min((text.find(c) for c in "<>=" if c in text), default=-1)
    sign = next((s for s in SIGNS if position > 0 and text.startswith(s, position)), None)
    score = text[: max(position, 0)].strip()
    if sign is None or not score:
        raise UnknownName(form)
    bound = parse_finite(text[position + len(sign) :], form)
    if score not in scores:
        raise UnknownName(
            f"the rule {text!r} is about {score!r}, which the run does not have; "
            f"{suggest_names(score, scores)}"
        )
    return Rule(score, sign, bound)


def parse_finite(text: str, complaint: str) -> float:
    """A plain decimal number; not NaN, not infinite, no underscores.

    `float` takes all of these, and a rule such as `empathy >= nan` would never be kept.
    """
    try:
        value = float(text) if "_" not in text else float("nan")
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise UnknownName(complaint)
    return value


def read_amounts(option: str, texts: Sequence[str], scores: Sequence[str]) -> Mapping[str, float]:
    """`0.02` for every score, or `empathy=0.1` for one; under "" stands that for every score."""
    amounts = {}
    for text in texts:
        score, equals, amount = text.rpartition("=")
        score = score.strip()
        if equals and score not in scores:
            raise UnknownName(
                f"{option} {text!r} is about {score!r}, which the run does not have; "
                f"{suggest_names(score, scores)}"
            )
        form = f"{option} {text!r} is not a number of at least 0, nor of the form SCORE=NUMBER"
        value = parse_finite(amount, form)
        if value < 0:
            raise UnknownName(form)
        amounts[score] = value
    return amounts
