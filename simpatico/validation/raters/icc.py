"""Intraclass correlations: the share of the ratings' variance that is between units."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from simpatico.arrays import Floats
from simpatico.stats.bootstrap import SumStatistic, safe_ratio, stack_columns
from simpatico.validation.raters.ratings import RatingViews

IccModel = Literal["1", "2", "3"]


def icc_statistic(views: RatingViews, model: IccModel, *, mean: bool) -> SumStatistic:
    """ICC of one rating (…,1) or of the mean over judges (…,k), by analysis of variance.

    Model 1: other judges for each unit (one-way random); 2: the same judges, a sample of many,
    absolute agreement (two-way random); 3: these judges only, consistency (two-way mixed). Shrout
    & Fleiss, Psychological Bulletin 86, 1979. Model 1 takes every unit with two ratings or more,
    k being the adjusted mean number of ratings k₀ = (N − Σm²/N) / (n − 1); models 2 and 3 take only
    units that every judge rated.
    """
    form = f"{model},{'k' if mean else '1'}"
    name, method = f"icc_{form.replace(',', '_')}", f"ICC({form})"
    if model == "1":
        one_way = partial(one_way_icc, mean=mean)
        return views.statistic(name, method, one_way_summands(views), one_way)
    judges = views.present.shape[1]
    n = int(complete_units(views).sum()) if judges > 1 else 0
    method += f", units rated by all {judges} judges"
    two_way = partial(two_way_icc, model=model, mean=mean)
    return views.statistic(name, method, two_way_summands(views), two_way, n)


def complete_units(views: RatingViews) -> Floats:
    """1 for units that every judge rated, else 0."""
    return np.asarray(views.present.all(axis=1) & views.has_pair, dtype=np.float64)


def squares_within_units(views: RatingViews) -> Floats:
    """Σ(x − unit mean)² = Σ over pairs (x − y)² / m: exactly 0 where all ratings are the same."""
    squares = views.sum_over_pairs((views.pairs.x - views.pairs.y) ** 2)
    return np.asarray(squares / np.maximum(views.n_ratings, 1))


def one_way_summands(views: RatingViews) -> Floats:
    """n, m, m², Σx, (Σx)²/m and Σ(x − unit mean)² of each unit with m ratings."""
    counts = np.where(views.has_pair, views.n_ratings, 0.0)
    sums = np.where(views.has_pair, np.where(views.present, views.values, 0.0).sum(axis=1), 0.0)
    between = sums**2 / np.maximum(counts, 1)
    units = views.has_pair.astype(np.float64)
    within = squares_within_units(views)
    return np.asarray(stack_columns(units, counts, counts**2, sums, between, within))


def one_way_icc(sums: Floats, *, mean: bool = False) -> Floats:
    """(MSB − MSW) / (MSB + (k₀ − 1) MSW) of one rating, (MSB − MSW) / MSB of the mean.

    MSB and MSW are the mean squares between and within units.
    """
    n, count, squared_counts, total, squares, within = sums.T[:6]
    ms_between = safe_ratio(squares - safe_ratio(total**2, count), n - 1)
    ms_within = safe_ratio(within, count - n)
    if mean:
        return safe_ratio(ms_between - ms_within, ms_between)
    k = safe_ratio(count - safe_ratio(squared_counts, count), n - 1)
    return safe_ratio(ms_between - ms_within, ms_between + (k - 1) * ms_within)


def two_way_summands(views: RatingViews) -> Floats:
    """n, (Σx)²/k, Σ(x − unit mean)² and the k ratings of each complete unit."""
    complete = complete_units(views)
    values = np.where(views.present, views.values, 0.0) * complete[:, None]
    squares = values.sum(axis=1) ** 2 / max(values.shape[1], 1)
    within = squares_within_units(views) * complete
    return np.asarray(stack_columns(complete, squares, within, values))


def two_way_icc(sums: Floats, *, model: IccModel, mean: bool) -> Floats:
    """From the mean squares of units (MSR), judges (MSC) and residuals (MSE), n units, k judges.

    (MSR − MSE) / (MSR + (k − 1) MSE + k J) of one rating, (MSR − MSE) / (MSR + J) of the mean;
    J = (MSC − MSE) / n in model 2 and 0 in model 3.
    """
    n, squares, within, columns = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:]
    k = columns.shape[1]
    correction = safe_ratio(columns.sum(axis=1) ** 2, n * k)
    between_judges = safe_ratio((columns**2).sum(axis=1), n) - correction
    msr = safe_ratio(squares - correction, n - 1)
    mse = safe_ratio(np.maximum(within - between_judges, 0.0), (n - 1) * (k - 1))
    judges = (between_judges / max(k - 1, 1) - mse) / n if model == "2" else 0.0
    if mean:
        return safe_ratio(msr - mse, msr + judges)
    return safe_ratio(msr - mse, msr + (k - 1) * mse + k * judges)
