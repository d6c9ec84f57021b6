"""The scores behind Giorgi et al. (2023): one row per rated response or dialog."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from simpatico.features.emotions import OURS
from simpatico.features.words import cut_words
from simpatico.registry import load
from simpatico.reproduction.psychological_metrics.data import DataSet, ratings_by_judge, read_turns
from simpatico.reproduction.psychological_metrics.paper import METRICS, STATES, TRAITS
from simpatico.scoring import score
from simpatico.turns import Turns

DROPPED = "style_matching, empty dropped"
LENGTH = "words in the response"
COLUMNS = (*METRICS, DROPPED, LENGTH)


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
