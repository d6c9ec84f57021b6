"""Heads: small networks over the vectors of two texts, used with numpy alone.

The input is what `parts` name: the first vector, the second, their elementwise product and absolute
difference, and the bilinear form first' M second. Hidden layers follow, then one logit. A head may
also weigh character n-grams of both texts, whose logits are added.
Example: first (1, 2), second (3, 0), parts product and difference: (3, 0, 2, 2); with weights
1, 1, -1, 0 and offset -1 the logit is 0, which is a probability of .5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from simpatico.arrays import AnyFloats, Floats
from simpatico.features.char_ngrams import CharNgramSettings, count_char_ngrams
from simpatico.features.classes import sigmoid

Part = Literal["first", "second", "product", "difference", "bilinear"]
Activation = Literal["tanh", "relu"]

BLOCK = 96
"""Pairs that go through a head together, always as many: see `Head.probability`."""
DEPTH = 128
"""Columns multiplied at a time: of more, threads of BLAS may each take a part and add up anew."""


@dataclass(frozen=True)
class CharNgramWeights:
    """A weight for each bucket of character n-grams, in the first text and in the second.

    Hashed n-grams need no vocabulary, and so keep no words of the training texts.
    """

    form: CharNgramSettings
    first: AnyFloats = field(repr=False)
    second: AnyFloats = field(repr=False)

    def logits(self, firsts: Sequence[str], seconds: Sequence[str]) -> Floats:
        """What the n-grams of each pair add to its logit; those of a text are counted once."""
        index = {text: at for at, text in enumerate(dict.fromkeys((*firsts, *seconds)))}
        char_ngrams = count_char_ngrams(list(index), self.form)
        first, second = char_ngrams.dot(self.first), char_ngrams.dot(self.second)
        return first[[index[text] for text in firsts]] + second[[index[text] for text in seconds]]


@dataclass(frozen=True)
class Head:
    """Weights of a head; `layers` holds a matrix and an offset each, the last with one column."""

    parts: tuple[Part, ...]
    layers: tuple[tuple[AnyFloats, AnyFloats], ...] = field(repr=False)
    activation: Activation = "tanh"
    bilinear: AnyFloats | None = field(default=None, repr=False)
    grams: CharNgramWeights | None = None

    @property
    def vector_width(self) -> int:
        """The dimension of the text vectors that it takes."""
        if self.bilinear is not None:
            return int(self.bilinear.shape[0])
        return int(self.layers[0][0].shape[0]) // len(self.parts)

    def inputs(self, first: AnyFloats, second: AnyFloats) -> AnyFloats:
        """The input of the first layer, a row a pair."""
        columns = list[AnyFloats]()
        for part in self.parts:
            match part:
                case "first":
                    columns.append(first)
                case "second":
                    columns.append(second)
                case "product":
                    columns.append(first * second)
                case "difference":
                    columns.append(np.abs(first - second))
                case "bilinear":
                    m = self.bilinear
                    left = first if m is None else fixed_order_product(first, m)
                    columns.append((left * second).sum(axis=1, keepdims=True))
        return np.concatenate(columns, axis=1)

    def probability(
        self, first: AnyFloats, second: AnyFloats, offset: AnyFloats | float = 0.0
    ) -> Floats:
        """The probability that each pair is a true one; `offset` is added to its logit.

        Pairs are taken in blocks of one size, the last padded with zeros: in a product of large
        matrices the last bits of a row can depend on how many other rows there are.
        """
        logits = np.zeros(len(first))
        for start in range(0, len(first), BLOCK):
            block = slice(start, start + BLOCK)
            values = self.logit(self.inputs(pad_block(first[block]), pad_block(second[block])))
            logits[block] = values[: len(first) - start]
        return np.asarray(sigmoid(logits + offset))

    def logit(self, inputs: AnyFloats) -> AnyFloats:
        """The logit of each row of inputs."""
        *hidden, (weights, offset) = self.layers
        for matrix, shift in hidden:
            inputs = activate(self.activation, fixed_order_product(inputs, matrix) + shift)
        return np.asarray((fixed_order_product(inputs, weights) + offset)[:, 0])


def pad_block(rows: AnyFloats) -> AnyFloats:
    """These rows, and zeros after them, to the size of a block."""
    block = np.zeros((BLOCK, rows.shape[1]))
    block[: len(rows)] = rows
    return block


def fixed_order_product(rows: AnyFloats, matrix: AnyFloats) -> AnyFloats:
    """The product of two matrices, the same bits on any number of threads.

    The order of adding up is fixed here, as a BLAS is free to choose it by the number of columns.
    """
    total = rows[:, :DEPTH] @ matrix[:DEPTH]
    for start in range(DEPTH, len(matrix), DEPTH):
        total += rows[:, start : start + DEPTH] @ matrix[start : start + DEPTH]
    return np.asarray(total)


def activate(activation: Activation, values: AnyFloats) -> AnyFloats:
    return np.tanh(values) if activation == "tanh" else np.maximum(values, 0.0)
