"""Intervals for what describes a system as a whole: random halves of its dialogs, none twice.

Drawing dialogs with replacement would put copies of the same words into a sample, and so make every
system look less varied than it is. A half of the dialogs, drawn without replacement, spreads about
its own mean as the whole does about the truth (the delete-half jackknife: Shao & Wu 1989, Annals of
Statistics 17:1176); what a half says is moved so that the mean of the halves lies on the score.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.resample import percentile_interval, uniform

Floats = npt.NDArray[np.float64]
Interval = tuple[float | None, float | None]

LEAST = 4
"""Fewest dialogs of which halves are drawn."""
ROUNDING = 1e-9
"""Halves that differ by less are the same but for rounding."""


def halves(dialogs: int, draws: int, seed: int) -> Floats:
    """For each draw, 1 for the dialogs of a random half and 0 for the others."""
    order = np.argsort(uniform(dialogs * draws, seed).reshape(draws, dialogs), axis=1)
    return (order < dialogs / 2).astype(float)


def around(score: float, drawn: Floats, span: tuple[float, float]) -> Interval:
    """The middle 95% of what the halves say, moved onto the score; null where nothing varies."""
    kept = drawn[np.isfinite(drawn)]
    if len(kept) < 2 or np.ptp(kept) <= ROUNDING:
        return None, None
    low, high = percentile_interval(kept - kept.mean())
    return max(span[0], score + low), min(span[1], score + high)


def ranks(keys: pl.DataFrame, seed: int) -> pl.Series:
    """A number for each row that depends on its values and the seed only, to draw a sample by."""
    salt = seed.to_bytes(8, signed=True)
    told = keys.select(pl.concat_str(pl.all().cast(pl.String), separator="\0")).to_series()
    made = [int.from_bytes(blake2b(t.encode(), digest_size=8, salt=salt).digest()) for t in told]
    return pl.Series("rank", made, pl.UInt64)
