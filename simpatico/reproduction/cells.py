"""Figures as cells of a table: of a result, of a count, or of nothing but what the paper has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from simpatico.reproduction import Cell
from simpatico.stats.result import Result


class Spot(NamedTuple):
    """Where a figure stands."""

    table: str
    row: str
    column: str


def of_result(
    spot: Spot, found: Result, *, paper: float | None = None, rows: int, notes: Sequence[str] = ()
) -> Cell:
    """A statistic; `rows` is how many units there were, those without a score among them."""
    said = [f"{rows - found.n:,} of {rows:,} not scored", *notes, found.method]
    if found.value is None:
        said.append(f"no value: {found.status}")
    return Cell(*spot, paper, found.value, found.low, found.high, found.n, "; ".join(said))


def of_count(spot: Spot, count: int, *, paper: int | None, total: int, note: str = "") -> Cell:
    """How many of a total there are."""
    said = "; ".join(["0 of 0 not scored", *([note] if note else [])])
    return Cell(*spot, paper, count, None, None, total, said)


def only_paper(spot: Spot, paper: float, why: str) -> Cell:
    """A figure that the data cannot give, and why."""
    return Cell(*spot, paper, None, None, None, 0, f"0 of 0 not scored; {why}")
