"""Random draws that stay the same for ever: a seed, a number of units, a number of draws.

NumPy promises that the raw stream of a bit generator never changes, but not what is made of it;
so we take the raw bits of Philox and turn them into draws ourselves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats, Ints

DRAWS = 9_999
LEVEL = 0.95


def uniform(size: int, seed: int, stream: int = 0) -> Floats:
    """Numbers from 0 up to 1, of a stream of its own for each use."""
    raw = np.random.Philox(key=[seed % 2**64, stream]).random_raw(size)
    return np.asarray((raw >> np.uint64(11)) * 2.0**-53)


def indices(units: int, draws: int, seed: int, stream: int = 0) -> Ints:
    """Units drawn with replacement, one row per draw."""
    picked = uniform(units * draws, seed, stream).reshape(draws, units)
    return (picked * units).astype(np.int64)


def counts(units: int, draws: int, seed: int, stream: int = 0) -> Floats:
    """How often each unit is drawn, one row per draw: `counts @ sums` resamples any sum."""
    picked = indices(units, draws, seed, stream)
    picked += np.arange(draws)[:, None] * units
    return np.bincount(picked.ravel(), minlength=units * draws).reshape(draws, units).astype(float)


def flips(units: int, draws: int, seed: int, stream: int = 0) -> npt.NDArray[np.bool_]:
    """A fair coin for each unit, one row per draw."""
    return uniform(units * draws, seed, stream).reshape(draws, units) < 0.5


def percentile_interval(values: Floats, level: float = LEVEL) -> tuple[float, float]:
    """The middle of the draws; NaN where there are none."""
    kept = values[np.isfinite(values)]
    if not len(kept):
        return float("nan"), float("nan")
    low, high = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def permutation_p(drawn: Floats, seen: float) -> float:
    """Share of draws at least as far out as what was seen, which counts as one draw itself."""
    kept = drawn[np.isfinite(drawn)]
    return float((1 + np.count_nonzero(kept >= seen - 1e-12)) / (1 + len(kept)))
