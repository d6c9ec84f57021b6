"""Scores of the responses of a data set; of slow metrics only those of a sample of them."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

import polars as pl

from simpatico.metric import plain_name
from simpatico.reproduction.weights import Way
from simpatico.scoring import score
from simpatico.turns import Level, Turns

SAMPLE = 100
SHARE = {"fed": 2}
"""Metrics that read a response so often that their sample is so many times smaller."""
REFERENCES = 5
"""So many references of a response are read by a slow metric; DSTC7 has up to 137."""


class Sample(NamedTuple):
    """How many responses of each data set a slow metric reads (0: all), and which."""

    size: int = SAMPLE
    seed: int = 0

    def of(self, dialogs: pl.Series, way: Way) -> pl.Series:
        """The dialogs that are read, drawn by their names: a smaller sample is part of a larger."""
        size = self.size // SHARE.get(plain_name(way.metric.name), 1)
        if not way.slow or not size or dialogs.n_unique() <= size:
            return dialogs.unique(maintain_order=True)
        return pl.Series(sorted(set(dialogs), key=self.lot)[:size])

    def lot(self, dialog: str) -> bytes:
        return blake2b(f"{self.seed}\0{dialog}".encode(), digest_size=16).digest()


class Measured(NamedTuple):
    """One row per dialog that was read, one column per score, and what to say of it."""

    scores: pl.DataFrame
    read: int
    note: list[str]


def measured(turns: Turns, way: Way, level: Level, sample: Sample) -> Measured:
    """The scores of a metric: of the one response in each dialog, or of the whole dialog."""
    scored = turns.frame.filter(turns.scored)["dialog"]
    chosen = sample.of(scored, way)
    note = [way.note] if way.note else []
    if len(chosen) < scored.n_unique():
        note.append(f"{len(chosen):,} of {scored.n_unique():,} sampled")
    some = turns.frame.filter(pl.col("dialog").is_in(chosen.implode()))
    if way.slow and (some["references"].list.len().max() or 0) > REFERENCES:  # type: ignore[operator]
        some = some.with_columns(pl.col("references").list.head(REFERENCES))
        note.append(f"beside the first {REFERENCES} references only")
    # what a metric says of a dialog is what it says of its one scored response
    at: Level = level if way.metric.level == "turn" else "dialog"
    names = [s.name for s in way.metric.scores]
    table = score(Turns(some), [way.metric]).at(at).select("dialog", *names)
    return Measured(table, len(chosen), note)
