"""Non-inferiority: a run must not be worse than a baseline run by more than a margin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simpatico.comparison import samples
from simpatico.comparison.difference import ComparisonSettings, Difference, compare_samples
from simpatico.comparison.gate import Check, Decision, interval_text, needed_units
from simpatico.comparison.gate.rules import Rule
from simpatico.comparison.samples import HUMAN, MIN_PAIRS, MIN_VALUES, ComparedSystem
from simpatico.errors import DataError, UnknownName
from simpatico.metric import Better
from simpatico.run import Run
from simpatico.stats.result import Result


@dataclass(frozen=True)
class Margin:
    """How far a score may be from the baseline: on its worse side or, without one, on either."""

    score: str
    worse: Better
    size: float

    def room(self, value: float, low: float, high: float) -> tuple[float, float]:
        """How far inside the margin the value is, and the end of the interval that decides."""
        below, above = (self.size + value, self.size + low), (self.size - value, self.size - high)
        if self.worse:
            return below if self.worse == "lower" else above
        return min(below[0], above[0]), min(below[1], above[1])

    def __str__(self) -> str:
        if self.worse:
            return f"{self.score} not {self.worse} than the baseline by more than {self.size:.12g}"
        return f"{self.score} within {self.size:.12g} of the baseline"


def margins_for(
    scores: Mapping[str, Better], rules: Sequence[Rule], sizes: Mapping[str, float]
) -> list[Margin]:
    """A margin for each score: of the rules if there are any, else of all metrics.

    A rule says which side is worse, else the score's own direction does; a score that is only
    descriptive, or has rules both ways, must stay near the baseline on either side.
    """
    worse_sides: dict[str, Better] = {}
    for rule in rules:
        side: Better = "lower" if rule.at_least else "higher"
        worse_sides[rule.score] = side if worse_sides.get(rule.score, side) == side else None
    opposite: dict[Better, Better] = {"higher": "lower", "lower": "higher", None: None}
    margins = []
    for score, better in scores.items():
        size = sizes.get(score, sizes.get(""))
        if size is None:
            raise UnknownName(f"there is no margin for {score!r}; give --margin {score}=NUMBER")
        margins.append(Margin(score, worse_sides.get(score, opposite[better]), size))
    return margins


def check_baseline(
    runs: tuple[Run, Run],
    systems: Sequence[str],
    rules: Sequence[Rule],
    sizes: Mapping[str, float],
) -> list[Check]:
    """Each system of the first run against the same system of the second, score by score."""
    run, baseline = runs
    names = dict.fromkeys([*(r.score for r in rules), *(score for score in sizes if score)])
    every_system = samples.load_systems(runs, samples.Selection(scores=tuple(names)))
    checks = []
    for system in systems:
        own = next(s for s in every_system if s.folder == run.folder and s.system == system)
        before = find_counterpart(system, [s for s in every_system if s.folder == baseline.folder])
        shared = {n: m.better for n, m in own.measures.items() if n in before.measures}
        missing = [n for n in own.measures if n not in before.measures]
        if missing and (names or not shared):
            raise DataError(f"{baseline.folder} has no score {missing[0]!r} to compare with")
        rows = compare_samples(samples.build_samples([(own, before)]), ComparisonSettings())
        differences = {d.score: d for d in rows}
        # Without a value in either run, as where a metric needs references and there are none, a
        # score is only checked if it was asked for.
        scored = {d.score for d in rows if d.mean_a is not None or d.mean_b is not None}
        scores = {n: b for n, b in shared.items() if n in names or n in scored} or shared
        for margin in margins_for(scores, rules, sizes):
            d = differences[margin.score]
            outcome, reason, n_needed = decide_margin(margin, d)
            bounds, n = (d.difference, d.low, d.high), min(d.n_a, d.n_b)
            checks.append(
                Check(system, str(margin), margin.score, outcome, *bounds, n, n_needed, reason)
            )
    return checks


def find_counterpart(system: str, before: Sequence[ComparedSystem]) -> ComparedSystem:
    """The system of the same name, or the only one there is."""
    same = [s for s in before if s.system == system]
    others = [s for s in before if s.system != HUMAN]
    if not same and len(others) != 1:
        names = ", ".join(repr(s.system) for s in others) or "no system"
        raise DataError(
            f"the baseline has no system {system!r} but {names}; name one that both have "
            "with --system"
        )
    return (same or others)[0]


def decide_margin(margin: Margin, d: Difference) -> Decision:
    """Kept only if the interval of the difference stays within the margin.

    A difference that is not significant is no evidence of equality: with little data it would
    always pass. So the interval decides (Schuirmann 1987).
    """
    n, units = min(d.n_a, d.n_b), f"{d.unit}s"
    if not n:
        return "error", f"no {units} have scores in both runs", None
    if d.status == "too_few":
        minimum = MIN_PAIRS if d.paired else MIN_VALUES
        return "undecided", f"too few {units}: {n}; at least {minimum} are needed", minimum
    if d.finding == "same" and d.paired and d.mean_a is not None:
        return "kept", f"identical in all {n:,} {units}", None
    if d.difference is None or d.low is None or d.high is None:
        return "error", "the differences do not vary, so there is no CI", None
    estimate = Result(d.difference, d.low, d.high, n=n)
    bounds = f"difference {interval_text(estimate)}, {n:,} {units}"
    room, room_of_bound = margin.room(d.difference, d.low, d.high)
    if room_of_bound >= 0:
        return "kept", bounds, None
    if room < 0:
        return "broken", f"{bounds}; the difference exceeds the margin", None
    more = needed_units(estimate, room)
    hint = f"; at this difference about {more:,} {units} are needed" if more else ""
    return "undecided", f"{bounds}; the CI exceeds the margin{hint}", more
