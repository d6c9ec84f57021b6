"""Repetition: how much of a turn its speaker had said before in the dialog.

repeated n-grams / n-grams, as See et al. (2019, NAACL) look at repetition: the share of a turn's
word n-grams (three words unless said otherwise) that the same speaker already
used, in an earlier turn of the dialog or earlier in this one.
Example: x says "I like tea", later "I like tea a lot": of the three n-grams I-like-tea, like-tea-a,
tea-a-lot the first was said before: 1/3.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.features import Feature, Features
from simpatico.features.repeats import find_repeats
from simpatico.features.word_positions import row_positions
from simpatico.features.words import Words
from simpatico.metric import Card, Score, reasons
from simpatico.metrics._shared.parameters import bounded, check_parameters
from simpatico.metrics._shared.scores import make_score
from simpatico.turns import Level, Turns


@dataclass(frozen=True)
class Repetition:
    """Parameter `n`: words in an n-gram. Statistics: repeated n-grams, and n-grams."""

    n: int = bounded(3, 1, 20)

    name: ClassVar[str] = "repetition"
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="Share of a turn's trigrams that its speaker already used in the dialog.",
        undefined="Null when a turn has fewer than `n` words.",
        citation="a count of repeated word n-grams, as See et al. 2019 (NAACL, "
        "doi:10.18653/v1/N19-1170) look at repetition within and across a speaker's turns",
        kind="traditional",
        language=None,
        careful="Some phrases are said again for a reason, and a long dialog has more to repeat.",
    )
    needs: ClassVar[tuple[Feature, ...]] = (Words(),)
    scores: ClassVar[tuple[Score, ...]] = (
        make_score(
            "repetition",
            pl.col("repeated") / pl.col("ngrams"),
            "share of a turn's word n-grams that its speaker used before in the dialog",
            "repeats itself (more|less)",
            better="lower",
        ),
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        table = features[Words()]
        turn, _, again = find_repeats(turns, table, self.n)
        ngrams = np.bincount(turn, minlength=len(turns))
        repeats = np.bincount(turn[again], minlength=len(turns))
        why = reasons(len(turns), too_short=ngrams == 0, no_words=table.counts == 0)
        return pl.DataFrame({"repeated": repeats, "ngrams": ngrams, "reason": why})

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """Each stretch that was said before, with its part of the score."""
        table = features[Words()]
        turn, first_word, again = find_repeats(turns, table, self.n)
        ngrams = np.bincount(turn, minlength=len(turns))
        positions = row_positions(turns.frame["text"], table)
        rows = list[tuple[int, int, int, float]]()
        repeats, words = turn[again], first_word[again]
        ends = np.flatnonzero(np.diff(repeats, append=-1)) + 1  # where the repeats of a turn end
        for begin, end in pairwise([0, *ends.tolist()]):
            row = int(repeats[begin])
            stand, first = positions(row), len(rows)
            for word in (words[begin:end] - table.ends[row]).tolist():
                start, stop = stand[word].start, stand[word + self.n - 1].end
                weight = 1 / ngrams[row]
                if len(rows) > first and start < rows[-1][2]:  # overlaps the last: one stretch
                    _, start, _, before = rows.pop()
                    weight += before
                rows.append((row, start, stop, weight))
        return pl.DataFrame(rows, ["row", "start", "end", "weight"], orient="row")
