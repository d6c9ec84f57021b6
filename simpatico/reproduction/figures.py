"""A paper's figure as a chart: the cells of its tables as dots with intervals.

What the paper printed is a coloured tick on the same axis, where it printed a number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simpatico.charts.html import Html
from simpatico.charts.levels import Level, LevelGroup, LevelPanel, levels_figure
from simpatico.charts.svg import mm_to_pixels
from simpatico.reproduction.cells import Cell

WIDTH = mm_to_pixels(174.0)
"""The text of a page in millimetres."""


def level_group(
    cells: Sequence[Cell],
    table: str,
    title: str,
    reference: float,
    *,
    is_ours: Callable[[Cell], bool],
) -> LevelGroup:
    """The cells of a table: its rows are panels, its columns names; others' are hollow."""
    in_table = [cell for cell in cells if cell.table == table]
    panels = []
    for row in dict.fromkeys(cell.row for cell in in_table):
        own = (c for c in in_table if c.row == row)
        figures = (Level(c.column, c.ours, c.low, c.high, c.paper, is_ours(c)) for c in own)
        panels.append(LevelPanel(row, tuple(figures)))
    return LevelGroup(title, tuple(panels), reference)


def draw_levels(groups: Sequence[LevelGroup], caption: str) -> Html | None:
    """The chart; null where there is nothing to draw."""
    if not any(group.panels for group in groups):
        return None
    return levels_figure(groups, caption, WIDTH)
