"""Emotion shares: how much of a speaker's emotional weight falls on each of eight emotions.

share(e) = sum(e) / sum over the eight emotions of Plutchik (1980), of summed lexicon weights or of
probabilities.
Example: weight 3 in joy and 1 in trust gives joy 0.75, trust 0.25 and 0 for the other six.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from simpatico.features.emotions import EMOTIONS
from simpatico.metric import Card, Carried, Score, model_suffix
from simpatico.metrics._shared.emotion_metric import EmotionMetric
from simpatico.metrics._shared.scores import make_score, ordered_sum
from simpatico.metrics.emotional_entropy import EmotionalEntropy

TOTAL = ordered_sum(pl.col(emotion) for emotion in EMOTIONS)


@dataclass(frozen=True)
class EmotionShares(EmotionMetric):
    """Parameters: `lexicon` of emotions, or `emotions` = "neural" or path:DIR for trained heads."""

    name = Carried("emotion_shares")
    undefined_neural = EmotionalEntropy.undefined_neural
    facts = Card(
        about="How a speaker's emotional weight divides among eight emotions.",
        undefined=EmotionalEntropy.facts.undefined,
        citation="Plutchik (1980), Emotion: A Psychoevolutionary Synthesis",
        careful=(
            'Shares say how the emotional words divide, not how emotional a text is, and "not '
            'happy" counts as happy.'
        ),
    )

    @property
    def scores(self) -> tuple[Score, ...]:
        what = "emotional words" if self.emotions == "lexicon" else "emotions"
        return tuple(
            make_score(
                f"{emotion}_share{model_suffix(self)}",
                pl.col(emotion) / TOTAL,
                f"share of the emotional weight that falls on {emotion}",
                f"gives {emotion} a (larger|smaller) share of its {what}",
                title=f"Share of {emotion}",
            )
            for emotion in EMOTIONS
        )
