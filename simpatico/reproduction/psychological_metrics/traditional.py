"""The traditional metrics (T) of Giorgi et al. (2023): run here, or as others published them.

Those that run use the weights that there are. Published scores are joined to our rows by text:
AM-FM, the baseline of DSTC10 (Zhang et al. 2021), and USR (Mehri and Eskenazi 2020) on
Topical-Chat. The files name responses in different ways, so each has its own key of texts.
"""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from simpatico.errors import UnknownName, suggest_names
from simpatico.reproduction.csv_files import ascii_key
from simpatico.reproduction.psychological_metrics.data import DataSet, read_turns
from simpatico.reproduction.request import Request, Tell
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
AMFM = ("AM", "FM", "AM-FM")
AMFM_FILES = {
    "GD": "dailydialog-gupta",
    "TP": "topical-usr",
    "UP": "persona-usr",
    "ZD": "dailydialog-zhao",
    "ZP": "persona-zhao",
    "FT": "fed-turn",
    "FED-Dial": "fed-dial",
}
USR = {"USR DR(c)": "usr-scores/both", "USR DR(f)": "usr-scores/fct"}
"""USR's dialog retrieval, given context and fact or the fact alone. Its third part, the masked
language model, is left out: its file has no texts."""
HUMOD = "HU"
SETS_WITH_PUBLISHED_SCORES = (*AMFM_FILES, HUMOD)
Key = tuple[str, str]


class MetricColumn(NamedTuple):
    """Scores of one metric for every row, and what a reader must know; `paper`: its name there."""

    scores: pl.Series
    notes: tuple[str, ...]
    paper: str = ""


class TraditionalMetrics:
    """The traditional metrics that can run here, each read once per data set."""

    def __init__(self, request: Request, tell: Tell) -> None:
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
                if isinstance(runnable, str):
                    self.omissions.append(f"{title}: {runnable}")
                elif runnable.slow and request.metrics is None:
                    self.omissions.append(
                        f"{title}: it runs a language model, about a second per reply; add "
                        f"--metrics {name}"
                    )
                else:
                    self.runnable[title] = runnable

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
            # rows that were not sampled stay as nulls, so that all columns have the same rows
            table = rows.select("dialog").join(
                scores, on="dialog", how="left", validate="1:1", maintain_order="left"
            )
            column = table[runnable.metric.name].alias(runnable.label)
            notes += [PRISM] if PAPER_METRICS[title][1] else []
            columns.append(MetricColumn(column, tuple(notes), title))
        return columns


def pool_columns(sets: Sequence[Sequence[MetricColumn]]) -> list[MetricColumn]:
    """The columns that every one of these data sets has, one below the other.

    Published scores are not in the paper and not pooled.
    """
    by_label = [{c.scores.name: c for c in columns if c.paper} for columns in sets]
    return [
        MetricColumn(
            pl.concat([columns[label].scores for columns in by_label]),
            tuple(dict.fromkeys(note for columns in by_label for note in columns[label].notes)),
            first.paper,
        )
        for label, first in by_label[0].items()
    ]


def published_columns(rows: pl.DataFrame, name: str, data: Path) -> pl.DataFrame:
    """One column for each published metric of this data set; null where no text agrees."""
    extras = [json.loads(text or "{}") for text in rows["extras"]]
    if name == HUMOD:  # its scores stand in the data set's own rows
        am, fm = (pl.Series(n, [e.get(n.lower()) for e in extras], pl.Float64) for n in AMFM[:2])
        return pl.DataFrame([am, fm, ((am + fm) / 2).alias("AM-FM")])
    columns = []

    def join(metric: str, scores: dict[Key, float], names: list[str]) -> None:
        keys = zip(names, map(ascii_key, rows["text"]), strict=True)
        columns.append(pl.Series(metric, [scores.get(key) for key in keys], pl.Float64))

    path = data / "amfm-scores" / f"{AMFM_FILES.get(name, '')}_results.csv"
    if path.is_file():
        for metric, scores in read_amfm(path).items():
            join(metric, scores, rows["dialog"].to_list())
    facts = [str(extra.get("fact", "")) for extra in extras]
    contexts = [
        f"{context or ''}{fact}" for context, fact in zip(rows["context"], facts, strict=True)
    ]
    for (metric, folder), texts in zip(USR.items(), (contexts, facts), strict=True):
        if name == "TP" and (data / folder / "dev.tsv").is_file():
            join(metric, read_usr(data / folder), list(map(ascii_key, texts)))
    return pl.DataFrame(columns)


def read_amfm(path: Path) -> dict[str, dict[Key, float]]:
    """AM, FM and their mean by dialog and text; columns called annotations hold no ratings.

    fed-turn has two damaged rows, whose text is not that of any response.
    """
    scores: dict[str, dict[Key, float]] = {metric: {} for metric in AMFM}
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        for row in csv.DictReader(file):
            key = (row["dialogue_id"], ascii_key(response_of(row)))
            with suppress(ValueError):  # a row without both numbers has no score
                am, fm = float(row["am_scores"]), float(row["fm_scores"])
                for metric, value in zip(AMFM, (am, fm, (am + fm) / 2), strict=True):
                    scores[metric][key] = value
    return scores


def response_of(row: dict[str, str]) -> str:
    """The response of a row, or all the model says in its dialog, which is written as Python."""
    if "response" in row:
        return row["response"].removeprefix("System: ")
    try:
        messages = ast.literal_eval(row["dialog"])
        return "".join(m["text"] for m in messages if m["speaker"] == "model")
    except (ValueError, SyntaxError, TypeError, KeyError):
        return ""


def read_usr(folder: Path) -> dict[Key, float]:
    """A score of USR by text; the first row of the table was taken for a header by its authors."""
    table = (folder / "dev.tsv").read_text(encoding="utf-8").rstrip("\n").split("\n")[1:]
    scores = json.loads((folder / "dr.scores").read_text(encoding="utf-8"))
    if len(table) != len(scores):  # they are joined by position: another file would shift them all
        return {}
    by_text: dict[Key, float] = {}
    for line, value in zip(table, scores, strict=True):
        # the texts carry the special tokens _go and _eos
        cells = re.sub(r"\b_(go|eos)\b", " ", line).split("\t")
        by_text[ascii_key(cells[3]), ascii_key(cells[4])] = float(value)
    return by_text
