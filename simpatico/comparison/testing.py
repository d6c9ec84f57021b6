"""Significance tests of mean differences: permutation tests for small samples, t beyond."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from simpatico.comparison.samples import TwoSamples
from simpatico.stats.draws import DRAWS
from simpatico.stats.means import MeanDifference
from simpatico.stats.permutation import relabel_p, sign_flip_p

MAX_PERMUTED = 100
"""Units up to which labels or signs are permuted; t and permutation agree beyond."""
MAX_DRAWS = 99_999
"""Cap on the draws, so that large families do not take minutes."""
SMALLEST_P = float(np.finfo(np.float64).tiny)
"""A p is never 0: t of large samples can underflow."""


def is_testable(estimate: MeanDifference | None) -> bool:
    """Whether there is anything to test: a difference, or variation around none."""
    return estimate is not None and (estimate.standard_error > 0 or estimate.value != 0)


def draws_for_family(family: int) -> int:
    """Enough draws that the smallest p, times the family, is far below any level in use."""
    return int(np.clip(100 * family - 1, DRAWS, MAX_DRAWS))


def compute_p_values(
    samples: Sequence[TwoSamples], estimates: Sequence[MeanDifference | None], seed: int
) -> list[float | None]:
    """A p for each pair of samples that can be tested; those of one shape share their draws."""
    p_values: list[float | None] = [None] * len(samples)
    by_shape: dict[tuple[bool, int, int], list[int]] = {}
    for i, (sample, estimate) in enumerate(zip(samples, estimates, strict=True)):
        if estimate is None or not is_testable(estimate):
            continue
        if estimate.n > MAX_PERMUTED:
            p_values[i] = t_test_p(estimate)
        else:
            shape = sample.paired, len(sample.first), len(sample.second)
            by_shape.setdefault(shape, []).append(i)
    draws = draws_for_family(sum(map(is_testable, estimates)))
    for (paired, n_first, _), indices in by_shape.items():
        group = [samples[i] for i in indices]
        if paired:
            gaps = np.column_stack([s.first - s.second for s in group])
            group_p = sign_flip_p(gaps, draws=draws, seed=seed)
        else:
            values = np.column_stack([np.concatenate([s.first, s.second]) for s in group])
            group_p = relabel_p(values, n_first, draws=draws, seed=seed)
        for i, p in zip(indices, group_p, strict=True):
            p_values[i] = float(p)
    return p_values


def t_test_p(estimate: MeanDifference) -> float:
    """Two-sided p of t; where nothing varies, the smallest p that a permutation could give."""
    from scipy.special import stdtr

    if estimate.standard_error == 0:
        return 1 / (1 + DRAWS)
    p = 2 * float(stdtr(estimate.df, -abs(estimate.value / estimate.standard_error)))
    return max(p, SMALLEST_P)


def describe_method(sample: TwoSamples, draws: int) -> str:
    """Which interval and which test, for the field `method`."""
    n, m = len(sample.first), len(sample.second)
    interval = "paired t interval" if sample.paired else "Welch interval"
    if (n if sample.paired else n + m) > MAX_PERMUTED:
        return f"{interval}; p by {'paired' if sample.paired else 'Welch'} t"
    # A pattern of signs and its opposite give the same |mean|, hence n - 1.
    patterns = 2 ** max(n - 1, 0) if sample.paired else comb(n + m, n)
    count = "all" if patterns <= draws + 1 else f"{draws:,}"
    test = "sign flips" if sample.paired else "relabellings of Welch t"
    return f"{interval}; p by {count} {test}"
