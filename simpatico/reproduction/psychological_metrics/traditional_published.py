"""Scores of traditional metrics that others published, joined to our rows by their text.

The files name responses in different ways, so each table of scores has its own key of texts.
"""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import polars as pl

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
HUMOD = "HU"
SETS_WITH_PUBLISHED_SCORES = (*AMFM_FILES, HUMOD)
Key = tuple[str, ...]
Unit = dict[str, str]


class PublishedScores(NamedTuple):
    """A metric's scores by a key of texts, and how to get that key from a row of ours."""

    metric: str
    scores: dict[Key, float]
    key: Callable[[Unit], Key]


def published_columns(rows: pl.DataFrame, name: str, data: Path) -> pl.DataFrame:
    """One column for each published metric of this data set; null where no text agrees."""
    if name == HUMOD:  # its scores stand in the data set's own rows
        extras = [json.loads(text or "{}") for text in rows["extras"]]
        am, fm = (pl.Series(n, [e.get(n.lower()) for e in extras], pl.Float64) for n in AMFM[:2])
        return pl.DataFrame([am, fm, ((am + fm) / 2).alias("AM-FM")])
    units = list(rows.select("dialog", "text", "context", "extras").iter_rows(named=True))
    return pl.DataFrame(
        [
            pl.Series(p.metric, [p.scores.get(p.key(unit)) for unit in units], pl.Float64)
            for p in read_published(name, data)
        ]
    )


def read_published(name: str, data: Path) -> Iterator[PublishedScores]:
    """The tables of scores that are there for a data set."""
    path = data / "amfm-scores" / f"{AMFM_FILES.get(name, '')}_results.csv"
    if path.is_file():
        for metric, scores in read_amfm(path).items():
            yield PublishedScores(metric, scores, dialog_key)
    for metric, folder, key in USR if name == "TP" else ():
        if (data / folder / "dev.tsv").is_file():
            yield PublishedScores(metric, read_usr(data / folder), key)


def read_amfm(path: Path) -> dict[str, dict[Key, float]]:
    """AM, FM and their mean by dialog and text; columns called annotations hold no ratings.

    fed-turn has two damaged rows, whose text is not that of any response.
    """
    scores: dict[str, dict[Key, float]] = {metric: {} for metric in AMFM}
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        for row in csv.DictReader(file):
            key = (row["dialogue_id"], letters_and_digits(response_of(row)))
            with suppress(ValueError):  # a row without both numbers has no score
                am, fm = float(row["am_scores"]), float(row["fm_scores"])
                for metric, value in zip(AMFM, (am, fm, (am + fm) / 2), strict=True):
                    scores[metric][key] = value
    return scores


def response_of(row: Unit) -> str:
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
    if len(table) != len(scores):
        return {}
    by_text: dict[Key, float] = {}
    for line, value in zip(table, scores, strict=True):
        # the texts carry the special tokens _go and _eos
        cells = re.sub(r"\b_(go|eos)\b", " ", line).split("\t")
        by_text[letters_and_digits(cells[3]), letters_and_digits(cells[4])] = float(value)
    return by_text


def dialog_key(unit: Unit) -> Key:
    """By dialog and response."""
    return unit["dialog"], letters_and_digits(unit["text"])


def context_key(unit: Unit) -> Key:
    """By context with fact, and response."""
    context = (unit["context"] or "") + fact_of(unit)
    return letters_and_digits(context), letters_and_digits(unit["text"])


def fact_key(unit: Unit) -> Key:
    """By fact and response."""
    return letters_and_digits(fact_of(unit)), letters_and_digits(unit["text"])


def fact_of(unit: Unit) -> str:
    """The fact that a response of Topical-Chat was to use."""
    return str(json.loads(unit["extras"] or "{}").get("fact", ""))


def letters_and_digits(text: str) -> str:
    """Nothing else: files differ in spaces, quotation marks and broken characters."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


USR = (
    ("USR DR(c)", "usr-scores/both", context_key),
    ("USR DR(f)", "usr-scores/fct", fact_key),
)
"""USR's third part, the masked language model, is left out: its file has no text to go by."""
