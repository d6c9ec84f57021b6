"""Figures 2, 4 and 5 of Ghazarian et al. (2020) as charts.

Figure 2: engagement of conversations against that of their utterances. Figure 4: balanced accuracy
of classifiers, which the paper draws as bars without numbers. Figure 5: correlation of engagement
alone with human judgements, drawn beside that of the reply's length.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from simpatico.charts.bubbles import Bubbles, bubbles_figure
from simpatico.charts.html import Html
from simpatico.reproduction.cells import Cell
from simpatico.reproduction.clustered_correlation import KINDS
from simpatico.reproduction.csv_files import locate_file
from simpatico.reproduction.figures import WIDTH, draw_levels, level_group
from simpatico.reproduction.predictive_engagement import correlations
from simpatico.reproduction.predictive_engagement import data as files
from simpatico.reproduction.predictive_engagement.classifiers import AUC, BALANCED, FIGURE_4, HEADS
from simpatico.reproduction.predictive_engagement.paper import MAX, MEAN
from simpatico.reproduction.predictive_engagement.raters import aggregate_turns
from simpatico.wording import format_correlation


def engagement_figures(data: Path, cells: Sequence[Cell]) -> dict[str, Html]:
    """The drawings for which there is something to draw, by name."""
    drawings = {
        "figure-2": aggregation_figure(data),
        "figure-4": classifier_figure(cells),
        "figure-5": correlation_figure(cells),
    }
    return {name: drawing for name, drawing in drawings.items() if drawing is not None}


def aggregation_figure(data: Path) -> Html | None:
    """Conversations by the share of their utterances labelled engaging, and single utterances."""
    dialogs, labels = (
        locate_file(data, files.FOLDER, name) for name in (files.DIALOGS, files.LABELS)
    )
    if dialogs is None or labels is None:
        return None
    single = files.read_labelled_exchanges(files.read_crowd_dialogs(dialogs), labels)

    panels = []
    for rows, value, title, up in (
        (
            aggregate_turns(single, ["dialog"], "label"),
            "mean",
            "conversations, r = {} (paper .85)",
            "share labelled engaging",
        ),
        (single, "label", "utterances, r = {} (paper .60)", "label"),
    ):
        r = format_correlation(rows.select(pl.corr("score", value)).item())
        points = tuple((x, y) for x, y in rows.select("score", value).iter_rows())
        title = f"{rows.height} {title.format(r)}"
        panels.append(Bubbles(title, "engagement score of the conversation", up, points))
    caption = (
        "Labels 0 and 1, where the paper has means of five ratings, which are not published. "
        "All 25 conversations with a bot have the score 0. Area: how many."
    )
    return bubbles_figure(panels, caption, WIDTH)


def classifier_figure(cells: Sequence[Cell]) -> Html | None:
    """Balanced accuracy and AUC on each test set, in both readings."""
    groups = [
        level_group(cells, f"{FIGURE_4}{what}", what, 0.5, is_ours=lambda c: c.column in HEADS)
        for what in (BALANCED, AUC)
    ]
    caption = (
        "Dot: mean over seeds; line: 95% CI over conversations; vertical line: chance. "
        "Hollow: baselines."
    )
    return draw_levels(groups, caption)


def correlation_figure(cells: Sequence[Cell]) -> Html | None:
    """How engagement alone correlates with people's ratings, beside length.

    The paper's figure has engagement only; baselines show how much of it plain numbers reach.
    """
    authors = (correlations.AUTHORS + MEAN, correlations.AUTHORS + MAX)
    combinations = tuple(f"{name} of " for name in correlations.COMBINATIONS.values())
    others = (correlations.AUTHORS, *combinations, "relevance")
    own = [c for c in cells if c.column in authors or not c.column.startswith(others)]

    def is_ours(cell: Cell) -> bool:
        return not cell.column.startswith((correlations.AUTHORS, "length", "question", "coherence"))

    groups = [
        level_group(own, correlations.correlation_table(kind), kind.title(), 0.0, is_ours=is_ours)
        for kind in KINDS
    ]
    caption = (
        "Dot: correlation with the mean of three ratings; line: 95% CI over queries; "
        "coloured tick: what the paper prints; hollow: the authors' scores and plain numbers."
    )
    return draw_levels(groups, caption)
