"""Psychological Metrics for Dialog System Evaluation (Giorgi et al., 2023): the parts we can redo.

So far: what each turn-level metric alone explains of appropriateness in DSTC10, the columns "P" of
Table 1 (pooled) and of Tables 9, 12, 13 and 14 (one data set each).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from simpatico.errors import DataError
from simpatico.features.emotions import OURS
from simpatico.features.words import words
from simpatico.read import Conversations
from simpatico.read.judgement_files import read_judgements
from simpatico.registry import load
from simpatico.reproduce import Cell
from simpatico.score import score
from simpatico.turns import Turns
from simpatico.validate.regression import adjusted_r2

FILES = {
    "TD10": "dstc10-topical_clean_eval-addrank.json",
    "PD10": "dstc10-persona_clean_eval-addrank.json",
    "ESL": "esl_eval-addrank.json",
    "NCM": "ncm_eval-addrank.json",
    "JSALT": "jsalt_eval-addrank.json",
}
METRICS = ("emotional_entropy", "emotion_matching", "style_matching")
TABLES = {"TD10": "14", "PD10": "13", "ESL": "9", "NCM": "12", "JSALT": "–", "pooled": "1"}
PAPER: dict[str, dict[str, float]] = {
    "TD10": {"emotional_entropy": 0.000, "emotion_matching": 0.001, "style_matching": 0.002},
    "PD10": {"emotional_entropy": 0.019, "emotion_matching": 0.012, "style_matching": 0.006},
    "ESL": {"emotional_entropy": 0.004, "emotion_matching": 0.000, "style_matching": 0.011},
    "NCM": {"emotional_entropy": 0.009, "emotion_matching": 0.006, "style_matching": 0.001},
    "pooled": {"emotional_entropy": 0.097, "emotion_matching": 0.001, "style_matching": 0.056},
}
DROPPED = "style_matching, empty dropped"
LENGTH = "words in the response"
ALL = "all three"
COLUMNS = (*METRICS, DROPPED, LENGTH)
POOLED_ALL = 0.148


def reproduce(data: Path, *, lexicon: str | None = None, seed: int = 0) -> list[Cell]:
    """Adjusted R² of each metric alone, by data set, pooled, and pooled within data sets."""
    rows = pl.concat(scored(name, data, lexicon) for name in FILES)
    cells = [
        cell
        for name in FILES
        for cell in fitted(rows.filter(pl.col("set") == name), name, lexicon, seed)
    ]
    return [
        *cells,
        *fitted(rows, "pooled", lexicon, seed),
        *fitted(rows, "within sets", lexicon, seed),
    ]


def scored(name: str, data: Path, lexicon: str | None) -> pl.DataFrame:
    """The responses of one data set with our scores and their mean appropriateness."""
    path = next(
        (p for p in (data / FILES[name], data / "dstc10-test" / FILES[name]) if p.is_file()), None
    )
    if path is None:
        raise DataError(f"{data} has no {FILES[name]}, nor dstc10-test/{FILES[name]}")
    (chunk,) = Conversations((path,), format="dstc10-test").chunks(10**9)
    judged = read_judgements(path, format="dstc10-test").frame.filter(
        pl.col("quality").str.to_lowercase() == "appropriateness"
    )
    return (
        computed(chunk.turns, lexicon)
        .with_columns(set=pl.lit(name), prompt=name + pl.col("prompt"))
        .join(
            judged.select("dialog", "turn", "speaker", appropriateness="value"),
            on=["dialog", "turn", "speaker"],
            how="inner",
            validate="1:1",
        )
        .select("set", "prompt", "appropriateness", *COLUMNS)
    )


def computed(turns: Turns, lexicon: str | None) -> pl.DataFrame:
    """Our scores of every response, with the baseline any metric should beat: its length."""
    emotions = {"lexicon": lexicon or OURS}
    metrics = [load(m, **({} if m == "style_matching" else emotions)) for m in METRICS]
    table = score(turns, metrics)
    dropped = score(turns, [load("style_matching", empty="drop")]).at("turn")["style_matching"]
    length = words(turns.frame["text"]).counts[turns.scored].astype(float)
    return table.at("turn").with_columns(
        table.keys["prompt"], dropped.alias(DROPPED), pl.Series(LENGTH, length)
    )


def fitted(rows: pl.DataFrame, name: str, lexicon: str | None, seed: int) -> list[Cell]:
    """One row of the table: each metric alone, then all three together."""
    clusters = rows["prompt"].rank("dense").to_numpy().astype(np.int64)
    judged = rows["appropriateness"].to_numpy()
    sets = rows["set"].rank("dense").to_numpy().astype(np.int64) if name == "within sets" else None
    cells = []
    for column in (*COLUMNS, ALL):
        chosen = list(METRICS) if column == ALL else [column]
        scores = rows.select(chosen).to_numpy()
        fit = adjusted_r2(scores, judged, clusters, sets=sets, seed=seed)
        paper = POOLED_ALL if (name, column) == ("pooled", ALL) else PAPER.get(name, {}).get(column)
        nulls = rows.height - fit.n
        told = [f"{nulls:,} of {rows.height:,} not scored", *remarks(name, column, lexicon, paper)]
        cells.append(
            Cell(
                TABLES.get(name, "1"),
                name,
                column,
                paper,
                fit.value,
                fit.low,
                fit.high,
                fit.n,
                "; ".join(told),
            )
        )
    return cells


def remarks(name: str, column: str, lexicon: str | None, paper: float | None) -> list[str]:
    """What a reader of a figure must know."""
    told = []
    if column == DROPPED:
        told.append("categories that neither side uses left out of the mean")
    if column == LENGTH:
        told.append("a baseline: what counting words explains")
    elif column in ("style_matching", DROPPED):
        told.append("our own function words, the paper used LIWC")
    elif lexicon is None:
        told.append("our own emotion lexicon, the paper used NRC Hashtag (pass --lexicon)")
    if name == "pooled":
        told.append("mixes 1-5 ratings with 0-1 win rates: mostly differences between data sets")
    if name == "within sets":
        told.append("each data set's means taken out first, the paper has no such figure")
    elif paper is None:
        told.append("not in the paper")
    return told
