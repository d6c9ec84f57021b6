"""Draws over systems and inputs, and the correlations in each: the engine under `resampling`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import DataError
from simpatico.stats.draws import DRAWS, flips
from simpatico.stats.systems.row_correlation import Coefficient, along

Level = Literal["system", "input", "global"]
Over = Literal["systems", "inputs", "both", "cells"]

BLOCK = 1_000
"""Draws made at a time; each block has random streams of its own, so this never changes."""

ROOM = 4_000_000
"""Numbers a step may hold at once."""


def at_least_one(draws: int) -> None:
    if draws < 1:
        raise DataError(f"{draws} draws say nothing; at least 1 is needed, and 9,999 are usual")


@dataclass(frozen=True)
class Plan:
    """Which correlation, and what is redrawn how often.

    `level`: "system" correlates the systems' means, "input" takes the mean over inputs of the
    correlation over systems, "global" correlates all cells. `over` "cells" swaps every score by
    itself, the variant of mt-metrics-eval; it is for tests between metrics only.
    """

    level: Level = "system"
    coefficient: Coefficient = "pearson"
    over: Over = "systems"
    draws: int = DRAWS
    seed: int = 0

    def __post_init__(self) -> None:
        at_least_one(self.draws)

    def named(self, family: Literal["BOOT", "PERM"]) -> str:
        return (
            f"{family}-{self.over.upper()}, {self.level}-level {self.coefficient}, "
            f"{self.draws} draws, seed {self.seed}"
        )


@dataclass(frozen=True)
class Draws:
    """One block: weights or signs of systems (draws x systems) and inputs (draws x inputs).

    `cells` (draws x systems x inputs) is there instead where every cell has a sign of its own.
    """

    systems: Floats
    inputs: Floats
    cells: Floats | None = None

    def of_cells(self) -> Floats:
        """The weight or sign of each cell."""
        if self.cells is not None:
            return self.cells
        return self.systems[:, :, None] * self.inputs[:, None, :]


@dataclass(frozen=True)
class Scores:
    """Standardised values with 0 where there is none, and 1 where there is one (`known`)."""

    values: Floats
    known: Floats

    def means(self, weights: Floats) -> Floats:
        """Each system's mean for each row of weights of the inputs; 0 where it has none."""
        # sums of the same numbers in another order differ in the last digits, which is no rank
        total = np.maximum(weights @ self.known.T, 1e-300)
        return np.round(weights @ self.values.T / total, 12)


def blocks(
    plan: Plan, shape: tuple[int, ...], make: Callable[[int, int, int, int], Floats]
) -> Iterator[Draws]:
    """All draws of the plan, a block at a time: what is not redrawn has ones."""
    systems, inputs = shape
    for number, done in enumerate(range(0, plan.draws, BLOCK)):
        size, stream = min(BLOCK, plan.draws - done), 3 * number
        rows, columns, cells = np.ones((size, systems)), np.ones((size, inputs)), None
        if plan.over in ("systems", "both"):
            rows = make(systems, size, plan.seed, stream)
        if plan.over in ("inputs", "both"):
            columns = make(inputs, size, plan.seed, stream + 1)
        if plan.over == "cells":
            cells = make(systems * inputs, size, plan.seed, stream + 2).reshape(size, *shape)
        yield Draws(rows, columns, cells)


def signs(units: int, draws: int, seed: int, stream: int) -> Floats:
    """-1 where two metrics change places, 1 where they stay."""
    return np.where(flips(units, draws, seed, stream), -1.0, 1.0)


