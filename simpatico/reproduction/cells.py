"""A cell is one figure of a paper's table beside ours; these functions make cells.

Every note begins with "N of M not scored" (`cli/commands/reproduce.py` reads N from there); what
else a reader must know follows, separated by semicolons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from simpatico.stats.by_user import NO_INTERVAL
from simpatico.stats.result import Result
from simpatico.wording import format_p

CONSTANT_SCORE = "no value: it is the same for every turn, so that nothing can go up with it"
ONE_CLASS = "no value: all turns were answered, or none"


class Cell(NamedTuple):
    """One figure of a paper and ours; null where one does not exist, with the reason in `note`.

    The field names are those of `simpatico reproduce --json`.
    """

    table: str
    row: str
    column: str
    paper: float | None
    ours: float | None
    low: float | None
    high: float | None
    n: int
    note: str


class CellKey(NamedTuple):
    """Where a cell stands: the first three fields of a `Cell`."""

    table: str
    row: str
    column: str


class Reproduction(NamedTuple):
    """All that could be recomputed of a paper.

    `other_metrics`: figures of other metrics, alone and with the paper's ("metric" and
    "metric + ours"); `deviations`: each cell that is far from the paper's figure, with the reason;
    `omissions`: what was left out, and why.
    """

    cells: list[Cell]
    other_metrics: list[Cell]
    deviations: list[tuple[Cell, str]]
    omissions: list[str]


def result_cell(
    key: CellKey,
    result: Result,
    *,
    paper: float | None = None,
    rows: int,
    notes: Sequence[str] = (),
) -> Cell:
    """A statistic; `rows` counts all units, with a score or without."""
    parts = [f"{rows - result.n:,} of {rows:,} not scored", *notes, result.method]
    if result.value is None:
        parts.append(f"no value: {result.status}")
    return Cell(*key, paper, result.value, result.low, result.high, result.n, "; ".join(parts))


def estimate_cell(
    key: CellKey,
    estimate: Result | None,
    *,
    n: int,
    paper: float | None = None,
    notes: Sequence[str] = (),
) -> Cell:
    """An estimate resampled by person; null for a score that does not vary over the turns."""
    parts = [f"0 of {n:,} not scored", *notes]
    if estimate is None or estimate.value is None:
        parts.append(CONSTANT_SCORE if estimate is None else ONE_CLASS)
        return Cell(*key, paper, None, None, None, n, "; ".join(parts))
    if estimate.low is None:
        parts.append(NO_INTERVAL)
    return Cell(*key, paper, *estimate.value_and_interval, n, "; ".join(parts))


def count_cell(key: CellKey, count: int, *, paper: int | None, total: int, note: str = "") -> Cell:
    """How many of a total there are."""
    parts = ["0 of 0 not scored", *([note] if note else [])]
    return Cell(*key, paper, count, None, None, total, "; ".join(parts))


def paper_only_cell(key: CellKey, paper: float, why: str) -> Cell:
    """A figure of the paper that cannot be recomputed from the data, and why."""
    return Cell(*key, paper, None, None, None, 0, f"0 of 0 not scored; {why}")


def p_value_note(p: float | None, units: str) -> str:
    """The p of a difference, and which units were resampled."""
    return f"p {format_p(p)}, resamples of {units}"
