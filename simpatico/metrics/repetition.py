"""Repetition: how much of a turn its speaker had said before in the dialog.

The share of a turn's word n-grams (three words unless said otherwise) that the same speaker already
used, in an earlier turn of the dialog or earlier in this one.
Example: x says "I like tea", later "I like tea a lot": of the three n-grams I-like-tea, like-tea-a,
tea-a-lot the first was said before: 1/3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Ints
from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.word_positions import places
from simpatico.features.words import Words, WordTable
from simpatico.metric import Card, Score, reasons
from simpatico.turns import Level, Turns


@dataclass(frozen=True)
class Repetition:
    n: int = 3

    name: ClassVar[str] = "repetition"
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="Share of a turn's word triples that its speaker already used in the dialog.",
        undefined="Null when a turn has fewer than `n` words.",
        citation="a count of repeated word n-grams, as See et al. 2019 (NAACL, "
        "doi:10.18653/v1/N19-1170) look at repetition within and across a speaker's turns",
        kind="traditional",
        language=None,
        careful="Some phrases are said again for a reason, and a long dialog has more to repeat.",
    )
    needs: ClassVar[tuple[Feature, ...]] = (Words(),)
    scores: ClassVar[tuple[Score, ...]] = (
        Score(
            "repetition",
            of=pl.col("repeated") / pl.col("ngrams"),
            range=(0.0, 1.0),
            meaning="share of a turn's word n-grams that its speaker used before in the dialog",
            better="lower",
            title="Repetition",
            more="repeats itself more than",
            less="repeats itself less than",
        ),
    )

    def __post_init__(self) -> None:
        if self.n < 1:
            raise BadValue(f"repetition.n is {self.n}; it is 1 or more")

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        table = features[Words()]
        turn, _, again = repeats(turns, table, self.n)
        made = np.bincount(turn, minlength=len(turns))
        repeated = np.bincount(turn[again], minlength=len(turns))
        why = reasons(len(turns), too_short=made == 0, no_words=table.counts == 0)
        return pl.DataFrame({"repeated": repeated, "ngrams": made, "reason": why})

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """Each stretch that was said before, with its part of the score."""
        table = features[Words()]
        turn, place, again = repeats(turns, table, self.n)
        made, found = np.bincount(turn, minlength=len(turns)), list[tuple[int, int, int, float]]()
        texts = turns.frame["text"]
        for row in np.unique(turn[again]).tolist():
            stand, first = places(texts[row]), len(found)
            for word in (place[again & (turn == row)] - table.ends[row]).tolist():
                start, end = stand[word].start, stand[word + self.n - 1].end
                weight = 1 / made[row]
                if len(found) > first and start < found[-1][2]:
                    _, start, _, before = found.pop()
                    weight += before
                found.append((row, start, end, weight))
        return pl.DataFrame(found, ["row", "start", "end", "weight"], orient="row")


def repeats(turns: Turns, table: WordTable, n: int) -> tuple[Ints, Ints, Bools]:
    """Of every n-gram: its turn, its first word, and whether its speaker had it before."""
    turn = np.repeat(np.arange(len(turns)), table.counts)
    whole = np.flatnonzero(turn[: max(len(turn) - n + 1, 0)] == turn[n - 1 :])
    who = turns.frame.select(pl.struct("dialog", "speaker").rank("dense")).to_series().to_numpy()
    kinds = who[turn[whole]].astype(np.int64)
    for step in range(n):
        codes = table.codes[whole + step].astype(np.int64)
        pairs = kinds * (int(codes.max(initial=0)) + 1) + codes
        kinds = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    again = np.ones(len(whole), np.bool_)
    again[np.unique(kinds, return_index=True)[1]] = False
    return turn[whole], whole, again
