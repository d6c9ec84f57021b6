"""Emotion matching: do a turn and the turn it answers rank the eight emotions alike?

Giorgi et al. (2023): Spearman's rank correlation between the emotion sums of the two turns, that
is Pearson's r of their ranks, ties at their mid-rank. For a dialog the sums are first pooled over
all exchanges: all that was answered, all that answered.
With `emotions="neural"` probabilities of the eight, by trained heads, stand in the place of sums.
Example: sums (3, 2, 1, 0, 0, 0, 0, 0) answered by (6, 4, 2, 0, 0, 0, 0, 0) give 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features import Features
from simpatico.features.emotions import EMOTIONS, EmotionProbabilities
from simpatico.features.script import OtherScript
from simpatico.features.spans import spans, word_effects
from simpatico.features.words import Words, WordTable
from simpatico.metric import Card, Carried, Score, reasons
from simpatico.metrics._shared.emotion_metric import EmotionMetric
from simpatico.metrics._shared.occlusion import occlusion_evidence
from simpatico.metrics._shared.pairs import Pairs
from simpatico.turns import Turns


@dataclass(frozen=True)
class EmotionMatching(EmotionMetric):
    """Parameters: `lexicon` of emotions, or `emotions` = "neural" or path:DIR for trained heads.

    Statistics: the eight sums of the turn (said_...) and of what it answers (heard_...).
    """

    name = Carried("emotion_matching")
    undefined_neural = (
        "Null when a turn answers nothing, or when it or what it answers has no words or is in "
        "another script."
    )
    facts = Card(
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
            self.score(
                "",
                lambda sums: rowwise_spearman(*np.hsplit(sums.to_numpy(), 2)),
                "rank correlation of the emotions of a turn and of the turn replied to",
                "matches the user's emotions (more|less) closely",
                range=(-1.0, 1.0),
                better=None,
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        sums = features[self.source]
        # a row for each emotion, whose values then stand side by side in memory
        replies = np.array(sums.T, order="C")
        contexts = replies[:, turns.answered]
        silent, flat = ~sums.any(axis=1), (sums == sums[:, :1]).all(axis=1)
        wordless, foreign = features[Words()].counts == 0, features[OtherScript()]
        opens = turns.answered < 0
        foreign = foreign | foreign[turns.answered]
        # zeros add nothing to a dialog's sums, and by themselves have no ranks and so no score
        replies[:, opens | foreign] = contexts[:, opens | foreign] = 0.0
        masks = {
            "no_variation": flat | flat[turns.answered],  # all ties: no ranks to compare
            f"answered_{self.unknown_reason}": silent[turns.answered],
            self.unknown_reason: silent,
            "no_words": wordless | wordless[turns.answered],
            "other_script": foreign,
            "answers_nothing": opens,
        }
        why = reasons(len(turns), **masks)
        names = [f"{side}_{e}" for side in ("said", "heard") for e in EMOTIONS]
        return pl.DataFrame(np.vstack([replies, contexts]), names, orient="col").with_columns(why)

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """The correlation less what it would be without an emotion word of the answering turn.

        Where nothing would be left to rank, the word counts with the whole correlation. With
        trained heads, any word or stretch of words may be left out.
        """
        source = self.source
        if isinstance(source, EmotionProbabilities):
            of, pairs = partial(source.of, features), Pairs.with_answered(turns, features)
            return occlusion_evidence(
                turns, pairs, lambda contexts, texts: rowwise_spearman(of(texts), of(contexts))
            )
        table: WordTable = features[Words()]
        replies, contexts = np.hsplit(self(turns, features).drop("reason").to_numpy(), 2)

        def value(row: int, rest: Floats) -> Floats:
            return np.nan_to_num(rowwise_spearman(rest, np.broadcast_to(contexts[row], rest.shape)))

        weights = source.weights(table)
        return spans(
            turns, table, word_effects(table, weights, rowwise_spearman(replies, contexts), value)
        )


def rowwise_spearman(first: Floats, second: Floats) -> Floats:
    """Spearman's correlation of each pair of rows; NaN where one of them is all ties."""
    a, b = centred_ranks(first), centred_ranks(second)
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = (a * b).sum(axis=0) / np.sqrt((a * a).sum(axis=0) * (b * b).sum(axis=0))
    return np.asarray(np.clip(rho, -1.0, 1.0), np.float64)


def centred_ranks(rows: Floats) -> Floats:
    """Twice the distance of each mid-rank from the mean rank, one column per row.

    Counting for each pair which is greater beats sorting by far when a row has eight values.
    """
    values = np.ascontiguousarray(rows.T)
    ranks = np.zeros(values.shape, np.int8)
    for i in range(1, len(values)):
        signs = (values[i] > values[:i]).view(np.int8) - (values[i] < values[:i]).view(np.int8)
        ranks[i] += signs.sum(axis=0, dtype=np.int8)
        ranks[:i] -= signs
    return ranks.astype(np.float64)
