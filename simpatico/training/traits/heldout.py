"""How well guesses agree with what people held out of the training really answered."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats
from simpatico.features.ngram_model import Figure

Z95 = 1.959963984540054
RESAMPLES = 5_000
AT_ONCE = 250
DECIMALS = 6
"""Figures are rounded so that the last bits of a linear algebra library cannot show."""


def folds(people: int, n: int, seed: int) -> npt.NDArray[np.int64]:
    """The fold of each person; all are of equal size, give or take one."""
    parts = np.arange(people, dtype=np.int64) % n
    return np.asarray(np.random.default_rng(seed).permutation(parts))


def figure(guesses: Floats, answers: Floats, *, seed: int = 0) -> Figure:
    """Pearson's correlation with its 95% intervals; null where one side does not vary."""
    n, r = len(answers), float(correlations(guesses, answers))
    if not np.isfinite(r):
        return Figure(None, n, None, None, None, None, seed)
    reach = Z95 / np.sqrt(n - 3)
    z = np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12))
    bounds = [*np.tanh([z - reach, z + reach]), *resampled(guesses, answers)]
    low, high, lowest, highest = (round(float(bound), DECIMALS) for bound in bounds)
    return Figure(round(r, DECIMALS), n, low, high, lowest, highest, seed)


def resampled(guesses: Floats, answers: Floats) -> Floats:
    """95% interval of the correlation over samples of people with replacement."""
    rng, n = np.random.default_rng(0), len(answers)
    found = []
    for _ in range(RESAMPLES // AT_ONCE):
        drawn = rng.integers(0, n, (AT_ONCE, n))
        found.append(correlations(guesses[drawn], answers[drawn]))
    return np.asarray(np.nanpercentile(np.concatenate(found), [2.5, 97.5]))


def correlations(a: Floats, b: Floats) -> Floats:
    """Pearson's correlation of each pair of rows; NaN where one side does not vary."""
    a = a - a.mean(axis=-1, keepdims=True)
    b = b - b.mean(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(
            (a * b).sum(axis=-1) / np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
        )
