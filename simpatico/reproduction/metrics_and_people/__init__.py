"""How well every metric that runs here follows people's judgements, on every data set.

Spearman's rho of each metric with the value that people gave a response (or a whole dialog, on
FED-Dial), its interval over resamples of prompts, and figures that others printed for the same set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from simpatico.metric import plain_name
from simpatico.registry import available, metric_class
from simpatico.reproduction.cells import Cell, Reproduction
from simpatico.reproduction.metrics_and_people.data import RatedSet, read_rated_set
from simpatico.reproduction.metrics_and_people.published import (
    MEAN,
    figures_of_other_metrics,
    incomparable_figure_note,
    published_figure,
)
from simpatico.reproduction.psychological_metrics.data import DataSet, locate_sets, missing_sets
from simpatico.reproduction.psychological_metrics.scores import score_rated_units
from simpatico.reproduction.psychological_metrics.traditional_published import (
    SETS_WITH_PUBLISHED_SCORES,
    published_columns,
)
from simpatico.reproduction.request import Request
from simpatico.reproduction.sample import Sample, score_sample
from simpatico.reproduction.weights import RunnableMetric, runnable_metric
from simpatico.stats.correlation import correlation
from simpatico.stats.correlation_bootstrap import bootstrap_correlation
from simpatico.stats.result import Result
from simpatico.turns import Level

MODES = {
    "prism": ("unreferenced", "source"),
    "deep_am": ("context",),
    "deep_fm": ("context",),
    "ruber": ("referenced",),
    "ctx_ruber": ("referenced",),
}
"""Modes of a metric that are run beside its usual one."""
SECONDARY_SCORES = {"bart_score": ("bart_score_faithfulness",), "fed": ("fed_dialog",)}
"""Scores that are shown beside a metric's main one, without the model."""
PUBLISHED = "scores as their authors published them, not run here"


def reproduce(
    data: Path, request: Request | None = None, *, tell: Callable[[str], object] = lambda _: None
) -> Reproduction:
    """The metrics on the data sets that are there; `tell` receives progress messages."""
    request = request or Request()
    paths = locate_sets(data)
    by_level, omissions = runnable_metrics(request)
    cells: list[Cell] = []
    for data_set, path in paths.items():
        rated, runnables = read_rated_set(data_set, path), by_level[data_set.level]
        tell(f"{data_set.name}: {rated.views[0].rows.height:,} judged")
        for runnable in runnables:
            if runnable.slow:
                tell(f"{data_set.name}: {runnable.label}")
            cells += run_metric_cells(rated, runnable, request.sample)
        cells += published_score_cells(rated, path, data, seed=request.sample.seed)
        cells += other_metric_cells(data_set, runnables)
    return Reproduction(cells, [], [], [*missing_sets(paths), *omissions])


def runnable_metrics(request: Request) -> tuple[dict[Level, list[RunnableMetric]], list[str]]:
    """The metrics that can run here, for turns and for dialogs, and why others cannot."""
    by_level: dict[Level, list[RunnableMetric]] = {"turn": [], "dialog": []}
    omissions: dict[str, None] = {}
    for name in available() if request.metrics is None else request.metrics:
        cls = metric_class(name)
        if cls.level == "system":
            omissions[f"{name}: it describes a system as a whole and has no value for a turn"] = (
                None
            )
            continue
        for mode in ("", *MODES.get(name, ())):
            for level, runnables in by_level.items():
                runnable = runnable_metric(name, **metric_parameters(cls, request, level, mode))
                if isinstance(runnable, RunnableMetric):
                    runnables.append(runnable)
                else:
                    omissions[f"{name}{', ' if mode else ''}{mode}: {runnable}"] = None
    return by_level, list(omissions)


def metric_parameters(cls: type[Any], request: Request, level: Level, mode: str) -> dict[str, Any]:
    """The parameters asked for and the mode; the one response of a turn may be short."""
    fields, parameters = cls.__dataclass_fields__, request.parameters_of(cls.name)
    if "minimum_words" in fields and level == "turn":
        parameters.setdefault("minimum_words", 0)
    if "lexicon" in fields and request.lexicon:
        parameters.setdefault("lexicon", request.lexicon)
    return parameters | ({"mode": mode} if mode else {})


