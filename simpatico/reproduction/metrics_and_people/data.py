"""People's ratings of the responses of each data set, aggregated to one value for each."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import polars as pl

from simpatico.reproduction.metrics_and_people.published import MEAN, MEDIAN
from simpatico.reproduction.psychological_metrics.data import DataSet, ratings_by_judge, read_turns
from simpatico.turns import Turns

ORIGINAL = "Original Ground Truth"
"""What the USR sets call the answers that are their references."""


class RatingView(NamedTuple):
    """One row per rated response or dialog: dialog, prompt, system, rating."""

    table: str
    rows: pl.DataFrame
    notes: list[str]


class RatedSet(NamedTuple):
    """A data set: its conversations, and people's ratings aggregated in one or two ways."""

    data_set: DataSet
    turns: Turns
    views: list[RatingView]


def read_rated_set(data_set: DataSet, path: Path) -> RatedSet:
    """Conversations with ratings: the median over judges, as psychological papers have it, and the
    mean, as others do. Where the file has means only, there is nothing else."""
    turns = read_turns(path, data_set.format)
    by_judge = ratings_by_judge(data_set, path, ["dialog", "turn", "speaker"])
    note = f"judged: {' and '.join(data_set.qualities)}"
    rows = rated_units(data_set, turns, by_judge, pl.col("value").mean())
    if not data_set.single_judges:
        return RatedSet(data_set, turns, [RatingView(MEAN, rows, [note])])
    median = rated_units(data_set, turns, by_judge, pl.col("value").median())
    notes, without_original = [note], rows.filter(pl.col("system").ne_missing(ORIGINAL))
    if without_original.height < rows.height:
        rows = without_original
        notes.append("without the original answers, which are the references")
    views = [RatingView(MEDIAN, median, [note]), RatingView(MEAN, rows, notes)]
    return RatedSet(data_set, turns, views)


def rated_units(
    data_set: DataSet, turns: Turns, by_judge: pl.DataFrame, aggregate: pl.Expr
) -> pl.DataFrame:
    """The scored units that were rated, each with one value; where whole dialogs were rated, each
    dialog is a prompt of its own."""
    keys = data_set.keys
    units = turns.frame.filter(turns.scored).select("dialog", "speaker", "turn", "prompt", "system")
    if data_set.rates_dialogs:
        units = units.unique(keys, keep="first", maintain_order=True)
        units = units.with_columns(prompt=pl.col("dialog"))
    ratings = by_judge.group_by(keys, maintain_order=True).agg(rating=aggregate)
    rows = units.join(ratings, on=keys, how="inner", validate="1:1", maintain_order="left")
    return rows.select("dialog", "prompt", "system", "rating")
