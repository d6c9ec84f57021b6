"""How well every metric that runs here follows people's judgements, on every data set.

Spearman's rho of each metric with the value that people gave a response (or a whole dialog, on
FED-Dial), its interval over resamples of prompts, and figures that others printed for the same set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from simpatico.metric import plain_name
from simpatico.reproduction import Cell, Reproduction
from simpatico.reproduction.metrics_and_people.data import People, View, people
from simpatico.reproduction.metrics_and_people.modes import ways_of
from simpatico.reproduction.metrics_and_people.published import MEAN, aside, figure, only_theirs
from simpatico.reproduction.psychological_metrics import sets_in
from simpatico.reproduction.psychological_metrics.data import SETS, DataSet
from simpatico.reproduction.psychological_metrics.scores import scored
from simpatico.reproduction.psychological_metrics.traditional_published import traditional
from simpatico.reproduction.request import Asked
from simpatico.reproduction.sample import Sample, measured
from simpatico.reproduction.weights import Way
from simpatico.stats.bootstrap import bootstrap
from simpatico.stats.correlation import correlation
from simpatico.stats.result import Result
from simpatico.turns import Level

MORE = {"bart_score": ("bart_score_faithfulness",), "fed": ("fed_dialog",)}
"""Scores that are shown beside a metric's main one, without the model."""
PUBLISHED = "scores as their authors published them, not run here"


def reproduce(
    data: Path, asked: Asked | None = None, *, tell: Callable[[str], object] = lambda _: None
) -> Reproduction:
    """The metrics on the data sets that are there; `tell` hears what is begun."""
    asked = asked or Asked()
    found = sets_in(data)
    absent = [f"{s.name}: no {s.folder}/{s.file}" for s in SETS if s not in found]
    ways, lacking = ways_of(asked)
    cells: list[Cell] = []
    for set, path in found.items():
        told = people(set, path)
        tell(f"{set.name}: {told.views[0].rows.height:,} judged")
        for one in ways[told.level]:
            if one.slow:
                tell(f"{set.name}: {one.label}")
            cells += measured_cells(told, one, asked.sample)
        cells += [*given_cells(told, data, asked.sample.seed), *theirs(told, ways[told.level])]
    return Reproduction(cells, [], [], [*absent, *lacking])


def measured_cells(told: People, one: Way, sample: Sample) -> Iterator[Cell]:
    """The figures of one metric on one data set, in each way of taking people's values."""
    done = measured(told.turns, one, told.level, sample)
    for view in told.views:
        rows = view.rows.join(done.scores, on="dialog", how="inner", maintain_order="left")
        for name in shown(one, told.level):
            if rows[name].count():
                note = [*done.note, *view.note]
                column = rows.select("prompt", "judged", x=name)
                yield cell(told.set, view, column, (labelled(name, one), note), sample.seed)


def labelled(name: str, one: Way) -> str:
    """A score's name with the metric's mode, where that is not its usual one."""
    return name + one.label.removeprefix(one.metric.name)


def shown(one: Way, level: Level) -> list[str]:
    """Which scores of a metric are shown: the main one and few others, or all where none is."""
    own, names = plain_name(one.metric.name), [s.name for s in one.metric.scores]
    more = [m for m in MORE.get(own, ()) if level == "dialog" or not m.endswith("_dialog")]
    kept = [name for name in names if plain_name(name) in (own, *more)]
    return kept or names


def given_cells(told: People, data: Path, seed: int) -> Iterator[Cell]:
    """Metrics whose scores others published row by row."""
    path = told.set.found(data)
    if path is None or told.set.name not in HAVE:
        return
    rows = scored(told.set, path, None)
    columns = traditional(rows, told.set.name, data)
    table = pl.concat([rows.select("dialog"), columns], how="horizontal")
    for view in told.views:
        both = view.rows.join(table, on="dialog", how="inner", maintain_order="left")
        for name in columns.columns:
            if both[name].count():
                column = both.select("prompt", "judged", x=name)
                yield cell(told.set, view, column, (name, [PUBLISHED, *view.note]), seed)


HAVE = ("GD", "TP", "UP", "ZD", "ZP", "FT", "FED-Dial", "HU")


def theirs(told: People, ways: Sequence[Way]) -> Iterator[Cell]:
    """Printed figures of metrics that we do not run."""
    ours = [plain_name(one.label) for one in ways if ", " not in one.label]
    for name, printed in only_theirs(told.set.name, ours).items():
        note = f"printed by {printed.source}; not run here"
        yield Cell(MEAN, told.set.name, name, printed.value, None, None, None, 0, note)


def cell(
    set: DataSet, view: View, rows: pl.DataFrame, told: tuple[str, list[str]], seed: int
) -> Cell:
    """Rho of the column x with people's values, beside a figure that was printed."""
    name, note = told
    own = "fed" if plain_name(name) == "fed_dialog" else plain_name(name)
    beside = figure(set.name, own, view.table) if plays(name, set) else None
    fit = rho(rows, seed)
    said = [f"{rows.height - fit.n:,} of {rows.height:,} not scored", *note]
    said += [f"printed by {beside.source}"] if beside else aside(set.name, own, view.table)
    paper = beside.value if beside else None
    return Cell(
        view.table, set.name, name, paper, fit.value, fit.low, fit.high, fit.n, "; ".join(said)
    )


def plays(name: str, set: DataSet) -> bool:
    """Whether a printed figure is about this score: of dialogs FED's score of dialogs is meant,
    and never a mode that is not a metric's usual one."""
    return ", " not in name and (plain_name(name) != "fed" or not set.dialogs)


def rho(rows: pl.DataFrame, seed: int) -> Result:
    """Spearman's rho; rows of one prompt are resampled together."""
    x, y = (rows[c].cast(pl.Float64).fill_null(float("nan")).to_numpy() for c in ("x", "judged"))
    prompts = rows["prompt"].rank("dense").to_numpy().astype(np.int64)
    if rows["prompt"].n_unique() == rows.height:
        return correlation(x, y, kind="spearman")
    return bootstrap(x, y, prompts, kind="spearman", seed=seed)
