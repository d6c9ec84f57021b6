"""The papers' tables, ours beside theirs."""

from __future__ import annotations

from typing import NamedTuple


class Cell(NamedTuple):
    """One figure of a paper and ours; null where one does not exist, with the reason in `note`."""

    table: str
    row: str
    column: str
    paper: float | None
    ours: float | None
    low: float | None
    high: float | None
    n: int
    note: str


class Reproduction(NamedTuple):
    """What could be redone.

    `beside`: figures of other metrics, alone and with the paper's ("metric" and "metric + ours");
    `apart`: for each figure that is far from the paper's, why; `absent`: what was left out.
    """

    cells: list[Cell]
    beside: list[Cell]
    apart: list[tuple[Cell, str]]
    absent: list[str]
