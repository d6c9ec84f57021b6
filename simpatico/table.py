"""The result of scoring: statistics per turn, read as scores at any level.

A metric gives sufficient statistics per turn (counts, sums, minima); a score is an expression over
them. At level "dialog" statistics of a speaker's turns are merged first and the expression is read
off the result, so that a share is a ratio of sums and not a mean of ratios. At level "system" every
dialog counts once: the mean over dialogs, with Student's t interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.errors import UnknownName
from simpatico.frames import TabularByLevel
from simpatico.metric import Merge, Metric, Score, merge_rules, score_wording
from simpatico.system_means import system_table
from simpatico.system_metric import is_system_metric, join_summaries, summarise_systems
from simpatico.turns import KEYS, LEVELS, Level

if TYPE_CHECKING:
    from simpatico.charts.means import Group


FEW = 1_000
"""Rows below which planning a query takes longer than computing parts of scores again."""
REASON_RANK = pl.all().is_null().cast(pl.Int64) * 2 + pl.all().eq_missing("answers_nothing")
REDUCE = {"sum": np.add.reduceat, "min": np.fmin.reduceat, "max": np.fmax.reduceat}


@dataclass(frozen=True, repr=False)
class ScoreTable(TabularByLevel):
    """Each metric's statistics, one row per scored turn; `keys` says which turn that is.

    Of a metric of level "system" it holds the material, which has its own keys.
    """

    keys: pl.DataFrame
    metrics: tuple[Metric, ...]
    statistics: dict[str, pl.DataFrame]
    default_level: ClassVar[Level] = "turn"

    def __repr__(self) -> str:
        names = ", ".join(m.name for m in self.metrics)
        return f"<ScoreTable of {self.keys.height} turns: {names}; read it with .at(level)>"

    def _repr_html_(self) -> str:
        """The systems' means, as a notebook shows them."""
        from simpatico.charts.dots import small_multiples
        from simpatico.charts.svg import notebook_frame

        return notebook_frame(small_multiples(chart_groups(self.metrics, self.at("system"))))

    def at(self, level: Level) -> pl.DataFrame:
        """One row per unit, one column per score; null where nothing could be scored.

        Scores of a metric that describes a system as a whole exist at level "system" only.
        """
        if level not in LEVELS:
            raise UnknownName(f"no level {level!r}; there are {', '.join(LEVELS)}")
        if level == "system":
            scores = [score for own in self._scores.values() for score in own]
            table = system_table(lambda: [self._dialog_scores], scores)
            return join_summaries(table, self._summaries)
        if level == "turn":
            names = [m.name for m in self.metrics if m.level == "turn"]
            own = {name: self._scores[name] for name in names}
            return read_scores(
                self.keys[KEYS["turn"]], own, map(self.statistics.__getitem__, names)
            )
        return self._dialog_scores

    @cached_property
    def _scores(self) -> dict[str, tuple[Score, ...]]:
        """The scores of each metric but those of level "system", asked for once."""
        return {m.name: m.scores for m in self.metrics if not is_system_metric(m)}

    @cached_property
    def _dialog_scores(self) -> pl.DataFrame:
        """The table of dialogs, which that of systems is read off as well."""
        return read_scores(self._units[0], self._scores, self._unit_statistics())

    @cached_property
    def _summaries(self) -> list[pl.DataFrame]:
        """What each metric of level "system" says of the systems."""
        metrics = filter(is_system_metric, self.metrics)
        return [summarise_systems(m, self.statistics[m.name]) for m in metrics]

    @cached_property
    def _units(self) -> tuple[pl.DataFrame, Ints, Ints]:
        """One row per speaker and dialog, in order of first appearance; the rows of their turns.

        These are row numbers that bring each unit's turns together, in their own order, so that
        they are always added up in the same one, and where each unit begins.
        """
        rows = self.keys.with_row_index("_row").group_by(KEYS["dialog"], maintain_order=True)
        units = rows.agg(pl.col("prompt").first(), "_row")
        turns = units.drop_in_place("_row")
        ends = np.cumsum(turns.list.len().to_numpy(), dtype=np.int64)
        order = turns.explode().to_numpy().astype(np.int64)
        return units, order, np.append(0, ends)[: len(ends)]

    def _unit_statistics(self) -> Iterator[pl.DataFrame]:
        """The statistics of each unit's turns merged, always added up in the same order."""
        _, order, starts = self._units
        frames = {name: self.statistics[name] for name in self._scores}
        columns = {n: f["reason"] for n, f in frames.items() if "reason" in f.columns}
        reasons = first_reasons(pl.DataFrame(columns), order, starts)
        for metric in (m for m in self.metrics if m.name in frames):
            how = merge_rules(metric)
            yield pl.DataFrame(
                [
                    reasons[metric.name].alias("reason")
                    if c.name == "reason"
                    else pl.Series(
                        c.name,
                        reduce_units(c.to_numpy()[order], starts, how.get(c.name, "sum")),
                    )
                    for c in frames[metric.name]
                ]
            )


