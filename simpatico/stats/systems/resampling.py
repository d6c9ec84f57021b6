"""Correlation of metrics with ratings over systems and inputs: bootstrap intervals, permutation p.

Matrices are systems by inputs. What is redrawn decides what a result speaks about: systems (will it
hold for new systems?), inputs (for these systems on new inputs?) or both. The schemes are those of
Deutsch, Dror & Roth, TACL 2021: BOOT-/PERM-SYSTEMS, -INPUTS, -BOTH.

    plan = ResamplingPlan(level="system", coefficient="kendall", over="both")
    matrix_interval(scores, ratings, plan)           # with its 95% interval
    compare_metrics(scores, others, ratings, plan)   # difference of two metrics with p
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Bools, Floats
from simpatico.errors import DataError
from simpatico.stats.draws import DRAWS, draw_counts, draw_flips, percentile_interval, permutation_p
from simpatico.stats.result import Result, make_result, no_result
from simpatico.stats.systems.weighted_correlation import Coefficient, weighted_correlation

MatrixLevel = Literal["system", "input", "global"]
Redrawn = Literal["systems", "inputs", "both", "cells"]

BLOCK = 1_000
"""Draws made at a time; each block has random streams of its own, so this never changes."""

ROOM = 4_000_000
"""Numbers a step may hold at once."""

NEAR = 1e-9
"""Differences of correlations closer than this are equal but for rounding."""


@dataclass(frozen=True)
class ResamplingPlan:
    """Which correlation, and what is redrawn how often.

    `level`: "system" correlates the systems' means, "input" takes the mean over inputs of the
    correlation over systems, "global" correlates all cells. `over` "cells" swaps every score by
    itself, the variant of mt-metrics-eval; it is for tests between metrics only.
    """

    level: MatrixLevel = "system"
    coefficient: Coefficient = "pearson"
    over: Redrawn = "systems"
    draws: int = DRAWS
    seed: int = 0

    def __post_init__(self) -> None:
        check_draws(self.draws)

    def method_name(self, family: Literal["BOOT", "PERM"]) -> str:
        return (
            f"{family}-{self.over.upper()}, {self.level}-level {self.coefficient}, "
            f"{self.draws} draws, seed {self.seed}"
        )


@dataclass(frozen=True)
class DrawWeights:
    """One block: counts or signs of systems (draws x systems) and inputs (draws x inputs).

    `cells` (draws x systems x inputs) is there instead where every cell has a sign of its own.
    """

    systems: Floats
    inputs: Floats
    cells: Floats | None = None

    def of_cells(self) -> Floats:
        """The count or sign of each cell."""
        if self.cells is not None:
            return self.cells
        return self.systems[:, :, None] * self.inputs[:, None, :]


@dataclass(frozen=True)
class ScoreMatrix:
    """Standardised values with 0 where there is none, and 1 where there is one (`present`)."""

    values: Floats
    present: Floats

    def means(self, weights: Floats) -> Floats:
        """Each system's mean for each row of weights of the inputs; 0 where it has none."""
        # sums of the same numbers in another order differ in the last digits, which is no rank
        total = np.maximum(weights @ self.present.T, 1e-300)
        return np.round(weights @ self.values.T / total, 12)


MatrixPair = tuple[ScoreMatrix, ScoreMatrix]
"""Two metrics, or scores and ratings."""


def matrix_interval(
    scores: npt.ArrayLike,
    ratings: npt.ArrayLike,
    plan: ResamplingPlan,
    *,
    minus: npt.ArrayLike | None = None,
) -> Result:
    """Correlation of scores with ratings, with the middle 95 % of resamples as interval.

    With `minus`, the correlation of `scores` less that of these other scores. Resamples in which
    there is no correlation, as when one system is drawn every time, are left out.
    """
    if plan.over == "cells":
        raise DataError("an interval resamples 'systems', 'inputs' or 'both', not 'cells'")
    others = [] if minus is None else [minus]
    x, *y, z = check_matrices(scores, *others, ratings)
    sides = [pair_matrices(plan, side, z, x, *y) for side in (x, *y)]

    def statistic(block: DrawWeights) -> Floats:
        values = [resample_correlations(plan, *side, block) for side in sides]
        return values[0] - values[1] if y else values[0]

    value = statistic(no_draw(x))[0]
    method = plan.method_name("BOOT")
    sample = result_of_sample(plan, sides[0], value, method)
    if sample.value is None:
        return sample
    draws = np.concatenate([statistic(block) for block in draw_weights(plan, x.shape, draw_counts)])
    return make_result(value, n=sample.n, method=method, interval=percentile_interval(draws))


