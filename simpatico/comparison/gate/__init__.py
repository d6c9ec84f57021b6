"""Pass or fail a run by rules on its scores, decided by confidence bounds, never by means alone.

All rules must hold, and each is tested at its own level, so no correction is needed: a gate that
passes only if every test does is not made laxer by more tests (intersection-union test, Berger
1982).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any, Literal

from simpatico.comparison.gate.rules import Rule
from simpatico.comparison.samples import HUMAN, MIN_PAIRS
from simpatico.errors import UnknownName, suggest_names
from simpatico.run import Run
from simpatico.stats.means import NOISE
from simpatico.stats.result import Result
from simpatico.wording import format_interval, format_number

Outcome = Literal["kept", "broken", "undecided", "error"]

MIN_DIALOGS = MIN_PAIRS
"""Fewest dialogs: five that all point one way have a sign test p of 1/16."""
COLUMN_ENDINGS = ("", "_low", "_high", "_n")
"""Of a score's columns in the table of systems."""
MAX_NEEDED = 10**7
"""More dialogs than this are not worth naming as what would be needed."""


@dataclass(frozen=True)
class Check:
    """One rule on one system: kept, broken, undecided for want of data, or an error (no data)."""

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

    @property
    def passed(self) -> bool:
        return self.outcome == "kept"

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "passed": self.passed}


Decision = tuple[Outcome, str, int | None]
"""The outcome, its reason, and how many units would be needed if there are too few."""


def select_systems(run: Run, system: str | None) -> list[str]:
    """The systems that are checked: the one named, or all but people."""
    names = run.at("system")["system"].to_list()
    if system is None:
        return [name for name in names if name != HUMAN] or names
    if system not in names:
        raise UnknownName(f"{run.folder} has no system {system!r}; {suggest_names(system, names)}")
    return [system]


def check_rules(run: Run, rules: Sequence[Rule], systems: Sequence[str]) -> list[Check]:
    """Every rule on every system, against the interval that `simpatico show` prints."""
    run.refuse_system_scores(rule.score for rule in rules)
    table = {row["system"]: row for row in run.at("system").to_dicts()}
    checks = []
    for system in systems:
        for rule in rules:
            value, low, high, n = (table[system][f"{rule.score}{e}"] for e in COLUMN_ENDINGS)
            if low is None or high - low <= NOISE * max(abs(low), abs(high)):
                low, high = None, None  # no wider than rounding error
            outcome, reason, n_needed = decide_rule(rule, Result(value, low, high, n=n))
            bounds = value, low, high
            checks.append(
                Check(system, str(rule), rule.score, outcome, *bounds, n, n_needed, reason)
            )
    return checks


def decide_rule(rule: Rule, mean: Result) -> Decision:
    """Kept only if every value of the interval keeps the rule.

    Broken only if the mean itself breaks it; between the two more dialogs would decide.
    """
    n = mean.n
    if mean.value is None or n == 0:
        return "error", "no dialog has a score", None
    if n < MIN_DIALOGS:
        reason = f"too few dialogs: {n}; at least {MIN_DIALOGS} are needed"
        return "undecided", reason, MIN_DIALOGS
    if mean.low is None or mean.high is None:
        reason = f"all {n:,} dialogs have the same score, so there is no CI"
        return "error", reason, None
    bounds = f"{interval_text(mean)}, {n:,} dialogs"
    if rule.holds_for_interval(mean.low, mean.high):
        return "kept", bounds, None
    if not rule.holds_for(mean.value):
        return "broken", f"{bounds}; the mean violates the rule", None
    more = needed_units(mean, abs(mean.value - rule.bound))
    hint = f"; at this mean about {more:,} dialogs are needed" if more else ""
    side = "lower" if rule.at_least else "upper"
    return "undecided", f"{bounds}; the {side} bound of the CI violates the rule{hint}", more


def interval_text(result: Result) -> str:
    """A value and its bounds with three digits."""
    return (
        f"{format_number(result.value, 3)} (95% CI {format_interval(result.low, result.high, 3)})"
    )


def needed_units(result: Result, distance: float) -> int | None:
    """How many units bring the bound to this distance from the value.

    The half-width shrinks with 1/sqrt(n), so that n' = n (half-width / distance)².
    """
    if result.value is None or result.low is None or result.high is None or distance <= 0:
        return None
    half_width = max(result.value - result.low, result.high - result.value)
    ratio = half_width / distance
    # the square of a ratio beyond 1e154 is no number any more
    n = result.n * ratio * ratio
    return ceil(n) if n <= MAX_NEEDED else None
