"""Figure 3 as a chart: accuracy by the number of examples of a user."""

from __future__ import annotations

from collections.abc import Sequence

from simpatico.charts import levels
from simpatico.charts.html import Html
from simpatico.charts.levels import Level, LevelGroup, LevelPanel
from simpatico.charts.svg import mm_to_pixels
from simpatico.reproduction.cells import Cell
from simpatico.reproduction.interlocutors_eye.continuity import FIGURE_3
from simpatico.training.users.continuity.baselines import USER_MAJORITY

WIDTH = 174.0
"""Millimetres, a page's text."""
CAPTION = (
    "Dot: share of turns told right; line: 95% interval over persons; hollow: their majority. "
    "Each group has about a third of what is known of all persons; named by the mean over turns."
)


def figures(cells: Sequence[Cell]) -> dict[str, Html]:
    """The figures for which there are cells, by name."""
    accuracies = [cell for cell in cells if cell.table == FIGURE_3]
    if not accuracies:
        return {}
    panels = tuple(
        LevelPanel(
            row,
            tuple(
                Level(c.column, c.ours, c.low, c.high, c.paper, c.column != USER_MAJORITY)
                for c in accuracies
                if c.row == row
            ),
        )
        for row in dict.fromkeys(cell.row for cell in accuracies)
    )
    shown = [LevelGroup("accuracy by examples of the person", panels, 0.5)]
    return {"figure-3": levels.levels_figure(shown, CAPTION, mm_to_pixels(WIDTH))}
