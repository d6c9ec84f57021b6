"""Rated replies and dialogs for `simpatico train rating`, each set standardised by itself.

A unit is a rated turn, or all replies of a rated speaker in a dialog. Ratings are standardised per
quality, and per judge where one gave five or more, so that scales and habits of judges do not
matter; a unit has the mean over judges and qualities, standardised within its set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.errors import DataError
from simpatico.features import Features, closure
from simpatico.features.degenerate import Degenerate
from simpatico.features.replies import Replies, find_replies
from simpatico.features.script import OtherScript
from simpatico.features.words import Words
from simpatico.readers import Conversations
from simpatico.readers.judgement_files import read_judgements
from simpatico.turns import Turns

MIN_RATINGS = 5
"""A judge of fewer ratings of a quality keeps their own mean: it says too little about them."""
MIN_UNITS = 30
"""Of a set; fewer say nothing about what people like."""
TABLES = ("table",)
"""Formats that say nothing about where a file comes from, unlike those of a benchmark."""


@dataclass(frozen=True, eq=False)
class RatedSet:
    """Rated units of one file; `replies` holds the replies of all units, `unit` whose each is."""

    name: str
    group: str
    """Sets of one source are left out together."""
    level: Literal["turn", "dialog"]
    replies: Replies
    unit: Ints
    words: Floats
    """Words of each reply."""
    rating: Floats
    cluster: Ints
    """Of each unit: the prompt that it answers, or its dialog."""

    def means(self, values: Floats) -> Floats:
        """The mean over the replies of each unit; one row a reply in, one row a unit out."""
        sums = np.zeros((len(self.rating), *values.shape[1:]))
        np.add.at(sums, self.unit, values)
        counts = np.bincount(self.unit, minlength=len(self.rating))
        return sums / counts.reshape(-1, *[1] * (values.ndim - 1))


def read_rated_set(
    path: Path,
    *,
    format: str | None = None,
    judgements: Sequence[Path] = (),
    qualities: Sequence[str] = (),
) -> RatedSet:
    """The rated units of a file of conversations that holds ratings, or has them in other files."""
    (chunk,) = Conversations((path,), format=format).chunks(10**9)
    if not judgements and chunk.format in TABLES:
        raise DataError(f"{path}: conversations without ratings; name their file with --judgements")
    tables = [read_judgements(one).frame for one in judgements]
    tables = tables or [read_judgements(path, format=chunk.format).frame]
    ratings = pl.concat(tables).drop_nulls("value")
    if not ratings.height:
        files = " and ".join(one.name for one in judgements) or path.name
        raise DataError(f"{files}: no rating has a value; there is nothing to learn")
    if qualities:
        wanted = [quality.lower() for quality in qualities]
        ratings = ratings.filter(pl.col("quality").str.to_lowercase().is_in(wanted))
    if not ratings.height:
        known = sorted(pl.concat(tables)["quality"].unique())
        raise DataError(f"{path}: no ratings of {list(qualities)}; it has {known}")
    levels = ratings["turn"].is_null()
    if levels.any() and not levels.all():
        raise DataError(
            f"{path}: ratings of turns and of dialogs; choose qualities of one kind with --quality"
        )
    return join_ratings(path, chunk.turns, standardise_ratings(ratings), chunk.format)


def standardise_ratings(ratings: pl.DataFrame) -> pl.DataFrame:
    """dialog, turn, speaker, rating: one row a unit, the mean over judges and qualities."""
    z = {}
    for name, over in (("judge", ["quality", "judge"]), ("all", ["quality"])):
        value = pl.col("value")
        sd = value.std(ddof=0).over(over)
        z[name] = pl.when(sd > 0).then((value - value.mean().over(over)) / sd).otherwise(0.0)
    many = pl.col("judge").is_not_null() & (pl.len().over("quality", "judge") >= MIN_RATINGS)
    rows = ratings.with_columns(rating=pl.when(many).then(z["judge"]).otherwise(z["all"]))
    return rows.group_by("dialog", "turn", "speaker", maintain_order=True).agg(
        pl.col("rating").mean()
    )


def join_ratings(path: Path, turns: Turns, ratings: pl.DataFrame, format: str) -> RatedSet:
    """The rated units among the turns."""
    needs = (Words(), OtherScript(), Degenerate())
    features = Features(turns, closure(needs))
    table = features[Words()]
    usable = (table.counts > 0) & ~features[OtherScript()] & ~features[Degenerate()]
    replies = find_replies(turns, table, usable)
    level: Literal["turn", "dialog"] = "dialog" if ratings["turn"].is_null().all() else "turn"
    keys = ["dialog", "speaker"] if level == "dialog" else ["dialog", "turn"]
    units = turns.frame.select("dialog", "turn", "speaker", "prompt")[replies.row]
    units = units.with_columns(reply=pl.int_range(pl.len()))
    ratings = ratings.group_by(keys, maintain_order=True).agg(pl.col("rating").mean())
    joined = units.join(ratings.with_row_index("unit"), on=keys, how="inner", maintain_order="left")
    unit = joined["unit"].rank("dense").to_numpy().astype(np.int64) - 1
    first = joined.unique("unit", keep="first", maintain_order=True).sort("unit")
    if first.height < MIN_UNITS:
        raise DataError(
            f"{path}: {first.height} rated {level}s that answer something; a set needs {MIN_UNITS}"
        )
    rating = first["rating"].to_numpy()
    if not (sd := rating.std()):
        raise DataError(f"{path}: all ratings are the same; there is nothing to learn")
    taken = replies.take(joined["reply"].to_numpy().astype(np.int64))
    cluster = first.select(pl.coalesce("prompt", "dialog").rank("dense")).to_series()
    return RatedSet(
        path.name,
        path.name if format in TABLES else format,
        level,
        taken,
        unit,
        table.counts[taken.row].astype(np.float64),
        (rating - rating.mean()) / sd,
        cluster.to_numpy().astype(np.int64),
    )
