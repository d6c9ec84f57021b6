"""Is there a difference at all: a p for each of many samples, and the method in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from simpatico.comparison.samples import Sample
from simpatico.stats.draws import DRAWS
from simpatico.stats.means import Spread
from simpatico.stats.permutation import relabel_p, sign_flip_p

PERMUTED = 100
"""Units up to which labels or signs are permuted; t and permutation agree beyond."""
MOST_DRAWS = 99_999
SMALLEST_P = float(np.finfo(np.float64).tiny)


def testable(spread: Spread | None) -> bool:
    """Whether there is anything to test: a difference, or a spread around none."""
    return spread is not None and (spread.error > 0 or spread.value != 0)


def draws_for(family: int) -> int:
    """Enough draws that the smallest p, times the family, is far below any level in use."""
    return int(np.clip(100 * family - 1, DRAWS, MOST_DRAWS))


def tested(
    found: Sequence[Sample], spreads: Sequence[Spread | None], seed: int
) -> list[float | None]:
    """A p for each sample that can be tested; samples of one shape share their draws."""
    p_values: list[float | None] = [None] * len(found)
    groups: dict[tuple[bool, int, int], list[int]] = {}
    for place, (sample, spread) in enumerate(zip(found, spreads, strict=True)):
        if spread is None or not testable(spread):
            continue
        if spread.n > PERMUTED:
            p_values[place] = t_test(spread)
        else:
            shape = sample.paired, len(sample.first), len(sample.second)
            groups.setdefault(shape, []).append(place)
    draws = draws_for(sum(map(testable, spreads)))
    for places in groups.values():
        ps = permuted([found[p] for p in places], draws, seed)
        for place, p in zip(places, ps, strict=True):
            p_values[place] = p
    return p_values


def permuted(alike: Sequence[Sample], draws: int, seed: int) -> list[float]:
    """A permutation p for each of several samples of one shape."""
    if alike[0].paired:
        gaps = np.column_stack([s.first - s.second for s in alike])
        return [float(p) for p in sign_flip_p(gaps, draws=draws, seed=seed)]
    both = np.column_stack([np.concatenate([s.first, s.second]) for s in alike])
    first = len(alike[0].first)
    return [float(p) for p in relabel_p(both, first, draws=draws, seed=seed)]


def t_test(spread: Spread) -> float:
    """Two-sided p of t; where nothing varies, the smallest p that a permutation could give."""
    from scipy.special import stdtr

    if spread.error == 0:
        return 1 / (1 + DRAWS)
    p = 2 * float(stdtr(spread.freedom, -abs(spread.value / spread.error)))
    return max(p, SMALLEST_P)


def method_of(sample: Sample, draws: int) -> str:
    """Which interval and which test, as `method` says it."""
    n, m = len(sample.first), len(sample.second)
    interval = "paired t interval" if sample.paired else "Welch interval"
    if (n if sample.paired else n + m) > PERMUTED:
        return f"{interval}; p by {'paired' if sample.paired else 'Welch'} t"
    ways = 2 ** max(n - 1, 0) if sample.paired else comb(n + m, n)
    count = "all" if ways <= draws + 1 else f"{draws:,}"
    how = "sign flips" if sample.paired else "relabellings of Welch t"
    return f"{interval}; p by {count} {how}"