def chart_groups(metrics: Sequence[Metric], systems: pl.DataFrame) -> list[Group]:
    """A panel for each metric's main score, by kind, with one dot per system."""
    from simpatico.charts.means import Dot, Group, Panel
    from simpatico.charts.systems import assign_styles

    rows, panels = systems.to_dicts(), dict[str, list[Panel]]()
    who = assign_styles(row["system"] for row in rows)
    for metric in metrics:
        for score in (s for s in metric.scores if s.name == metric.name):
            name, unit = score.name, f"; {score.unit}" if score.unit else ""
            ends = f"{score.better} is better" if score.better else "neither end is better"
            dots = tuple(
                Dot(who[r["system"]], r[name], r[f"{name}_low"], r[f"{name}_high"], r[f"{name}_n"])
                for r in rows
            )
            title = score_wording(name, vars(score))["title"]
            panels.setdefault(metric.card.kind, []).append(Panel(title, ends + unit, dots))
    return [Group(kind.capitalize(), "", tuple(group)) for kind, group in panels.items()]


def reduce_units(values: Floats, starts: Ints, how: Merge) -> Floats:
    """One number for each unit; NaN, that is null, only where all of its turns are."""
    if not len(starts):
        return values
    has_value = ~np.isnan(values)
    if how != "sum" or has_value.all():
        return np.asarray(REDUCE[how](values, starts))
    sums = np.add.reduceat(np.where(has_value, values, 0.0), starts)
    return np.where(np.logical_or.reduceat(has_value, starts), sums, np.nan)


def first_reasons(reasons: pl.DataFrame, order: Ints, starts: Ints) -> dict[str, pl.Series]:
    """For each unit, the first reason any of its turns has, in every column.

    That a turn opens the dialog ("answers_nothing") says least and gives way to any other.
    """
    if not len(starts) or not reasons.width:
        return {column.name: column for column in reasons}
    n, rows = len(order), np.arange(len(order))
    # rows by rank and then in their order: the least of a unit is null only where all are
    first = {
        rank.name: np.minimum.reduceat(rank.to_numpy()[order] * n + rows, starts) % n
        for rank in reasons.select(REASON_RANK)
    }
    return {name: reasons[name][order[row]] for name, row in first.items()}


def read_scores(
    keys: pl.DataFrame,
    metrics: Mapping[str, Sequence[Score]],
    statistics: Iterable[pl.DataFrame],
) -> pl.DataFrame:
    """The keys with each metric's scores off merged statistics, and why where there is none."""
    columns, reasons = keys.get_columns(), list[pl.Expr]()
    for (name, scores), frame in zip(metrics.items(), statistics, strict=True):
        numbers, null = frame.clone(), f"{name}_null"
        if "reason" in frame.columns:
            reason = numbers.drop_in_place("reason").alias(null)
        else:
            reason = pl.Series(null, [None], pl.String).new_from_index(0, frame.height)
        columns += [*score_columns(numbers, scores), reason]
        reasons.append(no_score_reason(scores[0].name, null))
    return pl.DataFrame(columns).with_columns(reasons)


@lru_cache(maxsize=256)
def no_score_reason(score: str, null: str) -> pl.Expr:
    """The reason where the score is null, which is "undefined" where the metric gives none."""
    return pl.when(pl.col(score).is_null()).then(pl.col(null).fill_null("undefined"))


def score_columns(numbers: pl.DataFrame, scores: Sequence[Score]) -> Iterator[pl.Series]:
    """The scores off merged statistics; null where one is no finite number."""
    of = {s.name: s.of.cast(pl.Float64) for s in scores if isinstance(s.of, pl.Expr)}
    frame = pl.DataFrame()
    if of:  # a score repeats parts of others: planned, they are computed once
        many = numbers.height >= FEW
        frame = numbers.lazy().select(**of).collect() if many else numbers.select(**of)
    for score in scores:
        if isinstance(score.of, pl.Expr):
            yield finite_or_null(frame.get_column(score.name))
        else:
            column = pl.Series(score.name, score.of(numbers)).cast(pl.Float64)
            yield finite_or_null(column)


def finite_or_null(column: pl.Series) -> pl.Series:
    """The column with null for what is no finite number."""
    values = column.to_numpy()
    finite = np.isfinite(values)
    if finite.all():
        return column
    return pl.Series(column.name, np.where(finite, values, np.nan), nan_to_null=True)
