"""Runs that lack something, one kind each: no page may fail over them."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import polars as pl

from simpatico.features.emotions import EMOTIONS
from simpatico.judgements import Judgements
from simpatico.readers import Conversations
from simpatico.registry import load
from simpatico.run.writer import score_run
from tests.reporting.pages import (
    FEW_METRICS,
    TWO_METRICS,
    ExamplePage,
    base,
    metric,
    ratings,
    scored,
    talks,
)

TWO = ("heron", "juniper")
HEAD = "term,category,weight\n"


def with_judgements(
    dialogs: int = 24, metrics=FEW_METRICS, **columns_changed: object
) -> ExamplePage:
    """Two systems, and judgements of "overall" with some columns changed."""
    rows = talks(TWO, dialogs)
    frame = ratings(rows, "overall").frame
    columns = [pl.lit(v, frame.schema[c]).alias(c) for c, v in columns_changed.items()]
    return ExamplePage(scored(rows, metrics), Judgements(frame.with_columns(columns)))


@cache
def rated(units: int, dialogs: int = 30, metrics=("emotional_entropy", "length")) -> ExamplePage:
    """Two systems of which so many dialogs were judged, by three judges each."""
    rows = talks(TWO, dialogs, turns=2)
    frame = ratings(rows, "overall").frame
    return ExamplePage(scored(rows, metrics), Judgements(frame.head(3 * units)))


def joins_nothing() -> ExamplePage:
    example = with_judgements()
    frame = example.judgements.frame.with_columns(
        pl.concat_str(pl.lit("x"), "dialog").alias("dialog")
    )
    return replace(example, judgements=Judgements(frame))


def one_rater() -> ExamplePage:
    example = with_judgements(32)
    return replace(
        example,
        judgements=Judgements(example.judgements.frame.filter(pl.col("judge") == "judge 0")),
    )


def two_qualities_one_on_two_scales() -> ExamplePage:
    rows = talks(TWO, 20)
    other = (pl.col("quality") == "warm") & (pl.col("judge") == "judge 1")
    wider = pl.when(other).then(7.0).otherwise("scale_max").alias("scale_max")
    return ExamplePage(
        scored(rows), Judgements(ratings(rows, "overall", "warm").frame.with_columns(wider))
    )


def alone() -> ExamplePage:
    rows = [
        {**r, "system": None} if r["system"] == "human" else r
        for r in talks(["heron"], 22, turns=2)
    ]
    return ExamplePage(scored(rows), None)


def only_people() -> ExamplePage:
    return ExamplePage(scored([{**r, "system": "human"} for r in talks(["heron"], 24)]), None)


def no_text() -> ExamplePage:
    folder = Path(mkdtemp(dir=base()))
    path, rows = folder / "talk.jsonl", talks(TWO, 4)
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    metrics = [metric(m) for m in TWO_METRICS]
    run = score_run(Conversations((path,)), metrics, folder / "run", keep_text=False)
    return ExamplePage(run, ratings(rows, "overall"))


def own_words(then: str | None) -> ExamplePage:
    """A run by a word list that afterwards is changed to `then`, or taken away."""
    folder = Path(mkdtemp(dir=base()))
    path, words = folder / "talk.jsonl", folder / "mine.csv"
    rows = talks(TWO, 4, text="joy and love and fear")
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    words.write_text(HEAD + "".join(f"love,{e},1\njoy,{e},1\n" for e in EMOTIONS))
    metrics = [load("emotional_entropy", lexicon=str(words))]
    run = score_run(Conversations((path,)), metrics, folder / "run")
    if then is None:
        words.unlink()
    else:
        words.write_text(then)
    return ExamplePage(run, None)


def one_turn(system: str | None = "heron", text: str = "Hello there") -> ExamplePage:
    row = {"dialog": "d", "speaker": "heron", "system": system, "text": text}
    return ExamplePage(scored([row]), None)


CASES: dict[str, Callable[[], ExamplePage]] = {
    "joins_nothing": joins_nothing,
    "one_rater": one_rater,
    "nobody_named": lambda: with_judgements(20, TWO_METRICS, judge=None),
    "two_qualities_one_on_two_scales": two_qualities_one_on_two_scales,
    "of_turns": lambda: with_judgements(turn=1),
    "all_alike": lambda: with_judgements(32, TWO_METRICS, value=3.0),
    "all_blank": lambda: with_judgements(8, TWO_METRICS, value=None),
    "alone": alone,
    "only_people": only_people,
    "one_metric": lambda: with_judgements(8, ["style_matching"]),
    "two_metrics": lambda: with_judgements(20, TWO_METRICS),
    "only_parts": lambda: with_judgements(4, ["emotion_shares"]),
    "no_traditional": lambda: with_judgements(
        16, ["style_matching", "emotional_entropy", "empathy"]
    ),
    "only_traditional": lambda: with_judgements(16, ["length", "question_rate"]),
    "no_text": no_text,
    "lexicon_changed": lambda: own_words(HEAD + "love,joy,2\n"),
    "lexicon_gone": lambda: own_words(None),
    "one_turn": one_turn,
    "no_word": lambda: one_turn(text=""),
    "nothing_scored": lambda: one_turn(system=None),
    "many_pairs": lambda: ExamplePage(
        scored(talks([f"system-{i:02d}" for i in range(26)], 2, turns=2), TWO_METRICS), None
    ),
    "many_systems": lambda: ExamplePage(
        scored(talks([f"system-{i:02d}" for i in range(42)], 1, turns=2), TWO_METRICS), None
    ),
}


@cache
def case(kind: str) -> ExamplePage:
    """The run of a kind, made once."""
    return CASES[kind]()
