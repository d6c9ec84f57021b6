"""Emotion matching: do a turn and the turn it answers rank the eight emotions alike?

Spearman's rank correlation between the emotion sums of the two turns, ties at their mid-rank. For
a dialog the sums are first pooled over all exchanges: all that was answered, all that answered.
With `emotions="neural"` probabilities of the eight, by trained heads, stand in the place of sums.
Example: sums (3, 2, 1, 0, 0, 0, 0, 0) answered by (6, 4, 2, 0, 0, 0, 0, 0) give 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.arrays import Floats
from simpatico.features import Features
from simpatico.features.emotions import EMOTIONS, EmotionChances
from simpatico.features.script import OtherScript
from simpatico.features.spans import effects, spans
from simpatico.features.words import Words, WordTable
from simpatico.metric import Card, Carried, Score, mark, reasons
from simpatico.metrics._shared.emotional import Emotional
from simpatico.metrics._shared.left_out import left_out
from simpatico.metrics._shared.pairs import with_answered
from simpatico.turns import Level, Turns


@dataclass(frozen=True)
class EmotionMatching(Emotional):
    name: ClassVar = Carried("emotion_matching")
    level: ClassVar[Level] = "turn"
    blank: ClassVar[str] = (
        "Null when a turn answers nothing, or when it or what it answers has no words or is in "
        "another script."
    )
    facts: ClassVar[Card] = Card(
        about="Whether a turn and the turn it answers rank the eight emotions alike.",
        undefined=(
            "Null when a turn answers nothing, either side has no word of the emotion lexicon or "
            "weighs all eight emotions alike, or a text is in another script."
        ),
        citation="Giorgi et al. (2023), Psychological Metrics for Dialog System Evaluation",
        careful=(
            "Anger answered with anger matches as well as joy with joy, and in a short turn a "
            "single word can decide the ranks."
        ),
    )

    @property
    def scores(self) -> tuple[Score, ...]:
        return (
            Score(
                f"emotion_matching{mark(self)}",
                of=lambda sums: spearman(*np.hsplit(sums.to_numpy(), 2)),
                range=(-1.0, 1.0),
                meaning="rank correlation of the emotions said with the emotions answered",
                title="Emotion matching",
                more="matches the person's feelings more closely than",
                less="matches the person's feelings less closely than",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        sums = features[self.source]
        said, heard = sums.copy(), sums[turns.answered]
        silent, level = ~sums.any(axis=1), flat(sums)
        wordless, foreign = features[Words()].counts == 0, features[OtherScript()]
        opens = turns.answered < 0
        foreign = foreign | foreign[turns.answered]
        said[opens | foreign] = heard[opens | foreign] = 0.0
        masks = {
            "no_variation": level | level[turns.answered],
            f"answered_{self.silent}": silent[turns.answered],
            self.silent: silent,
            "no_words": wordless | wordless[turns.answered],
            "other_script": foreign,
            "answers_nothing": opens,
        }
        why = reasons(len(turns), **masks)
        names = [f"{side}_{e}" for side in ("said", "heard") for e in EMOTIONS]
        return pl.DataFrame(np.hstack([said, heard]), schema=names).with_columns(why)

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """The correlation less what it would be without an emotion word of the answering turn.

        Where nothing would be left to rank, the word counts with the whole correlation. Where heads
        judge, any word or stretch of words may be left out.
        """
        source = self.source
        if isinstance(source, EmotionChances):
            of, pairs = partial(source.of, features), with_answered(turns, features)
            return left_out(turns, pairs, lambda heard, said: spearman(of(said), of(heard)))
        table: WordTable = features[Words()]
        said, heard = np.hsplit(self(turns, features).drop("reason").to_numpy(), 2)

        def value(row: int, rest: Floats) -> Floats:
            return np.nan_to_num(spearman(rest, np.broadcast_to(heard[row], rest.shape)))

        weights = source.weights(table.vocabulary)
        return spans(turns, table, effects(table, weights, spearman(said, heard), value))


def flat(sums: Floats) -> npt.NDArray[np.bool_]:
    """Rows whose values are all the same, so that they have no ranks to compare."""
    same: npt.NDArray[np.bool_] = (sums == sums[:, :1]).all(axis=1)
    return same


def spearman(first: Floats, second: Floats) -> Floats:
    """Spearman's correlation of each pair of rows; NaN where one of them is all ties."""
    a, b = ranks(first), ranks(second)
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = (a * b).sum(axis=0) / np.sqrt((a * a).sum(axis=0) * (b * b).sum(axis=0))
    return np.asarray(np.clip(rho, -1.0, 1.0), np.float64)


def ranks(rows: Floats) -> npt.NDArray[np.float64]:
    """Twice the distance of each mid-rank from the mean rank, one column per row.

    Counting for each pair which is greater beats sorting by far when a row has eight values.
    """
    values = np.ascontiguousarray(rows.T)
    found = np.zeros(values.shape, np.int8)
    for i in range(len(values)):
        for j in range(i):
            sign = (values[i] > values[j]).view(np.int8) - (values[i] < values[j]).view(np.int8)
            found[i] += sign
            found[j] -= sign
    return found.astype(np.float64)
