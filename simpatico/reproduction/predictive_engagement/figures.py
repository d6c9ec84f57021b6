"""Figures 2, 4 and 5 as drawings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from simpatico.charts import bubbles, levels
from simpatico.charts.bubbles import Bubbles
from simpatico.charts.html import Html
from simpatico.charts.levels import Level, Shelf, Shelves
from simpatico.charts.svg import pixels
from simpatico.reproduction import Cell
from simpatico.reproduction.predictive_engagement import data as files
from simpatico.reproduction.predictive_engagement.classifiers import AREA, BALANCED, FIGURE_4, HEADS
from simpatico.reproduction.predictive_engagement.correlations import COMBININGS, KINDS, OWN, titled
from simpatico.reproduction.predictive_engagement.paper import MAX, MEAN
from simpatico.reproduction.predictive_engagement.raters import together
from simpatico.wording import format_correlation

WIDTH = 174.0
"""Millimetres, a page's text."""


def figures(data: Path, cells: Sequence[Cell]) -> dict[str, Html]:
    """The drawings for which there is something to draw, by name."""
    drawn = {
        "figure-2": aggregation(data),
        "figure-4": classifiers(cells),
        "figure-5": people(cells),
    }
    return {name: picture for name, picture in drawn.items() if picture is not None}


def aggregation(data: Path) -> Html | None:
    """Conversations by the share of their utterances labelled engaging, and single utterances."""
    talks, labels = files.place(data, files.DIALOGS), files.place(data, files.LABELS)
    if talks is None or labels is None:
        return None
    single = files.labelled_exchanges(files.dialogs(talks), labels)
    whole = together(single, ["dialog"], "label")
    score = "engagement score of the conversation"
    shown = [
        Bubbles(
            f"{whole.height} conversations, r = {r(whole, 'mean')} (paper .85)",
            score,
            "share labelled engaging",
            points(whole, "mean"),
        ),
        Bubbles(
            f"{single.height} utterances, r = {r(single, 'label')} (paper .60)",
            score,
            "label",
            points(single, "label"),
        ),
    ]
    caption = (
        "Labels 0 and 1, where the paper has means of five ratings, which are not published. "
        "All 25 conversations with a bot have the score 0. Area: how many."
    )
    return bubbles.figure(shown, caption, pixels(WIDTH))


def points(rows: pl.DataFrame, value: str) -> tuple[tuple[float, float], ...]:
    return tuple((x, y) for x, y in rows.select("score", value).iter_rows())


def r(rows: pl.DataFrame, value: str) -> str:
    return format_correlation(rows.select(pl.corr("score", value)).item())


def classifiers(cells: Sequence[Cell]) -> Html | None:
    """Balanced accuracy and AUC on what each was tested on, in both readings."""
    groups = [
        shelves(cells, f"{FIGURE_4}{what}", (what, 0.5), lambda cell: cell.column in HEADS)
        for what in (BALANCED, AREA)
    ]
    if not any(group.shelves for group in groups):
        return None
    caption = (
        "Dot: mean over seeds; line: 95% interval over conversations; upright line: chance. "
        "Hollow: baselines."
    )
    return levels.figure(groups, caption, pixels(WIDTH))


def people(cells: Sequence[Cell]) -> Html | None:
    """How engagement alone follows people's ratings, beside length."""
    own = (OWN + MEAN, OWN + MAX)
    mixed = tuple(f"{name} of " for name in COMBININGS.values())

    def ours(cell: Cell) -> bool:
        return not cell.column.startswith((OWN, "length", "question", "coherence"))

    wanted = [
        c for c in cells if c.column in own or not c.column.startswith((OWN, *mixed, "relevance"))
    ]
    groups = [shelves(wanted, titled(kind), (kind.title(), 0.0), ours) for kind in KINDS]
    if not any(group.shelves for group in groups):
        return None
    caption = (
        "Dot: correlation with the mean of three ratings; line: 95% interval over queries; "
        "coloured tick: what the paper prints; hollow: the authors' scores and plain numbers."
    )
    return levels.figure(groups, caption, pixels(WIDTH))


def shelves(
    cells: Sequence[Cell], table: str, about: tuple[str, float], own: Callable[[Cell], bool]
) -> Shelves:
    """The cells of a table: its rows are panels, its columns names."""
    found = [cell for cell in cells if cell.table == table]
    panels = []
    for row in dict.fromkeys(cell.row for cell in found):
        shown = tuple(
            Level(c.column, c.ours, c.low, c.high, c.paper, own(c)) for c in found if c.row == row
        )
        panels.append(Shelf(row, shown))
    return Shelves(about[0], tuple(panels), about[1])
