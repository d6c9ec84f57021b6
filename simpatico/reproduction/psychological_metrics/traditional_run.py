"""The traditional metrics of Giorgi et al. (2023), run here with the weights that there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from simpatico.errors import UnknownName, suggest_names
from simpatico.reproduction.psychological_metrics.data import DataSet, read_turns
from simpatico.reproduction.psychological_metrics.traditional_published import published_columns
from simpatico.reproduction.request import Request
from simpatico.reproduction.runnable import RunnableMetric, runnable_metric, score_sample

PRISM = (
    "the paper does not say what it gave Prism: unreferenced is taken as response and what it "
    "answers, each given the other; context as the response given what it answers"
)
NO_MAUVE = (
    "Mauve: it compares all texts of a system with all texts of people, and has no value for one"
)
PUBLISHED = ("scores of AM, FM and USR are as their authors published them, not in the paper",)


PAPER_METRICS: dict[str, tuple[str, dict[str, Any]]] = {
    "BARTScore": ("bart_score", {}),
    "BERTScore": ("bert_score", {}),
    "BLEURT": ("bleurt", {}),
    "DialogRPT": ("dialog_rpt", {}),
    "Prism ref.": ("prism", {}),
    "Prism Unref.": ("prism", {"mode": "unreferenced"}),
    "Prism Context": ("prism", {"mode": "source"}),
    "USL-H": ("usl_h", {}),
}
"""What the paper's metrics are called here, and their parameters."""
METRIC_NAMES = tuple(dict.fromkeys(name for name, _ in PAPER_METRICS.values()))


class MetricColumn(NamedTuple):
    """Scores of one metric for every row, and what a reader must know; `paper`: its name there."""

    scores: pl.Series
    notes: tuple[str, ...]
    paper: str = ""


class TraditionalMetrics:
    """The traditional metrics that can run here, each read once per data set."""

    def __init__(self, request: Request, tell: Callable[[str], object]) -> None:
        names = METRIC_NAMES if request.metrics is None else request.metrics
        if unknown := [name for name in names if name not in METRIC_NAMES]:
            raise UnknownName(
                f"the paper has no metric {unknown[0]!r}; {suggest_names(unknown[0], METRIC_NAMES)}"
            )
        self.sample, self.tell = request.sample, tell
        self.runnable: dict[str, RunnableMetric] = {}
        self.omissions = [NO_MAUVE] if names else []
        for title, (name, parameters) in PAPER_METRICS.items():
            if name in names:
                runnable = runnable_metric(name, **request.parameters_of(name) | parameters)
                if isinstance(runnable, RunnableMetric):
                    self.runnable[title] = runnable
                else:
                    self.omissions.append(f"{title}: {runnable}")

    def columns(self, rows: pl.DataFrame, data_set: DataSet, data: Path) -> list[MetricColumn]:
        """A column for each metric, in the order of the rows: published scores first, then ours."""
        columns = [
            MetricColumn(scores, PUBLISHED)
            for scores in published_columns(rows, data_set.name, data)
        ]
        path = data_set.locate(data)
        if not self.runnable or path is None:
            return columns
        turns = read_turns(path, data_set.format)
        for title, runnable in self.runnable.items():
            self.tell(f"{data_set.name}: {runnable.label}")
            scores, notes = score_sample(turns, runnable, level=data_set.level, sample=self.sample)
            aligned = rows.select("dialog").join(
                scores, on="dialog", how="left", validate="1:1", maintain_order="left"
            )
            column = aligned[runnable.metric.name].alias(runnable.label)
            notes += [PRISM] if PAPER_METRICS[title][1] else []
            columns.append(MetricColumn(column, tuple(notes), title))
        return columns


def pool_columns(sets: Sequence[Sequence[MetricColumn]]) -> list[MetricColumn]:
    """The columns that every one of these data sets has, one below the other."""
    by_label = [{c.scores.name: c for c in columns if c.paper} for columns in sets]
    return [
        MetricColumn(
            pl.concat([columns[label].scores for columns in by_label]),
            tuple(dict.fromkeys(note for columns in by_label for note in columns[label].notes)),
            first.paper,
        )
        for label, first in by_label[0].items()
    ]
