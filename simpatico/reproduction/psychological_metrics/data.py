"""The public data sets of Giorgi et al. (2023): files, people's ratings, and our scores.

Table 6 of the paper says which judgement stands for quality on each set, and that the median over
judges is the gold standard.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.errors import DataError
from simpatico.features.emotions import OURS
from simpatico.features.words import cut_words
from simpatico.readers import Conversations
from simpatico.readers.judgement_files import read_judgements
from simpatico.registry import load
from simpatico.reproduction.csv_files import locate_file
from simpatico.reproduction.psychological_metrics.paper import METRICS, STATES, TRAITS
from simpatico.scoring import score
from simpatico.turns import Level, Turns

DROPPED = "style_matching, empty dropped"
LENGTH = "words in the response"
COLUMNS = (*METRICS, DROPPED, LENGTH)


class DataSet(NamedTuple):
    """A data set: its file below the folder of all data, its format, what people were asked.

    `single_judges`: the ratings of single judges are there, not only their mean. `rates_dialogs`:
    whole dialogs were judged.
    """

    name: str
    folder: str
    file: str
    format: str
    qualities: tuple[str, ...]
    single_judges: bool = True
    rates_dialogs: bool = False

    @property
    def keys(self) -> list[str]:
        """The columns that name a rated unit."""
        return ["dialog", "speaker"] if self.rates_dialogs else ["dialog", "turn", "speaker"]

    @property
    def level(self) -> Level:
        """Of what the ratings are."""
        return "dialog" if self.rates_dialogs else "turn"

    def locate(self, data: Path) -> Path | None:
        """Its path in `data`, which may also be the folder of this set alone."""
        path = locate_file(data, self.folder, self.file)
        # the reader of DSTC7 takes the folder, whose files belong together
        return path.parent if path and self.format == "dstc7" else path


APPROPRIATE, OVERALL, RELEVANT = ("appropriateness",), ("overall",), ("relevance",)
BOTH = ("relevance", "informativeness")
TEST, DEV = ("dstc10-test", "dstc10-dev")

POOL = tuple(
    DataSet(name, TEST, f"{file}_eval-addrank.json", TEST, APPROPRIATE, single_judges=False)
    for name, file in {
        "TD10": "dstc10-topical_clean",
        "PD10": "dstc10-persona_clean",
        "ESL": "esl",
        "NCM": "ncm",
        "JSALT": "jsalt",
    }.items()
)
"""The sets of Table 1, which the paper pools."""

SETS = (
    *POOL,
    DataSet("D7", "dstc7", "dstc7-task2-context.tsv", "dstc7", BOTH),
    DataSet("GD", DEV, "dailydialog-gupta_eval.json", DEV, OVERALL, single_judges=False),
    DataSet("HU", "humod", "humod_1000_joined.jsonl", "humod", RELEVANT, single_judges=False),
    DataSet("TP", DEV, "topical-usr_eval.json", DEV, OVERALL),
    DataSet("UP", DEV, "persona-usr_eval.json", DEV, OVERALL),
    DataSet("ZD", DEV, "dailydialog-zhao_eval.json", DEV, APPROPRIATE),
    DataSet("ZP", DEV, "persona-zhao_eval.json", DEV, APPROPRIATE),
    DataSet("FT", DEV, "fed-turn_eval.json", DEV, OVERALL),
    DataSet("FED-Dial", DEV, "fed-dial_eval.json", DEV, OVERALL, rates_dialogs=True),
)


def locate_sets(data: Path) -> tuple[dict[DataSet, Path], list[str]]:
    """The data sets that are in the folder, and a line for each that is not."""
    paths = {s: path for s in SETS if (path := s.locate(data))}
    if not paths:
        raise DataError(
            f"{data} has no {SETS[0].file} nor any other of the data sets; it should hold some of "
            f"the folders {', '.join(dict.fromkeys(s.folder for s in SETS))}"
        )
    return paths, [f"{s.name}: no {s.folder}/{s.file}" for s in SETS if s not in paths]


def read_turns(path: Path, format: str) -> Turns:
    """All conversations of a data set, without references that are the responses themselves."""
    (chunk,) = Conversations((path,), format=format).chunks(10**9)
    turns = chunk.turns
    is_response = pl.col("references").list.contains(pl.col("text")).fill_null(False)
    if not turns.frame.filter(turns.scored).select(is_response.all()).item():
        return turns
    # JSALT: each of its 741 references is the very response, so that likeness says nothing
    return Turns(turns.frame.with_columns(references=pl.lit(None, pl.List(pl.String))))


def ratings_by_judge(data_set: DataSet, path: Path, keys: Sequence[str]) -> pl.DataFrame:
    """Each judge's value of each unit: the mean of the qualities asked for."""
    ratings = read_judgements(path, format=data_set.format).frame.filter(
        pl.col("quality").str.to_lowercase().is_in(data_set.qualities)
    )
    return ratings.group_by(*keys, "judge", maintain_order=True).agg(pl.col("value").mean())


