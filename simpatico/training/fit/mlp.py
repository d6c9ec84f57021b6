"""Fit a head, a small network over frozen vectors: cross-entropy, Adam, early stopping.

The inputs of the first layer are standardised while it is fitted; the weights that are returned
have that undone. Network, gradient and Adam are numpy: heads are trained and used without torch,
and torch's AdamW, which adds its epsilon elsewhere, would end at other weights than those we ship.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import NamedTuple

import numpy as np

from simpatico.arrays import AnyFloats, Floats32, Ints
from simpatico.features.char_ngrams import CharNgramSettings
from simpatico.features.classes import sigmoid
from simpatico.features.heads.head import Activation, Head, Part, activate
from simpatico.training.fit.early_stopping import EarlyStopping

BATCH = 256
SAMPLE = 8_192
"""Pairs from which mean and SD of the first layer's inputs are estimated."""
PATIENCE = 3
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
"""The defaults of Adam (Kingma & Ba 2015)."""


@dataclass(frozen=True)
class HeadShape:
    """The architecture of a head, and the hyperparameters it is trained with."""

    parts: tuple[Part, ...]
    hidden: tuple[int, ...] = ()
    activation: Activation = "tanh"
    rate: float = 1e-3
    decay: float = 1e-2
    epochs: int = 15
    batch: int = BATCH
    grams: CharNgramSettings | None = None
    """Character n-grams that it weighs, too; such a head is linear and fitted by `fit.linear`."""


class PairExamples(NamedTuple):
    """Pairs of texts as rows of a table of vectors; label 1 where the pair is a true one."""

    first: Ints
    second: Ints
    label: Floats32
    dialog: Ints | None = None
    weight: Floats32 | None = None
    """How much each pair counts; all the same where there is none."""

    def take(self, rows: Ints) -> PairExamples:
        return PairExamples._make(None if column is None else column[rows] for column in self)

    @property
    def dialog_ids(self) -> Ints:
        """The dialog of each pair; one of its own where dialogs are unknown."""
        return np.arange(len(self.label)) if self.dialog is None else self.dialog

    @property
    def mean_weights(self) -> Floats32:
        """The weight of each pair in a mean; they sum to 1."""
        weight = np.ones_like(self.label) if self.weight is None else self.weight
        return np.asarray(weight / weight.sum())


class InputScaling(NamedTuple):
    """Mean and SD of the first layer's inputs."""

    mean: Floats32
    sd: Floats32


def fit_head(
    shape: HeadShape,
    vectors: Floats32,
    train: PairExamples,
    validation: PairExamples,
    *,
    seed: int = 0,
    base: Head | None = None,
    tick: Callable[[int], object] = lambda n: None,
) -> Head:
    """The head after the epoch of least validation loss; `base` is a head to start from."""
    rng = np.random.default_rng(seed)
    head, scaling = initial_head(shape, vectors, train, rng)
    head = with_scaled_inputs(base, scaling) if base else head
    weights = parameters(head)
    moments = [(np.zeros_like(w), np.zeros_like(w)) for w in weights]
    steps = count(1)

    def run_epoch() -> None:
        """Adam with decoupled weight decay of matrices (Loshchilov & Hutter 2019).

        Kingma & Ba's second form: both bias corrections in the step size, epsilon uncorrected.
        """
        order = rng.permutation(len(train.label))
        for start in range(0, len(order), shape.batch):
            step = next(steps)
            batch = train.take(order[start : start + shape.batch])
            by_weight = gradients(head, scaling, vectors, batch)
            correction = np.sqrt(1 - BETA2**step) / (1 - BETA1**step)
            for weight, gradient, (mean, square) in zip(weights, by_weight, moments, strict=True):
                mean += (1 - BETA1) * (gradient - mean)
                square += (1 - BETA2) * (gradient * gradient - square)
                if weight.ndim == 2:
                    weight *= 1 - shape.rate * shape.decay
                weight -= shape.rate * correction * mean / (np.sqrt(square) + EPSILON)

    def validation_loss() -> float:
        return mean_loss(head, scaling, vectors, validation)

    least = validation_loss() if base else np.inf
    stopping = EarlyStopping(shape.epochs, PATIENCE)
    stopping.train(weights, run_epoch, validation_loss, least=least, tick=tick)
    return with_raw_inputs(head, scaling)


