"""What Giorgi et al. (2023), Psychological Metrics for Dialog System Evaluation, print.

All figures are adjusted R² of people's judgements. P: psychological metrics alone, the same down a
column of each table, whatever traditional metric the row names. T: a traditional metric alone.
P+T: both. Stars are the paper's: p < .05, .01, .001, corrected by Bonferroni in Tables 1 and 2 and
by Benjamini and Hochberg in Tables 8 to 18.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from simpatico.reproduction.cells import printed_tables

TRAITS = ("agreeableness", "empathy")
STATES = ("emotional_entropy", "emotion_matching", "style_matching")
METRICS = (*TRAITS, *STATES)
"""In the order of the paper's columns."""

ALL = "all together"
POOLED, WITHIN, DIALOGS = "pooled", "within sets", "FED-Dial"


def table_number(row: str) -> str:
    """The number of the table that holds this data set; a dash where the paper has none."""
    return str(printed_tables("psychological_metrics")["p"].get(row, {}).get("table", "–"))


def metrics_of(row: str) -> tuple[str, ...]:
    """Table 1 has the metrics of turns, Table 2 those of dialogs, the others all."""
    return {POOLED: STATES, WITHIN: STATES, DIALOGS: TRAITS}.get(row, METRICS)


def paper_r2(row: str, column: str) -> float | None:
    """The figure P of a data set and a psychological metric, or of all of them together."""
    figure: float | None = printed_tables("psychological_metrics")["p"].get(row, {}).get(column)
    return figure


class IncrementalFigure(NamedTuple):
    """A figure T or P+T, with its stars as a text of their own."""

    value: float
    stars: str


def paper_incremental_r2(row: str, metric: str, column: str = "") -> IncrementalFigure | None:
    """T of a traditional metric, or its P+T with `column`; null where the paper has none."""
    return incremental_figures().get((row, metric, column))


@cache
def incremental_figures() -> dict[tuple[str, str, str], IncrementalFigure]:
    """Every T and P+T by data set, traditional metric and what was added to it."""
    figures: dict[tuple[str, str, str], IncrementalFigure] = {}
    for row, lines in printed_tables("psychological_metrics")["incremental_r2"].items():
        for metric, line in lines.items():
            for column, text in zip(("", *metrics_of(row), ALL), line.split(), strict=True):
                value = text.rstrip("*")
                stars = text.removeprefix(value)
                figures[row, metric, column] = IncrementalFigure(float(value), stars)
    return figures
