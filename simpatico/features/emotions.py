"""Plutchik's eight emotions in every turn: the input of all emotion metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.detokenise import detokenise
from simpatico.features.heads.folder import PairHead
from simpatico.features.lexicon import LexiconSums, load_lexicon
from simpatico.features.plutchik import EMOTIONS as EMOTIONS
from simpatico.features.script import OtherScript
from simpatico.features.words import Words, WordTable
from simpatico.turns import Turns

OURS = "emotions"
"""The lexicon we ship, derived from GoEmotions."""
NEURAL = "plutchik"
"""The heads we ship, trained on GoEmotions."""


@dataclass(frozen=True)
class Emotions:
    """Summed weights of the eight emotions per turn; 0 in all eight where no word has any.

    A turn in another script has no words this lexicon could know, so it is 0 throughout as well.
    """

    lexicon: str = OURS

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (LexiconSums(self.lexicon, EMOTIONS), OtherScript())

    @property
    def fingerprint(self) -> str:
        return LexiconSums(self.lexicon, EMOTIONS).fingerprint

    def weights(self, table: WordTable) -> Floats:
        """A row for each word of the vocabulary, with its weight in each of the eight emotions."""
        return LexiconSums(self.lexicon, EMOTIONS).weights(table)

    def compute(self, turns: Turns, features: Features) -> Floats:
        if (load_lexicon(self.lexicon).weights < 0).any():
            raise DataError(
                f"lexicon {self.lexicon!r} has negative weights; emotions need 0 or more"
            )
        sums: Floats = features[LexiconSums(self.lexicon, EMOTIONS)]
        return np.where(features[OtherScript()][:, None], 0.0, sums)


@dataclass(frozen=True)
class EmotionProbabilities:
    """Probability of each of the eight emotions in a turn, by the heads of a trained model folder.

    As with the lexicon, all eight are 0 where nothing speaks for any: in a turn without words, in
    another script, or for which the heads have no prediction.
    """

    model: str = NEURAL
    absent: str | None = field(default=None, compare=False)

    @property
    def heads(self) -> tuple[PairHead, ...]:
        """One head for each emotion."""
        return tuple(PairHead(self.model, "plutchik", name, self.absent) for name in EMOTIONS)

    @property
    def needs(self) -> tuple[Feature, ...]:
        own = (feature for head in self.heads for feature in (head, *head.needs))
        return tuple(dict.fromkeys([*own, Words(), OtherScript()]))

    @property
    def fingerprint(self) -> str:
        return self.heads[0].fingerprint

    def of(self, features: Features, texts: Sequence[str]) -> Floats:
        """A row for each text; NaN where the heads have no prediction."""
        if self.absent:
            raise MissingResource(self.absent)
        plain = [detokenise(text) for text in texts]
        return np.column_stack([features[head].of(plain) for head in self.heads])

    def compute(self, turns: Turns, features: Features) -> Floats:
        probabilities = np.zeros((len(turns), len(EMOTIONS)))
        mask = (features[Words()].counts > 0) & ~features[OtherScript()]
        texts = turns.frame["text"].filter(pl.Series(mask, dtype=pl.Boolean)).to_list()
        probabilities[mask] = np.nan_to_num(self.of(features, texts))
        return probabilities
