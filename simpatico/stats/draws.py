"""Seeded random draws that never change, and what is read off resampled statistics.

NumPy guarantees the raw stream of a bit generator for ever, but not what its `Generator` makes of
it. So uniform numbers are taken from the raw bits of Philox (Salmon et al. 2011), keyed by seed and
stream, and everything else is derived from them here: the same seed gives the same draws on every
machine and with every version of NumPy. What is computed from them can still differ in the last
digit between machines, since BLAS adds up in another order with another number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Bools, Floats

DRAWS = 9_999
"""One less than a round number: by the + 1 rule p is then a multiple of 1 / 10,000."""

CONFIDENCE = 0.95

SMALLEST_P = float(np.finfo(np.float64).tiny)
"""A p too small for the machine is shown as the smallest number it has, never as 0."""

ROOM = 4_000_000
"""Counts held in memory at once; smaller blocks keep several BLAS threads waiting for each other.

Each block has a random stream of its own, so this number is a part of every result: never change
it."""


class Draws(NamedTuple):
    """How many resamples, the seed they come from, and how many counts a block may hold.

    Without `room` all draws are one block of the first stream.
    """

    n: int = DRAWS
    seed: int = 0
    room: int | None = ROOM

    def blocks(self, units: int, *, width: int = 1) -> Iterator[Floats]:
        """How often each unit is drawn, a row per draw, one block of draws after another.

        `width`: numbers that the caller derives from each draw, if more than there are units.
        """
        size = self.n if self.room is None else max(1, self.room // max(units, width, 1))
        for stream, start in enumerate(range(0, self.n, size)):
            yield draw_counts(units, min(size, self.n - start), self.seed, stream)


def draw_uniform(size: int, seed: int, stream: int = 0) -> Floats:
    """Uniform numbers in [0, 1): the upper 53 of each 64 raw bits, times 2^-53."""
    raw = np.random.Philox(key=[seed % 2**64, stream]).random_raw(size)
    return np.asarray((raw >> np.uint64(11)) * 2.0**-53)


def draw_counts(units: int, draws: int, seed: int, stream: int = 0) -> Floats:
    """How often each unit is drawn, one row per draw: `counts @ sums` resamples any sum."""
    drawn_units = draw_uniform(units * draws, seed, stream).reshape(draws, units) * units
    indices = drawn_units.astype(np.int64) + np.arange(draws)[:, None] * units
    counts = np.bincount(indices.ravel(), minlength=units * draws)
    return counts.reshape(draws, units).astype(float)


def draw_flips(units: int, draws: int, seed: int, stream: int = 0) -> Bools:
    """A fair coin for each unit, one row per draw."""
    return draw_uniform(units * draws, seed, stream).reshape(draws, units) < 0.5


def percentile_interval(values: Floats, level: float = CONFIDENCE) -> tuple[float, float]:
    """The middle `level` of the draws that have a value (Efron 1979); NaN where none has."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return float("nan"), float("nan")
    low, high = np.quantile(finite, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def permutation_p(values: Floats, value: float) -> float:
    """p = (1 + draws >= the value observed) / (1 + draws), the + 1 rule (Phipson & Smyth 2010).

    The observed arrangement is itself one of those possible, so p is never 0.
    """
    finite = values[np.isfinite(values)]
    return float((1 + np.count_nonzero(finite >= value - 1e-12)) / (1 + len(finite)))
