"""Rules that a run must keep, decided by confidence bounds and never by a mean alone.

All rules must hold, and each is tested at its own level, so no correction is called for: a gate
that passes only if every test does is not made laxer by more tests (Berger 1982).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any, Literal

from simpatico.comparison.gate.rules import Rule
from simpatico.comparison.samples import PAIRS, PEOPLE
from simpatico.errors import UnknownName
from simpatico.registry import suggestion
from simpatico.run import Run
from simpatico.stats.means import NOISE
from simpatico.wording import format_number

Outcome = Literal["kept", "broken", "undecided", "error"]

LEAST = PAIRS
"""Fewest dialogs: of five, even unanimous ones come about by luck once in 16 times."""
MOST = 10**7


@dataclass(frozen=True)
class Check:
    """One rule on one system: kept, broken, undecided for want of data, or nothing to decide on."""

    system: str
    rule: str
    score: str
    outcome: Outcome
    value: float | None
    low: float | None
    high: float | None
    n: int
    needed: int | None
    reason: str

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "passed": self.outcome == "kept"}


@dataclass(frozen=True)
class Estimate:
    """What a rule is decided on."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    unit: str


def systems_of(run: Run, system: str | None) -> list[str]:
    """The systems a gate looks at: the one named, or all but people."""
    names = run.at("system")["system"].to_list()
    if system is None:
        return [name for name in names if name != PEOPLE] or names
    if system not in names:
        raise UnknownName(f"{run.folder} has no system {system!r}; {suggestion(system, names)}")
    return [system]


def check_rules(run: Run, rules: Sequence[Rule], systems: Sequence[str]) -> list[Check]:
    """Every rule on every system, against the interval that `simpatico show` prints."""
    run.refuse_whole(rule.score for rule in rules)
    table = {row["system"]: row for row in run.at("system").to_dicts()}
    return [
        check(rule, system, found(table[system], rule.score))
        for system in systems
        for rule in rules
    ]


def found(row: Mapping[str, Any], score: str) -> Estimate:
    """A system's mean and interval; one that is as wide as rounding makes it is none."""
    value, low, high = row[score], row[f"{score}_low"], row[f"{score}_high"]
    if low is None or high - low <= NOISE * max(abs(low), abs(high)):
        low, high = None, None
    return Estimate(value, low, high, n=row[f"{score}_n"], unit="dialogs")


def check(rule: Rule, system: str, told: Estimate) -> Check:
    """Kept only if the whole interval keeps the rule."""
    outcome, reason, more = decided(rule, told)
    return Check(
        system,
        str(rule),
        rule.score,
        outcome,
        told.value,
        told.low,
        told.high,
        told.n,
        more,
        reason,
    )


Decision = tuple[Outcome, str, int | None]


def decided(rule: Rule, told: Estimate) -> Decision:
    """The outcome, the reason in words, and how many values would be needed if they are too few."""
    if told.value is None or told.n == 0:
        return "error", f"no {told.unit} could be scored", None
    if told.n < LEAST:
        return "undecided", f"too few {told.unit}: {told.n}; at least {LEAST} are needed", LEAST
    if told.low is None or told.high is None:
        return (
            "error",
            f"all {told.n:,} {told.unit} have the same score, so there is no interval",
            None,
        )
    shown = f"{spanned(told)}, {told.n:,} {told.unit}"
    bound = "lower" if rule.at_least else "upper"
    if rule.kept(told.low, told.high):
        return "kept", shown, None
    if not rule.met(told.value):
        return "broken", f"{shown}; the mean itself breaks the rule", None
    more = enough(told, abs(told.value - rule.bound))
    hope = f"; about {more:,} {told.unit} would be needed at this mean" if more else ""
    return "undecided", f"{shown}; the {bound} bound breaks the rule{hope}", more


def spanned(told: Estimate) -> str:
    if told.value is None or told.low is None or told.high is None:
        return "no interval"
    return f"{format_number(told.value, 3)} (95% {format_number(told.low, 3)} to {format_number(told.high, 3)})"


def enough(told: Estimate, distance: float) -> int | None:
    """How many values would bring the bound to this distance: n (reach / distance)²."""
    if told.value is None or told.low is None or told.high is None or distance <= 0:
        return None
    reach = max(told.value - told.low, told.high - told.value)
    more = ceil(told.n * (reach / distance) ** 2)
    return more if more <= MOST else None
