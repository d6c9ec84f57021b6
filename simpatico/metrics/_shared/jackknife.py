"""Intervals for scores of a system as a whole: random halves of its dialogs, none twice.

A bootstrap would put copies of the same words into a sample, and so make every system look less
varied than it is. A half of the dialogs, drawn without replacement, spreads about its own mean as
the whole does about the truth (the delete-half jackknife: Shao & Wu 1989, Annals of Statistics
17:1176); the values of the halves are moved so that their mean lies on the score.
Of r out of n dialogs the deviations are by sqrt((n - r) / r) too large, which is taken back; and as
few dialogs tell little of the spread itself, the interval is wider by t / 1.96, Student's t of
n - 1. Example: of 11 dialogs 5 are drawn; deviations are multiplied by sqrt(5 / 6) 2.228 / 1.96 =
1.038.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from math import sqrt
from typing import Any

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.metric import Score
from simpatico.stats.draws import CONFIDENCE, draw_uniform, percentile_interval
from simpatico.system_metric import mean_schema

Interval = tuple[float | None, float | None]

MIN_DIALOGS = 6
"""Fewest dialogs of which halves are drawn."""
ROUNDING = 1e-9
"""Halves that differ by less are the same but for rounding."""


def draw_halves(dialogs: int, draws: int, seed: int, stream: int = 0) -> Floats:
    """For each draw, 1 for the dialogs of a random half and 0 for the others."""
    order = np.argsort(draw_uniform(dialogs * draws, seed, stream).reshape(draws, dialogs), axis=1)
    return (order < dialogs // 2).astype(float)


def half_sample_interval(
    score: float, halves: Floats, score_range: tuple[float, float], *dialogs: int
) -> Interval:
    """The middle 95% of the scores of halves, moved onto the score; null where nothing varies.

    `dialogs` says how many there are, on each side where a score compares two.
    """
    finite = halves[np.isfinite(halves)]
    if len(finite) < 2 or np.ptp(finite) <= ROUNDING:
        return None, None
    low, high = percentile_interval((finite - finite.mean()) * deviation_factor(*dialogs))
    return max(score_range[0], score + low), min(score_range[1], score + high)


def deviation_factor(*dialogs: int) -> float:
    """What the deviations of halves are multiplied by."""
    from scipy.special import ndtri, stdtrit

    quantile = (1 + CONFIDENCE) / 2
    student = stdtrit(min(dialogs) - 1, quantile) / ndtri(quantile)
    return float(student * max(sqrt((n // 2) / (n - n // 2)) for n in dialogs))


def summary_row(
    system: str, scores: Iterable[Score], values: Iterable[float], halves: Floats, *dialogs: int
) -> dict[str, Any]:
    """What `summary_table` says of a system; `halves` has a row of values for each score."""
    row: dict[str, Any] = {"system": system}
    for score, value, of_halves in zip(scores, values, halves, strict=True):
        low, high = half_sample_interval(value, of_halves, score.range, *dialogs)
        row |= {score.name: value, f"{score.name}_n": dialogs[0]}
        row |= {f"{score.name}_low": low, f"{score.name}_high": high}
    return row


def summary_table(scores: Sequence[Score], rows: list[dict[str, Any]]) -> pl.DataFrame:
    """A row for each system, as `SystemMetric.summary` gives it; what a row lacks is null."""
    schema: dict[str, pl.DataType] = {"system": pl.String(), "reason": pl.String()}
    for score in scores:
        schema |= mean_schema(score.name)
    table = pl.DataFrame(rows, schema)
    return table.with_columns(pl.col(f"{score.name}_n").fill_null(0) for score in scores)


def sampling_ranks(keys: pl.DataFrame, seed: int) -> pl.Series:
    """A number for each row that depends on its values and the seed only, to draw a sample by.

    A hash, so that the sample is the same in whatever order and chunks the rows come.
    """
    salt = seed.to_bytes(8, signed=True)
    texts = keys.select(pl.concat_str(pl.all().cast(pl.String), separator="\0")).to_series()
    digests = (blake2b(text.encode(), digest_size=8, salt=salt).digest() for text in texts)
    return pl.Series("rank", [int.from_bytes(digest) for digest in digests], pl.UInt64)
