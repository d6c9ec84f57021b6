"""Let a head that sees vectors weigh runs of characters, too: what words are there, and how spelt.

What the runs add is learned on top of the number that the head gives, which stays as it is. Their
weights are drawn towards 0, and how hard, the texts to check by decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from simpatico.arrays import Floats, Floats32
from simpatico.features.char_ngrams import GramForm
from simpatico.features.heads.head import GramWeights, Head
from simpatico.training.fit.linear import Seen, best_weights
from simpatico.training.fit.mlp import Examples

FORM = GramForm(2, 5, 2**15)


def with_runs(
    head: Head,
    vectors: Floats32,
    runs: Any,
    sides: tuple[Examples, Examples],
    *,
    tick: Callable[[int], object] = lambda n: None,
) -> Head:
    """The head with weights for runs; without any where they help the second side nothing."""
    learn, check = (
        Seen.made([runs[side.first]], side, head.logit(vectors[side.first]).astype(np.float64))
        for side in sides
    )
    start = np.zeros(runs.shape[1] + 1)
    best = best_weights(learn, check, start, tick)
    return head if best is start else weighing(head, best[:-1], shift=best[-1])


def weighing(head: Head, runs: Floats, *, shift: float) -> Head:
    """The head with its number shifted, and with weights for runs of a single text."""
    *hidden, (matrix, offset) = head.layers
    last = (matrix, (offset + shift).astype(np.float32))
    grams = GramWeights(FORM, runs.astype(np.float32), np.zeros(len(runs), np.float32))
    return replace(head, layers=(*hidden, last), grams=grams)
