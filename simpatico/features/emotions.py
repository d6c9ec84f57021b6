"""Plutchik's eight emotions of every turn: what all emotion metrics start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.errors import DataError
from simpatico.features import Feature, Features
from simpatico.features.lexicon import LexiconSums, load_lexicon
from simpatico.features.script import OtherScript
from simpatico.turns import Turns

EMOTIONS = (
    "anger",
    "anticipation",
    "disgust",
    "fear",
    "joy",
    "sadness",
    "surprise",
    "trust",
)
OURS = "emotions"
"""The lexicon we ship, derived from GoEmotions."""


@dataclass(frozen=True)
class Emotions:
    """Summed weights of the eight emotions per turn; 0 in all eight where there is no sign of any.

    A turn in another script has no words this lexicon could know, so it is 0 throughout as well.
    """

    lexicon: str = OURS

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (LexiconSums(self.lexicon, EMOTIONS), OtherScript())

    @property
    def fingerprint(self) -> str:
        return LexiconSums(self.lexicon, EMOTIONS).fingerprint

    def weights(self, vocabulary: pl.Series) -> npt.NDArray[np.float64]:
        """A row for each word, with its weight in each of the eight emotions."""
        return LexiconSums(self.lexicon, EMOTIONS).weights(vocabulary)

    def compute(self, turns: Turns, features: Features) -> npt.NDArray[np.float64]:
        if (load_lexicon(self.lexicon).weights < 0).any():
            raise DataError(f"lexicon {self.lexicon!r} has weights below 0; emotions allow none")
        sums: npt.NDArray[np.float64] = features[LexiconSums(self.lexicon, EMOTIONS)]
        return np.where(features[OtherScript()][:, None], 0.0, sums)
