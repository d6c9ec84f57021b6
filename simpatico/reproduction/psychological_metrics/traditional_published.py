"""Scores of traditional metrics that others published, laid beside our rows by their text."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl

AMFM = ("AM", "FM", "AM-FM")
MODEL = "model"
FILES = {
    "GD": "dailydialog-gupta",
    "TP": "topical-usr",
    "UP": "persona-usr",
    "ZD": "dailydialog-zhao",
    "ZP": "persona-zhao",
    "FT": "fed-turn",
    "FED-Dial": "fed-dial",
}
Key = tuple[str, ...]
Unit = dict[str, str]


class Published(NamedTuple):
    """A metric's scores by a key of texts, and how to get that key from a row of ours."""

    metric: str
    scores: dict[Key, float]
    key: Callable[[Unit], Key]


def traditional(rows: pl.DataFrame, name: str, data: Path) -> pl.DataFrame:
    """One column for each published metric of this data set; null where no text agrees."""
    if name == "HU":
        return from_extras(rows)
    units = list(rows.select("dialog", "text", "heard", "extras").iter_rows(named=True))
    return pl.DataFrame(
        [
            pl.Series(p.metric, [p.scores.get(p.key(unit)) for unit in units], pl.Float64)
            for p in published(name, data)
        ]
    )


def published(name: str, data: Path) -> Iterator[Published]:
    """What is there for a data set."""
    path = data / "amfm-scores" / f"{FILES.get(name, '')}_results.csv"
    if path.is_file():
        for metric, scores in amfm(path).items():
            yield Published(metric, scores, answered)
    for metric, folder, key in USR if name == "TP" else ():
        if (data / folder / "dev.tsv").is_file():
            yield Published(metric, usr(data / folder), key)


def from_extras(rows: pl.DataFrame) -> pl.DataFrame:
    """The scores that stand in the data set's own rows."""
    told = [json.loads(extras or "{}") for extras in rows["extras"]]
    am, fm = (pl.Series(n, [t.get(n.lower()) for t in told], pl.Float64) for n in ("AM", "FM"))
    return pl.DataFrame([am, fm, ((am + fm) / 2).alias("AM-FM")])


def amfm(path: Path) -> dict[str, dict[Key, float]]:
    """AM, FM and their mean by dialog and text; columns called annotations hold no ratings.

    fed-turn has two damaged rows, whose text is not that of any response.
    """
    found: dict[str, dict[Key, float]] = {metric: {} for metric in AMFM}
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        for row in csv.DictReader(file):
            key = (row["dialogue_id"], letters(spoken(row)))
            pair = number(row["am_scores"]), number(row["fm_scores"])
            if None not in pair:
                am, fm = pair[0] or 0.0, pair[1] or 0.0
                for metric, value in zip(AMFM, (am, fm, (am + fm) / 2), strict=True):
                    found[metric][key] = value
    return found


def spoken(row: Unit) -> str:
    """The response of a row, or all the model says in its dialog, which is written as Python."""
    if "response" in row:
        return row["response"].removeprefix("System: ")
    try:
        return "".join(m["text"] for m in ast.literal_eval(row["dialog"]) if m["speaker"] == MODEL)
    except (ValueError, SyntaxError, TypeError, KeyError):
        return ""


def usr(folder: Path) -> dict[Key, float]:
    """A score of USR by text; the first row of the table was taken for a header by its authors."""
    table = (folder / "dev.tsv").read_text(encoding="utf-8").rstrip("\n").split("\n")[1:]
    scores = json.loads((folder / "dr.scores").read_text(encoding="utf-8"))
    if len(table) != len(scores):
        return {}
    return {written(line): float(value) for line, value in zip(table, scores, strict=True)}


def written(line: str) -> Key:
    """Context and response without marks of beginning and end."""
    cells = re.sub(r"\b_(go|eos)\b", " ", line).split("\t")
    return letters(cells[3]), letters(cells[4])


def answered(unit: Unit) -> Key:
    return unit["dialog"], letters(unit["text"])


def in_context(unit: Unit) -> Key:
    return letters((unit["heard"] or "") + fact(unit)), letters(unit["text"])


def on_fact(unit: Unit) -> Key:
    return letters(fact(unit)), letters(unit["text"])


def fact(unit: Unit) -> str:
    return str(json.loads(unit["extras"] or "{}").get("fact", ""))


def letters(text: str) -> str:
    """Letters and digits only: files differ in spaces, quotation marks and broken characters."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


USR = (
    ("USR DR(c)", "usr-scores/both", in_context),
    ("USR DR(f)", "usr-scores/fct", on_fact),
)
"""USR's third part, the masked language model, is left out: its file has no text to go by."""
