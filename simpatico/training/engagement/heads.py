"""Heads over frozen vectors of exchanges: learned in the way their shape asks for, and asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats32
from simpatico.features.heads.head import Head
from simpatico.training.engagement.exchanges import Exchanges
from simpatico.training.fit.linear import PULLS, fit_wide
from simpatico.training.fit.mlp import Examples, Shape, fit
from simpatico.training.heads.train import Form, encoded


class Encoded(NamedTuple):
    """Texts by their places among vectors."""

    place: dict[str, int]
    vectors: Floats32

    @classmethod
    def of(cls, given: Sequence[Exchanges], form: Form) -> Encoded:
        """The vectors of all texts in some exchanges."""
        return cls(*encoded([t for part in given for t in (*part.query, *part.reply)], form))


def rounds(shape: Shape) -> int:
    """How often the learning of a head is told of."""
    return shape.epochs if shape.grams is None else len(PULLS)


def learned(
    shape: Shape,
    known: Encoded,
    learn: Examples,
    check: Examples,
    *,
    seed: int,
    base: Head | None = None,
    tick: Callable[[int], object] = lambda n: None,
) -> Head:
    """A head of this shape; `base` is where to begin."""
    if shape.grams is None:
        return fit(shape, known.vectors, learn, check, seed=seed, base=base, tick=tick)
    texts = list(known.place)
    return fit_wide(shape.grams, texts, known.vectors, learn, check, base=base, tick=tick)


def guessed(head: Head, known: Encoded, given: Exchanges) -> npt.NDArray[np.float64]:
    """Above 0 for what a head takes for engaging."""
    first, second = (
        known.vectors[[known.place[text] for text in texts]] for texts in (given.query, given.reply)
    )
    found = head.logit(head.inputs(first, second)).astype(np.float64)
    return found if head.grams is None else found + head.grams.of(given.query, given.reply)
