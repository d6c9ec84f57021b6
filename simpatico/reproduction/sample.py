"""Scores of the responses of a data set; slow metrics read only a sample of them."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

import polars as pl

from simpatico.metric import plain_name
from simpatico.reproduction.weights import RunnableMetric
from simpatico.scoring import score
from simpatico.turns import Level, Turns

DEFAULT_SIZE = 100
SIZE_DIVISOR = {"fed": 2}
"""Metrics that read a response so often that their sample is so many times smaller."""
MAX_REFERENCES = 5
"""So many references of a response are read by a slow metric; DSTC7 has up to 137."""


class Sample(NamedTuple):
    """How many responses of each data set a slow metric reads (0: all), and which."""

    size: int = DEFAULT_SIZE
    seed: int = 0

    def choose(self, dialogs: pl.Series, runnable: RunnableMetric) -> pl.Series:
        """The dialogs that the metric reads.

        They are drawn by a hash of their names, so that a smaller sample is part of a larger one
        and neither depends on the order of the file.
        """
        size = self.size // SIZE_DIVISOR.get(plain_name(runnable.metric.name), 1)
        if not runnable.slow or not size or dialogs.n_unique() <= size:
            return dialogs.unique(maintain_order=True)

        def draw_key(dialog: str) -> bytes:
            return blake2b(f"{self.seed}\0{dialog}".encode(), digest_size=16).digest()

        return pl.Series(sorted(set(dialogs), key=draw_key)[:size])


class SampleScores(NamedTuple):
    """One row per dialog that was read, one column per score, and what a reader must know."""

    scores: pl.DataFrame
    n_dialogs: int
    notes: list[str]


def score_sample(
    turns: Turns, runnable: RunnableMetric, *, level: Level, sample: Sample
) -> SampleScores:
    """The scores of a metric: of the one response in each dialog, or of the whole dialog."""
    dialogs = turns.frame.filter(turns.scored)["dialog"]
    chosen = sample.choose(dialogs, runnable)
    notes = [runnable.note] if runnable.note else []
    if len(chosen) < dialogs.n_unique():
        notes.append(f"{len(chosen):,} of {dialogs.n_unique():,} sampled")
    frame = turns.frame.filter(pl.col("dialog").is_in(chosen.implode()))
    most = frame["references"].list.len().max() or 0
    if runnable.slow and most > MAX_REFERENCES:  # type: ignore[operator]
        frame = frame.with_columns(pl.col("references").list.head(MAX_REFERENCES))
        notes.append(f"beside the first {MAX_REFERENCES} references only")
    # a dialog has one scored response, so that the score of the dialog is that of the response
    at: Level = level if runnable.metric.level == "turn" else "dialog"
    names = [s.name for s in runnable.metric.scores]
    table = score(Turns(frame), [runnable.metric]).at(at).select("dialog", *names)
    return SampleScores(table, len(chosen), notes)