def initial_head(
    shape: HeadShape, vectors: Floats32, train: PairExamples, rng: np.random.Generator
) -> tuple[Head, InputScaling]:
    """A head of small random weights; its bilinear form starts as the plain inner product."""
    width = vectors.shape[1]
    bilinear = np.eye(width, dtype=np.float32) if "bilinear" in shape.parts else None
    head = Head(shape.parts, (), shape.activation, bilinear)
    rows = rng.permutation(len(train.label))[:SAMPLE]
    sample = head.inputs(vectors[train.first[rows]], vectors[train.second[rows]])
    scaling = InputScaling(sample.mean(axis=0), np.maximum(sample.std(axis=0), 1e-6))
    layers = []
    for inside, outside in pairwise([sample.shape[1], *shape.hidden, 1]):
        # variance 1 / fan-in, so that activations neither grow nor vanish from layer to layer
        weights = rng.standard_normal((inside, outside)) / np.sqrt(inside)
        layers.append((weights.astype(np.float32), np.zeros(outside, np.float32)))
    return replace(head, layers=tuple(layers)), scaling


def parameters(head: Head) -> list[AnyFloats]:
    """All weights of a head, the bilinear form last; the arrays themselves, not copies."""
    arrays = [array for layer in head.layers for array in layer]
    return arrays if head.bilinear is None else [*arrays, head.bilinear]


def gradients(
    head: Head, scaling: InputScaling, vectors: Floats32, batch: PairExamples
) -> list[AnyFloats]:
    """The gradient of the mean cross-entropy in every weight, in the order of `parameters`."""
    first, second = vectors[batch.first], vectors[batch.second]
    states = [(head.inputs(first, second) - scaling.mean) / scaling.sd]
    for matrix, offset in head.layers[:-1]:
        states.append(activate(head.activation, states[-1] @ matrix + offset))
    logit = (states[-1] @ head.layers[-1][0] + head.layers[-1][1])[:, 0]
    error = (sigmoid(logit) - batch.label) * batch.mean_weights
    back = error[:, None].astype(logit.dtype)
    by_weight: list[AnyFloats] = []
    for layer in reversed(range(len(head.layers))):
        state = states[layer]
        by_weight = [state.T @ back, back.sum(axis=0), *by_weight]
        back = back @ head.layers[layer][0].T
        if layer:  # tanh' = 1 - tanh², relu' = 1 where it is above 0
            back *= 1 - state * state if head.activation == "tanh" else state > 0
    if head.bilinear is None:
        return by_weight
    # the bilinear form is a single input, after as many as the parts before it have
    column = head.parts.index("bilinear") * first.shape[1]
    error = back[:, column : column + 1] / scaling.sd[column]
    return [*by_weight, (first * error).T @ second]


def mean_loss(
    head: Head, scaling: InputScaling, vectors: Floats32, examples: PairExamples
) -> float:
    """Mean cross-entropy."""
    parts = []
    for start in range(0, len(examples.label), SAMPLE):
        part = slice(start, start + SAMPLE)
        inputs = head.inputs(vectors[examples.first[part]], vectors[examples.second[part]])
        parts.append(head.logit((inputs - scaling.mean) / scaling.sd))
    logits = np.concatenate(parts)
    return float((np.logaddexp(0, logits) - examples.label * logits) @ examples.mean_weights)


def with_raw_inputs(head: Head, scaling: InputScaling) -> Head:
    """The head of standardised inputs as one that takes them as they are."""
    (matrix, offset), *rest = head.layers
    raw = (matrix / scaling.sd[:, None]).astype(np.float32)
    intercept = (offset - scaling.mean @ raw).astype(np.float32)
    return replace(head, layers=((raw, intercept), *rest))


def with_scaled_inputs(head: Head, scaling: InputScaling) -> Head:
    """The head that takes standardised inputs and gives the same."""
    (matrix, offset), *rest = head.layers
    weights = (matrix * scaling.sd[:, None]).astype(np.float32)
    intercept = (offset + scaling.mean @ matrix).astype(np.float32)
    others = ((m.astype(np.float32), o.astype(np.float32)) for m, o in rest)
    bilinear = None if head.bilinear is None else head.bilinear.astype(np.float32)
    return replace(head, layers=((weights, intercept), *others), bilinear=bilinear)
