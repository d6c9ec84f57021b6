"""Intervals for what describes a system as a whole: random halves of its dialogs, none twice.

Drawing dialogs with replacement would put copies of the same words into a sample, and so make every
system look less varied than it is. A half of the dialogs, drawn without replacement, spreads about
its own mean as the whole does about the truth (the delete-half jackknife: Shao & Wu 1989, Annals of
Statistics 17:1176); what a half says is moved so that the mean of the halves lies on the score.
Of r out of n dialogs the spread is by sqrt((n - r) / r) too large, which is taken back; and as few
dialogs tell little of the spread itself, the interval is wider by t / 1.96, Student's t of n - 1.
Example: of 11 dialogs 5 are drawn; deviations are multiplied by sqrt(5 / 6) 2.228 / 1.96 = 1.038.
"""

from __future__ import annotations

from hashlib import blake2b
from math import sqrt

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.stats.draws import LEVEL, percentile_interval, uniform

Interval = tuple[float | None, float | None]

LEAST = 6
"""Fewest dialogs of which halves are drawn."""
ROUNDING = 1e-9
"""Halves that differ by less are the same but for rounding."""


def halves(dialogs: int, draws: int, seed: int, stream: int = 0) -> Floats:
    """For each draw, 1 for the dialogs of a random half and 0 for the others."""
    order = np.argsort(uniform(dialogs * draws, seed, stream).reshape(draws, dialogs), axis=1)
    return (order < dialogs // 2).astype(float)


def around(score: float, drawn: Floats, span: tuple[float, float], *dialogs: int) -> Interval:
    """The middle 95% of what the halves say, moved onto the score; null where nothing varies.

    `dialogs` says how many there are, on each side where a score has two.
    """
    kept = drawn[np.isfinite(drawn)]
    if len(kept) < 2 or np.ptp(kept) <= ROUNDING:
        return None, None
    low, high = percentile_interval((kept - kept.mean()) * widening(*dialogs))
    return max(span[0], score + low), min(span[1], score + high)


def widening(*dialogs: int) -> float:
    """What the deviations of halves are multiplied by."""
    from scipy.special import ndtri, stdtrit

    quantile = (1 + LEVEL) / 2
    few = stdtrit(min(dialogs) - 1, quantile) / ndtri(quantile)
    return float(few * max(sqrt((n // 2) / (n - n // 2)) for n in dialogs))


def ranks(keys: pl.DataFrame, seed: int) -> pl.Series:
    """A number for each row that depends on its values and the seed only, to draw a sample by."""
    salt = seed.to_bytes(8, signed=True)
    told = keys.select(pl.concat_str(pl.all().cast(pl.String), separator="\0")).to_series()
    made = [int.from_bytes(blake2b(t.encode(), digest_size=8, salt=salt).digest()) for t in told]
    return pl.Series("rank", made, pl.UInt64)
