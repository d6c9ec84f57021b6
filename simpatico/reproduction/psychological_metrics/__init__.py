"""Psychological Metrics for Dialog System Evaluation (Giorgi et al., 2023): what can be redone.

What the psychological metrics alone explain of people's judgements (the columns "P" of Tables 1, 2
and 8 to 18), and what they add to traditional metrics (T and P+T): those that run here, and those
whose scores others published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl

from simpatico.reproduction.cells import Cell, Reproduction
from simpatico.reproduction.comparison import far_from_paper
from simpatico.reproduction.psychological_metrics.data import POOL, locate_sets, missing_sets
from simpatico.reproduction.psychological_metrics.incremental import (
    dense_codes,
    incremental_cells,
    not_scored_note,
)
from simpatico.reproduction.psychological_metrics.notes import explain_deviation, remarks
from simpatico.reproduction.psychological_metrics.paper import (
    ALL,
    DIALOGS,
    POOLED,
    WITHIN,
    metrics_of,
    paper_r2,
    table_number,
)
from simpatico.reproduction.psychological_metrics.scores import DROPPED, LENGTH, score_rated_units
from simpatico.reproduction.psychological_metrics.traditional_run import (
    TraditionalMetrics,
    pool_columns,
)
from simpatico.reproduction.request import Request
from simpatico.stats.regression import adjusted_r2


def reproduce(
    data: Path, request: Request | None = None, *, tell: Callable[[str], object] = lambda _: None
) -> Reproduction:
    """Every table for which `data` has the data sets; `tell` receives progress messages."""
    request = request or Request()
    paths, seed, lexicon = locate_sets(data), request.sample.seed, request.lexicon
    omissions = missing_sets(paths)
    traditional = TraditionalMetrics(request, tell)
    rows = {s: score_rated_units(s, path, lexicon) for s, path in paths.items()}
    cells = [cell for s in rows for cell in psychological_cells(rows[s], s.name, lexicon, seed)]
    columns = {s: traditional.columns(rows[s], s, data) for s in rows}
    others = [c for s in rows for c in incremental_cells(rows[s], s.name, columns[s], seed=seed)]
    if all(s in rows for s in POOL):
        pooled = pl.concat(rows[s] for s in POOL)
        for name in (POOLED, WITHIN):
            cells += psychological_cells(pooled, name, lexicon, seed)
        pooled_columns = pool_columns([columns[s] for s in POOL])
        others += incremental_cells(pooled, POOLED, pooled_columns, seed=seed)
    else:
        omissions.append(f"{POOLED}, {WITHIN}: needs all of {', '.join(s.name for s in POOL)}")
    deviations = [(cell, explain_deviation(cell, cells)) for cell in far_from_paper(cells)]
    return Reproduction(cells, others, deviations, [*omissions, *traditional.omissions])


def psychological_cells(
    rows: pl.DataFrame, name: str, lexicon: str | None, seed: int
) -> Iterator[Cell]:
    """One row of a table: each metric alone, then all together."""
    sets = dense_codes(rows["set"]) if name == WITHIN else None
    ratings, prompts = rows["rating"].to_numpy(), dense_codes(rows["prompt"])
    baselines = (LENGTH,) if name == DIALOGS else (DROPPED, LENGTH)
    for column in (*metrics_of(name), *baselines, ALL):
        scores = rows.select(metrics_of(name) if column == ALL else [column]).to_numpy()
        fit = adjusted_r2(scores, ratings, prompts, sets=sets, seed=seed)
        note = "; ".join([not_scored_note(rows, fit.n), *remarks(name, column, lexicon)])
        paper, table = paper_r2(name, column), table_number(name)
        yield Cell(table, name, column, paper, fit.value, fit.low, fit.high, fit.n, note)
