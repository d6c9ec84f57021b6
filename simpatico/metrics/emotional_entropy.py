"""Emotional entropy: how evenly a speaker's words spread over eight basic emotions.

Each word adds its weights for anger, anticipation, disgust, fear, joy, sadness, surprise and
trust; the sums, divided by their total, are a distribution, and its entropy is the score.
Example: weight 1 in joy and 1 in trust gives 1 bit; equal weight in all eight gives 3 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e, inf, log
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.emotions import EMOTIONS, OURS, Emotions
from simpatico.features.script import OtherScript
from simpatico.features.spans import effects, spans
from simpatico.features.words import Words, WordTable
from simpatico.metric import Card, Score, reasons
from simpatico.turns import Level, Turns

UNITS = {2.0: "bits", e: "nats"}


@dataclass(frozen=True)
class EmotionalEntropy:
    lexicon: str = OURS
    base: float = 2.0
    normalised: bool = False

    name: ClassVar[str] = "emotional_entropy"
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
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
        if not 1 < self.base < inf:
            raise BadValue(f"emotional_entropy.base is {self.base}; it is a number above 1")

    @property
    def nats(self) -> float:
        """How many nats the unit of the score is."""
        return log(len(EMOTIONS)) if self.normalised else log(self.base)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (Emotions(self.lexicon), Words(), OtherScript())

    @property
    def scores(self) -> tuple[Score, ...]:
        unit = self.nats
        return (
            Score(
                "emotional_entropy",
                of=lambda sums: entropy(sums.to_numpy()) / unit,
                range=(0.0, log(len(EMOTIONS)) / unit),
                meaning="how evenly the words spread over eight emotions; 0 is a single emotion",
                title="Emotional entropy",
                more="shows a wider mix of feelings than",
                less="shows a narrower mix of feelings than",
                unit="" if self.normalised else UNITS.get(self.base, ""),
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        sums = features[Emotions(self.lexicon)]
        why = reasons(
            len(turns),
            no_emotion_words=~sums.any(axis=1),
            no_words=features[Words()].counts == 0,
            other_script=features[OtherScript()],
        )
        return pl.DataFrame(sums, schema=list(EMOTIONS)).with_columns(why)

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """In the score's unit, the entropy of a turn less its entropy without an emotion word.

        Where that word is the only one, nothing is left to compare, and it counts with the score.
        """
        table: WordTable = features[Words()]
        weights = Emotions(self.lexicon).weights(table.vocabulary)
        unit = self.nats
        scores = entropy(features[Emotions(self.lexicon)]) / unit
        moved = effects(table, weights, scores, lambda _, rest: np.nan_to_num(entropy(rest) / unit))
        return spans(turns, table, moved)


def entropy(sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Entropy in nats of each row divided by its total; NaN for a row of zeros."""
    with np.errstate(invalid="ignore"):
        share = sums / sums.sum(axis=1, keepdims=True)
    logs = np.log(share, out=np.zeros_like(share), where=share > 0)
    return np.asarray(np.maximum(-(share * logs).sum(axis=1), 0.0))
