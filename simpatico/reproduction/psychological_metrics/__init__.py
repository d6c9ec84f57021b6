"""Psychological Metrics for Dialog System Evaluation (Giorgi et al., 2023): what can be redone.

What the psychological metrics alone explain of people's judgements (the columns "P" of Tables 1, 2
and 8 to 18), and what they add to traditional metrics (T and P+T): those that run here, and those
whose scores others published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import polars as pl

from simpatico.reproduction.cells import Cell, Reproduction, make_cell
from simpatico.reproduction.clustered_correlation import dense_codes
from simpatico.reproduction.psychological_metrics import paper as tables
from simpatico.reproduction.psychological_metrics.data import POOL, locate_sets
from simpatico.reproduction.psychological_metrics.notes import (
    explain_deviation,
    incremental_note,
    remarks,
)
from simpatico.reproduction.psychological_metrics.scores import DROPPED, LENGTH, score_rated_units
from simpatico.reproduction.psychological_metrics.traditional_run import (
    MetricColumn,
    TraditionalMetrics,
    pool_columns,
)
from simpatico.reproduction.request import Request
from simpatico.stats.regression import adjusted_r2
from simpatico.stats.result import Result
from simpatico.validation.incremental import Incremental, IncrementalSettings, incremental
from simpatico.validation.incremental.rows import correct_every_way

COMPLETE = "over rows that have all of these scores"


def reproduce(
    data: Path, request: Request | None = None, *, tell: Callable[[str], object] = lambda _: None
) -> Reproduction:
    """Every table for which `data` has the data sets; `tell` receives progress messages."""
    request = request or Request()
    (paths, omissions), seed, lexicon = locate_sets(data), request.sample.seed, request.lexicon
    traditional = TraditionalMetrics(request, tell)
    rows = {s: score_rated_units(s, path, lexicon) for s, path in paths.items()}
    cells = [cell for s in rows for cell in psychological_cells(rows[s], s.name, lexicon, seed)]
    columns = {s: traditional.columns(rows[s], s, data) for s in rows}
    others = [c for s in rows for c in incremental_cells(rows[s], s.name, columns[s], seed=seed)]
    if all(s in rows for s in POOL):
        pool = pl.concat(rows[s] for s in POOL)
        for name in (tables.POOLED, tables.WITHIN):
            cells += psychological_cells(pool, name, lexicon, seed)
        pooled_columns = pool_columns([columns[s] for s in POOL])
        others += incremental_cells(pool, tables.POOLED, pooled_columns, seed=seed)
    else:
        names = ", ".join(s.name for s in POOL)
        omissions.append(f"{tables.POOLED}, {tables.WITHIN}: needs all of {names}")
    return Reproduction.with_reasons(
        cells,
        [*omissions, *traditional.omissions],
        lambda cell: explain_deviation(cell, cells),
        others,
    )


def psychological_cells(
    rows: pl.DataFrame, name: str, lexicon: str | None, seed: int
) -> Iterator[Cell]:
    """One row of a table: each metric alone, then all together (the paper's columns P)."""
    sets = dense_codes(rows["set"]) if name == tables.WITHIN else None
    ratings, prompts = rows["rating"].to_numpy(), dense_codes(rows["prompt"])
    baselines = (LENGTH,) if name == tables.DIALOGS else (DROPPED, LENGTH)
    for column in (*tables.metrics_of(name), *baselines, tables.ALL):
        names = tables.metrics_of(name) if column == tables.ALL else [column]
        scores = rows.select(names).to_numpy()
        fit = adjusted_r2(scores, ratings, prompts, sets=sets, seed=seed)
        yield make_cell(
            (tables.table_number(name), name, column),
            fit,
            paper=tables.paper_r2(name, column),
            n=fit.n,
            total=rows.height,
            notes=remarks(name, column, lexicon),
        )


def incremental_cells(
    rows: pl.DataFrame, name: str, columns: Sequence[MetricColumn], *, seed: int
) -> Iterator[Cell]:
    """Each of the other metrics alone (T), and with ours (P+T), beside what the paper prints."""
    fits: list[tuple[MetricColumn, str, Incremental]] = []
    settings = IncrementalSettings(seed=seed, unit="dialog" if name == tables.DIALOGS else "prompt")
    ratings, prompts = rows["rating"].to_numpy(), dense_codes(rows["prompt"])
    for column in (c for c in columns if c.scores.count()):
        traditional = column.scores.to_numpy()
        for addition in (*tables.metrics_of(name), tables.ALL):
            names = tables.metrics_of(name) if addition == tables.ALL else [addition]
            psychological = rows.select(names).to_numpy()
            fit = incremental(traditional, psychological, ratings, clusters=prompts, how=settings)
            fits.append((column, addition, fit))
    family = correct_every_way([fit.paper.p_value for *_, fit in fits])

    def cell(column: MetricColumn, addition: str, fit: Result, notes: Sequence[str]) -> Cell:
        figure = tables.paper_incremental_r2(name, column.paper, addition)
        stars = [f"the paper has {figure.stars}"] if figure and figure.stars else []
        label = f"{column.scores.name} + {addition}" if addition else column.scores.name
        return make_cell(
            (tables.table_number(name), name, label),
            fit,
            paper=figure.value if figure else None,
            n=fit.n,
            total=rows.height,
            notes=[*column.notes, *notes, COMPLETE, *stars],
        )

    for column, addition, fit in fits:
        if addition == tables.ALL:
            yield cell(column, "", fit.t, [])
    for index, (column, addition, fit) in enumerate(fits):
        yield cell(column, addition, fit.pt, [incremental_note(fit, family, index)])
