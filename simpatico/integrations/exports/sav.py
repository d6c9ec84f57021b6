"""SPSS: a row per unit, a variable per score with title and range as its label, and the reasons.

A score that is null is system-missing. Needs pyreadstat.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from simpatico.integrations import import_host
from simpatico.integrations.exports import Export
from simpatico.run.long import select_scores
from simpatico.turns import KEYS

TITLE = "Scores of simpatico"
"""The file's label, by which we know our own."""
LONGEST = 64
"""Bytes of a variable's name."""
NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_]+")


def write(export: Export, path: Path) -> None:
    """The keys, the columns of the input, and the scores with their reasons."""
    host = import_host("pyreadstat", "pyreadstat")
    run, frame = export.run, export.frame()
    scores = select_scores(run, frame, export.scores, every=export.every)
    reasons = {f"{run.metric_by_score[score]}_null" for score in scores}
    wanted = {*KEYS[export.level], "prompt", *run.facts.get("columns", []), *scores, *reasons}
    frame = frame.select(column for column in frame.columns if column in wanted)
    frame = frame.with_columns(pl.col(pl.Datetime).dt.replace_time_zone(None))
    names = variable_names(frame.columns)
    facts = [score for about in run.facts["metrics"].values() for score in about["scores"]]
    labels = {names[s["name"]]: label(s) for s in facts if s["name"] in scores}
    host.write_sav(frame.rename(names), str(path), file_label=TITLE, column_labels=labels)


def label(score: dict[str, Any]) -> str:
    """A score's title and range in a line."""
    low, high = (None if end is None else f"{end:.4g}" for end in score["range"])
    span = f" ({low} to {high})" if low and high else f" (from {low})" if low else ""
    better = f", {score['better']} is better" if score["better"] else ""
    return f"{score['title'] or score['name']}{span}{better}"


def variable_names(columns: Iterable[str]) -> dict[str, str]:
    """Names that SPSS takes: ASCII letters, digits and underscores, a letter first, none twice."""
    names: dict[str, str] = {}
    for column in columns:
        plain = NOT_IN_A_NAME.sub("_", column).strip("_") or "column"
        plain = plain if plain[0].isalpha() else f"v_{plain}"
        name, number = plain[:LONGEST], 2
        while name.lower() in {taken.lower() for taken in names.values()}:
            ending = f"_{number}"
            name, number = plain[: LONGEST - len(ending)] + ending, number + 1
        names[column] = name
    return names
