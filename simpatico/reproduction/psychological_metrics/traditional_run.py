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
from simpatico.reproduction.sample import score_sample
from simpatico.reproduction.weights import RunnableMetric, runnable_metric

PRISM = (
    "the paper does not say what it gave Prism: unreferenced is taken as response and what it "
    "answers, each given the other; context as the response given what it answers"
)
NO_MAUVE = (
    "Mauve: it compares all texts of a system with all texts of people, and has no value for one"
)
PUBLISHED = ("scores of AM, FM and USR are as their authors published them, not in the paper",)


class PaperMetric(NamedTuple):
    """A metric as the paper calls it, as we call it, and with which parameters."""

    paper: str
    name: str
    parameters: dict[str, Any]


PAPER_METRICS = (
    PaperMetric("BARTScore", "bart_score", {}),
    PaperMetric("BERTScore", "bert_score", {}),
    PaperMetric("BLEURT", "bleurt", {}),
    PaperMetric("DialogRPT", "dialog_rpt", {}),
    PaperMetric("Prism ref.", "prism", {}),
    PaperMetric("Prism Unref.", "prism", {"mode": "unreferenced"}),
    PaperMetric("Prism Context", "prism", {"mode": "source"}),
    PaperMetric("USL-H", "usl_h", {}),
)
METRIC_NAMES = tuple(dict.fromkeys(metric.name for metric in PAPER_METRICS))


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
        self.runnable: dict[str, tuple[PaperMetric, RunnableMetric]] = {}
        self.omissions = [NO_MAUVE] if names else []
        for metric in (m for m in PAPER_METRICS if m.name in names):
            parameters = request.parameters_of(metric.name) | metric.parameters
            runnable = runnable_metric(metric.name, **parameters)
            if isinstance(runnable, RunnableMetric):
                self.runnable[metric.paper] = metric, runnable
            else:
                self.omissions.append(f"{metric.paper}: {runnable}")

    def columns(self, rows: pl.DataFrame, data_set: DataSet, data: Path) -> list[MetricColumn]:
        """A column for each metric, in the order of the rows: published scores first, then ours."""
        columns = [
            MetricColumn(scores, PUBLISHED)
            for scores in published_columns(rows, data_set.name, data)
        ]
        path = data_set.locate(data)
        if not self.runnable or path is None:
            return columns
        turns, level = read_turns(path, data_set.format), data_set.level
        for metric, runnable in self.runnable.values():
            self.tell(f"{data_set.name}: {runnable.label}")
            sample = score_sample(turns, runnable, level=level, sample=self.sample)
            joined = rows.select("dialog").join(
                sample.scores, on="dialog", how="left", validate="1:1", maintain_order="left"
            )
            scores = joined[runnable.metric.name].alias(runnable.label)
            notes = [*sample.notes, PRISM] if metric.parameters else sample.notes
            columns.append(MetricColumn(scores, tuple(notes), metric.paper))
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
