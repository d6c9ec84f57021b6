"""What people said of the responses of each data set, by one value for each."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import polars as pl

from simpatico.readers.judgement_files import read_judgements
from simpatico.reproduction.metrics_and_people.published import MEAN, MEDIAN
from simpatico.reproduction.psychological_metrics.data import DataSet, read_set
from simpatico.turns import Level, Turns

ORIGINAL = "Original Ground Truth"
"""What the USR sets call the answers that are their references."""


class View(NamedTuple):
    """One row per judged response or dialog: dialog, prompt, judged, system."""

    table: str
    rows: pl.DataFrame
    note: list[str]


class People(NamedTuple):
    """A data set: its conversations, and people's values in one or two ways of taking them."""

    set: DataSet
    turns: Turns
    views: list[View]

    @property
    def level(self) -> Level:
        return "dialog" if self.set.dialogs else "turn"


def people(set: DataSet, path: Path) -> People:
    """All of a data set."""
    turns = read_set(path, set.format)
    units = turns.frame.filter(turns.scored).select("dialog", "speaker", "turn", "prompt", "system")
    return People(set, turns, list(views(set, path, units)))


def views(set: DataSet, path: Path, units: pl.DataFrame) -> list[View]:
    """The median over judges, as psychological papers have it; the mean, as others do.

    Where the file has means only, there is nothing else.
    """
    each = by_judge(set, path)
    found = [View(MEAN, joined(set, units, each, pl.col("value").mean()), asked(set))]
    if set.single:
        mean = found[0]
        kept = mean.rows.filter(pl.col("system").ne_missing(ORIGINAL))
        if kept.height < mean.rows.height:
            told = "without the original answers, which are the references"
            found = [View(MEAN, kept, [*mean.note, told])]
        median = joined(set, units, each, pl.col("value").median())
        found.insert(0, View(MEDIAN, median, asked(set)))
    return found


def by_judge(set: DataSet, path: Path) -> pl.DataFrame:
    """Each judge's value of each unit: the mean of the qualities asked for."""
    judged = read_judgements(path, format=set.format).frame.filter(
        pl.col("quality").str.to_lowercase().is_in(set.qualities)
    )
    keys = ["dialog", "turn", "speaker", "judge"]
    return judged.group_by(keys, maintain_order=True).agg(pl.col("value").mean())


def joined(set: DataSet, units: pl.DataFrame, each: pl.DataFrame, of: pl.Expr) -> pl.DataFrame:
    """The units that were judged, each with one value; a prompt of its own for every dialog."""
    keys = ["dialog", "speaker"] if set.dialogs else ["dialog", "turn", "speaker"]
    if set.dialogs:
        units = units.unique(keys, keep="first", maintain_order=True)
        units = units.with_columns(prompt=pl.col("dialog"))
    gold = each.group_by(keys, maintain_order=True).agg(judged=of)
    found = units.join(gold, on=keys, how="inner", validate="1:1", maintain_order="left")
    return found.select("dialog", "prompt", "system", "judged")


def asked(set: DataSet) -> list[str]:
    """What people judged."""
    return [f"judged: {' and '.join(set.qualities)}"]