def compare_metrics(
    scores: npt.ArrayLike, others: npt.ArrayLike, ratings: npt.ArrayLike, plan: ResamplingPlan
) -> Result:
    """Correlation of `scores` with the ratings less that of `others`, with a permutation p.

    The two metrics are standardised and swapped for whole systems (PERM-SYSTEMS), whole inputs
    (PERM-INPUTS), both at once (PERM-BOTH) or cell by cell (PERM-CELLS); p is two-sided,
    (1 + draws at least as far out) / (1 + draws).
    """
    x, y, z = check_matrices(scores, others, ratings)
    first, judge = pair_matrices(plan, x, z, y)
    second, _ = pair_matrices(plan, y, z, x)

    def statistic(block: DrawWeights) -> Floats:
        return swap_metrics(plan, (first, second), judge, block)

    value = statistic(no_draw(x))[0]
    method = f"{plan.method_name('PERM')}, two-sided"
    sample = result_of_sample(plan, (first, judge), value, method)
    if sample.value is None:
        return sample
    draws = np.concatenate([statistic(block) for block in draw_weights(plan, x.shape, draw_signs)])
    p_value = permutation_p(np.abs(draws), abs(value) - NEAR)
    return replace(sample, p_value=p_value)


def check_draws(draws: int) -> None:
    """Refuse fewer than one draw."""
    if draws < 1:
        raise DataError(f"the number of draws must be at least 1 (9,999 is usual), not {draws}")


def check_matrices(*matrices: npt.ArrayLike) -> list[Floats]:
    """The matrices as numbers, all of one shape; what is not finite becomes NaN."""
    arrays = [np.asarray(each, dtype=np.float64) for each in matrices]
    shapes = [each.shape for each in arrays]
    if len({*shapes}) != 1 or arrays[0].ndim != 2:
        raise DataError(f"matrices of systems by inputs must have one shape, not {shapes}")
    return [np.where(np.isfinite(each), each, np.nan) for each in arrays]


def pair_matrices(plan: ResamplingPlan, x: Floats, z: Floats, *others: Floats) -> MatrixPair:
    """Scores and ratings of the cells that count.

    Scores count where every metric has one. Systems' means are taken over all of these and all
    ratings; at the other levels a cell needs scores and a rating.
    """
    scored = np.asarray(np.isfinite([x, *others]).all(axis=0))
    rated = np.isfinite(z)
    if plan.level != "system":
        scored = rated = scored & rated
    return standardise_matrix(x, scored), standardise_matrix(z, rated)


def standardise_matrix(x: Floats, present: Bools) -> ScoreMatrix:
    """Mean 0 and SD 1 over the present cells; 0 everywhere if they do not vary."""
    if not present.any() or np.ptp(x[present]) == 0:
        return ScoreMatrix(np.zeros(x.shape), present.astype(float))
    cells = x / np.abs(x[present]).max()
    cells = cells - cells[present].mean()
    return ScoreMatrix(np.where(present, cells / cells[present].std(), 0.0), present.astype(float))


def result_of_sample(plan: ResamplingPlan, pair: MatrixPair, value: float, method: str) -> Result:
    """The value, or why there is none: three systems, or two inputs, or three cells are needed."""
    both = pair[0].present.any(axis=1) & pair[1].present.any(axis=1)
    cells = pair[0].present * pair[1].present
    n, least = int(both.sum()), 3
    if plan.level == "input":
        n, least = int((cells.sum(axis=0) > 1).sum()), 2
    elif plan.level == "global":
        n = int(cells.sum())
    if n < least:
        return no_result("too_few", n=n, method=method)
    return make_result(value, n=n, method=method)


def no_draw(x: Floats) -> DrawWeights:
    """One block of one draw in which everything stays as observed."""
    return DrawWeights(np.ones((1, len(x))), np.ones((1, x.shape[1])))


def draw_weights(
    plan: ResamplingPlan, shape: tuple[int, ...], draw: Callable[[int, int, int, int], Floats]
) -> Iterator[DrawWeights]:
    """All draws of the plan, a block at a time: what is not redrawn has ones."""
    systems, inputs = shape
    for number, start in enumerate(range(0, plan.draws, BLOCK)):
        size, stream = min(BLOCK, plan.draws - start), 3 * number
        rows, columns, cells = np.ones((size, systems)), np.ones((size, inputs)), None
        if plan.over in ("systems", "both"):
            rows = draw(systems, size, plan.seed, stream)
        if plan.over in ("inputs", "both"):
            columns = draw(inputs, size, plan.seed, stream + 1)
        if plan.over == "cells":
            cells = draw(systems * inputs, size, plan.seed, stream + 2).reshape(size, *shape)
        yield DrawWeights(rows, columns, cells)


def draw_signs(units: int, draws: int, seed: int, stream: int) -> Floats:
    """-1 where two metrics change places, 1 where they stay."""
    return np.where(draw_flips(units, draws, seed, stream), -1.0, 1.0)


