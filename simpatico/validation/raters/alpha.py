"""Krippendorff's alpha and Fleiss' kappa: judges need not be the same people on every unit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from simpatico.arrays import Bools, Floats
from simpatico.stats import bootstrap
from simpatico.stats.bootstrap import SumStatistic, safe_ratio, stack_columns, sum_matrix
from simpatico.validation.raters.ratings import RatingViews

MeasurementLevel = Literal["nominal", "ordinal", "interval"]


def alpha_statistic(views: RatingViews, level: MeasurementLevel) -> SumStatistic:
    """1 − (n − 1) Σ o(c,k) δ²(c,k) / Σ n(c) n(k) δ²(c,k) over the coincidences o of ratings.

    δ² is 1 for any two categories (nominal), the squared difference of values (interval) or of
    mid-ranks (ordinal). Units with one rating are left out. Krippendorff, Content Analysis, 2004;
    "Computing Krippendorff's alpha-reliability", 2011.
    """
    summands, function = ALPHAS[level](views)
    name, method = f"krippendorff_alpha_{level}", f"Krippendorff's alpha, {level}"
    return views.statistic(name, method, summands, function)


def fleiss_statistic(views: RatingViews) -> SumStatistic:
    """(P − Pₑ) / (1 − Pₑ): pairs of judges who agree, and agreement by chance.

    Pₑ is the sum of the squared shares of the categories. With different numbers of judges, each
    unit has one vote in P (if two judges or more rated it) and in the shares: Gwet, Handbook of
    Inter-Rater Reliability, 2014, the extension of Fleiss, Psychological Bulletin 76, 1971.
    """
    pairs, counts = views.pairs, views.n_ratings
    n_pairs = counts * (counts - 1) / 2
    agreeing = views.sum_over_pairs((pairs.c == pairs.k) / n_pairs[pairs.unit])
    has_rating = counts >= 1
    shares = category_counts(views, has_rating, 1 / np.maximum(counts, 1))

    def kappa(sums: Floats) -> Floats:
        agreement = safe_ratio(sums[:, 0], sums[:, 1])
        by_chance = (safe_ratio(sums[:, 3:], sums[:, 2:3]) ** 2).sum(axis=1)
        return safe_ratio(agreement - by_chance, 1 - by_chance)

    units = views.has_pair.astype(np.float64), has_rating.astype(np.float64)
    summands = stack_columns(agreeing, *units, shares)
    return views.statistic("fleiss_kappa", "Fleiss' kappa", summands, kappa)


def pair_weights(views: RatingViews) -> Floats:
    """2 / (m − 1) of each pair of a unit's m ratings: both orders, every rating counting once."""
    return np.asarray(2 / (views.n_ratings[views.pairs.unit] - 1))


def category_counts(views: RatingViews, units: Bools, weights: Floats) -> Any:
    """How often each of these units was put in each category, times the weight of a rating."""
    rows, columns = np.nonzero(views.present & units[:, None])
    shape = (len(views.n_ratings), views.categories)
    return sum_matrix(rows, views.codes[rows, columns], weights[rows], shape)


def paired_category_counts(views: RatingViews) -> Any:
    """n(c): only units with two ratings or more enter alpha."""
    return category_counts(views, views.has_pair, np.ones(len(views.n_ratings)))


def nominal_alpha(views: RatingViews) -> bootstrap.SummandsAndFunction:
    """Expected disagreement is n² − Σ n(c)²: any two categories are equally far apart."""
    pairs = views.pairs
    disagreement = views.sum_over_pairs(pair_weights(views) * (pairs.c != pairs.k))

    def alpha(sums: Floats) -> Floats:
        counts = sums[:, 1:]
        n = counts.sum(axis=1)
        by_chance = n**2 - (counts**2).sum(axis=1)
        return np.asarray(1 - safe_ratio((n - 1) * sums[:, 0], by_chance, 0.5))

    return stack_columns(disagreement, paired_category_counts(views)), alpha


def ordinal_alpha(views: RatingViews) -> bootstrap.SummandsAndFunction:
    """The distance of two categories is that of their mid-ranks, which every resample changes.

    So the coincidences of each pair of categories are kept apart until the ranks are known.
    """
    pairs, size = views.pairs, views.categories
    differs = pairs.c != pairs.k
    low, high = np.minimum(pairs.c, pairs.k), np.maximum(pairs.c, pairs.k)
    cells, cell = np.unique((low * size + high)[differs], return_inverse=True)
    shape = (len(views.n_ratings), len(cells))
    coincidences = sum_matrix(pairs.unit[differs], cell, pair_weights(views)[differs], shape)
    low, high = np.divmod(cells, max(size, 1))

    def alpha(sums: Floats) -> Floats:
        counts, in_cells = sums[:, :size], sums[:, size:]
        n = counts.sum(axis=1)
        rank = counts.cumsum(axis=1) - counts / 2 - n[:, None] / 2
        distances = (in_cells * (rank[:, low] - rank[:, high]) ** 2).sum(axis=1)
        by_chance = 2 * n * (counts * rank**2).sum(axis=1)
        return np.asarray(1 - safe_ratio((n - 1) * distances, by_chance, bootstrap.TINY * n**4))

    return stack_columns(paired_category_counts(views), coincidences), alpha


def interval_alpha(views: RatingViews) -> bootstrap.SummandsAndFunction:
    """Expected disagreement is 2 (n Σx² − (Σx)²), the sum of all squared differences."""
    pairs = views.pairs
    values = np.where(views.present & views.has_pair[:, None], views.values, 0.0)
    distances = views.sum_over_pairs(pair_weights(views) * (pairs.x - pairs.y) ** 2)
    counts = np.where(views.has_pair, views.n_ratings, 0.0)
    summands = stack_columns(distances, counts, values.sum(axis=1), (values**2).sum(axis=1))

    def alpha(sums: Floats) -> Floats:
        distance, n, total, squares = sums.T
        by_chance = 2 * (n * squares - total**2)
        return np.asarray(1 - safe_ratio((n - 1) * distance, by_chance, bootstrap.TINY * n**2))

    return summands, alpha


ALPHAS: dict[MeasurementLevel, Callable[[RatingViews], bootstrap.SummandsAndFunction]] = {
    "nominal": nominal_alpha,
    "ordinal": ordinal_alpha,
    "interval": interval_alpha,
}
