"""Whether a turn is plainly written in a script that English does not use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from simpatico.arrays import Bools
from simpatico.features import Feature, Features
from simpatico.features.words import beyond_ascii, normalise_texts
from simpatico.turns import Turns

LATIN_SHARE = 0.5
"""Names and loanwords in another script do not make a turn English."""


@dataclass(frozen=True)
class OtherScript:
    """True for turns in which fewer than half of the letters are Latin."""

    needs: ClassVar[tuple[Feature, ...]] = ()

    def compute(self, turns: Turns, features: Features) -> Bools:
        text = turns.frame["text"]
        other = np.zeros(len(text), bool)
        beyond = beyond_ascii(text)
        if not len(beyond):
            return other
        # a curly apostrophe is all that most of them have beyond ASCII, and NFKC is slow
        straight = text.gather(beyond).str.replace_all("\u2019", "'", literal=True)
        still = beyond_ascii(straight)
        clean = normalise_texts(straight.gather(still))
        letters = clean.str.count_matches(r"\p{L}").to_numpy()
        latin = clean.str.count_matches(r"\p{Latin}").to_numpy()
        other[beyond.gather(still).to_numpy()] = latin < LATIN_SHARE * letters
        return other
