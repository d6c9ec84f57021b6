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
