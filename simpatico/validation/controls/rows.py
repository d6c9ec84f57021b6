"""Scores before and after answers were made wrong, and each score's verdict as a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.comparison import samples
from simpatico.comparison.difference import Difference
from simpatico.comparison.samples import ScoreInfo, TwoSamples, UnitLevel, as_floats
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
"""System metrics have no score before and after of one unit."""
SAME_FIELDS = (
    *("metric", "score", "better", "low", "high", "sd"),
    *("p_value", "p_adjusted", "family", "status", "method"),
)
"""Fields of a control that are those of the difference between after and before."""


@dataclass(frozen=True, eq=False)
class BeforeAfter:
    """A score of units before and after their answers were made wrong, row by row.

    A unit is an answer, or all that a speaker says in a dialog for a metric of that level. `n_lost`
    units had a score before and have none after.
    """

    kind: Kind
    measure: ScoreInfo
    level: UnitLevel
    dialog: pl.Series
    before: Floats
    after: Floats
    n_lost: int

    @property
    def sample(self) -> TwoSamples:
        """The means of each dialog's units as paired samples."""
        rows = pl.DataFrame({"dialog": self.dialog, "after": self.after, "before": self.before})
        groups = rows.group_by("dialog", maintain_order=True)
        means = groups.agg(pl.col("after", "before").mean()).sort("dialog")
        after, before = (means[side].to_numpy() for side in ("after", "before"))
        return TwoSamples(self.measure, self.kind, "as it was", after, before, "dialog", True)


@dataclass(frozen=True)
class ControlRow:
    """What a score does when answers are made wrong in one way.

    `change` is the mean over dialogs of the score after less that before, with its interval; `sd`
    is that of the dialogs, so that changes of different scores can be compared. `drops` and `same`
    are shares of the `n` units; `lost` counts units without a score afterwards. The field names
    are the JSON.
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
        """The change in SDs of the dialogs."""
        return self.change / self.sd if self.change is not None and self.sd else None


def pair_scores(
    run: Run, wrong: Perturbed, after: ScoreTable, *, scores: Sequence[str] = ()
) -> list[BeforeAfter]:
    """For each score of the run, its values before and after, of the units that were changed.

    Without `scores`, of each metric the score of its own name, or all if none has that name.
    """
    pairs = list[BeforeAfter]()
    metric_levels = {metric.name: metric.level for metric in after.metrics}
    facts = run.facts["metrics"]
    perturbed_turns = wrong.turns.frame.filter(pl.Series(wrong.changed))
    for level in LEVELS:
        infos = []
        every = samples.Selection(level, every=True)
        for info in samples.select_scores(run, every).values():
            own_names = [score["name"] for score in facts[info.metric]["scores"]]
            default = info.score == info.metric or info.metric not in own_names
            is_chosen = info.score in scores if scores else default
            if is_chosen and metric_levels.get(info.metric) == level:
                infos.append(info)
        if not infos:
            continue
        keys, names = KEYS[level], [info.score for info in infos]
        units = perturbed_turns.select(keys).unique(maintain_order=True)
        tables = run.at(level, [*keys, *names]), after.at(level).select(*keys, *names)
        for table in tables:  # columns of the second get a tab, which no name of a score has
            units = units.join(table, on=keys, how="left", nulls_equal=True, suffix="\t")
        units = units.sort(keys)
        for info in infos:
            before, later = as_floats(units[info.score]), as_floats(units[f"{info.score}\t"])
            both = np.isfinite(before) & np.isfinite(later)
            n_lost = int((np.isfinite(before) & ~np.isfinite(later)).sum())
            dialog = units["dialog"].filter(pl.Series(both))
            values = before[both], later[both]
            pairs.append(BeforeAfter(wrong.kind, info, level, dialog, *values, n_lost))
    return pairs


def control_row(pair: BeforeAfter, d: Difference) -> ControlRow:
    """The row of one score and one kind of wrong answers."""
    n = len(pair.before)
    fields: dict[str, Any] = {name: getattr(d, name) for name in SAME_FIELDS}
    return ControlRow(
        **fields,
        kind=pair.kind,
        level=pair.level,
        n=n,
        dialogs=d.n_a,
        before=d.mean_b,
        after=d.mean_a,
        change=d.difference,
        drops=float((pair.after < pair.before).mean()) if n else None,
        same=float((pair.after == pair.before).mean()) if n else None,
        lost=pair.n_lost,
        verdict=control_verdict(d),
    )


def control_verdict(d: Difference) -> Verdict:
    """A score where higher is better notices, does not or rises; others only go up or down."""
    if d.status == "too_few":
        return "too few" if d.n_a else "no score"
    if d.finding not in ("lower", "higher"):
        return "does not" if d.better == "higher" else "stays"
    if d.better == "higher":
        return "notices" if d.finding == "lower" else "rises"
    return "goes down" if d.finding == "lower" else "goes up"
