"""What psychological metrics add to others: the columns T and P+T of Giorgi et al. (2023)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.reproduction import Cell
from simpatico.reproduction.psychological_metrics.notes import added
from simpatico.reproduction.psychological_metrics.paper import (
    ALL,
    DIALOGS,
    METRICS,
    POOLED,
    STATES,
    TRAITS,
    WITHIN,
    table_of,
)
from simpatico.reproduction.psychological_metrics.paper__psychological_printed import printed
from simpatico.reproduction.psychological_metrics.traditional_run import Column
from simpatico.stats.result import Result
from simpatico.validation.incremental import Incremental, Settings, incremental
from simpatico.validation.incremental.rows import corrected

Labels = npt.NDArray[np.int64]

COMPLETE = "over rows that have all of these scores"


def beside(rows: pl.DataFrame, name: str, columns: Sequence[Column], seed: int) -> Iterator[Cell]:
    """Each of the other metrics alone (T), and with ours (P+T), beside what the paper prints."""
    known = [column for column in columns if column.scores.count()]
    fits = [(column, one, fit) for column in known for one, fit in models(rows, name, column, seed)]
    family = corrected([fit.paper.p_value for *_, fit in fits])
    for column, one, fit in fits:
        if one == ALL:
            yield cell(rows, name, (column, ""), fit.t, column.note)
    for place, (column, one, fit) in enumerate(fits):
        said = [*column.note, *added(fit, family, place)]
        yield cell(rows, name, (column, one), fit.pt, said)


def models(
    rows: pl.DataFrame, name: str, column: Column, seed: int
) -> Iterator[tuple[str, Incremental]]:
    """One metric and each psychological one, then all of them."""
    metrics = metrics_of(name)
    how = Settings(seed=seed, unit="dialog" if name == DIALOGS else "prompt")
    given: dict[str, Any] = {"clusters": ranked(rows, "prompt"), "how": how}
    judged, other = rows["judged"].to_numpy(), column.scores.to_numpy()
    for one in (*metrics, ALL):
        ours = rows.select(metrics if one == ALL else [one]).to_numpy()
        yield one, incremental(other, ours, judged, **given)


def cell(
    rows: pl.DataFrame, name: str, of: tuple[Column, str], fit: Result, told: Sequence[str]
) -> Cell:
    """A figure of a metric alone or with what is added to it."""
    column, one = of
    there = printed(name, column.paper, one)
    paper = there.value if there else None
    stars = [f"the paper has {there.stars}"] if there and there.stars else []
    note = "; ".join([left_out(rows, fit.n), *told, COMPLETE, *stars])
    label = f"{column.scores.name} + {one}" if one else column.scores.name
    return Cell(table_of(name), name, label, paper, fit.value, fit.low, fit.high, fit.n, note)


def metrics_of(name: str) -> tuple[str, ...]:
    """Table 1 has the metrics of turns, Table 2 those of dialogs, the others all."""
    return {POOLED: STATES, WITHIN: STATES, DIALOGS: TRAITS}.get(name, METRICS)


def ranked(rows: pl.DataFrame, column: str) -> Labels:
    return rows[column].rank("dense").to_numpy().astype(np.int64)


def left_out(rows: pl.DataFrame, n: int) -> str:
    return f"{rows.height - n:,} of {rows.height:,} not scored"
