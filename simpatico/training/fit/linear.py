"""Fit a linear head over vectors and runs of characters: logistic regression, held near its base.

Weights are drawn towards those of the base, or towards 0; how hard, the pairs to check by decide.
Of many buckets few are in a text, so that the runs are kept as a sparse matrix; a bucket that is in
none stays where it began.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from simpatico.arrays import Floats, Floats32
from simpatico.features.char_ngrams import GramForm, counted
from simpatico.features.classes import sigmoid
from simpatico.features.heads.head import GramWeights, Head
from simpatico.training.fit.mlp import Examples

PULLS = (30.0, 10.0, 3.0, 1.0, 0.3)
"""How hard weights are drawn towards where they began, from much to little."""
VECTORS = 1.5
"""Factor of the vectors, by which they are drawn less than the runs."""
STEPS = 400
ENOUGH = 1e7 * float(np.finfo(np.float64).eps)
"""A step that lowers the loss by a smaller share is the last, unless told otherwise."""


class Seen(NamedTuple):
    """What a head sees of some pairs, a row each, with their labels and what each counts."""

    rows: Any
    label: Floats
    weight: Floats
    number: Floats | float = 0.0
    """What a head that stays as it is says of each already."""

    @classmethod
    def of(cls, pairs: Examples, vectors: Floats32, runs: Any) -> Seen:
        from scipy import sparse

        sides = [VECTORS * sparse.csr_matrix(vectors[at]) for at in (pairs.first, pairs.second)]
        grams = [runs[at] for at in (pairs.first, pairs.second)]
        return cls.made([*sides, *grams], pairs)

    @classmethod
    def made(cls, columns: list[Any], pairs: Examples, number: Floats | float = 0.0) -> Seen:
        """Of these columns and a column of ones."""
        from scipy import sparse

        one = sparse.csr_matrix(np.ones((len(pairs.label), 1)))
        rows = sparse.hstack([*columns, one], format="csr", dtype=np.float64)
        weight = pairs.shares.astype(np.float64) * len(pairs.label)
        return cls(rows, pairs.label.astype(np.float64), weight, number)

    def loss(self, weights: Floats) -> float:
        """Summed cross-entropy."""
        return self.judged(self.number + self.rows @ weights)[0]

    def cost(self, weights: Floats) -> tuple[float, Floats]:
        """The loss, and how steeply it rises with each weight."""
        loss, wrong = self.judged(self.number + self.rows @ weights)
        return loss, np.asarray(self.rows.T @ wrong, np.float64)

    def judged(self, number: Floats) -> tuple[float, Floats]:
        """The loss of a number for each pair, and how steeply it rises with each number."""
        loss = float(self.weight @ (np.logaddexp(0.0, number) - self.label * number))
        return loss, self.weight * (sigmoid(number) - self.label)


def fit_wide(
    form: GramForm,
    texts: Sequence[str],
    vectors: Floats32,
    learn: Examples,
    check: Examples,
    *,
    base: Head | None = None,
    tick: Callable[[int], object] = lambda n: None,
) -> Head:
    """The head whose loss on `check` is least; the base itself, where nothing learned is better."""
    runs = sparse_runs(texts, form)
    seen, judge = (Seen.of(side, vectors, runs) for side in (learn, check))
    start = np.zeros(seen.rows.shape[1]) if base is None else flat(base)
    return unpacked(best_weights(seen, judge, start, tick), vectors.shape[1], form)


def best_weights(learn: Seen, check: Seen, start: Floats, tick: Callable[[int], object]) -> Floats:
    """Of weights drawn towards the start more or less, or the start itself, the best on `check`."""
    used = np.flatnonzero(learn.rows.getnnz(axis=0))
    part = learn._replace(rows=learn.rows[:, used])
    best = weights = start
    for pull in PULLS:
        weights, begun = start.copy(), weights[used]
        weights[used] = nearest(part, start[used], begun, pull)
        if check.loss(weights) < check.loss(best):
            best = weights
        tick(1)
    return best


def sparse_runs(texts: Sequence[str], form: GramForm) -> Any:
    """The runs of every text, a row each."""
    return counted(texts, form).matrix(form)


def nearest(
    seen: Seen,
    start: Floats,
    begun: Floats,
    pull: float | Floats,
    *,
    enough: float = ENOUGH,
) -> Floats:
    """Weights of least loss plus half the pull times how far they are from the start, squared.

    There is one pull, or one for each weight; the last weight, an offset, is free. It ends with a
    step that lowers the loss by a smaller share than `enough`. It works on one thread: its vectors
    are so short that several would wait for each other most of the time.
    """
    from scipy.optimize import minimize
    from threadpoolctl import threadpool_limits

    held = np.full_like(start, pull)
    held[-1] = 0.0

    def cost(weights: Floats) -> tuple[float, Floats]:
        away = weights - start
        drawn = held * away
        loss, slope = seen.cost(weights)
        return loss + float(drawn @ away) / 2, slope + drawn

    options = {"maxiter": STEPS, "ftol": enough}
    with threadpool_limits(1, user_api="blas"):
        found = minimize(cost, begun, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x, np.float64)


def flat(head: Head) -> Floats:
    """The weights of a linear head in the order of what it sees."""
    (matrix, offset), grams = head.layers[0], head.grams
    runs = [] if grams is None else [grams.first, grams.second]
    return np.concatenate([matrix[:, 0] / VECTORS, *runs, offset]).astype(np.float64)


def unpacked(weights: Floats, width: int, form: GramForm) -> Head:
    """The head of these weights."""
    sizes = np.cumsum([2 * width, form.columns, form.columns])
    vectors, first, second, offset = np.split(weights, sizes)
    layer = (VECTORS * vectors[:, None], offset)
    return Head(("first", "second"), (layer,), grams=GramWeights(form, first, second))