def parts(size: int, each: int) -> Iterator[slice]:
    """Slices of so many draws that none holds more than there is room for."""
    step = max(1, ROOM // max(1, each))
    return (slice(start, start + step) for start in range(0, size, step))


def resampled(plan: Plan, x: Scores, z: Scores, block: Draws) -> Floats:
    """The correlation in each resample of a block."""
    systems, inputs = x.values.shape
    if plan.level == "system":
        there = block.inputs @ x.known.T * (block.inputs @ z.known.T) > 0
        means = x.means(block.inputs), z.means(block.inputs)
        return along(*means, block.systems * there, plan.coefficient)
    found = np.empty(len(block.systems))
    for part in parts(len(found), systems * inputs * (systems if plan.level == "input" else 1)):
        if plan.level == "input":
            weights = block.systems[part][:, None, :] * x.known.T
            each = along(x.values.T, z.values.T, weights, plan.coefficient)
            found[part] = mean_of(each, block.inputs[part])
        else:
            some = Draws(block.systems[part], block.inputs[part]).of_cells() * x.known
            flat = (x.values.ravel(), z.values.ravel(), some.reshape(len(some), -1))
            found[part] = along(*flat, plan.coefficient)
    return found


def mean_of(each: Floats, weights: Floats) -> Floats:
    """Weighted mean over inputs of the correlations there are; NaN where there is none."""
    weights = weights * np.isfinite(each)
    total = weights.sum(axis=-1)
    sums = np.einsum("...j,...j->...", np.nan_to_num(each), weights)
    return np.where(total > 0, sums / np.maximum(total, 1), np.nan)


def swapped(plan: Plan, metrics: tuple[Scores, Scores], z: Scores, block: Draws) -> Floats:
    """The difference of the two correlations after each swap of a block."""
    if plan.level == "system":
        return swapped_means(plan, metrics, z, block)
    if plan.level == "input" and block.cells is None:
        return swapped_inputs(plan, metrics, z, block)
    x, y, known = metrics[0].values, metrics[1].values, metrics[0].known
    found = np.empty(len(block.systems))
    for part in parts(len(found), x.size * (len(x) if plan.level == "input" else 1)):
        cells = None if block.cells is None else block.cells[part]
        stay = Draws(block.systems[part], block.inputs[part], cells).of_cells() > 0
        sides = []
        for side in (np.where(stay, x, y), np.where(stay, y, x)):
            if plan.level == "global":
                rows = side.reshape(len(side), -1), z.values.ravel(), known.ravel()
                sides.append(along(*rows, plan.coefficient))
            else:
                each = along(side.swapaxes(1, 2), z.values.T, known.T, plan.coefficient)
                sides.append(mean_of(each, np.ones(each.shape)))
        found[part] = sides[0] - sides[1]
    return found


def swapped_means(plan: Plan, metrics: tuple[Scores, Scores], z: Scores, block: Draws) -> Floats:
    """System level: swapped means are the middle of the two metrics plus or minus signed halves."""
    half = (metrics[0].values - metrics[1].values) / 2
    middle = Scores(metrics[0].values - half, metrics[0].known)
    ones = np.ones((1, half.shape[1]))
    there = middle.known.any(axis=1) & z.known.any(axis=1)
    if block.cells is None:
        apart = block.systems * (block.inputs @ half.T)
    else:
        apart = np.einsum("bij,ij->bi", block.cells, half)
    apart = apart / np.maximum(middle.known.sum(axis=1), 1)
    mean, judge, weights = middle.means(ones), z.means(ones), there.astype(float)
    sides = [np.round(side, 11) for side in (mean + apart, mean - apart)]
    one, other = (along(side, judge, weights, plan.coefficient) for side in sides)
    return one - other


def swapped_inputs(plan: Plan, metrics: tuple[Scores, Scores], z: Scores, block: Draws) -> Floats:
    """Input level: swapping a whole input exchanges its two correlations, so each pattern of
    swapped systems is computed once, and a pattern and its opposite are the same up to that.
    """
    first = block.systems[:, :1]
    patterns, which = np.unique(block.systems * first, axis=0, return_inverse=True)
    x, y, known = metrics[0].values.T, metrics[1].values.T, metrics[0].known.T
    each = np.empty((2, len(patterns), len(x)))
    for part in parts(len(patterns), x.size * x.shape[1]):
        stay = patterns[part][:, None, :] > 0
        for side, (one, other) in enumerate(((x, y), (y, x))):
            values = np.where(stay, one, other)
            each[side, part] = along(values, z.values.T, known, plan.coefficient)
    table, keep = each[:, which.ravel()], block.inputs * first > 0
    ones = np.ones(keep.shape)
    one = mean_of(np.where(keep, table[0], table[1]), ones)
    return one - mean_of(np.where(keep, table[1], table[0]), ones)
