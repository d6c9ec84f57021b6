"""Psychological Metrics for Dialog System Evaluation (Giorgi et al., 2023): what can be redone.

What the psychological metrics alone explain of people's judgements (the columns "P" of Tables 1, 2
and 8 to 18), and what they add to traditional metrics whose scores others published.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.errors import DataError
from simpatico.reproduce import Cell, Reproduction
from simpatico.reproduce.agreement import apart
from simpatico.reproduce.psychological_notes import TRADITIONAL, added, explained, remarks
from simpatico.reproduce.psychological_paper import (
    ALL,
    DIALOGS,
    METRICS,
    POOLED,
    STATES,
    TRAITS,
    WITHIN,
    figure,
    table_of,
)
from simpatico.reproduce.psychological_scores import DROPPED, LENGTH, scored
from simpatico.reproduce.psychological_sets import POOL, SETS, DataSet
from simpatico.reproduce.psychological_traditional import traditional
from simpatico.result import Result
from simpatico.validate.incremental import Settings, incremental
from simpatico.validate.incremental_rows import corrected
from simpatico.validate.regression import adjusted_r2

Labels = npt.NDArray[np.int64]


def reproduce(data: Path, *, lexicon: str | None = None, seed: int = 0) -> Reproduction:
    """Every table for which `data` has the data sets."""
    found = {s: path for s in SETS if (path := s.found(data))}
    if not found:
        raise DataError(
            f"{data} has no {SETS[0].file} nor any other of the data sets; it should hold some of "
            f"the folders {', '.join(dict.fromkeys(s.folder for s in SETS))}"
        )
    absent = [f"{s.name}: no {s.folder}/{s.file}" for s in SETS if s not in found]
    rows = {s: scored(s, path, lexicon) for s, path in found.items()}
    cells = [cell for s in rows for cell in alone(rows[s], s.name, lexicon, seed)]
    if all(s in rows for s in POOL):
        pooled = pl.concat(rows[s] for s in POOL)
        cells += [c for name in (POOLED, WITHIN) for c in alone(pooled, name, lexicon, seed)]
    else:
        absent.append(f"{POOLED}, {WITHIN}: needs all of {', '.join(s.name for s in POOL)}")
    more = [cell for s in rows for cell in beside(rows[s], s, data, seed)]
    reasons = [(cell, explained(cell, cells)) for cell in apart(cells)]
    return Reproduction(cells, more, reasons, absent)


def alone(rows: pl.DataFrame, name: str, lexicon: str | None, seed: int) -> Iterator[Cell]:
    """One row of a table: each metric alone, then all together."""
    sets = ranked(rows, "set") if name == WITHIN else None
    metrics = metrics_of(name)
    extra = (LENGTH,) if name == DIALOGS else (DROPPED, LENGTH)
    for column in (*metrics, *extra, ALL):
        scores = rows.select(metrics if column == ALL else [column]).to_numpy()
        judged = rows["judged"].to_numpy()
        fit = adjusted_r2(scores, judged, ranked(rows, "prompt"), sets=sets, seed=seed)
        note = "; ".join([left_out(rows, fit.n), *remarks(name, column, lexicon)])
        paper = figure(name, column)
        yield Cell(table_of(name), name, column, paper, fit.value, fit.low, fit.high, fit.n, note)


def beside(rows: pl.DataFrame, set: DataSet, data: Path, seed: int) -> Iterator[Cell]:
    """The published scores of traditional metrics: alone (T), and with ours (P+T)."""
    metrics = metrics_of(set.name)
    how = Settings(seed=seed, unit="dialog" if set.dialogs else "prompt")
    judged, clusters = rows["judged"].to_numpy(), ranked(rows, "prompt")
    ours = {m: rows[m].to_numpy() for m in metrics} | {ALL: rows.select(metrics).to_numpy()}
    known = [series for series in traditional(rows, set.name, data) if series.count()]
    fits = {
        (series.name, column): incremental(
            series.to_numpy(), ours[column], judged, clusters=clusters, how=how
        )
        for series in known
        for column in ours
    }
    family = corrected([models.paper.p_value for models in fits.values()])
    for series in known:
        yield other(rows, series.name, fits[series.name, ALL].t, TRADITIONAL)
    for place, ((name, column), models) in enumerate(fits.items()):
        yield other(rows, f"{name} + {column}", models.pt, added(models, family, place))


def other(rows: pl.DataFrame, column: str, fit: Result, told: Sequence[str]) -> Cell:
    """A figure that the paper does not have."""
    name = rows["set"][0]
    note = "; ".join([left_out(rows, fit.n), *told])
    return Cell(table_of(name), name, column, None, fit.value, fit.low, fit.high, fit.n, note)


def metrics_of(name: str) -> tuple[str, ...]:
    """Table 1 has the metrics of turns, Table 2 those of dialogs, the others all."""
    return {POOLED: STATES, WITHIN: STATES, DIALOGS: TRAITS}.get(name, METRICS)


def ranked(rows: pl.DataFrame, column: str) -> Labels:
    return rows[column].rank("dense").to_numpy().astype(np.int64)


def left_out(rows: pl.DataFrame, n: int) -> str:
    return f"{rows.height - n:,} of {rows.height:,} not scored"
