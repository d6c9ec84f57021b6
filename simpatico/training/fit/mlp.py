"""Fit a head to true and made-up pairs: cross-entropy, Adam, and the epoch that checks best.

The vectors stay as they are. What the first layer sees is brought to mean 0 and spread 1 while it
learns, and the weights that are kept have that undone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats32, Ints
from simpatico.features.char_ngrams import GramForm
from simpatico.features.classes import sigmoid
from simpatico.features.heads.head import Activation, Head, Numbers, Part, activated

BATCH = 256
SAMPLE = 8_192
"""Pairs from which mean and spread of the first layer's inputs are taken."""
PATIENCE = 3
"""Epochs without a better check after which it ends."""
MOMENTUM, SQUARES, TINY = 0.9, 0.999, 1e-8


@dataclass(frozen=True)
class Shape:
    """What a head looks like, and how fast it learns."""

    parts: tuple[Part, ...]
    hidden: tuple[int, ...] = ()
    activation: Activation = "tanh"
    rate: float = 1e-3
    decay: float = 1e-2
    epochs: int = 15
    batch: int = BATCH
    grams: GramForm | None = None
    """Runs of characters that it weighs, too; such a head is linear and learned at one go."""


class Examples(NamedTuple):
    """Pairs as rows of a table of vectors; label 1 where the pair is a true one."""

    first: Ints
    second: Ints
    label: Floats32
    dialog: Ints | None = None
    """Of which dialog each pair is, where that matters."""
    weight: Floats32 | None = None
    """How much each pair counts; all the same where none is given."""

    def some(self, rows: Ints) -> Examples:
        dialog = None if self.dialog is None else self.dialog[rows]
        weight = None if self.weight is None else self.weight[rows]
        return Examples(self.first[rows], self.second[rows], self.label[rows], dialog, weight)

    @property
    def of_dialog(self) -> Ints:
        """Of which dialog each pair is; every one of its own where nobody says."""
        return np.arange(len(self.label)) if self.dialog is None else self.dialog

    @property
    def shares(self) -> Floats32:
        """What each pair adds to the mean; they sum to 1."""
        weight = np.ones_like(self.label) if self.weight is None else self.weight
        return np.asarray(weight / weight.sum())


class Scaling(NamedTuple):
    """Mean and spread of what the first layer sees."""

    mean: Floats32
    spread: Floats32


def fit(
    shape: Shape,
    vectors: Floats32,
    learn: Examples,
    check: Examples,
    *,
    seed: int = 0,
    base: Head | None = None,
    tick: Callable[[int], object] = lambda n: None,
) -> Head:
    """The head after the epoch whose loss on `check` is least; `base` is where to begin."""
    rng = np.random.default_rng(seed)
    head, scaling = begin(shape, vectors, learn, rng)
    head = scaled(base, scaling) if base else head
    weights = flat(head)
    moments = [(np.zeros_like(w), np.zeros_like(w)) for w in weights]
    least = loss(head, scaling, vectors, check) if base else np.inf
    best, waited, steps = [w.copy() for w in weights], 0, 0
    for epoch in range(shape.epochs):
        order = rng.permutation(len(learn.label))
        for start in range(0, len(order), shape.batch):
            steps += 1
            batch = learn.some(order[start : start + shape.batch])
            slopes = gradients(head, scaling, vectors, batch)
            descend(weights, slopes, moments, steps, shape)
        tick(1)
        found = loss(head, scaling, vectors, check)
        waited += 1
        if found < least:
            best, least, waited = [w.copy() for w in weights], found, 0
        if waited >= PATIENCE:
            tick(shape.epochs - epoch - 1)
            break
    for weight, kept in zip(weights, best, strict=True):
        weight[...] = kept
    return unscaled(head, scaling)


def begin(
    shape: Shape, vectors: Floats32, learn: Examples, rng: np.random.Generator
) -> tuple[Head, Scaling]:
    """A head of small random weights; its bilinear form begins as the plain inner product."""
    width = vectors.shape[1]
    bilinear = np.eye(width, dtype=np.float32) if "bilinear" in shape.parts else None
    head = Head(shape.parts, (), shape.activation, bilinear)
    rows = rng.permutation(len(learn.label))[:SAMPLE]
    sample = head.inputs(vectors[learn.first[rows]], vectors[learn.second[rows]])
    scaling = Scaling(sample.mean(axis=0), np.maximum(sample.std(axis=0), 1e-6))
    sizes = [sample.shape[1], *shape.hidden, 1]
    layers = []
    for inside, outside in pairwise(sizes):
        drawn = rng.standard_normal((inside, outside)) / np.sqrt(inside)
        layers.append((drawn.astype(np.float32), np.zeros(outside, np.float32)))
    return replace(head, layers=tuple(layers)), scaling


