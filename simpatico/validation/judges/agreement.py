"""How judges agree with people: kappa, alpha, r, severity, spread, resemblance, shared errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats
from simpatico.stats.bootstrap import (
    TINY,
    SumStatistic,
    bootstrap_sums,
    safe_ratio,
    stack_columns,
    sum_per_unit,
    units_status,
)
from simpatico.validation.judges.units import JudgedUnits, JudgeRow
from simpatico.validation.raters import kappa
from simpatico.validation.raters.agreement import AgreementRow, bootstrap_rows
from simpatico.validation.raters.alpha import alpha_statistic
from simpatico.validation.raters.ceiling import analytic_ceiling, leave_one_out_statistic
from simpatico.validation.raters.outside_view import INTERLOCUTOR, MIN_UNITS, OUTSIDERS
from simpatico.validation.raters.ratings import KEY, RatingViews, index_keys


def people_rows(units: JudgedUnits, *, seed: int = 0) -> list[AgreementRow]:
    """How these people agree with each other on the judged units, and the noise ceiling."""
    views = units.people.views
    statistics = [
        kappa.cohen_statistic(views, "quadratic"),
        alpha_statistic(views, "interval"),
        leave_one_out_statistic(views),
        analytic_ceiling(views),
    ]
    return bootstrap_rows(statistics, units.people, units.quality, seed=seed)


def agreement_with_people(units: JudgedUnits, *, seed: int = 0) -> list[JudgeRow]:
    """Every judge beside people, and how many judges they amount to, over the same resamples."""
    statistics: list[tuple[str | None, SumStatistic]] = []
    inside, outside = interlocutor_and_outsiders(units)
    for judge, values in zip(units.names, units.judges.T, strict=True):
        own = [*judge_statistics(units, values), *resemblance_statistics(values, inside, outside)]
        statistics += [(judge, statistic) for statistic in own]
    if len(units.names) > 1:
        statistics.append((None, effective_number(units)))
    results = bootstrap_sums([s for _, s in statistics], units.clusters, seed=seed)
    return [
        units.row(judge, s.name, **r.as_json())
        for (judge, s), r in zip(statistics, results, strict=True)
    ]


def judge_statistics(units: JudgedUnits, judge: Floats) -> list[SumStatistic]:
    """A judge with one person at a time, and (r) with the mean of all."""
    ratings = units.people.matrix
    views = RatingViews(np.column_stack([judge, ratings]))
    with_judge = views.pairs.filter(views.pairs.a == 0)  # the judge's column comes first
    unit, person = np.nonzero(np.isfinite(ratings) & np.isfinite(judge)[:, None])
    both = judge[unit], ratings[unit, person]
    n = len(np.unique(unit))

    def by_unit(columns: Sequence[Floats]) -> Floats:
        return np.column_stack([sum_per_unit(unit, column, len(judge)) for column in columns])

    def statistic(name: str, method: str, columns: Floats, function: object) -> SumStatistic:
        return SumStatistic(name, method, columns, function, n, units_status(n))  # type: ignore[arg-type]

    alpha = alpha_statistic(RatingViews(np.column_stack(both)), "interval")
    summands = by_unit(list(np.asarray(alpha.summands).T))
    pairs = by_unit(kappa.correlation_summands(*both))
    rated = np.isfinite(judge)
    z = [np.where(rated, x, 0.0) for x in (judge, units.gold)]
    with_mean = np.column_stack(kappa.correlation_summands(*z)) * rated[:, None]
    return [
        kappa.cohen_statistic(views, "quadratic", with_judge),
        statistic(
            "krippendorff_alpha_interval",
            f"{alpha.method}, judge and one person",
            summands,
            alpha.function,
        ),
        statistic(
            "pearson", "Pearson's r with the mean of people", with_mean, kappa.mean_correlation
        ),
        statistic("severity", "mean of judge less mean of people", pairs, mean_difference),
        statistic("spread", "SD of the judge / SD of people's ratings", pairs, ratio_of_sds),
    ]


def mean_difference(sums: Floats) -> Floats:
    """Mean of the first less mean of the second, of six sums of a correlation."""
    return safe_ratio(sums[:, 1] - sums[:, 2], sums[:, 0])


def ratio_of_sds(sums: Floats) -> Floats:
    """SD of the first over SD of the second, of six sums of a correlation."""
    n, x, y, xx, yy, _ = sums.T
    first, second = (np.maximum(n * square - total**2, 0) for square, total in ((xx, x), (yy, y)))
    return safe_ratio(np.sqrt(first), np.sqrt(second))


def interlocutor_and_outsiders(units: JudgedUnits) -> tuple[Floats, Floats]:
    """The interlocutor's rating of each unit, and outsiders' ratings in columns by position."""
    inside = np.full(len(units.judges), np.nan)
    kinds = units.ratings["judge_kind"]
    own = units.ratings.filter(kinds.is_in(INTERLOCUTOR)).group_by(KEY).agg(pl.col("value").mean())
    frame = units.people.units.with_row_index("_row")
    found = frame.join(own, on=KEY, nulls_equal=True)
    inside[found["_row"].to_numpy()] = found["value"].to_numpy()
    others = units.ratings.filter(kinds.is_in(OUTSIDERS))
    others = others.join(frame, on=KEY, nulls_equal=True, maintain_order="left")
    if others.is_empty():
        return inside, np.full((len(inside), 0), np.nan)
    _, judge = index_keys(others, ["judge"])
    place = others.with_columns(place=pl.int_range(pl.len()).over("_row"))["place"].to_numpy()
    column = judge if others["judge"].null_count() == 0 else place
    outside = np.full((len(inside), int(column.max()) + 1), np.nan)
    outside[others["_row"].to_numpy(), column] = others["value"].to_numpy()
    values, present = RatingViews(outside).moved_left
    return inside, np.where(present, values, np.nan)


def resemblance_statistics(judge: Floats, inside: Floats, outside: Floats) -> list[SumStatistic]:
    """r of the judge with the interlocutor, with one outsider, and their difference.

    On the same units; one outsider and not their mean, which would be less noisy than the one
    interlocutor. None with fewer than ten units that both rated.
    """
    rows: Bools = np.isfinite(judge) & np.isfinite(inside) & np.isfinite(outside).any(axis=1)
    n = int(rows.sum())
    if n < MIN_UNITS:
        return []
    columns = []
    for other in (inside, *outside.T):
        both = rows & np.isfinite(other)
        x, y = (np.where(both, values, 0.0) for values in (judge, other))
        columns += [column * both for column in kappa.correlation_summands(x, y)]
    summands = np.column_stack(columns)

    def r_inside(sums: Floats) -> Floats:
        return kappa.group_correlations(sums[:, :6])[0][:, 0]

    def r_outside(sums: Floats) -> Floats:
        return kappa.mean_correlation(sums[:, 6:])

    def difference(sums: Floats) -> Floats:
        return r_inside(sums) - r_outside(sums)

    return [
        SumStatistic(name, method, summands, function, n)
        for name, method, function in (
            ("interlocutor", "Pearson's r with the interlocutor", r_inside),
            ("outsider", "Pearson's r with one outsider", r_outside),
            ("resemblance", "r with the interlocutor less r with one outsider", difference),
        )
    ]


def effective_number(units: JudgedUnits) -> SumStatistic:
    """How many judges with errors of their own would be as good as the mean of these.

    With C the covariance of the judges' errors against the mean of people, less the sampling
    variance of that mean (which all errors share): mean(C_jj) / (1' C 1 / k²), between 1 and k. It
    is k / (1 + (k - 1) r) where all errors are of one size and correlate by r.
    """
    complete: Bools = np.asarray(np.isfinite(units.judges).all(axis=1))
    k, views = len(units.names), units.people.views
    errors = np.where(complete[:, None], units.judges - units.gold[:, None], 0.0)
    m = np.isfinite(units.people.matrix).sum(axis=1)
    residuals = units.people.matrix - units.gold[:, None]
    within = np.where(views.present, residuals, 0.0) ** 2
    products = (errors[:, :, None] * errors[:, None, :]).reshape(len(errors), -1)
    noise = complete[:, None] * np.column_stack([within.sum(axis=1), m - 1, 1 / m])
    summands = stack_columns(complete.astype(np.float64), noise, errors, products)

    def number(sums: Floats) -> Floats:
        n, square, df, reciprocal = sums[:, :4].T
        total, product = sums[:, 4 : 4 + k], sums[:, 4 + k :]
        outer = (total[:, :, None] * total[:, None, :]).reshape(len(sums), -1)
        shared = safe_ratio(square, df) * safe_ratio(reciprocal, n)
        covariance = safe_ratio(product - safe_ratio(outer, n[:, None]), n[:, None] - 1)
        covariance = (covariance - shared[:, None]).reshape(-1, k, k)
        single = np.trace(covariance, axis1=1, axis2=2) / k
        together = covariance.sum(axis=(1, 2)) / k**2
        together = np.where(single > TINY, np.maximum(together, single / k), np.nan)
        return np.maximum(safe_ratio(single, together), 1.0)

    n, method = int(complete.sum()), f"of {k} judges, by covariance of errors less people's noise"
    return SumStatistic("effective_judges", method, summands, number, n, units_status(n))
