"""The best linear blend of many scores, cross-fitted: no unit is predicted from its own rating.

Ridge regression of ratings on standardised scores within groups (Hoerl & Kennard 1970), the penalty
by leave-one-out errors (Allen 1974). Rated units get the prediction of a model fitted without their
fold, all others the mean prediction of the models (cross-prediction, Zrnic & Candès 2024).

How well such predictions do varies more than a standard error that takes them for given would have
it (Bates, Hastie & Tibshirani 2024), so that they are also made with each fold left out entirely.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.stats.draws import draw_uniform
from simpatico.stats.prediction_powered import RatedUnits

FOLDS = 10
PENALTIES = 10.0 ** np.arange(-2.5, 3.01, 0.5)
"""Times the number of units; the largest shrinks all weights to nothing."""


class CrossFit(NamedTuple):
    """Predicted ratings of all units, up to a constant.

    `refits`: those of the rated units (rows) without each fold (columns) as if it had never been
    rated, NaN for its own units; null with fewer than three folds.
    """

    predictions: Floats
    refits: Floats | None


def cross_fit(scores: Floats, units: RatedUnits, seed: int = 0) -> CrossFit:
    """The blend of `scores`, which has a row a unit, without gaps.

    Folds are of whole clusters. `units.proxy` is not read.
    """
    spread = scores.std(axis=0)
    columns = (scores - scores.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    rated = np.flatnonzero(units.rated)
    codes, cluster = np.unique(units.cluster[rated], return_inverse=True)
    folds = min(FOLDS, len(codes))
    order = np.argsort(draw_uniform(len(codes), seed), kind="stable")
    fold_of = np.empty(len(codes), dtype=np.int64)
    fold_of[order] = np.arange(len(codes)) % max(folds, 1)
    fold = fold_of[cluster]
    x, y, group = columns[rated], units.ratings[rated], units.group[rated]
    weights = np.array([ridge(x[fold != k], y[fold != k], group[fold != k]) for k in range(folds)])
    if not len(weights):
        return CrossFit(np.zeros(len(scores)), None)
    predictions = np.asarray(columns @ weights.mean(axis=0))
    predictions[rated] = np.einsum("ij,ij->i", x, weights[fold])
    refits = np.full((len(rated), folds), np.nan)
    for k, other in combinations(range(folds), 2):
        rest = (fold != k) & (fold != other)
        both = ridge(x[rest], y[rest], group[rest])
        refits[fold == other, k] = x[fold == other] @ both
        refits[fold == k, other] = x[fold == k] @ both
    return CrossFit(predictions, refits if folds > 2 else None)


def ridge(x: Floats, y: Floats, group: Ints) -> Floats:
    """Weights of the columns within groups, with the penalty of least leave-one-out error.

    With x = U S Vᵀ the fitted values are U D Uᵀ y, D = S² / (S² + penalty), and the error of a row
    left out is its residual / (1 − its diagonal element of U D Uᵀ and of the group means).
    """
    if len(y) < 2:
        return np.zeros(x.shape[1])
    sizes = np.bincount(group)
    share = 1 / sizes[group]

    def centre(values: Floats) -> Floats:
        return values - (np.bincount(group, weights=values) / np.maximum(sizes, 1))[group]

    y = centre(y)
    u, s, vt = np.linalg.svd(np.column_stack([centre(c) for c in x.T]), full_matrices=False)
    projections = u.T @ y
    best, weights = float(np.sum((y / np.maximum(1 - share, 0.5)) ** 2)), np.zeros(x.shape[1])
    for penalty in PENALTIES * len(y):
        shrunk = s**2 / (s**2 + penalty)
        residuals = y - u @ (shrunk * projections)
        leverage = np.minimum(u**2 @ shrunk + share, 0.99)
        error = float(np.sum((residuals / (1 - leverage)) ** 2))
        if error < best:
            best, weights = error, vt.T @ (s / (s**2 + penalty) * projections)
    return weights
