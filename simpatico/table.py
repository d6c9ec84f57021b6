"""The result of scoring: statistics per turn, read as scores at any level.

A metric gives sufficient statistics per turn (counts, sums, minima); a score is an expression over
them. At level "dialog" statistics of a speaker's turns are merged first and the expression is read
off the result, so that a share is a ratio of sums and not a mean of ratios. At level "system" every
dialog counts once: the mean over dialogs, with Student's t interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import fsum, isinf, sqrt
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.errors import UnknownName
from simpatico.frames import TabularByLevel
from simpatico.metric import Merge, Metric, Score, merge_rules, score_wording
from simpatico.system_metric import is_system_metric, join_summaries, mean_schema, summarise_systems
from simpatico.turns import KEYS, LEVELS, Level

if TYPE_CHECKING:
    from simpatico.charts.means import Group


REDUCE = {"sum": np.add.reduceat, "min": np.fmin.reduceat, "max": np.fmax.reduceat}
CONFIDENCE = 0.95
ROUNDING = 1e-12
"""An SD below this share of the mean is rounding error: all values are the same."""


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
            scores = [s for m in self.metrics if not is_system_metric(m) for s in m.scores]
            table = system_table(self._dialog_scores.get_column, scores)
            return join_summaries(table, self._summaries)
        if level == "turn":
            metrics = [m for m in self.metrics if m.level == "turn"]
            parts = [read_scores(m, self.statistics[m.name]) for m in metrics]
            return pl.concat([self.keys.select(KEYS["turn"]), *parts], how="horizontal")
        return self._dialog_scores

    @cached_property
    def _dialog_scores(self) -> pl.DataFrame:
        """The table of dialogs, which that of systems is read off as well."""
        metrics = [m for m in self.metrics if not is_system_metric(m)]
        parts = [read_scores(m, self._unit_statistics(m)) for m in metrics]
        return pl.concat([self._dialogs, *parts], how="horizontal")

    @cached_property
    def _summaries(self) -> list[pl.DataFrame]:
        """What each metric of level "system" says of the systems."""
        metrics = filter(is_system_metric, self.metrics)
        return [summarise_systems(m, self.statistics[m.name]) for m in metrics]

    @cached_property
    def _order(self) -> tuple[Ints, Ints]:
        """Row numbers that bring each unit's turns together, and where each unit begins."""
        place = self._dialogs.select(*KEYS["dialog"], _unit=pl.int_range(pl.len()))
        unit = self.keys.join(
            place, on=KEYS["dialog"], how="left", maintain_order="left", nulls_equal=True
        )["_unit"].to_numpy()
        # stable: the turns of a unit are always added up in their own order
        order = np.argsort(unit, kind="stable")
        return order, np.searchsorted(unit[order], np.arange(place.height))

    @cached_property
    def _dialogs(self) -> pl.DataFrame:
        """One row per speaker and dialog, in order of first appearance."""
        columns = [*KEYS["dialog"], "prompt"]
        return self.keys.select(columns).unique(KEYS["dialog"], keep="first", maintain_order=True)

    def _unit_statistics(self, metric: Metric) -> pl.DataFrame:
        """The statistics of each unit's turns merged, always added up in the same order."""
        order, starts = self._order
        frame, how = self.statistics[metric.name], merge_rules(metric)
        columns: dict[str, object] = {}
        for column in frame.columns:
            if column == "reason":
                columns[column] = first_reason(frame[column].gather(order), starts)
                continue
            values = frame[column].to_numpy()[order]
            columns[column] = reduce_units(values, starts, how.get(column, "sum"))
        return pl.DataFrame(columns)


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


def first_reason(reasons: pl.Series, starts: Ints) -> pl.Series:
    """For each unit, the first reason any of its turns has.

    That a turn opens the dialog ("answers_nothing") says least and gives way to any other.
    """
    if not len(starts):
        return reasons
    rows, last = np.arange(len(reasons)), len(reasons)
    weak = (reasons == "answers_nothing").fill_null(False).to_numpy()
    strong = reasons.is_not_null().to_numpy() & ~weak
    first = np.minimum.reduceat(np.where(strong, rows, last), starts)
    opens = np.minimum.reduceat(np.where(weak, rows, last), starts)
    return reasons.extend_constant(None, 1).gather(np.where(first < last, first, opens))


