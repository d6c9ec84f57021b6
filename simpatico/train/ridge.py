"""Ridge regression in dual form, its penalty chosen by leave-one-out error in closed form.

With a centred kernel K = U diag(w) U' and penalty c, the fitted values are the mean of the target
plus U diag(w / (w + c)) U' times its deviations, and leaving row i out changes its residual e to
e / (1 - h), where h is the i-th diagonal of that hat matrix plus 1/n for the free intercept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]

GRID: Matrix = 10.0 ** np.arange(-2.0, 3.01, 0.25)
"""Penalties that are tried, as multiples of the kernel's mean diagonal."""


@dataclass(frozen=True)
class Fit:
    """A fitted regression: a new row is guessed as `mean + kernel to the training rows @ dual`."""

    mean: float
    dual: Matrix
    relative: float
    penalty: float
    error: float


@dataclass(frozen=True)
class Spectrum:
    """A centred kernel in its own coordinates, and the target in them."""

    values: Matrix
    vectors: Matrix
    target: Matrix

    @property
    def coordinates(self) -> Matrix:
        """The target's deviations along the kernel's axes."""
        return np.asarray(self.vectors.T @ (self.target - self.target.mean()))

    def left_out(self, penalty: float) -> Matrix:
        """What each row's residual is when the row itself is left out of the fit."""
        shrink = self.values / (self.values + penalty)
        hat = self.vectors**2 @ shrink + 1 / len(self.target)
        fitted = self.vectors @ (shrink * self.coordinates)
        return np.asarray((self.target - self.target.mean() - fitted) / (1 - hat))


def fit(kernel: Matrix, target: Matrix, grid: Matrix = GRID) -> Fit:
    """The regression whose penalty has the least mean squared leave-one-out error."""
    values, vectors = np.linalg.eigh(kernel)
    spectrum = Spectrum(np.maximum(values, 0.0), vectors, target)
    penalties = grid * np.trace(kernel) / len(kernel)
    errors = [float(np.mean(spectrum.left_out(c) ** 2)) for c in penalties]
    best = int(np.argmin(errors))
    dual = vectors @ (spectrum.coordinates / (spectrum.values + penalties[best]))
    return Fit(
        float(target.mean()), dual, float(grid[best]), float(penalties[best]), errors[best]
    )


def centred(products: Matrix, rows: npt.NDArray[np.int64]) -> Matrix:
    """Inner products of all rows with the training rows, once their mean is the origin."""
    training = products[rows]
    return np.asarray(
        products
        - products.mean(axis=1, keepdims=True)
        - training.mean(axis=0, keepdims=True)
        + training.mean()
    )
