"""Length: how many words a turn has.

Number of words / number of turns: the plainest thing to say about a system, and often what a
difference in other scores comes down to.
Example: "Yes." and "I think so, too." are 1 and 4 words, so the dialog's score is 2.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.features import Feature, Features
from simpatico.features.script import OtherScript
from simpatico.features.words import Words
from simpatico.metric import Card, Score, reasons
from simpatico.metrics._shared.scores import make_score
from simpatico.turns import Level, Turns


@dataclass(frozen=True)
class Length:
    """Statistics: words, and turns in a script whose words can be counted."""

    name: ClassVar[str] = "length"
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="How many words a turn has.",
        undefined="Null when the text is in another script; a turn without words has 0 of them.",
        citation="a count of words, as docs/words.md defines them",
        kind="traditional",
        careful="More words are neither better nor worse, and many scores move with them.",
    )
    needs: ClassVar[tuple[Feature, ...]] = (Words(), OtherScript())
    scores: ClassVar[tuple[Score, ...]] = (
        make_score(
            "length",
            pl.col("words") / pl.col("turns"),
            "words per turn",
            "writes (longer|shorter) turns",
            range=(0.0, inf),
            unit="words",
        ),
    )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        foreign = features[OtherScript()]
        words = np.where(foreign, 0, features[Words()].counts)
        why = reasons(len(turns), other_script=foreign)
        return pl.DataFrame({"words": words, "turns": ~foreign, "reason": why})
