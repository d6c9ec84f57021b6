"""The scores behind Giorgi et al. (2023): every judged response or dialog with ours, in one row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from simpatico.features.emotions import OURS
from simpatico.features.words import words
from simpatico.registry import load
from simpatico.reproduction.psychological_metrics.data import DataSet, gold, read_set
from simpatico.reproduction.psychological_metrics.paper import METRICS, STATES, TRAITS
from simpatico.scoring import score
from simpatico.turns import Turns

DROPPED = "style_matching, empty dropped"
LENGTH = "words in the response"
COLUMNS = (*METRICS, DROPPED, LENGTH)


def scored(set: DataSet, path: Path, lexicon: str | None) -> pl.DataFrame:
    """Judged units with our scores, their gold value and the prompt that they answer.

    `text`: what was said last before the response, and the response; `extras`: what else the file
    says of it.
    """
    turns = read_set(path, set.format)
    table = whole(turns) if set.dialogs else responses(turns, lexicon)
    keys = ["dialog", "speaker"] if set.dialogs else ["dialog", "turn", "speaker"]
    return (
        table.join(gold(set, path), on=keys, how="inner", validate="1:1", maintain_order="left")
        .with_columns(set=pl.lit(set.name), prompt=set.name + pl.col("prompt"))
        .select("set", "dialog", "prompt", "extras", "text", "heard", "judged", *COLUMNS)
    )


def responses(turns: Turns, lexicon: str | None) -> pl.DataFrame:
    """Our scores of every response, with the baseline any metric should beat: its length."""
    emotions = {"lexicon": lexicon or OURS}
    states = [load(m, **({} if m == "style_matching" else emotions)) for m in STATES]
    table = score(turns, [*states, *(load(t, minimum_words=0) for t in TRAITS)])
    dropped = score(turns, [load("style_matching", empty="drop")]).at("turn")["style_matching"]
    judged = turns.frame.filter(turns.scored)
    before = turns.answered[turns.scored]
    heard = turns.frame["text"].gather(np.maximum(before, 0)).set(pl.Series(before < 0), None)
    # one response is scored in each dialog, so the dialog's traits are the response's
    traits = table.at("dialog").select("dialog", *TRAITS)
    return (
        table.at("turn")
        .with_columns(judged["prompt"], judged["extras"], judged["text"], heard.alias("heard"))
        .with_columns(dropped.alias(DROPPED), length(turns))
        .join(traits, on="dialog", how="left", validate="1:1", maintain_order="left")
    )


def whole(turns: Turns) -> pl.DataFrame:
    """The traits of every system in its dialog; the other metrics are about turns."""
    table = score(turns, [load(trait) for trait in TRAITS])
    said = turns.frame.filter(turns.scored).with_columns(length(turns))
    texts = said.group_by("dialog", maintain_order=True).agg(
        pl.col("text").str.join("\n"), pl.col(LENGTH).sum()
    )
    empty = [pl.lit(None, pl.Float64).alias(name) for name in (*STATES, DROPPED)]
    nothing = [pl.lit(None, pl.String).alias(name) for name in ("extras", "heard")]
    return (
        table.at("dialog")
        .join(texts, on="dialog", how="left", validate="1:1", maintain_order="left")
        .with_columns(*empty, *nothing, prompt=pl.col("dialog"))
    )


def length(turns: Turns) -> pl.Series:
    """How many words each scored turn has."""
    return pl.Series(LENGTH, words(turns.frame["text"]).counts[turns.scored].astype(float))
