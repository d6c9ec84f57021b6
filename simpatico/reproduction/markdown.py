"""Figures as Markdown tables, for a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simpatico.reproduction import Cell, Reproduction

ACROSS = 4
"""Data sets side by side in one table; more do not fit a page."""


def page(done: Reproduction) -> str:
    """All figures: one row per metric and one column per data set, few data sets at a time."""
    cells = [*done.cells, *done.beside]
    parts: list[str] = []
    for table in dict.fromkeys(cell.table for cell in cells):
        own = [cell for cell in cells if cell.table == table]
        rows = list(dict.fromkeys(cell.row for cell in own))
        parts.append(f"### {table[0].upper()}{table[1:]}\n")
        for start in range(0, len(rows), ACROSS):
            parts += [*grid(own, rows[start : start + ACROSS]), ""]
    parts += [f"- left out: {told}" for told in done.absent]
    return "\n".join(parts)


def grid(cells: Sequence[Cell], rows: Sequence[str]) -> Iterator[str]:
    """Metrics down, data sets across."""
    by_place = {(cell.column, cell.row): cell for cell in cells if cell.row in rows}
    yield f"| metric | {' | '.join(rows)} |"
    yield "|---" * (len(rows) + 1) + "|"
    for column in dict.fromkeys(name for name, _ in by_place):
        told = [shown(by_place.get((column, row))) for row in rows]
        yield f"| {column} | {' | '.join(told)} |"


def shown(cell: Cell | None) -> str:
    """A figure with its interval and n; behind a stroke what others printed."""
    if cell is None:
        return ""
    printed = "" if cell.paper is None else f" / {written(cell.paper)}"
    if cell.ours is None:
        return f"–{printed}"
    span = "" if cell.low is None else f" [{cell.low:.2f}, {cell.high:.2f}]"
    return f"{written(cell.ours)}{span} n={cell.n:,}{printed}"


def written(value: float) -> str:
    """A count as it is, any other number with three decimals."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