def read_scores(metric: Metric, statistics: pl.DataFrame) -> pl.DataFrame:
    """The metric's scores off merged statistics, and why where there is none."""
    numbers, scores = statistics.drop("reason", strict=False), metric.scores
    columns = [
        (s.of if isinstance(s.of, pl.Expr) else pl.lit(pl.Series(s.of(numbers))))
        .cast(pl.Float64)
        .alias(s.name)
        for s in scores
    ]
    # lazily, as a score repeats parts of others, which are then computed once
    frame = numbers.lazy().select(columns).collect()
    values = [finite_or_null(column) for column in frame]
    reasons = statistics["reason"] if "reason" in statistics.columns else pl.Series([None])
    why = pl.lit(reasons, pl.String) if frame.height else pl.lit(None, pl.String)
    no_score = pl.col(scores[0].name).is_null()
    reason = pl.when(no_score).then(why.fill_null(pl.lit("undefined")))
    return pl.DataFrame(values).with_columns(reason.alias(f"{metric.name}_null"))


def finite_or_null(column: pl.Series) -> pl.Series:
    """The column with null for what is no finite number."""
    values = column.to_numpy()
    finite = np.isfinite(values)
    if finite.all():
        return column
    return pl.Series(column.name, np.where(finite, values, np.nan), nan_to_null=True)


def system_table(column: Callable[[str], pl.Series], scores: Sequence[Score]) -> pl.DataFrame:
    """Mean over dialogs with its 95% CI, one row per system; every dialog counts once.

    `column` gives one column of the dialog table at a time, so that they need not all be held.
    """
    keys, dialogs = column("system"), column("dialog")
    names = keys.unique().drop_nulls().sort()
    place = keys.replace_strict(names, np.arange(len(names)), return_dtype=pl.Int64).to_numpy()
    order = np.argsort(place, kind="stable")
    cuts = np.searchsorted(place[order], np.arange(1, len(names)))
    ends = [0, *cuts.tolist(), len(dialogs)]
    sorted_dialogs = dialogs.gather(order)
    parts = [sorted_dialogs.slice(a, b - a) for a, b in pairwise(ends) if len(dialogs)]
    # where each dialog of a system begins; its rows stand together
    starts = [p.ne_missing(p.shift(1)).fill_null(True).arg_true().to_numpy() for p in parts]
    columns = [
        pl.Series("system", names, pl.String),
        pl.Series("dialogs", [len(s) for s in starts], pl.Int64),
    ]
    for score in scores:
        values = np.split(column(score.name).to_numpy()[order], cuts) if len(names) else []
        means = [
            mean_with_interval(dialog_means(one, first), score.range)
            for one, first in zip(values, starts, strict=True)
        ]
        cells = zip(*means, strict=True) if means else ([], [], [], [])
        schema = mean_schema(score.name).items()
        columns += [pl.Series(n, c, t) for (n, t), c in zip(schema, cells, strict=True)]
    return pl.DataFrame(columns)


def dialog_means(values: Floats, starts: Ints) -> Floats:
    """One value for each dialog: the mean over those of its speakers that are of the system."""
    if len(starts) < len(values):
        has_value = ~np.isnan(values)
        n = np.add.reduceat(has_value.astype(float), starts)
        with np.errstate(invalid="ignore"):
            values = np.add.reduceat(np.where(has_value, values, 0.0), starts) / n
    return np.asarray(values[~np.isnan(values)])


def mean_with_interval(
    values: Floats | Sequence[float], bounds: tuple[float, float]
) -> tuple[float | None, int, float | None, float | None]:
    """Mean, n and Student's t interval, mean ± t(n - 1, 0.975) · SD / √n, cut at the score's range.

    `fsum` is exact, so the order of dialogs and the size of chunks cannot change a bit.
    """
    values = np.asarray(values, np.float64)
    n = len(values)
    if n < 2:
        return (float(values[0]) if n else None, n, None, None)
    try:
        mean = fsum(values.tolist()) / n
        with np.errstate(over="ignore"):
            squares = (values - mean) ** 2
        sd = sqrt(fsum(squares.tolist()) / (n - 1))
    except OverflowError:
        return (None, n, None, None)
    if isinf(sd):  # beyond 1e154 a square is infinite; no metric gives such a value
        return (None, n, None, None)
    if sd <= ROUNDING * abs(mean):
        return (mean, n, None, None)
    from scipy.special import stdtrit

    reach = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * sd / sqrt(n)
    low, high = bounds
    return (mean, n, max(low, mean - reach), min(high, mean + reach))
