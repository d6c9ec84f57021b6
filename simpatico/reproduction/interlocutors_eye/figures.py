"""Figure 3 as a drawing: accuracy by how many examples of a person are known."""

from __future__ import annotations

from collections.abc import Sequence

from simpatico.charts import levels
from simpatico.charts.html import Html
from simpatico.charts.levels import Level, Shelf, Shelves
from simpatico.charts.svg import pixels
from simpatico.reproduction import Cell
from simpatico.reproduction.interlocutors_eye.continuity import FIGURE_3
from simpatico.training.users.continuity.baselines import PRIVATE

WIDTH = 174.0
"""Millimetres, a page's text."""
CAPTION = (
    "Dot: share of turns told right; line: 95% interval over persons; hollow: their majority. "
    "Each group has about a third of what is known of all persons; named by the mean over turns."
)


def figures(cells: Sequence[Cell]) -> dict[str, Html]:
    """The drawings for which there is something to draw, by name."""
    found = [cell for cell in cells if cell.table == FIGURE_3]
    if not found:
        return {}
    panels = tuple(
        Shelf(
            row,
            tuple(
                Level(c.column, c.ours, c.low, c.high, c.paper, c.column != PRIVATE)
                for c in found
                if c.row == row
            ),
        )
        for row in dict.fromkeys(cell.row for cell in found)
    )
    shown = [Shelves("accuracy by examples of the person", panels, 0.5)]
    return {"figure-3": levels.figure(shown, CAPTION, pixels(WIDTH))}
