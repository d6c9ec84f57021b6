"""Psychological Metrics for Dialog System Evaluation (Giorgi et al., 2023): what can be redone.

What the psychological metrics alone explain of people's judgements (the columns "P" of Tables 1, 2
and 8 to 18), and what they add to traditional metrics (T and P+T): those that run here, and those
whose scores others published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl

from simpatico.errors import DataError
from simpatico.reproduction import Cell, Reproduction
from simpatico.reproduction.comparison import apart
from simpatico.reproduction.psychological_metrics.data import POOL, SETS, DataSet
from simpatico.reproduction.psychological_metrics.incremental import (
    beside,
    left_out,
    metrics_of,
    ranked,
)
from simpatico.reproduction.psychological_metrics.notes import explained, remarks
from simpatico.reproduction.psychological_metrics.paper import (
    ALL,
    DIALOGS,
    POOLED,
    WITHIN,
    figure,
    table_of,
)
from simpatico.reproduction.psychological_metrics.scores import DROPPED, LENGTH, scored
from simpatico.reproduction.psychological_metrics.traditional_run import Others
from simpatico.reproduction.request import Asked
from simpatico.stats.regression import adjusted_r2


def reproduce(
    data: Path, asked: Asked | None = None, *, tell: Callable[[str], object] = lambda _: None
) -> Reproduction:
    """Every table for which `data` has the data sets; `tell` hears what is begun."""
    asked = asked or Asked()
    found, seed, lexicon = sets_in(data), asked.sample.seed, asked.lexicon
    absent = [f"{s.name}: no {s.folder}/{s.file}" for s in SETS if s not in found]
    others = Others(asked, tell)
    rows = {s: scored(s, path, lexicon) for s, path in found.items()}
    cells = [cell for s in rows for cell in alone(rows[s], s.name, lexicon, seed)]
    runs = {s: others.beside(rows[s], s, data) for s in rows}
    more = [cell for s in rows for cell in beside(rows[s], s.name, runs[s], seed)]
    if all(s in rows for s in POOL):
        pooled = pl.concat(rows[s] for s in POOL)
        cells += [c for n in (POOLED, WITHIN) for c in alone(pooled, n, lexicon, seed)]
        more += beside(pooled, POOLED, others.pooled([runs[s] for s in POOL]), seed)
    else:
        absent.append(f"{POOLED}, {WITHIN}: needs all of {', '.join(s.name for s in POOL)}")
    reasons = [(cell, explained(cell, cells)) for cell in apart(cells)]
    return Reproduction(cells, more, reasons, [*absent, *others.absent])


def sets_in(data: Path) -> dict[DataSet, Path]:
    """Those of the data sets that are there."""
    found = {s: path for s in SETS if (path := s.found(data))}
    if not found:
        raise DataError(
            f"{data} has no {SETS[0].file} nor any other of the data sets; it should hold some of "
            f"the folders {', '.join(dict.fromkeys(s.folder for s in SETS))}"
        )
    return found


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
