"""The public data sets of Giorgi et al. (2023): where they stand, and their gold values."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import polars as pl

from simpatico.readers import Conversations
from simpatico.readers.judgement_files import read_judgements
from simpatico.turns import Turns


class DataSet(NamedTuple):
    """A data set: its file below the folder of all data, its format, what people were asked.

    `single`: the ratings of single judges are there, not only their mean. `dialogs`: whole dialogs
    were judged.
    """

    name: str
    folder: str
    file: str
    format: str
    qualities: tuple[str, ...]
    single: bool = True
    dialogs: bool = False

    def found(self, data: Path) -> Path | None:
        """Its place in `data`, which may also be the folder of this set alone."""
        tries = (data / self.folder / self.file, data / self.file)
        place = next((path for path in tries if path.is_file()), None)
        return place.parent if place and self.format == "dstc7" else place


APPROPRIATE, OVERALL, RELEVANT = ("appropriateness",), ("overall",), ("relevance",)
BOTH = ("relevance", "informativeness")
TEST, DEV = ("dstc10-test", "dstc10-dev")

POOL = tuple(
    DataSet(name, TEST, f"{file}_eval-addrank.json", TEST, APPROPRIATE, single=False)
    for name, file in {
        "TD10": "dstc10-topical_clean",
        "PD10": "dstc10-persona_clean",
        "ESL": "esl",
        "NCM": "ncm",
        "JSALT": "jsalt",
    }.items()
)
"""The sets of Table 1, which the paper throws together."""

SETS = (
    *POOL,
    DataSet("D7", "dstc7", "dstc7-task2-context.tsv", "dstc7", BOTH),
    DataSet("GD", DEV, "dailydialog-gupta_eval.json", DEV, OVERALL, single=False),
    DataSet("HU", "humod", "humod_1000_joined.jsonl", "humod", RELEVANT, single=False),
    DataSet("TP", DEV, "topical-usr_eval.json", DEV, OVERALL),
    DataSet("UP", DEV, "persona-usr_eval.json", DEV, OVERALL),
    DataSet("ZD", DEV, "dailydialog-zhao_eval.json", DEV, APPROPRIATE),
    DataSet("ZP", DEV, "persona-zhao_eval.json", DEV, APPROPRIATE),
    DataSet("FT", DEV, "fed-turn_eval.json", DEV, OVERALL),
    DataSet("FED-Dial", DEV, "fed-dial_eval.json", DEV, OVERALL, dialogs=True),
)


def read_set(path: Path, format: str) -> Turns:
    """All conversations of a data set, without references that are the responses themselves."""
    (chunk,) = Conversations((path,), format=format).chunks(10**9)
    turns = chunk.turns
    own = pl.col("references").list.contains(pl.col("text")).fill_null(False)
    if not turns.frame.filter(turns.scored).select(own.all()).item():
        return turns
    # JSALT: each of its 741 references is the very response, so that likeness says nothing
    return Turns(turns.frame.with_columns(references=pl.lit(None, pl.List(pl.String))))


def gold(set: DataSet, path: Path) -> pl.DataFrame:
    """The median over judges; where a set has two qualities, of each judge's mean of both."""
    unit = ["dialog", "speaker"] if set.dialogs else ["dialog", "turn", "speaker"]
    judged = read_judgements(path, format=set.format).frame.filter(
        pl.col("quality").str.to_lowercase().is_in(set.qualities)
    )
    each = judged.group_by(*unit, "judge", maintain_order=True).agg(pl.col("value").mean())
    return each.group_by(unit, maintain_order=True).agg(judged=pl.col("value").median())
