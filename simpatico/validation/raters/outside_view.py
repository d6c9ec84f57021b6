"""Interlocutor vs. outsiders: how well people who read a dialog predict who took part in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.judgements import UNIT, JudgeKind, Judgements
from simpatico.stats.bootstrap import SumStatistic, safe_ratio, stack_columns
from simpatico.stats.correlation import correlation
from simpatico.stats.correlation_bootstrap import bootstrap_correlation
from simpatico.stats.result import Status
from simpatico.validation.raters import kappa
from simpatico.validation.raters.agreement import AgreementRow, agreement_row, bootstrap_rows
from simpatico.validation.raters.ceiling import analytic_ceiling
from simpatico.validation.raters.ratings import KEY, RatingMatrix, rating_matrix

INTERLOCUTOR: tuple[JudgeKind, ...] = ("interlocutor",)
OUTSIDERS: tuple[JudgeKind, ...] = ("outsider", "expert")
"""People who were not part of the conversation; a model is none, and null is unknown."""

MIN_UNITS = 10
"""With fewer units that both rated, an interval would span nearly everything."""
NEARLY_ALL = 0.9
"""Where every outsider rated this share of the units, only those count: levels cancel there."""


def interlocutor_outsiders_row(
    judgements: Judgements, quality: str, *, seed: int = 0
) -> list[AgreementRow]:
    """Pearson's r of the interlocutor's rating with the outsiders' mean; no row under ten units.

    Whole dialogs are resampled where several units are of one dialog; else the interval is
    Fisher's.
    """
    inside = mean_ratings(judgements, quality, INTERLOCUTOR)
    outside = mean_ratings(judgements, quality, OUTSIDERS)
    both = inside.join(outside, on=UNIT, nulls_equal=True, suffix="_outside").sort(UNIT)
    if both.height < MIN_UNITS:
        return []
    x, y, dialogs = both["value"].to_numpy(), both["value_outside"].to_numpy(), both["dialog"]
    if dialogs.n_unique() == both.height:
        result = correlation(x, y)
    else:
        result = bootstrap_correlation(x, y, dialogs.to_numpy(), seed=seed)
    method = f"{result.method}; the interlocutor with the mean of those who looked on"
    return [agreement_row(quality, "inside_outside", result.with_method(method))]


def mean_ratings(
    judgements: Judgements, quality: str, kinds: tuple[JudgeKind, ...]
) -> pl.DataFrame:
    """The mean rating that judges of these kinds gave each unit they rated."""
    value = pl.col("value")
    rows = judgements.frame.filter(
        pl.col("quality") == quality,
        pl.col("judge_kind").is_in(kinds),
        value.is_not_null(),
        value.is_not_nan(),
    )
    return rows.group_by(UNIT, maintain_order=True).agg(value.mean())


def outsider_rows(judgements: Judgements, quality: str, *, seed: int = 0) -> list[AgreementRow]:
    """How well outsiders predict the interlocutor; no rows under ten units with both.

    Alone: Pearson's r of the interlocutor with one outsider, the mean over outsiders by units.
    Ceiling: √reliability of the outsiders' mean, the most that anything could correlate with it.
    Endless: r with that mean divided by this ceiling, the correction for attenuation (Spearman
    1904): what the mean of infinitely many such outsiders would reach. What it lacks to 1 is not
    their noise.
    """
    outsiders, inside = match_outsiders(judgements, quality)
    if len(inside) < MIN_UNITS:
        return []
    reliability = analytic_ceiling(outsiders.views)
    statistics = [
        single_outsider_statistic(outsiders.matrix, inside),
        replace(reliability, name="inside_outside_ceiling"),
        disattenuated_statistic(outsiders.matrix, inside, reliability),
    ]
    return bootstrap_rows(statistics, outsiders, quality, seed=seed)


def match_outsiders(judgements: Judgements, quality: str) -> tuple[RatingMatrix, Floats]:
    """The outsiders' ratings of units that the interlocutor rated too, and the latter's."""
    frame = judgements.frame.filter(pl.col("quality") == quality)
    own = mean_ratings(judgements, quality, INTERLOCUTOR)
    others = frame.filter(pl.col("judge_kind").is_in(OUTSIDERS), pl.col("value").is_not_null())
    if others.is_empty() or own.is_empty():
        return RatingMatrix(np.zeros((0, 0)), frame.select(KEY).clear(), []), np.zeros(0)
    ratings = rating_matrix(others, quality)
    units = ratings.units.join(own, on=KEY, how="left", nulls_equal=True, maintain_order="left")
    inside = units["value"].fill_null(np.nan).to_numpy()
    mask = np.isfinite(inside)
    complete = mask & np.isfinite(ratings.matrix).all(axis=1)
    if complete.sum() >= NEARLY_ALL * mask.sum():
        mask = complete
    matrix = ratings.matrix[mask]
    active = np.isfinite(matrix).any(axis=0)
    judges = [name for name, rated in zip(ratings.judges, active, strict=True) if rated]
    return RatingMatrix(matrix[:, active], ratings.units.filter(mask), judges), inside[mask]


def single_outsider_statistic(matrix: Floats, inside: Floats) -> SumStatistic:
    """r of the interlocutor with each outsider, averaged over outsiders by units."""
    z = kappa.zscore_by_judge(matrix)
    unit, judge = np.nonzero(np.isfinite(z))
    distinct, judge = np.unique(judge, return_inverse=True)
    own = kappa.zscore_by_judge(inside[:, None])[unit, 0]
    columns = kappa.correlation_summands(z[np.isfinite(z)], np.nan_to_num(own))
    summands = kappa.scatter_by_group(unit, judge, columns, shape=(len(inside), len(distinct)))
    varies = len(distinct) > 0 and bool(np.isfinite(own).all())
    status: Status = "ok" if varies else "degenerate"
    method = (
        "Pearson's r of the interlocutor with one who looked on, "
        f"mean over {len(distinct):,} of these"
    )
    n = len(np.unique(unit))
    return SumStatistic("inside_outside_alone", method, summands, kappa.mean_correlation, n, status)


def disattenuated_statistic(
    matrix: Floats, inside: Floats, reliability: SumStatistic
) -> SumStatistic:
    """r of the interlocutor with the outsiders' mean / √reliability of that mean; at most 1."""
    mean = kappa.zscore_by_judge(np.nanmean(matrix, axis=1)[:, None])[:, 0]
    own = kappa.zscore_by_judge(inside[:, None])[:, 0]
    varies = bool(np.isfinite(mean).all() and np.isfinite(own).all())
    name, n = "inside_outside_endless", len(inside)
    method = f"Pearson's r of the interlocutor with the onlookers' mean, by {reliability.method}"
    if reliability.status != "ok" or not varies:
        status: Status = reliability.status if varies else "degenerate"
        return SumStatistic(name, method, None, kappa.mean_correlation, n, status)

    def disattenuate(sums: Floats) -> Floats:
        r = kappa.group_correlations(sums[:, -6:])[0][:, 0]
        return np.clip(safe_ratio(r, reliability.function(sums[:, :-6])), -1.0, 1.0)

    summands = stack_columns(reliability.summands, *kappa.correlation_summands(mean, own))
    return SumStatistic(name, method, summands, disattenuate, n)
