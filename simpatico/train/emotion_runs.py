"""Let a head that sees vectors weigh runs of characters, too: what words are there, and how spelt.

What the runs add is learned on top of the number that the head gives, which stays as it is. Their
weights are drawn towards 0, and how hard, the texts to check by decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.features.classes import sigmoid
from simpatico.features.grams import GramForm
from simpatico.features.pair_head import GramWeights, Head
from simpatico.train.pair_fit import Examples, Floats
from simpatico.train.wide import PULLS, nearest

Numbers = npt.NDArray[np.float64]

FORM = GramForm(2, 5, 2**15)


class Added(NamedTuple):
    """A head's number for each text, the runs and a column of ones to add to it, and the labels."""

    number: Numbers
    rows: Any
    label: Numbers
    weight: Numbers

    @classmethod
    def of(cls, head: Head, vectors: Floats, runs: Any, given: Examples) -> Added:
        from scipy import sparse

        one = sparse.csr_matrix(np.ones((len(given.label), 1)))
        rows = sparse.hstack([runs[given.first], one], format="csr", dtype=np.float64)
        number = head.logit(vectors[given.first]).astype(np.float64)
        weight = given.shares.astype(np.float64) * len(given.label)
        return cls(number, rows, given.label.astype(np.float64), weight)

    def loss(self, weights: Numbers) -> float:
        """Summed cross-entropy."""
        logit = self.number + self.rows @ weights
        return float(self.weight @ (np.logaddexp(0.0, logit) - self.label * logit))

    def slope(self, weights: Numbers) -> Numbers:
        wrong = self.weight * (sigmoid(self.number + self.rows @ weights) - self.label)
        return np.asarray(self.rows.T @ wrong, np.float64)


def with_runs(
    head: Head,
    vectors: Floats,
    runs: Any,
    sides: tuple[Examples, Examples],
    *,
    tick: Callable[[int], object] = lambda n: None,
) -> Head:
    """The head with weights for runs; without any where they help the second side nothing."""
    used = np.flatnonzero(runs[sides[0].first].getnnz(axis=0))
    learn, check = (Added.of(head, vectors, runs[:, used], side) for side in sides)
    start = np.zeros(len(used) + 1)
    best, weights = start, start
    for pull in PULLS:
        weights = nearest(learn, start, weights, pull)
        if check.loss(weights) < check.loss(best):
            best = weights
        tick(1)
    if best is start:
        return head
    spread = np.zeros(runs.shape[1])
    spread[used] = best[:-1]
    return weighing(head, spread, shift=best[-1])


def weighing(head: Head, runs: Numbers, *, shift: float) -> Head:
    """The head with its number shifted, and with weights for runs of a single text."""
    *hidden, (matrix, offset) = head.layers
    last = (matrix, (offset + shift).astype(np.float32))
    grams = GramWeights(FORM, runs.astype(np.float32), np.zeros(len(runs), np.float32))
    return replace(head, layers=(*hidden, last), grams=grams)
