"""Small networks over vectors of texts: how likely the second of two texts follows the first.

A head sees what `parts` name: the first vector, the second, their product and absolute difference
dimension by dimension, or the single number first' M second. Hidden layers follow, then one number,
of which the logistic function makes a probability. A head may also weigh runs of characters of
both texts, which are added to that number. Nothing but numpy is needed to use a head.
Example: first (1, 2), second (3, 0), parts product and difference: (3, 0, 2, 2); with weights
1, 1, -1, 0 and offset -1 the number is 0, which is a probability of .5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from simpatico.features.char_ngrams import GramForm, counted
from simpatico.features.classes import sigmoid

Numbers = npt.NDArray[Any]
Part = Literal["first", "second", "product", "difference", "bilinear"]
Activation = Literal["tanh", "relu"]

BLOCK = 96
"""Pairs that go through a head together."""
DEPTH = 128
"""Columns that are multiplied at a time: of more, threads of BLAS may each take a part."""


@dataclass(frozen=True)
class GramWeights:
    """What runs of characters weigh, a number a bucket, in the first text and in the second."""

    form: GramForm
    first: Numbers = field(repr=False)
    second: Numbers = field(repr=False)

    def of(self, firsts: Sequence[str], seconds: Sequence[str]) -> npt.NDArray[np.float64]:
        """What the runs of each pair add to its number; those of a text are counted once."""
        place = {text: at for at, text in enumerate(dict.fromkeys((*firsts, *seconds)))}
        runs = counted(list(place), self.form)
        one, other = runs.weighed(self.first), runs.weighed(self.second)
        found: npt.NDArray[np.float64] = one[[place[text] for text in firsts]]
        return found + other[[place[text] for text in seconds]]


@dataclass(frozen=True)
class Head:
    """Weights of a head; `layers` holds a matrix and an offset each, the last with one column."""

    parts: tuple[Part, ...]
    layers: tuple[tuple[Numbers, Numbers], ...] = field(repr=False)
    activation: Activation = "tanh"
    bilinear: Numbers | None = field(default=None, repr=False)
    grams: GramWeights | None = None

    def inputs(self, first: Numbers, second: Numbers) -> Numbers:
        """What the first layer sees, a row a pair."""
        columns = [seen(part, first, second, self.bilinear) for part in self.parts]
        return np.concatenate(columns, axis=1)

    def probability(
        self, first: Numbers, second: Numbers, added: Numbers | float = 0.0
    ) -> npt.NDArray[np.float64]:
        """How likely each pair is a true one; `added` is what comes from elsewhere.

        Pairs are taken in blocks of one size, the last filled up with zeros: in a product of large
        matrices the last bits of a row can depend on how many other rows there are.
        """
        found = np.zeros(len(first))
        for start in range(0, len(first), BLOCK):
            here = slice(start, start + BLOCK)
            logits = self.logit(self.inputs(filled(first[here]), filled(second[here])))
            found[here] = logits[: len(first) - start]
        return np.asarray(sigmoid(found + added))

    def logit(self, inputs: Numbers) -> Numbers:
        """The last layer's number for each row."""
        *hidden, (weights, offset) = self.layers
        for matrix, shift in hidden:
            inputs = activated(self.activation, product(inputs, matrix) + shift)
        return np.asarray((product(inputs, weights) + offset)[:, 0])


def filled(rows: Numbers) -> Numbers:
    """A whole block: these rows, and zeros after them."""
    block = np.zeros((BLOCK, rows.shape[1]))
    block[: len(rows)] = rows
    return block


def product(rows: Numbers, matrix: Numbers) -> Numbers:
    """The product of two matrices, the same bits on any number of threads."""
    found = rows[:, :DEPTH] @ matrix[:DEPTH]
    for start in range(DEPTH, len(matrix), DEPTH):
        found += rows[:, start : start + DEPTH] @ matrix[start : start + DEPTH]
    return np.asarray(found)


def seen(part: Part, first: Numbers, second: Numbers, bilinear: Numbers | None) -> Numbers:
    """One part of what a head sees, a row a pair."""
    match part:
        case "first":
            return first
        case "second":
            return second
        case "product":
            return np.asarray(first * second)
        case "difference":
            return np.asarray(np.abs(first - second))
    moved = first if bilinear is None else product(first, bilinear)
    return np.asarray((moved * second).sum(axis=1, keepdims=True))


def activated(how: Activation, values: Numbers) -> Numbers:
    return np.tanh(values) if how == "tanh" else np.maximum(values, 0.0)
