"""Scores of traditional metrics that others published, joined to our rows by their text.

AM-FM: the baseline of DSTC10 (Zhang et al. 2021); USR: Mehri and Eskenazi (2020), on Topical-Chat.
The files name responses in different ways, so each table of scores has its own key of texts.
"""

from __future__ import annotations

import ast
import csv
import json
import re
from contextlib import suppress
from pathlib import Path

import polars as pl

from simpatico.reproduction.csv_files import ascii_key

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
    if len(table) != len(scores):
        return {}
    by_text: dict[Key, float] = {}
    for line, value in zip(table, scores, strict=True):
        # the texts carry the special tokens _go and _eos
        cells = re.sub(r"\b_(go|eos)\b", " ", line).split("\t")
        by_text[ascii_key(cells[3]), ascii_key(cells[4])] = float(value)
    return by_text
