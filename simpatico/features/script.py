"""Whether a turn is plainly written in a script that English does not use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from simpatico.arrays import Bools
from simpatico.features import Feature, Features
from simpatico.features.words import CleanTexts
from simpatico.turns import Turns

LATIN_SHARE = 0.5
"""Names and loanwords in another script do not make a turn English."""


@dataclass(frozen=True)
class OtherScript:
    """True for turns in which fewer than half of the letters are Latin."""

    needs: ClassVar[tuple[Feature, ...]] = (CleanTexts(),)

    def compute(self, turns: Turns, features: Features) -> Bools:
        clean, other = features[CleanTexts()], np.zeros(len(turns), np.bool_)
        letters = clean.normalised.str.count_matches(r"\p{L}").to_numpy()
        latin = clean.normalised.str.count_matches(r"\p{Latin}").to_numpy()
        other[clean.rows.to_numpy()] = latin < LATIN_SHARE * letters
        return other
