"""The traditional metrics of Giorgi et al. (2023), run here with the weights that there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from simpatico.errors import UnknownName
from simpatico.registry import suggestion
from simpatico.reproduction.psychological_metrics.data import DataSet, read_set
from simpatico.reproduction.psychological_metrics.traditional_published import traditional
from simpatico.reproduction.request import Asked
from simpatico.reproduction.sample import measured
from simpatico.reproduction.weights import Way, way

PRISM = (
    "the paper does not say what it gave Prism: unreferenced is taken as response and what it "
    "answers, each given the other; context as the response given what it answers"
)


class Other(NamedTuple):
    """A metric as the paper calls it, as we call it, and with which parameters."""

    paper: str
    name: str
    parameters: dict[str, Any]


METRICS = (
    Other("BARTScore", "bart_score", {}),
    Other("BERTScore", "bert_score", {}),
    Other("BLEURT", "bleurt", {}),
    Other("DialogRPT", "dialog_rpt", {}),
    Other("Prism ref.", "prism", {}),
    Other("Prism Unref.", "prism", {"mode": "unreferenced"}),
    Other("Prism Context", "prism", {"mode": "source"}),
    Other("USL-H", "usl_h", {}),
)
OTHERS = tuple(dict.fromkeys(other.name for other in METRICS))
NO_MAUVE = (
    "Mauve: it compares all texts of a system with all texts of people, and has no value for one"
)


class Column(NamedTuple):
    """Scores of one metric for every row, and what a reader must know; `paper`: its name there."""

    scores: pl.Series
    note: tuple[str, ...]
    paper: str = ""


PUBLISHED = ("scores of AM, FM and USR are as their authors published them, not in the paper",)


class Others:
    """The traditional metrics that can run here, each read once per data set."""

    def __init__(self, asked: Asked, tell: Callable[[str], object]) -> None:
        chosen = OTHERS if asked.metrics is None else asked.metrics
        if unknown := [name for name in chosen if name not in OTHERS]:
            raise UnknownName(
                f"the paper has no metric {unknown[0]!r}; {suggestion(unknown[0], OTHERS)}"
            )
        self.sample, self.tell = asked.sample, tell
        self.ways: dict[str, tuple[Other, Way]] = {}
        self.absent = [NO_MAUVE] if chosen else []
        for other in (o for o in METRICS if o.name in chosen):
            found = way(other.name, **(asked.of(other.name) | other.parameters))
            if isinstance(found, Way):
                self.ways[other.paper] = other, found
            else:
                self.absent.append(f"{other.paper}: {found}")

    def beside(self, rows: pl.DataFrame, set: DataSet, data: Path) -> list[Column]:
        """A column for each metric, in the order of the rows: published scores first, then ours."""
        told = traditional(rows, set.name, data)
        return [*(Column(s, PUBLISHED) for s in told), *self.run(rows, set, data)]

    def run(self, rows: pl.DataFrame, set: DataSet, data: Path) -> list[Column]:
        """The metrics that run here; those that score none of the rows are left out."""
        path = set.found(data)
        if not self.ways or path is None:
            return []
        turns, columns = read_set(path, set.format), []
        for other, one in self.ways.values():
            self.tell(f"{set.name}: {one.label}")
            done = measured(turns, one, "dialog" if set.dialogs else "turn", self.sample)
            found = rows.select("dialog").join(
                done.scores, on="dialog", how="left", validate="1:1", maintain_order="left"
            )
            scores = found[one.metric.name].alias(one.label)
            note = [*done.note, PRISM] if other.parameters else done.note
            columns.append(Column(scores, tuple(note), other.paper))
        return columns

    def pooled(self, sets: Sequence[Sequence[Column]]) -> list[Column]:
        """The columns that every one of these data sets has, one below the other."""
        by_label = [{c.scores.name: c for c in columns if c.paper} for columns in sets]
        return [
            Column(
                pl.concat([found[label].scores for found in by_label]),
                tuple(dict.fromkeys(told for found in by_label for told in found[label].note)),
                first.paper,
            )
            for label, first in by_label[0].items()
        ]