def rated_units(
    data_set: DataSet, turns: Turns, by_judge: pl.DataFrame, aggregate: pl.Expr
) -> pl.DataFrame:
    """dialog, prompt, system, rating of the scored units that were rated, each with one value.

    Where whole dialogs were rated, each dialog is a prompt of its own.
    """
    keys = data_set.keys
    units = turns.frame.filter(turns.scored).select("dialog", "speaker", "turn", "prompt", "system")
    if data_set.rates_dialogs:
        units = units.unique(keys, keep="first", maintain_order=True)
        units = units.with_columns(prompt=pl.col("dialog"))
    ratings = by_judge.group_by(keys, maintain_order=True).agg(rating=aggregate)
    rows = units.join(ratings, on=keys, how="inner", validate="1:1", maintain_order="left")
    return rows.select("dialog", "prompt", "system", "rating")


def score_rated_units(data_set: DataSet, path: Path, lexicon: str | None) -> pl.DataFrame:
    """Rated units with our scores, their median rating and the prompt that they answer.

    `text`: the response; `context`: the turn before it; `extras`: what else the file says of it.
    """
    turns = read_turns(path, data_set.format)
    table = score_dialogs(turns) if data_set.rates_dialogs else score_responses(turns, lexicon)
    # where a set has two qualities, the median is of each judge's mean of both
    keys, by_judge = data_set.keys, ratings_by_judge(data_set, path, data_set.keys)
    ratings = by_judge.group_by(keys, maintain_order=True).agg(rating=pl.col("value").median())
    return (
        table.join(ratings, on=keys, how="inner", validate="1:1", maintain_order="left")
        # a prompt belongs to its data set, also where sets are pooled
        .with_columns(set=pl.lit(data_set.name), prompt=data_set.name + pl.col("prompt"))
        .select("set", "dialog", "prompt", "extras", "text", "context", "rating", *COLUMNS)
    )


def score_responses(turns: Turns, lexicon: str | None) -> pl.DataFrame:
    """Our scores of every response, with the baseline any metric should beat: its length."""
    emotions = {"lexicon": lexicon or OURS}
    states = [load(m, **({} if m == "style_matching" else emotions)) for m in STATES]
    table = score(turns, [*states, *(load(t, minimum_words=0) for t in TRAITS)])
    no_empty = score(turns, [load("style_matching", empty="drop")]).at("turn")["style_matching"]
    responses = turns.frame.filter(turns.scored)
    before = turns.answered[turns.scored]
    context = turns.frame["text"].gather(np.maximum(before, 0)).set(pl.Series(before < 0), None)
    # one response is scored in each dialog, so the dialog's traits are the response's
    traits = table.at("dialog").select("dialog", *TRAITS)
    return (
        table.at("turn")
        .with_columns(responses["prompt"], responses["extras"], responses["text"])
        .with_columns(context.alias("context"), no_empty.alias(DROPPED), word_counts(turns))
        .join(traits, on="dialog", how="left", validate="1:1", maintain_order="left")
    )


def score_dialogs(turns: Turns) -> pl.DataFrame:
    """The traits of every system in its dialog; the other metrics are about turns."""
    table = score(turns, [load(trait) for trait in TRAITS])
    responses = turns.frame.filter(turns.scored).with_columns(word_counts(turns))
    texts = responses.group_by("dialog", maintain_order=True).agg(
        pl.col("text").str.join("\n"), pl.col(LENGTH).sum()
    )
    no_scores = [pl.lit(None, pl.Float64).alias(name) for name in (*STATES, DROPPED)]
    no_texts = [pl.lit(None, pl.String).alias(name) for name in ("extras", "context")]
    return (
        table.at("dialog")
        .join(texts, on="dialog", how="left", validate="1:1", maintain_order="left")
        .with_columns(*no_scores, *no_texts, prompt=pl.col("dialog"))
    )


def word_counts(turns: Turns) -> pl.Series:
    """How many words each scored turn has."""
    return pl.Series(LENGTH, cut_words(turns.frame["text"]).counts[turns.scored].astype(float))
