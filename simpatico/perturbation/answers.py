"""Which turns are the answers to change, and the result of changing them."""

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


@dataclass(frozen=True, eq=False)
class Perturbed:
    """The same dialogs and turns, with answers made wrong in one way.

    `changed` says of each turn whether it was; `unchanged` says in a word why an answer stayed as
    it was, and is null everywhere else.
    """

    turns: Turns
    kind: Kind
    changed: Bools
    unchanged: pl.Series

    @property
    def n_answers(self) -> int:
        """How many answers there were to change."""
        return int(self.changed.sum()) + len(self.unchanged.drop_nulls())

    @property
    def unchanged_counts(self) -> dict[str, int]:
        """How many answers stayed as they were, by reason."""
        return dict(Counter(self.unchanged.drop_nulls().sort()).most_common())


def answer_rows(turns: Turns) -> Ints:
    """Rows of the answers to change: turns of a system that answer one which stays as it is.

    Where both sides of a dialog are systems, only every other turn is such an answer; if both a
    turn and what it answers were flipped, they would fit again. People are left alone where others
    are under evaluation.
    """
    human = (turns.frame["system"] == "human").fill_null(False).to_numpy()
    systems = turns.scored & ~human
    if not systems.any():
        systems = turns.scored
    mask = np.zeros(len(turns), np.bool_)
    for row, target in enumerate(turns.answered.tolist()):
        mask[row] = systems[row] and target >= 0 and not mask[target]
    return np.flatnonzero(mask)
