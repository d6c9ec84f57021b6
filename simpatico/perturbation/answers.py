"""Which turns are the answers under evaluation, and what an answer made wrong is told as."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Ints
from simpatico.turns import Turns

Kind = Literal["flipped", "shuffled", "generic", "off-topic", "copied"]

KINDS: tuple[Kind, ...] = ("flipped", "shuffled", "generic", "off-topic", "copied")
PEOPLE = "human"


@dataclass(frozen=True, eq=False)
class Perturbed:
    """The same dialogs and turns, with answers made wrong in one way.

    `changed` says of each turn whether it was; `why` says in a word of each answer that stayed as
    it was what stood in the way, and is null everywhere else.
    """

    turns: Turns
    kind: Kind
    changed: Bools
    why: pl.Series

    @property
    def answers(self) -> int:
        """How many answers there were to change."""
        return int(self.changed.sum()) + len(self.why.drop_nulls())

    @property
    def left(self) -> dict[str, int]:
        """How many answers stayed as they were, by what stood in the way."""
        return dict(Counter(self.why.drop_nulls().sort()).most_common())


def answers(turns: Turns) -> Ints:
    """Rows of the answers to change: turns of a system that answer one which stays as it is.

    Where both sides of a dialog are systems, only every other turn is such an answer; if both a
    turn and what it answers were flipped, they would fit again. People are left alone where others
    are under evaluation.
    """
    evaluated = turns.scored & ~people(turns)
    if not evaluated.any():
        evaluated = turns.scored
    found = np.zeros(len(turns), np.bool_)
    for row, heard in enumerate(turns.answered.tolist()):
        found[row] = evaluated[row] and heard >= 0 and not found[heard]
    return np.flatnonzero(found)


def people(turns: Turns) -> Bools:
    """Which turns are of people rather than of a system."""
    return (turns.frame["system"] == PEOPLE).fill_null(False).to_numpy()
