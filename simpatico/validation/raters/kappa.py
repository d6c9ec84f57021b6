"""Pairs of judges: weighted Cohen's kappa and Pearson's r, averaged over the pairs."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.stats import bootstrap
from simpatico.stats.bootstrap import MIN_UNITS, TINY, SumStatistic, safe_ratio, sum_matrix
from simpatico.stats.result import Status
from simpatico.validation.raters.ratings import RatingPairs, RatingViews

Weights = Literal["linear", "quadratic"]

MAX_CATEGORIES = 100
"""Linear weights need a count per category; with more different ratings, r is the better choice."""

MAX_SHARED_NEEDED = 10
"""Units that two judges must share at most to be compared."""


class RaterPairs(NamedTuple):
    """The pairs of ratings of judges who share enough units, and which pair of judges gave each."""

    pairs: RatingPairs
    pair: Ints
    n_pairs: int

    @property
    def units(self) -> int:
        """How many units the statistic rests on."""
        return len(np.unique(self.pairs.unit))

    @property
    def description(self) -> str:
        """How many pairs of judges are averaged, for the field `method`."""
        return f"mean over {self.n_pairs:,} pair{'' if self.n_pairs == 1 else 's'} of judges"


def rater_pairs(pairs: RatingPairs) -> RaterPairs:
    """Pairs of ratings by pair of judges, without judges who share few units.

    They must share ten units, or half of all where that is less, but at least three: a kappa of
    fewer is far too low on average, so that a crowd of judges who seldom rate the same unit would
    seem to disagree.
    """
    minimum = np.clip(len(np.unique(pairs.unit)) // 2, MIN_UNITS, MAX_SHARED_NEEDED)
    judges = int(pairs.b.max(initial=0)) + 1
    _, pair, n_shared = np.unique(
        pairs.a * judges + pairs.b, return_inverse=True, return_counts=True
    )
    enough = n_shared[pair] >= minimum
    distinct, pair = np.unique(pair[enough], return_inverse=True)
    return RaterPairs(pairs.filter(enough), pair, len(distinct))


def cohen_statistic(
    views: RatingViews, weights: Weights, pairs: RatingPairs | None = None
) -> SumStatistic:
    """1 − Σ|x − y|ᵖ / E Σ|x − y|ᵖ with p = 1 (linear) or 2 (quadratic), E for unrelated judges.

    The distance of two ratings is that of their values. Several judges: the mean over pairs of
    judges, weighted by the units that a pair shares (Light's kappa, 1971, where all rate all);
    `pairs`: only these of their ratings. Cohen, Psychological Bulletin 70, 1968.
    """
    raters = rater_pairs(views.pairs if pairs is None else pairs)
    name = f"cohen_kappa_{weights}"
    method = f"Cohen's kappa, {weights} weights, {raters.description}"
    if weights == "linear" and views.categories > MAX_CATEGORIES:
        method += f"; not for over {MAX_CATEGORIES} different ratings"
        return SumStatistic(name, method, None, mean_correlation, raters.units, "degenerate")
    summands, kappa = (quadratic_kappa if weights == "quadratic" else linear_kappa)(views, raters)
    return views.statistic(name, method, summands, kappa, raters.units)


def pearson_statistic(views: RatingViews) -> SumStatistic:
    """The mean of r over pairs of judges, weighted by the units that a pair shares.

    A judge who gave every unit the same rating is left out.
    """
    raters, values = rater_pairs(views.pairs), zscore_by_judge(views.values)
    unit, a, b = raters.pairs[:3]
    pairs = raters.pairs._replace(x=values[unit, a], y=values[unit, b])
    varying = rater_pairs(pairs.filter(np.isfinite(pairs.x) & np.isfinite(pairs.y)))
    status: Status = "ok" if varying.n_pairs else "degenerate" if raters.n_pairs else "too_few"
    summands = scatter_by_group(
        varying.pairs.unit,
        varying.pair,
        correlation_summands(varying.pairs.x, varying.pairs.y),
        shape=(len(views.n_ratings), varying.n_pairs),
    )
    method = f"Pearson's r, {varying.description}"
    return SumStatistic(
        "pairwise_pearson", method, summands, mean_correlation, varying.units, status
    )


def zscore_by_judge(values: Floats) -> Floats:
    """z-scores within each column (judge); NaN throughout for a judge whose ratings never vary."""
    present = np.isfinite(values)
    n = np.maximum(present.sum(axis=0), 1)
    mean = np.where(present, values, 0.0).sum(axis=0) / n
    deviations = np.where(present, values - mean, 0.0)
    highest = np.where(present, values, -np.inf).max(axis=0, initial=-np.inf)
    lowest = np.where(present, values, np.inf).min(axis=0, initial=np.inf)
    sd = np.sqrt((deviations**2).sum(axis=0) / n)
    # By rounding, the SD of equal numbers can be above 0.
    scale = np.where((highest > lowest) & (sd > 0), sd, np.nan)
    return np.asarray(np.where(present, deviations / scale, np.nan))


def correlation_summands(x: Floats, y: Floats) -> list[Floats]:
    """Columns whose sums give a correlation: 1, x, y, x², y², xy."""
    return [np.ones(len(x)), x, y, x * x, y * y, x * y]


def scatter_by_group(
    unit: Ints, group: Ints, columns: list[Floats], *, shape: tuple[int, int]
) -> Any:
    """Summands per unit: these columns for the first group, then for the second, …"""
    width = len(columns)
    indices = (group[:, None] * width + np.arange(width)).ravel()
    values = np.column_stack(columns).ravel()
    return sum_matrix(np.repeat(unit, width), indices, values, (shape[0], shape[1] * width))


def group_correlations(sums: Floats) -> tuple[Floats, Floats]:
    """r and n of each group of six sums; NaN under three units or where one side never varies."""
    n, x, y, xx, yy, xy = np.moveaxis(sums.reshape(len(sums), -1, 6), 2, 0)
    left, right = n * xx - x * x, n * yy - y * y
    varies = (n >= MIN_UNITS) & (left > TINY * n**2) & (right > TINY * n**2)
    below = np.sqrt(np.where(varies, left, 0.0)) * np.sqrt(np.where(varies, right, 0.0))
    return np.clip(safe_ratio(n * xy - x * y, below, 0.0), -1.0, 1.0), n


def mean_correlation(sums: Floats) -> Floats:
    """The mean of the groups' correlations, weighted by their units."""
    return weighted_mean(*group_correlations(sums))


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """The weighted mean of each row without its NaNs."""
    weights = np.where(np.isfinite(values), weights, 0.0)
    return safe_ratio((np.nan_to_num(values) * weights).sum(axis=1), weights.sum(axis=1))


def quadratic_kappa(views: RatingViews, raters: RaterPairs) -> bootstrap.SummandsAndFunction:
    """E Σ(x − y)² = Σx² + Σy² − 2 Σx Σy / n, from the two judges' own sums."""
    p = raters.pairs
    columns = [np.ones(len(p.x)), p.x, p.y, p.x**2 + p.y**2, (p.x - p.y) ** 2]

    def kappa(sums: Floats) -> Floats:
        n, x, y, squares, distance = np.moveaxis(sums.reshape(len(sums), -1, 5), 2, 0)
        by_chance = n * squares - 2 * x * y
        return weighted_mean(1 - safe_ratio(n * distance, by_chance, TINY * n**2), n)

    shape = len(views.n_ratings), raters.n_pairs
    return scatter_by_group(p.unit, raters.pair, columns, shape=shape), kappa


def linear_kappa(views: RatingViews, raters: RaterPairs) -> bootstrap.SummandsAndFunction:
    """E|x − y| is the sum over gaps between categories of gap × (F(1 − G) + G(1 − F)).

    F and G are the two judges' cumulative shares of the categories below the gap.
    """
    p, size = raters.pairs, views.categories
    gaps, width = np.diff(views.levels), 1 + 2 * size
    start = raters.pair * width
    columns = np.concatenate([start, start + 1 + p.c, start + 1 + size + p.k])
    values = np.concatenate([np.abs(p.x - p.y), np.ones(2 * len(p.x))])
    shape = (len(views.n_ratings), raters.n_pairs * width)
    summands = sum_matrix(np.tile(p.unit, 3), columns, values, shape)

    def kappa(sums: Floats) -> Floats:
        groups = sums.reshape(len(sums), -1, width)
        n = groups[:, :, 1 : 1 + size].sum(axis=2)
        x = groups[:, :, 1 : 1 + size].cumsum(axis=2)[:, :, :-1]
        y = groups[:, :, 1 + size :].cumsum(axis=2)[:, :, :-1]
        by_chance = (x * (n[..., None] - y) + y * (n[..., None] - x)) @ gaps
        return weighted_mean(1 - safe_ratio(n * groups[:, :, 0], by_chance, TINY * n**2), n)

    return summands, kappa
