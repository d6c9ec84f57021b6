"""Pairs of an answer and the same answer made wrong, and what is said of a score over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.comparison.difference import Difference
from simpatico.comparison.samples import Choice, Measure, Sample, UnitLevel, measures, values
from simpatico.metric import Better
from simpatico.perturbation.answers import Kind, Perturbed
from simpatico.run import Run
from simpatico.stats.result import Status
from simpatico.table import ScoreTable
from simpatico.turns import KEYS

Verdict = Literal[
    "notices", "does not", "rises", "goes up", "goes down", "stays", "too few", "no score"
]
LEVELS: tuple[UnitLevel, ...] = ("turn", "dialog")


@dataclass(frozen=True, eq=False)
class Pairs:
    """A score of units before and after their answers were made wrong, row by row.

    A unit is an answer, or all that a speaker says in a dialog where a metric looks at no less.
    `lost` units had a score before and have none after.
    """

    kind: Kind
    measure: Measure
    level: UnitLevel
    dialog: pl.Series
    before: Floats
    after: Floats
    lost: int

    @property
    def turns(self) -> int:
        return len(self.before)

    @property
    def sample(self) -> Sample:
        """Each dialog with the mean of its units, as it is compared."""
        rows = pl.DataFrame({"dialog": self.dialog, "after": self.after, "before": self.before})
        means = rows.group_by("dialog").agg(pl.col("after", "before").mean()).sort("dialog")
        after, before = (means[side].to_numpy() for side in ("after", "before"))
        return Sample(self.measure, self.kind, "as it was", after, before, "dialog", True)


@dataclass(frozen=True)
class Control:
    """What a score does when answers are made wrong in one way.

    `change` is the mean over dialogs of the score after less that before, with its interval, and
    `sd` the spread of the dialogs, by which changes of different scores can be told side by side.
    `drops` and `same` are shares of the `n` units; `lost` counts units without a score afterwards.
    """

    metric: str
    score: str
    kind: Kind
    level: UnitLevel
    better: Better
    n: int
    dialogs: int
    before: float | None
    after: float | None
    change: float | None
    low: float | None
    high: float | None
    sd: float | None
    drops: float | None
    same: float | None
    lost: int
    p_value: float | None
    p_adjusted: float | None
    family: int
    status: Status
    verdict: Verdict
    method: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def in_sds(self) -> float | None:
        """The change in spreads of the dialogs."""
        return self.change / self.sd if self.change is not None and self.sd else None


def paired(
    run: Run, wrong: Perturbed, after: ScoreTable, *, scores: Sequence[str] = ()
) -> list[Pairs]:
    """For each score of the run, its values before and after, of what was changed."""
    found = list[Pairs]()
    there = {metric.name: metric.level for metric in after.metrics}
    changed = wrong.turns.frame.filter(pl.Series(wrong.changed))
    for level in LEVELS:
        chosen = {
            name: measure
            for name, measure in measures(run, Choice(level, every=True)).items()
            if there.get(measure.metric) == level and wanted(measure, run, scores)
        }
        if not chosen:
            continue
        keys = KEYS[level]
        units = changed.select(keys).unique(maintain_order=True)
        table = units.join(run.at(level, [*keys, *chosen]), on=keys, how="left", nulls_equal=True)
        wrongs = after.at(level).select(*keys, *chosen)
        table = table.join(wrongs, on=keys, how="left", nulls_equal=True, suffix="\t").sort(keys)
        found += [held(table, wrong.kind, measure, level) for measure in chosen.values()]
    return found


def wanted(measure: Measure, run: Run, scores: Sequence[str]) -> bool:
    """Scores asked for by name; else of each metric that of its own name, or all if none is."""
    if scores:
        return measure.score in scores
    named = [told["name"] for told in run.facts["metrics"][measure.metric]["scores"]]
    return measure.score == measure.metric or measure.metric not in named


def held(table: pl.DataFrame, kind: Kind, measure: Measure, level: UnitLevel) -> Pairs:
    """One score before and after, where it has both."""
    before, after = values(table, measure.score), values(table, f"{measure.score}\t")
    both = np.isfinite(before) & np.isfinite(after)
    lost = int((np.isfinite(before) & ~np.isfinite(after)).sum())
    dialog = table["dialog"].filter(pl.Series(both))
    return Pairs(kind, measure, level, dialog, before[both], after[both], lost)


def control(pairs: Pairs, told: Difference) -> Control:
    """The row of one score and one kind of wrong answers."""
    n = pairs.turns
    return Control(
        metric=told.metric,
        score=told.score,
        kind=pairs.kind,
        level=pairs.level,
        better=told.better,
        n=n,
        dialogs=told.n_a,
        before=told.mean_b,
        after=told.mean_a,
        change=told.difference,
        low=told.low,
        high=told.high,
        sd=told.sd,
        drops=float((pairs.after < pairs.before).mean()) if n else None,
        same=float((pairs.after == pairs.before).mean()) if n else None,
        lost=pairs.lost,
        p_value=told.p_value,
        p_adjusted=told.p_adjusted,
        family=told.family,
        status=told.status,
        verdict=verdict(told),
        method=told.method,
    )


def verdict(told: Difference) -> Verdict:
    """A score where higher is better notices, does not or rises; others only go up or down."""
    if told.status == "too_few":
        return "too few" if told.n_a else "no score"
    if told.better == "higher":
        words: dict[str, Verdict] = {"lower": "notices", "higher": "rises"}
        return words.get(told.finding, "does not")
    words = {"lower": "goes down", "higher": "goes up"}
    return words.get(told.finding, "stays")
