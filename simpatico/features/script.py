"""Whether a turn is plainly written in a script that English does not use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from simpatico.features import Feature, Features
from simpatico.features.words import uniform
from simpatico.turns import Turns

LATIN_SHARE = 0.5


@dataclass(frozen=True)
class OtherScript:
    """True for turns in which fewer than half of the letters are Latin."""

    needs: ClassVar[tuple[Feature, ...]] = ()

    def compute(self, turns: Turns, features: Features) -> npt.NDArray[np.bool_]:
        text = turns.frame["text"]
        other = np.zeros(len(text), bool)
        odd = (text.str.len_bytes() != text.str.len_chars()).arg_true()
        seen = uniform(text.gather(odd))
        letters = seen.str.count_matches(r"\p{L}").to_numpy()
        latin = seen.str.count_matches(r"\p{Latin}").to_numpy()
        other[odd.to_numpy()] = latin < LATIN_SHARE * letters
        return other
