"""What psychological metrics add to others: the columns T and P+T of Giorgi et al. (2023)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from simpatico.arrays import Ints
from simpatico.reproduction.cells import Cell
from simpatico.reproduction.psychological_metrics.notes import incremental_note
from simpatico.reproduction.psychological_metrics.paper import (
    ALL,
    DIALOGS,
    metrics_of,
    paper_incremental_r2,
    table_number,
)
from simpatico.reproduction.psychological_metrics.traditional_run import MetricColumn
from simpatico.stats.result import Result
from simpatico.validation.incremental import Incremental, IncrementalSettings, incremental
from simpatico.validation.incremental.rows import correct_every_way

COMPLETE = "over rows that have all of these scores"


def incremental_cells(
    rows: pl.DataFrame, name: str, columns: Sequence[MetricColumn], *, seed: int
) -> Iterator[Cell]:
    """Each of the other metrics alone (T), and with ours (P+T), beside what the paper prints."""
    fits: list[tuple[MetricColumn, str, Incremental]] = []
    settings = IncrementalSettings(seed=seed, unit="dialog" if name == DIALOGS else "prompt")
    ratings, prompts = rows["rating"].to_numpy(), dense_codes(rows["prompt"])
    for column in (c for c in columns if c.scores.count()):
        for addition in (*metrics_of(name), ALL):
            psychological = rows.select(
                metrics_of(name) if addition == ALL else [addition]
            ).to_numpy()
            traditional = column.scores.to_numpy()
            fit = incremental(traditional, psychological, ratings, clusters=prompts, how=settings)
            fits.append((column, addition, fit))
    family = correct_every_way([fit.paper.p_value for *_, fit in fits])

    def cell(column: MetricColumn, addition: str, fit: Result, notes: Sequence[str]) -> Cell:
        figure = paper_incremental_r2(name, column.paper, addition)
        paper = figure.value if figure else None
        stars = [f"the paper has {figure.stars}"] if figure and figure.stars else []
        note = "; ".join([not_scored_note(rows, fit.n), *notes, COMPLETE, *stars])
        label = f"{column.scores.name} + {addition}" if addition else column.scores.name
        table = table_number(name)
        return Cell(table, name, label, paper, fit.value, fit.low, fit.high, fit.n, note)

    for column, addition, fit in fits:
        if addition == ALL:
            yield cell(column, "", fit.t, column.notes)
    for index, (column, addition, fit) in enumerate(fits):
        notes = [*column.notes, incremental_note(fit, family, index)]
        yield cell(column, addition, fit.pt, notes)


def dense_codes(names: pl.Series) -> Ints:
    """Equal names as equal numbers."""
    return names.rank("dense").to_numpy().astype(np.int64)


def not_scored_note(rows: pl.DataFrame, n: int) -> str:
    """With what every note begins."""
    return f"{rows.height - n:,} of {rows.height:,} not scored"