def run_metric_cells(rated: RatedSet, runnable: RunnableMetric, sample: Sample) -> Iterator[Cell]:
    """The figures of one metric on one data set, for each way of aggregating the ratings.

    Shown are the metric's main score and few others, or all where none has its name; in a mode that
    is not the usual one, the mode stands behind the score's name.
    """
    level = rated.data_set.level
    sampled = score_sample(rated.turns, runnable, level=level, sample=sample)
    main, names = plain_name(runnable.metric.name), [s.name for s in runnable.metric.scores]
    more = [
        score
        for score in SECONDARY_SCORES.get(main, ())
        if level == "dialog" or not score.endswith("_dialog")
    ]
    shown = [name for name in names if plain_name(name) in (main, *more)] or names
    mode = runnable.label.removeprefix(runnable.metric.name)
    for view in rated.views:
        rows = view.rows.join(sampled.scores, on="dialog", how="inner", maintain_order="left")
        for name in shown:
            if rows[name].count():
                columns = rows.select("prompt", "rating", pl.col(name).alias(name + mode))
                notes, seed = [*sampled.notes, *view.notes], sample.seed
                yield correlation_cell(rated, view.table, columns, notes=notes, seed=seed)


def published_score_cells(rated: RatedSet, path: Path, data: Path, *, seed: int) -> Iterator[Cell]:
    """Metrics whose scores others published row by row."""
    if rated.data_set.name not in SETS_WITH_PUBLISHED_SCORES:
        return
    units = score_rated_units(rated.data_set, path, None)
    columns = published_columns(units, rated.data_set.name, data)
    table = pl.concat([units.select("dialog"), columns], how="horizontal")
    for view in rated.views:
        rows = view.rows.join(table, on="dialog", how="inner", maintain_order="left")
        for name in columns.columns:
            if rows[name].count():
                scores, notes = rows.select("prompt", "rating", name), [PUBLISHED, *view.notes]
                yield correlation_cell(rated, view.table, scores, notes=notes, seed=seed)


def other_metric_cells(data_set: DataSet, runnables: Sequence[RunnableMetric]) -> Iterator[Cell]:
    """Printed figures of metrics that we do not run."""
    ours = [plain_name(one.label) for one in runnables if ", " not in one.label]
    for name, figure in figures_of_other_metrics(data_set.name, ours).items():
        note = f"printed by {figure.source}; not run here"
        yield Cell(MEAN, data_set.name, name, figure.value, None, None, None, 0, note)


def correlation_cell(
    rated: RatedSet, table: str, rows: pl.DataFrame, *, notes: list[str], seed: int
) -> Cell:
    """Rho of the last column with people's ratings, beside a figure that was printed."""
    data_set, name = rated.data_set, rows.columns[-1]
    metric = "fed" if plain_name(name) == "fed_dialog" else plain_name(name)
    figure = None
    if has_published_figure(name, data_set):
        figure = published_figure(data_set.name, metric, table)
    rho = clustered_rho(rows.rename({name: "x"}), seed)
    parts = [f"{rows.height - rho.n:,} of {rows.height:,} not scored", *notes]
    if figure:
        parts.append(f"printed by {figure.source}")
    else:
        parts += incomparable_figure_note(data_set.name, metric, table)
    paper, key = figure.value if figure else None, (table, data_set.name, name)
    return Cell(*key, paper, rho.value, rho.low, rho.high, rho.n, "; ".join(parts))


def has_published_figure(name: str, data_set: DataSet) -> bool:
    """Whether a printed figure is about this score: of dialogs FED's score of dialogs is meant,
    and never a mode that is not a metric's usual one."""
    return ", " not in name and (plain_name(name) != "fed" or not data_set.rates_dialogs)


def clustered_rho(rows: pl.DataFrame, seed: int) -> Result:
    """Spearman's rho of x with the rating; rows of one prompt are resampled together."""
    x, y = (rows[c].cast(pl.Float64).fill_null(float("nan")).to_numpy() for c in ("x", "rating"))
    prompts = rows["prompt"].rank("dense").to_numpy().astype(np.int64)
    if rows["prompt"].n_unique() == rows.height:
        return correlation(x, y, kind="spearman")
    return bootstrap_correlation(x, y, prompts, kind="spearman", seed=seed)
