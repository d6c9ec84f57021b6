"""Emotional entropy: how evenly a speaker's words spread over eight basic emotions.

Each word adds its weights for anger, anticipation, disgust, fear, joy, sadness, surprise and
trust; the sums, divided by their total, are a distribution p, and its entropy, - sum of p log p, is
the score (Giorgi et al. 2023), in bits or divided by its largest value (`normalised`). With
`emotions="neural"` trained heads give each turn the probabilities of the eight instead.
Example: weight 1 in joy and 1 in trust gives 1 bit; equal weight in all eight gives 3 bits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from math import e, log
from operator import add

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features import Features
from simpatico.features.emotions import EMOTIONS, EmotionProbabilities
from simpatico.features.spans import spans, word_effects
from simpatico.features.words import Words, WordTable
from simpatico.metric import Card, Carried, Score
from simpatico.metrics._shared.emotion_metric import EmotionMetric
from simpatico.metrics._shared.occlusion import occlusion_evidence
from simpatico.metrics._shared.pairs import Pairs
from simpatico.metrics._shared.parameters import bounded, check_parameters
from simpatico.turns import Turns

UNITS = {2.0: "bits", e: "nats"}
"""What an entropy is counted in, by the base of its logarithm; other bases have no name."""


@dataclass(frozen=True)
class EmotionalEntropy(EmotionMetric):
    """Parameters: `lexicon` or `emotions`, see `EmotionMetric`; `base` of the logarithm (2: bits);
    `normalised`, from 0 to 1 whatever the base.
    """

    base: float = bounded(2.0, 1, 10**6, open=True)
    normalised: bool = False

    name = Carried("emotional_entropy")
    undefined_neural = "Null when the text has no words, or is in another script."
    facts = Card(
        about="How evenly a speaker's words spread over eight basic emotions.",
        undefined="Null when no word is in the emotion lexicon, or the text is in another script.",
        citation=(
            "Giorgi et al. (2023), Psychological Metrics for Dialog System Evaluation; "
            "Plutchik (1980), Emotion: A Psychoevolutionary Synthesis"
        ),
        careful=(
            'It counts words one by one, so that "not happy" counts as happy, and short texts '
            "show a narrower mix whoever writes them."
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_parameters(self)

    @property
    def nats(self) -> float:
        """How many nats the unit of the score has."""
        return log(len(EMOTIONS)) if self.normalised else log(self.base)

    @property
    def scores(self) -> tuple[Score, ...]:
        unit = self.nats
        score = self.score(
            "",
            lambda sums: entropy(sums.to_numpy()) / unit,
            "how evenly words are spread over eight emotions; 0 is a single emotion",
            "uses a (more|less) varied emotion vocabulary",
            range=(0.0, log(len(EMOTIONS)) / unit),
            better=None,
        )
        return (replace(score, unit="" if self.normalised else UNITS.get(self.base, "")),)

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """In the score's unit, the entropy of a turn less its entropy without an emotion word.

        Where that word is the only one, nothing is left to compare, and it counts with the score.
        With trained heads, any word or stretch of words may be left out.
        """
        source, unit = self.source, self.nats
        if isinstance(source, EmotionProbabilities):
            own = Pairs.of_single_turns(turns, features)
            return occlusion_evidence(
                turns, own, lambda _, s: entropy(source.of(features, s)) / unit
            )
        table: WordTable = features[Words()]
        weights = source.weights(table)
        scores = entropy(features[source]) / unit
        changes = word_effects(
            table, weights, scores, lambda _, rest: np.nan_to_num(entropy(rest) / unit)
        )
        return spans(turns, table, changes)


def entropy(sums: Floats) -> Floats:
    """Entropy in nats of each row divided by its total; NaN for a row of zeros."""
    with np.errstate(invalid="ignore"):
        share = sums.T / row_sums(sums)
    logs = np.log(share, out=np.zeros_like(share), where=share > 0)
    return np.asarray(np.maximum(-row_sums((share * logs).T), 0.0))


def row_sums(values: Floats) -> Floats:
    """The sum of each row from left to right; NumPy adds a single row up in another order."""
    return np.asarray(reduce(add, values.T))