def flat(head: Head) -> list[Numbers]:
    """All weights of a head, the bilinear form last; the arrays themselves, not copies."""
    found = [array for layer in head.layers for array in layer]
    return found if head.bilinear is None else [*found, head.bilinear]


def gradients(head: Head, scaling: Scaling, vectors: Floats32, batch: Examples) -> list[Numbers]:
    """The slope of the mean cross-entropy in every weight, in the order of `flat`."""
    first, second = vectors[batch.first], vectors[batch.second]
    states = [(head.inputs(first, second) - scaling.mean) / scaling.spread]
    for matrix, shift in head.layers[:-1]:
        states.append(activated(head.activation, states[-1] @ matrix + shift))
    logit = (states[-1] @ head.layers[-1][0] + head.layers[-1][1])[:, 0]
    wrong = (sigmoid(logit) - batch.label) * batch.shares
    back = wrong[:, None].astype(logit.dtype)
    found: list[Numbers] = []
    for number in reversed(range(len(head.layers))):
        state = states[number]
        found = [state.T @ back, back.sum(axis=0), *found]
        back = back @ head.layers[number][0].T
        if number:
            back *= 1 - state * state if head.activation == "tanh" else state > 0
    if head.bilinear is None:
        return found
    at = sum(first.shape[1] if part != "bilinear" else 1 for part in before(head.parts))
    pull = back[:, at : at + 1] / scaling.spread[at]
    return [*found, (first * pull).T @ second]


def before(parts: Sequence[Part]) -> Sequence[Part]:
    """The parts that stand before the bilinear one."""
    return parts[: parts.index("bilinear")]


def descend(
    weights: list[Numbers],
    slopes: list[Numbers],
    moments: list[tuple[Numbers, Numbers]],
    step: int,
    shape: Shape,
) -> None:
    """One step of Adam, with weights that shrink on their own."""
    fast = np.sqrt(1 - SQUARES**step) / (1 - MOMENTUM**step)
    for weight, slope, (mean, square) in zip(weights, slopes, moments, strict=True):
        mean += (1 - MOMENTUM) * (slope - mean)
        square += (1 - SQUARES) * (slope * slope - square)
        if weight.ndim == 2:
            weight *= 1 - shape.rate * shape.decay
        weight -= shape.rate * fast * mean / (np.sqrt(square) + TINY)


def loss(head: Head, scaling: Scaling, vectors: Floats32, given: Examples) -> float:
    """Mean cross-entropy."""
    logits = scaled_logits(head, scaling, vectors, given)
    return float((np.logaddexp(0, logits) - given.label * logits) @ given.shares)


def scaled_logits(head: Head, scaling: Scaling, vectors: Floats32, given: Examples) -> Numbers:
    found = []
    for start in range(0, len(given.label), SAMPLE):
        some = slice(start, start + SAMPLE)
        inputs = head.inputs(vectors[given.first[some]], vectors[given.second[some]])
        found.append(head.logit((inputs - scaling.mean) / scaling.spread))
    return np.concatenate(found)


def unscaled(head: Head, scaling: Scaling) -> Head:
    """The head that sees its inputs as they are."""
    (matrix, shift), *rest = head.layers
    plain = (matrix / scaling.spread[:, None]).astype(np.float32)
    moved = (shift - scaling.mean @ plain).astype(np.float32)
    return replace(head, layers=((plain, moved), *rest))


def scaled(head: Head, scaling: Scaling) -> Head:
    """The head that gives the same once its inputs are brought to mean 0 and spread 1."""
    (matrix, shift), *rest = head.layers
    wide = (matrix * scaling.spread[:, None]).astype(np.float32)
    moved = (shift + scaling.mean @ matrix).astype(np.float32)
    others = ((m.astype(np.float32), s.astype(np.float32)) for m, s in rest)
    bilinear = None if head.bilinear is None else head.bilinear.astype(np.float32)
    return replace(head, layers=((wide, moved), *others), bilinear=bilinear)
