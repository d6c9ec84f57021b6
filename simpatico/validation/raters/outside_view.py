"""The gap between who took part and who looked on: one alone, their mean, and without end."""

from __future__ import annotations

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.judgements import Judgements
from simpatico.stats.bootstrap_sums import Sums, beside, ratio, resampled
from simpatico.stats.result import Status
from simpatico.validation.raters.agreement import AgreementRow, about, drawn, row
from simpatico.validation.raters.ceiling import analytic
from simpatico.validation.raters.kappa import (
    by_group,
    by_judge,
    correlations,
    mean_correlation,
    products,
)
from simpatico.validation.raters.outside_view__inside import FEWEST, INSIDE, OUTSIDE, means
from simpatico.validation.raters.ratings import KEY, Rated, Ratings, ratings

ALONE, CEILING, ENDLESS = (f"inside_outside_{part}" for part in ("alone", "ceiling", "endless"))
NEARLY_ALL = 0.9
"""Where every onlooker rated this share of the units, only those count: levels cancel there."""


def onlookers(judgements: Judgements, quality: str, *, seed: int = 0) -> list[AgreementRow]:
    """How well those who looked on predict who took part; no row under ten units with both.

    Alone: Pearson's r of the interlocutor with one onlooker, the mean over onlookers by units.
    Ceiling: √reliability of the onlookers' mean, the most that anything could correlate with it.
    Endless: r of the interlocutor with that mean by this ceiling, which is what endlessly many
    such onlookers would reach (Spearman 1904); what it lacks to 1 is not their noise.
    """
    found, inside = seen_from_both(judgements, quality)
    if len(inside) < FEWEST:
        return []
    rated = Rated(found.matrix)
    reliable = analytic(rated)
    statistics = [
        alone(found.matrix, inside),
        Sums(CEILING, reliable.method, reliable.parts, reliable.of, reliable.n, reliable.status),
        endless(found.matrix, inside, reliable),
    ]
    results = resampled(statistics, drawn(found, "dialog"), seed=seed)
    told = about(found, "dialog")
    return [
        row(quality, s.name, r.named(f"{r.method}; {told}"))
        for s, r in zip(statistics, results, strict=True)
    ]


def seen_from_both(judgements: Judgements, quality: str) -> tuple[Ratings, Floats]:
    """The onlookers' ratings of units that the interlocutor rated too, and the latter's."""
    frame = judgements.frame.filter(pl.col("quality") == quality)
    own = means(frame.filter(pl.col("judge_kind") == INSIDE), "inside")
    others = frame.filter(pl.col("judge_kind").is_in(OUTSIDE), pl.col("value").is_not_null())
    if others.is_empty() or own.is_empty():
        return Ratings(np.zeros((0, 0)), frame.select(KEY).clear(), []), np.zeros(0)
    found = ratings(others, quality)
    joined = found.units.join(own, on=KEY, how="left", nulls_equal=True, maintain_order="left")
    inside = joined["inside"].fill_null(np.nan).to_numpy()
    kept = np.isfinite(inside)
    every = kept & np.isfinite(found.matrix).all(axis=1)
    if every.sum() >= NEARLY_ALL * kept.sum():
        kept = every
    matrix = found.matrix[kept]
    there = np.isfinite(matrix).any(axis=0)
    judges = [name for name, some in zip(found.judges, there, strict=True) if some]
    return Ratings(matrix[:, there], found.units.filter(kept), judges), inside[kept]


def alone(matrix: Floats, inside: Floats) -> Sums:
    """r of the interlocutor with each onlooker, averaged over onlookers by units."""
    own = by_judge(matrix)
    unit, judge = np.nonzero(np.isfinite(own))
    distinct, judge = np.unique(judge, return_inverse=True)
    mark = by_judge(inside[:, None])[unit, 0]
    columns = products(own[np.isfinite(own)], np.nan_to_num(mark))
    parts = by_group(unit, judge, columns, shape=(len(inside), len(distinct)))
    varies = len(distinct) > 0 and bool(np.isfinite(mark).all())
    status: Status = "ok" if varies else "degenerate"
    method = (
        "Pearson's r of the interlocutor with one who looked on, "
        f"mean over {len(distinct):,} of these"
    )
    return Sums(ALONE, method, parts, mean_correlation, len(np.unique(unit)), status)


def endless(matrix: Floats, inside: Floats, reliable: Sums) -> Sums:
    """r of the interlocutor with the onlookers' mean, by the ceiling of that mean; at most 1."""
    mean = by_judge(np.nanmean(matrix, axis=1)[:, None])[:, 0]
    mark = by_judge(inside[:, None])[:, 0]
    varies = bool(np.isfinite(mean).all() and np.isfinite(mark).all())
    method = f"Pearson's r of the interlocutor with the onlookers' mean, by {reliable.method}"
    if reliable.status != "ok" or not varies:
        status: Status = reliable.status if varies else "degenerate"
        return Sums(ENDLESS, method, None, mean_correlation, len(inside), status)

    def of(sums: Floats) -> Floats:
        r = correlations(sums[:, -6:])[0][:, 0]
        return np.clip(ratio(r, reliable.of(sums[:, :-6])), -1.0, 1.0)

    parts = beside(reliable.parts, *products(mean, mark))
    return Sums(ENDLESS, method, parts, of, len(inside))
