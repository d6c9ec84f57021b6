"""Figures by where exchanges come from and who talks, beside those of the length of a reply."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.stats.classification__measures import Estimate, Measured, Run, compared
from simpatico.training.engagement.baselines import LENGTH, lengths, plain
from simpatico.training.engagement.exchanges import Exchanges
from simpatico.training.engagement.splits import Sides

OURS = "engagement"
FEWEST_GROUPS = 5
"""Dialogs, or raters, of either label that a part needs to be told."""


class Part(NamedTuple):
    """How a model does on some of what was held out, and the length of a reply beside it."""

    name: str
    dialogs: int
    ours: Measured
    length: Measured
    above: Estimate

    @property
    def facts(self) -> dict[str, object]:
        """The figures, to be kept beside the weights."""
        return {
            "name": self.name,
            "n": self.ours.n,
            "dialogs": self.dialogs,
            "balanced": list(self.ours.balanced_accuracy),
            "auc": list(self.ours.auc),
            "length_auc": list(self.length.auc),
            "ahead": list(self.above),
        }


def parted(sides: Sides, ours: Run) -> list[Part]:
    """The figures of every origin, and of each kind of talk in those that have several."""
    learn, _, heldout = sides
    found = []
    for name, rows in named(heldout):
        some = heldout.some(rows)
        if not told(some):
            continue
        seen = learn.some(dict(named(learn)).get(name, np.arange(len(learn))))
        length = plain(lengths(seen.reply)[:, 0], lengths(some.reply)[:, 0], seen, some)
        mine = Run(ours.score[rows], ours.predicted[rows], ours.label[rows], some.group)
        (we, they), above = compared({OURS: [mine], LENGTH: [length]}, OURS)
        found.append(Part(name, some.dialogs, we, they, above[LENGTH]))
    return found


def named(given: Exchanges) -> Iterator[tuple[str, npt.NDArray[np.int64]]]:
    """The rows of every origin, and of each kind of talk in it if there are several."""
    origin, kind = np.array(given.origin), np.array(given.kind)
    for name in dict.fromkeys(given.origin):
        of = origin == name
        yield name, np.flatnonzero(of)
        kinds = dict.fromkeys(kind[of].tolist())
        for who in kinds if len(kinds) > 1 else ():
            yield f"{name}, {who or 'unknown'}", np.flatnonzero(of & (kind == who))


def told(given: Exchanges) -> bool:
    """Whether there are enough groups with either label for a figure and its interval."""
    groups = [{g for g, y in zip(given.group, given.label, strict=True) if y == x} for x in (0, 1)]
    return min(map(len, groups)) >= FEWEST_GROUPS
