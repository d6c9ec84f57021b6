"""Cells as Markdown tables: metrics down, data sets across, for the documentation."""

from __future__ import annotations

from simpatico.reproduction.cells import Cell, Reproduction

DATA_SETS_ACROSS = 4
"""Data sets side by side in one table; more do not fit a page."""


def markdown_page(reproduction: Reproduction) -> str:
    """All figures: one row per metric and one column per data set, few data sets at a time."""
    cells = [*reproduction.cells, *reproduction.other_metrics]
    lines: list[str] = []
    for table in dict.fromkeys(cell.table for cell in cells):
        in_table = [cell for cell in cells if cell.table == table]
        rows = list(dict.fromkeys(cell.row for cell in in_table))
        lines.append(f"### {table[0].upper()}{table[1:]}\n")
        for start in range(0, len(rows), DATA_SETS_ACROSS):
            across = rows[start : start + DATA_SETS_ACROSS]
            by_key = {(cell.column, cell.row): cell for cell in in_table if cell.row in across}
            lines += [f"| metric | {' | '.join(across)} |", "|---" * (len(across) + 1) + "|"]
            for column in dict.fromkeys(name for name, _ in by_key):
                texts = [markdown_cell(by_key.get((column, row))) for row in across]
                lines.append(f"| {column} | {' | '.join(texts)} |")
            lines.append("")
    lines += [f"- left out: {omission}" for omission in reproduction.omissions]
    return "\n".join(lines)


def markdown_cell(cell: Cell | None) -> str:
    """Our figure with its interval and n; behind a slash what others printed."""
    if cell is None:
        return ""

    def format_value(value: float) -> str:
        return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"  # counts stay whole

    printed = "" if cell.paper is None else f" / {format_value(cell.paper)}"
    if cell.ours is None:
        return f"–{printed}"
    interval = "" if cell.low is None else f" [{cell.low:.2f}, {cell.high:.2f}]"
    return f"{format_value(cell.ours)}{interval} n={cell.n:,}{printed}"
