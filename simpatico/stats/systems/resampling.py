"""How well scores agree with judgements over systems and inputs, and which metric does better.

Matrices are systems by inputs. What is redrawn decides what a result speaks about: systems (will it
hold for new systems?), inputs (for these systems on new inputs?) or both. The schemes are those of
Deutsch, Dror & Roth, TACL 2021: BOOT-/PERM-SYSTEMS, -INPUTS, -BOTH.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats
from simpatico.errors import DataError
from simpatico.stats.draws import counts, percentile_interval, permutation_p
from simpatico.stats.result import Result, nothing, result
from simpatico.stats.systems.draws import Draws, Plan, Scores, blocks, resampled, signs, swapped

Alternative = Literal["two-sided", "greater"]

NEAR = 1e-9
"""Differences of correlations closer than this are equal but for rounding."""


def correlation(scores: npt.ArrayLike, judgements: npt.ArrayLike, plan: Plan) -> Result:
    """Correlation of scores with judgements at the plan's level, without an interval."""
    method = f"{plan.level}-level {plan.coefficient}"
    x, z = matrices(scores, judgements)
    pair = paired(plan, x, z)
    once = unchanged(x)
    return judged(plan, pair, resampled(plan, *pair, once)[0], method)


def interval(
    scores: npt.ArrayLike,
    judgements: npt.ArrayLike,
    plan: Plan,
    *,
    minus: npt.ArrayLike | None = None,
) -> Result:
    """Correlation of scores with judgements, with the middle 95 % of resamples as interval.

    With `minus`, the correlation of `scores` less that of these other scores. Resamples in which
    there is no correlation, as when one system is drawn every time, are left out.
    """
    if plan.over == "cells":
        raise DataError("an interval resamples 'systems', 'inputs' or 'both', not 'cells'")
    others = [] if minus is None else [minus]
    x, *y, z = matrices(scores, *others, judgements)
    sides = [paired(plan, side, z, x, *y) for side in (x, *y)]

    def statistic(block: Draws) -> Floats:
        found = [resampled(plan, *side, block) for side in sides]
        return found[0] - found[1] if y else found[0]

    seen = statistic(unchanged(x))[0]
    told = judged(plan, sides[0], seen, plan.named("BOOT"))
    if told.value is None:
        return told
    drawn = np.concatenate([statistic(block) for block in blocks(plan, x.shape, counts)])
    return result(seen, n=told.n, method=told.method, interval=percentile_interval(drawn))


def better(
    scores: npt.ArrayLike,
    others: npt.ArrayLike,
    judgements: npt.ArrayLike,
    plan: Plan,
    *,
    alternative: Alternative = "two-sided",
) -> Result:
    """Correlation of `scores` with the judgements less that of `others`, with a permutation p.

    The two metrics are standardised and swapped for whole systems (PERM-SYSTEMS), whole inputs
    (PERM-INPUTS), both by independent coins (PERM-BOTH) or each cell (PERM-CELLS); p is
    (1 + draws at least as far out) / (1 + draws).
    """
    x, y, z = matrices(scores, others, judgements)
    first, judge = paired(plan, x, z, y)
    second, _ = paired(plan, y, z, x)
    once = unchanged(x)
    seen = swapped(plan, (first, second), judge, once)[0]
    told = judged(plan, (first, judge), seen, f"{plan.named('PERM')}, {alternative}")
    if told.value is None:
        return told
    drawn = np.concatenate(
        [swapped(plan, (first, second), judge, b) for b in blocks(plan, x.shape, signs)]
    )
    far = (np.abs(drawn), abs(seen)) if alternative == "two-sided" else (drawn, float(seen))
    p_value = permutation_p(far[0], far[1] - NEAR)
    return result(seen, n=told.n, method=told.method, p_value=p_value)


def unchanged(x: Floats) -> Draws:
    """One draw in which everything stays as it was seen."""
    return Draws(np.ones((1, len(x))), np.ones((1, x.shape[1])))


def matrices(*given: npt.ArrayLike) -> list[Floats]:
    """The matrices as numbers; what is not finite becomes NaN."""
    found = [np.asarray(each, dtype=np.float64) for each in given]
    shapes = [each.shape for each in found]
    if len({*shapes}) != 1 or found[0].ndim != 2:
        raise DataError(f"matrices of systems by inputs must have one shape, not {shapes}")
    return [np.where(np.isfinite(each), each, np.nan) for each in found]


def paired(plan: Plan, x: Floats, z: Floats, *others: Floats) -> tuple[Scores, Scores]:
    """Scores and judgements of the cells that count.

    Scores count where every metric has one. Systems' means are taken over all of these and all
    judgements; at the other levels a cell needs scores and a judgement.
    """
    known = np.asarray(np.isfinite([x, *others]).all(axis=0))
    judged = np.isfinite(z)
    if plan.level != "system":
        known = judged = known & judged
    return standardised(x, known), standardised(z, judged)


def standardised(x: Floats, known: npt.NDArray[np.bool_]) -> Scores:
    """Less the mean and over the standard deviation of all cells; 0 everywhere if there is none."""
    if not known.any() or np.ptp(x[known]) == 0:
        return Scores(np.zeros(x.shape), known.astype(float))
    scale = np.abs(x[known]).max()
    cells = x / scale
    cells = cells - cells[known].mean()
    return Scores(np.where(known, cells / cells[known].std(), 0.0), known.astype(float))


def judged(plan: Plan, pair: tuple[Scores, Scores], seen: float, method: str) -> Result:
    """The value, or why there is none: three systems, or two inputs, or three cells are needed."""
    both = pair[0].known.any(axis=1) & pair[1].known.any(axis=1)
    cells = pair[0].known * pair[1].known
    n, least = int(both.sum()), 3
    if plan.level == "input":
        n, least = int((cells.sum(axis=0) > 1).sum()), 2
    elif plan.level == "global":
        n = int(cells.sum())
    return nothing("too_few", n=n, method=method) if n < least else result(seen, n=n, method=method)