def memory_slices(size: int, each: int) -> Iterator[slice]:
    """Slices of so many draws that none holds more numbers than there is room for."""
    step = max(1, ROOM // max(1, each))
    return (slice(start, start + step) for start in range(0, size, step))


def resample_correlations(
    plan: ResamplingPlan, x: ScoreMatrix, z: ScoreMatrix, block: DrawWeights
) -> Floats:
    """The correlation in each resample of a block."""
    systems, inputs = x.values.shape
    if plan.level == "system":
        present = block.inputs @ x.present.T * (block.inputs @ z.present.T) > 0
        means = x.means(block.inputs), z.means(block.inputs)
        return weighted_correlation(*means, block.systems * present, plan.coefficient)
    values, factor = np.empty(len(block.systems)), systems if plan.level == "input" else 1
    for part in memory_slices(len(values), systems * inputs * factor):
        if plan.level == "input":
            weights = block.systems[part][:, None, :] * x.present.T
            each = weighted_correlation(x.values.T, z.values.T, weights, plan.coefficient)
            values[part] = mean_over_inputs(each, block.inputs[part])
        else:
            cells = DrawWeights(block.systems[part], block.inputs[part]).of_cells() * x.present
            rows = (x.values.ravel(), z.values.ravel(), cells.reshape(len(cells), -1))
            values[part] = weighted_correlation(*rows, plan.coefficient)
    return values


def mean_over_inputs(each: Floats, weights: Floats) -> Floats:
    """Weighted mean over inputs of the correlations that exist; NaN where none does."""
    weights = weights * np.isfinite(each)
    total = weights.sum(axis=-1)
    sums = np.einsum("...j,...j->...", np.nan_to_num(each), weights)
    return np.where(total > 0, sums / np.maximum(total, 1), np.nan)


def swap_metrics(
    plan: ResamplingPlan, metrics: MatrixPair, z: ScoreMatrix, block: DrawWeights
) -> Floats:
    """The difference of the two correlations after each swap of a block."""
    if plan.level == "system":
        return swap_system_means(plan, metrics, z, block)
    if plan.level == "input" and block.cells is None:
        return swap_inputs(plan, metrics, z, block)
    x, y, present = metrics[0].values, metrics[1].values, metrics[0].present
    values = np.empty(len(block.systems))
    for part in memory_slices(len(values), x.size * (len(x) if plan.level == "input" else 1)):
        cells = None if block.cells is None else block.cells[part]
        stay = DrawWeights(block.systems[part], block.inputs[part], cells).of_cells() > 0
        sides = []
        for side in (np.where(stay, x, y), np.where(stay, y, x)):
            if plan.level == "global":
                rows = side.reshape(len(side), -1), z.values.ravel(), present.ravel()
                sides.append(weighted_correlation(*rows, plan.coefficient))
            else:
                rows = side.swapaxes(1, 2), z.values.T, present.T
                each = weighted_correlation(*rows, plan.coefficient)
                sides.append(mean_over_inputs(each, np.ones(each.shape)))
        values[part] = sides[0] - sides[1]
    return values


def swap_system_means(
    plan: ResamplingPlan, metrics: MatrixPair, z: ScoreMatrix, block: DrawWeights
) -> Floats:
    """System level: swapped means are the middle of the two metrics plus or minus signed halves."""
    half = (metrics[0].values - metrics[1].values) / 2
    middle = ScoreMatrix(metrics[0].values - half, metrics[0].present)
    ones = np.ones((1, half.shape[1]))
    present = middle.present.any(axis=1) & z.present.any(axis=1)
    if block.cells is None:
        shift = block.systems * (block.inputs @ half.T)
    else:
        shift = np.einsum("bij,ij->bi", block.cells, half)
    shift = shift / np.maximum(middle.present.sum(axis=1), 1)
    mean, judge, weights = middle.means(ones), z.means(ones), present.astype(float)
    # one digit less than the means have: sums in another order must stay tied
    sides = [np.round(side, 11) for side in (mean + shift, mean - shift)]
    one, other = (weighted_correlation(side, judge, weights, plan.coefficient) for side in sides)
    return one - other


def swap_inputs(
    plan: ResamplingPlan, metrics: MatrixPair, z: ScoreMatrix, block: DrawWeights
) -> Floats:
    """Input level: swapping a whole input exchanges its two correlations, so each pattern of
    swapped systems is computed once, and a pattern and its opposite are the same up to that.
    """
    first = block.systems[:, :1]
    patterns, which = np.unique(block.systems * first, axis=0, return_inverse=True)
    x, y, present = metrics[0].values.T, metrics[1].values.T, metrics[0].present.T
    each = np.empty((2, len(patterns), len(x)))
    for part in memory_slices(len(patterns), x.size * x.shape[1]):
        stay = patterns[part][:, None, :] > 0
        for side, (one, other) in enumerate(((x, y), (y, x))):
            values = np.where(stay, one, other)
            each[side, part] = weighted_correlation(values, z.values.T, present, plan.coefficient)
    table, keep = each[:, which.ravel()], block.inputs * first > 0
    ones = np.ones(keep.shape)
    one = mean_over_inputs(np.where(keep, table[0], table[1]), ones)
    return one - mean_over_inputs(np.where(keep, table[1], table[0]), ones)
