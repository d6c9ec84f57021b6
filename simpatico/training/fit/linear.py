"""Fit a linear head over vectors and character n-grams: logistic regression near a base.

The loss is  Σ w_i CE(y_i, x_i'β + o_i) + λ/2 ‖β − β₀‖²,  where β₀ are the weights of the base or
0: a ridge penalty towards a given point, which scikit-learn does not have. The penalty λ is the one
with the least loss on the validation split. Few of the many hash buckets occur in a text, so the
n-grams are a sparse matrix, and a bucket that no training text has keeps its weight of the base.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from simpatico.arrays import Floats, Floats32
from simpatico.features.char_ngrams import CharNgramSettings, count_char_ngrams
from simpatico.features.classes import sigmoid
from simpatico.features.heads.head import CharNgramWeights, Head, Part
from simpatico.training.fit.mlp import PairExamples

PENALTIES = (100.0, 30.0, 10.0, 3.0, 1.0, 0.3)
"""Each fit starts from the weights of the stronger penalty before it."""
SCALES: Mapping[Part, float] = {"first": 1.5, "second": 1.5, "product": 18.0}
"""Vectors are multiplied by these, so that the penalty weighs less on them than on n-grams; the
entries of a product are far smaller than those of its factors."""
MAX_ITERATIONS = 400
TOLERANCE = 1e7 * float(np.finfo(np.float64).eps)
"""L-BFGS-B ends with a step that lowers the loss by a smaller share; scipy's own default."""


class LogisticData(NamedTuple):
    """The design matrix of a logistic regression, with labels and example weights."""

    rows: Any
    """A sparse matrix; its last column is the constant 1."""
    label: Floats
    weight: Floats
    offset: Floats | float = 0.0
    """Logits of a model that stays as it is, to which this one is added."""

    @classmethod
    def from_pairs(
        cls,
        pairs: PairExamples,
        vectors: Floats32,
        char_ngrams: Any,
        parts: tuple[Part, ...] = ("first", "second"),
    ) -> LogisticData:
        """What the parts name of the vectors of each pair, and the n-grams of both texts."""
        from scipy import sparse

        both = (pairs.first, pairs.second)
        inputs = Head(parts, ()).inputs(*(vectors[rows] for rows in both))
        dense = sparse.csr_matrix(inputs * column_scales(parts, vectors.shape[1]))
        return cls.from_columns([dense, *(char_ngrams[rows] for rows in both)], pairs)

    @classmethod
    def from_columns(
        cls, columns: list[Any], pairs: PairExamples, offset: Floats | float = 0.0
    ) -> LogisticData:
        """These columns and the constant."""
        from scipy import sparse

        one = sparse.csr_matrix(np.ones((len(pairs.label), 1)))
        rows = sparse.hstack([*columns, one], format="csr", dtype=np.float64)
        weight = pairs.mean_weights.astype(np.float64) * len(pairs.label)
        return cls(rows, pairs.label.astype(np.float64), weight, offset)

    def loss(self, weights: Floats) -> float:
        """The weighted sum of cross-entropies."""
        return self.loss_of_logits(self.offset + self.rows @ weights)[0]

    def loss_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
        """The same, and its gradient in the weights."""
        loss, gradient = self.loss_of_logits(self.offset + self.rows @ weights)
        return loss, np.asarray(self.rows.T @ gradient, np.float64)

    def loss_of_logits(self, logits: Floats) -> tuple[float, Floats]:
        """The loss, and its gradient in the logits: w (σ(z) − y)."""
        loss = float(self.weight @ (np.logaddexp(0.0, logits) - self.label * logits))
        return loss, self.weight * (sigmoid(logits) - self.label)


def fit_linear_head(
    form: CharNgramSettings,
    texts: Sequence[str],
    vectors: Floats32,
    train: PairExamples,
    validation: PairExamples,
    *,
    parts: tuple[Part, ...] = ("first", "second"),
    base: Head | None = None,
    tick: Callable[[int], object] = lambda n: None,
) -> Head:
    """The head of least validation loss; the base itself, where no fit is better."""
    char_ngrams = char_ngram_matrix(texts, form)
    splits = [LogisticData.from_pairs(p, vectors, char_ngrams, parts) for p in (train, validation)]
    start = np.zeros(splits[0].rows.shape[1]) if base is None else flatten_head(base)
    weights = fit_best_penalty(splits[0], splits[1], start, tick)
    scales = column_scales(parts, vectors.shape[1])
    sizes = np.cumsum([len(scales), form.columns, form.columns])
    dense, first, second, offset = np.split(weights, sizes)
    layer = ((scales * dense)[:, None], offset)
    return Head(parts, (layer,), grams=CharNgramWeights(form, first, second))


def column_scales(parts: tuple[Part, ...], width: int) -> Floats:
    """What each column of the vectors is multiplied by."""
    return np.repeat([SCALES[part] for part in parts], width)


def flatten_head(head: Head) -> Floats:
    """The weights of a linear head in the order of the design matrix."""
    (matrix, offset), grams = head.layers[0], head.grams
    char_ngrams = [] if grams is None else [grams.first, grams.second]
    dense = matrix[:, 0] / column_scales(head.parts, head.vector_width)
    return np.concatenate([dense, *char_ngrams, offset]).astype(np.float64)


def fit_best_penalty(
    train: LogisticData, validation: LogisticData, start: Floats, tick: Callable[[int], object]
) -> Floats:
    """Weights near `start`, or `start` itself: whichever has the least validation loss."""
    active = np.flatnonzero(train.rows.getnnz(axis=0))  # of the others the gradient is 0
    part = train._replace(rows=train.rows[:, active])
    best = weights = start
    for penalty in PENALTIES:
        weights, initial = start.copy(), weights[active]
        weights[active] = fit_logistic(part, start[active], initial, penalty)
        if validation.loss(weights) < validation.loss(best):
            best = weights
        tick(1)
    return best


def char_ngram_matrix(texts: Sequence[str], form: CharNgramSettings) -> Any:
    """The character n-grams of every text, a sparse row each."""
    return count_char_ngrams(texts, form).matrix(form)


def fit_logistic(
    data: LogisticData,
    target: Floats,
    initial: Floats,
    penalty: float | Floats,
    *,
    tolerance: float = TOLERANCE,
) -> Floats:
    """The weights of least penalised loss, with one penalty or one for each weight.

    The last weight, the intercept, is not penalised. It works on one thread: its vectors are so
    short that several would wait for each other most of the time.
    """
    from scipy.optimize import minimize
    from threadpoolctl import threadpool_limits

    penalties = np.full_like(target, penalty)
    penalties[-1] = 0.0

    def penalised_loss(weights: Floats) -> tuple[float, Floats]:
        distance = weights - target
        shrinkage = penalties * distance
        loss, gradient = data.loss_and_gradient(weights)
        return loss + float(shrinkage @ distance) / 2, gradient + shrinkage

    options = {"maxiter": MAX_ITERATIONS, "ftol": tolerance}
    with threadpool_limits(1, user_api="blas"):
        fit = minimize(penalised_loss, initial, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(fit.x, np.float64)
