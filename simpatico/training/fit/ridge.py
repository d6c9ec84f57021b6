"""Ridge regression in dual form, its penalty chosen by leave-one-out error in closed form.

With a centred kernel K = U diag(w) U' and penalty c, the fitted values are the mean of the target
plus U diag(w / (w + c)) U' times its deviations, and leaving row i out changes its residual e to
e / (1 - h), where h is the i-th diagonal of that hat matrix plus 1/n for the free intercept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simpatico.arrays import Floats, Ints

GRID: Floats = 10.0 ** np.arange(-2.0, 3.01, 0.25)
"""Penalties that are tried, as multiples of the kernel's mean diagonal."""


@dataclass(frozen=True)
class RidgeFit:
    """A fit; a new row's prediction is `mean + kernel to the training rows @ dual`."""

    mean: float
    dual: Floats
    relative_penalty: float
    """The penalty as a multiple of the kernel's mean diagonal."""
    penalty: float
    error: float
    """Mean squared leave-one-out error."""


def leave_one_out_residuals(
    values: Floats, vectors: Floats, target: Floats, penalties: Floats
) -> Floats:
    """Each row's residual when the row itself is left out: a column per penalty.

    `values` and `vectors` are the eigenvalues and eigenvectors of the centred kernel.
    """
    deviations = target - target.mean()
    shrink = values[:, None] / (values[:, None] + penalties)
    along = vectors.T @ deviations
    hat = vectors**2 @ shrink + 1 / len(target)
    predictions = vectors @ (shrink * along[:, None])
    return np.asarray((deviations[:, None] - predictions) / (1 - hat))


def fit_ridge(kernel: Floats, target: Floats, grid: Floats = GRID) -> RidgeFit:
    """The regression whose penalty has the least mean squared leave-one-out error."""
    values, vectors = np.linalg.eigh(kernel)
    values = np.maximum(values, 0.0)  # a kernel has none below 0, but rounding may
    penalties = grid * np.trace(kernel) / len(kernel)
    residuals = leave_one_out_residuals(values, vectors, target, penalties)
    errors = np.mean(residuals**2, axis=0)
    best = int(np.argmin(errors))
    along = vectors.T @ (target - target.mean())
    dual = np.asarray(vectors @ (along / (values + penalties[best])))
    numbers = (float(column[best]) for column in (grid, penalties, errors))
    return RidgeFit(float(target.mean()), dual, *numbers)


def centre_kernel(products: Floats, rows: Ints) -> Floats:
    """Inner products of all rows with the training rows, once their mean is the origin."""
    training, row_means = products[rows], products.mean(axis=1, keepdims=True)
    return np.asarray(products - row_means - training.mean(axis=0) + training.mean())
