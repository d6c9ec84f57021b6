"""No worse than before: a run against a baseline run, within a margin (non-inferiority)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simpatico.comparison.difference import Difference, Settings, differences
from simpatico.comparison.gate import Check, Decision, Estimate, enough, spanned
from simpatico.comparison.gate.rules import Rule
from simpatico.comparison.samples import EACH, PAIRS, PEOPLE, Choice, Side, samples, sides
from simpatico.errors import DataError, UnknownName
from simpatico.metric import Better
from simpatico.run import Run


@dataclass(frozen=True)
class Margin:
    """How far a score may be from the baseline, on its worse side or, with none, on either."""

    score: str
    worse: Better
    size: float

    def room(self, value: float, low: float, high: float) -> tuple[float, float]:
        """How far the value, and the end of the interval that decides, are from the margin."""
        below, above = self.size + value, self.size - value
        below_end, above_end = self.size + low, self.size - high
        if self.worse == "lower":
            return below, below_end
        if self.worse == "higher":
            return above, above_end
        return min(below, above), min(below_end, above_end)

    def __str__(self) -> str:
        if self.worse:
            return f"{self.score} not {self.worse} than the baseline by more than {self.size:.12g}"
        return f"{self.score} within {self.size:.12g} of the baseline"


def margins(
    measured: Mapping[str, Better], rules: Sequence[Rule], sizes: Mapping[str, float]
) -> list[Margin]:
    """A margin for each score: of the rules if there are any, else of all metrics.

    A rule says which side is worse, else the score's own direction does; a score that only
    describes, or has rules both ways, must stay near the baseline on either side.
    """
    ruled: dict[str, Better] = {}
    for rule in rules:
        side: Better = "lower" if rule.at_least else "higher"
        ruled[rule.score] = side if ruled.get(rule.score, side) == side else None
    opposite: dict[Better, Better] = {"higher": "lower", "lower": "higher", None: None}
    made = []
    for score, better in measured.items():
        size = sizes.get(score, sizes.get(""))
        if size is None:
            raise UnknownName(f"there is no margin for {score!r}; give --margin {score}=NUMBER")
        made.append(Margin(score, ruled.get(score, opposite[better]), size))
    return made


def check_baseline(
    runs: tuple[Run, Run],
    systems: Sequence[str],
    rules: Sequence[Rule],
    sizes: Mapping[str, float],
) -> list[Check]:
    """Each system of the first run against the same system of the second, score by score."""
    run, baseline = runs
    named = dict.fromkeys([*(r.score for r in rules), *(score for score in sizes if score)])
    found = sides(runs, Choice(scores=tuple(named)))
    checks = []
    for system in systems:
        own = next(s for s in found if s.folder == run.folder and s.system == system)
        before = counterpart(system, [s for s in found if s.folder == baseline.folder])
        shared = {n: m.better for n, m in own.measures.items() if n in before.measures}
        if lacking := [
            n for n in own.measures if n not in before.measures and (named or not shared)
        ]:
            raise DataError(f"{baseline.folder} has no score {lacking[0]!r} to compare with")
        told = {d.score: d for d in differences(samples([(own, before)]), Settings())}
        kept = {n: b for n, b in shared.items() if n in named or not unscored(told[n])} or shared
        for margin in margins(kept, rules, sizes):
            checks.append(check_margin(margin, system, told[margin.score]))
    return checks


def unscored(told: Difference) -> bool:
    """Whether neither run has a value, as where a metric needs references and there are none."""
    return told.mean_a is None and told.mean_b is None


def counterpart(system: str, before: Sequence[Side]) -> Side:
    """The system of the same name, or the only one there is."""
    same = [s for s in before if s.system == system]
    others = [s for s in before if s.system != PEOPLE]
    if not same and len(others) != 1:
        names = ", ".join(repr(s.system) for s in others) or "no system"
        raise DataError(
            f"the baseline has no system {system!r} but {names}; name one that both have "
            "with --system"
        )
    return (same or others)[0]


def check_margin(margin: Margin, system: str, told: Difference) -> Check:
    n = min(told.n_a, told.n_b)
    outcome, reason, more = decided(margin, told)
    ends = told.difference, told.low, told.high
    return Check(system, str(margin), margin.score, outcome, *ends, n, more, reason)


def decided(margin: Margin, told: Difference) -> Decision:
    """Kept only if the interval of the difference stays within the margin."""
    n, units = min(told.n_a, told.n_b), f"{told.unit}s"
    if not n:
        return "error", f"no {units} could be scored in both runs", None
    if told.status == "too_few":
        least = PAIRS if told.paired else EACH
        return "undecided", f"too few {units}: {n}; at least {least} are needed", least
    if told.finding == "same" and told.paired and told.mean_a is not None:
        return "kept", f"the same on all {n:,} {units}", None
    if told.difference is None or told.low is None or told.high is None:
        return "error", "nothing varies, so the difference has no interval", None
    estimate = Estimate(told.difference, told.low, told.high, n, units)
    shown = f"the difference is {spanned(estimate)}, {n:,} {units}"
    room, end = margin.room(told.difference, told.low, told.high)
    if end >= 0:
        return "kept", shown, None
    if room < 0:
        return "broken", f"{shown}; the difference itself is beyond the margin", None
    more = enough(estimate, room)
    hope = f"; about {more:,} {units} would be needed at this difference" if more else ""
    return "undecided", f"{shown}; the interval reaches beyond the margin{hope}", more
