"""What Giorgi et al. (2023) print: adjusted R² of psychological metrics alone, the columns "P".

They are the same down a column of each table, whatever traditional metric the row names.
"""

from __future__ import annotations

from typing import NamedTuple

TRAITS = ("agreeableness", "empathy")
STATES = ("emotional_entropy", "emotion_matching", "style_matching")
METRICS = (*TRAITS, *STATES)
"""In the order of the paper's columns."""

ALL = "all together"
POOLED, WITHIN, DIALOGS = "pooled", "within sets", "FED-Dial"


class Row(NamedTuple):
    """A table, or a block of one: the figures of `METRICS`, null where there is no column."""

    table: str
    figures: tuple[float | None, ...]
    together: float | None


PAPER = {
    "D7": Row("8", (0.000, 0.000, 0.023, 0.001, 0.000), 0.009),
    "ESL": Row("9", (0.002, 0.005, 0.004, 0.000, 0.011), 0.009),
    "GD": Row("10", (0.005, 0.000, 0.005, 0.002, 0.004), 0.009),
    "HU": Row("11", (0.000, 0.000, 0.006, 0.013, 0.002), 0.009),
    "NCM": Row("12", (0.001, 0.000, 0.009, 0.006, 0.001), 0.009),
    "PD10": Row("13", (0.000, 0.000, 0.019, 0.012, 0.006), 0.009),
    "TD10": Row("14", (0.000, 0.000, 0.000, 0.001, 0.002), 0.009),
    "TP": Row("15", (0.017, 0.000, 0.110, 0.003, 0.070), 0.009),
    "UP": Row("16", (0.003, 0.003, 0.130, 0.003, 0.019), 0.009),
    "ZD": Row("17", (0.001, 0.000, 0.020, 0.004, 0.013), 0.009),
    "ZP": Row("18", (0.002, 0.001, 0.000, 0.025, 0.040), 0.009),
    POOLED: Row("1", (None, None, 0.097, 0.001, 0.056), 0.148),
    WITHIN: Row("1", (None,) * 5, None),
    DIALOGS: Row("2", (0.044, 0.000, None, None, None), 0.040),
}
"""Table 7 (DSTC6) is left out: we do not have the data. Table 1 has .132 in one row for .148."""


def table_of(row: str) -> str:
    """The number of the table that holds this data set; a dash where the paper has none."""
    return PAPER[row].table if row in PAPER else "–"


def figure(row: str, column: str) -> float | None:
    """What the paper prints, if it does."""
    if row not in PAPER:
        return None
    if column == ALL:
        return PAPER[row].together
    return dict(zip(METRICS, PAPER[row].figures, strict=True)).get(column)
