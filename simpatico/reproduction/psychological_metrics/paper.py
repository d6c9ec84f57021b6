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


class PaperRow(NamedTuple):
    """A table, or a block of one: the figures P of `METRICS`, null where there is no column."""

    table: str
    figures: tuple[float | None, ...]
    all_metrics: float | None


PAPER = {
    "D7": PaperRow("8", (0.000, 0.000, 0.023, 0.001, 0.000), 0.009),
    "ESL": PaperRow("9", (0.002, 0.005, 0.004, 0.000, 0.011), 0.009),
    "GD": PaperRow("10", (0.005, 0.000, 0.005, 0.002, 0.004), 0.009),
    "HU": PaperRow("11", (0.000, 0.000, 0.006, 0.013, 0.002), 0.009),
    "NCM": PaperRow("12", (0.001, 0.000, 0.009, 0.006, 0.001), 0.009),
    "PD10": PaperRow("13", (0.000, 0.000, 0.019, 0.012, 0.006), 0.009),
    "TD10": PaperRow("14", (0.000, 0.000, 0.000, 0.001, 0.002), 0.009),
    "TP": PaperRow("15", (0.017, 0.000, 0.110, 0.003, 0.070), 0.009),
    "UP": PaperRow("16", (0.003, 0.003, 0.130, 0.003, 0.019), 0.009),
    "ZD": PaperRow("17", (0.001, 0.000, 0.020, 0.004, 0.013), 0.009),
    "ZP": PaperRow("18", (0.002, 0.001, 0.000, 0.025, 0.040), 0.009),
    POOLED: PaperRow("1", (None, None, 0.097, 0.001, 0.056), 0.148),
    WITHIN: PaperRow("1", (None,) * 5, None),
    DIALOGS: PaperRow("2", (0.044, 0.000, None, None, None), 0.040),
}
"""Table 7 (DSTC6) is left out: we do not have the data. Table 1 has .132 in one row for .148."""


def table_number(row: str) -> str:
    """The number of the table that holds this data set; a dash where the paper has none."""
    return PAPER[row].table if row in PAPER else "–"


def metrics_of(row: str) -> tuple[str, ...]:
    """Table 1 has the metrics of turns, Table 2 those of dialogs, the others all."""
    return {POOLED: STATES, WITHIN: STATES, DIALOGS: TRAITS}.get(row, METRICS)


def paper_r2(row: str, column: str) -> float | None:
    """The figure P of a data set and a psychological metric, or of all of them together."""
    if row not in PAPER:
        return None
    if column == ALL:
        return PAPER[row].all_metrics
    return dict(zip(METRICS, PAPER[row].figures, strict=True)).get(column)


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
