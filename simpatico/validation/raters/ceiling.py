"""Noise ceiling: the highest correlation that any score can reach with ratings that disagree."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from simpatico.arrays import Bools, Floats, Ints
from simpatico.stats.bootstrap import MIN_UNITS, SumStatistic, safe_ratio, stack_columns
from simpatico.stats.draws import draw_uniform
from simpatico.stats.result import Status
from simpatico.validation.raters import icc, kappa
from simpatico.validation.raters.agreement import AgreementRow, bootstrap_rows
from simpatico.validation.raters.ratings import RatingMatrix, RatingViews

SPLITS = 100
"""Random halvings that are averaged where not every one can be taken."""
MAX_SPLIT_UNITS = 2_000_000
"""Units halved at most, over all splits."""

MAX_JUDGES_EXHAUSTIVE = 8
"""Up to this many judges, every way to halve them is taken."""

SPLIT_STREAM = 1 << 32
"""Random splits must not be the draws of the bootstrap."""


def noise_ceiling(ratings: RatingMatrix, quality: str, *, seed: int = 0) -> list[AgreementRow]:
    """The ceiling by two estimates, and the leave-one-out correlation of a judge with the others.

    A perfect score correlates √reliability with the mean over judges, since reliability is the
    share of its variance that is not noise. With the median as gold it is about the same.
    """
    views = ratings.views
    ceilings = [analytic_ceiling(views), split_half_ceiling(views, seed=seed)]
    return bootstrap_rows([*ceilings, leave_one_out_statistic(views)], ratings, quality, seed=seed)


def root_reliability(reliability: Floats) -> Floats:
    """√reliability; a negative estimate of what cannot be negative counts as 0."""
    return np.sqrt(np.maximum(reliability, 0.0))


def spearman_brown(reliability: Floats, times: Floats | float) -> Floats:
    """t r / (1 + (t − 1) r): reliability of t times as many ratings (Spearman 1910, Brown 1910)."""
    return safe_ratio(times * reliability, 1 + (times - 1) * reliability)


def is_fully_crossed(views: RatingViews) -> bool:
    """Whether every judge rated every unit that anybody rated."""
    return bool(views.present[views.n_ratings > 0].all()) and views.present.shape[1] > 1


def analytic_ceiling(views: RatingViews) -> SumStatistic:
    """√ICC(3,k) where all judges rated all units, so that their levels cancel; else √ICC(1,k).

    Units with few ratings have noisier means: k is the harmonic mean of their numbers of ratings,
    units with a single rating included.
    """
    if is_fully_crossed(views):
        n, summands = int(icc.complete_units(views).sum()), icc.two_way_summands(views)

        def two_way(sums: Floats) -> Floats:
            return root_reliability(icc.two_way_icc(sums, model="3", mean=True))

        return views.statistic("ceiling", "√ICC(3,k)", summands, two_way, n)

    def one_way(sums: Floats) -> Floats:
        k = safe_ratio(sums[:, 6], sums[:, 7])
        return root_reliability(spearman_brown(icc.one_way_icc(sums), k))

    summands = stack_columns(icc.one_way_summands(views), *harmonic_summands(views.n_ratings))
    return views.statistic("ceiling", "√ICC(1,k), k the harmonic mean", summands, one_way)


def harmonic_summands(counts: Floats) -> tuple[Floats, Floats]:
    """Summands of a harmonic mean over counts above 0: how many there are, and 1 / count."""
    positive = counts > 0
    return positive.astype(np.float64), np.where(positive, 1 / np.maximum(counts, 1), 0.0)


def split_half_ceiling(views: RatingViews, *, seed: int = 0) -> SumStatistic:
    """√ of the Spearman-Brown reliability from the mean correlation of two halves of the judges.

    Halves have ⌊m/2⌋ of a unit's m ratings each, and the step is from their harmonic mean to that
    of m. Judges are halved where all rated all (every way up to 8 judges), else the ratings of
    each unit at random.
    """
    values, present = views.moved_left
    n_half = np.floor(views.n_ratings / 2)
    if is_fully_crossed(views):
        splits = split_judges(values.shape[1], seed)
    else:
        # Fewer splits where units are many, since these average by themselves.
        n_splits = int(np.clip(MAX_SPLIT_UNITS // max(len(present), 1), 10, SPLITS))
        splits = [random_halves(present, seed, split) for split in range(n_splits)]
    columns: list[Floats] = []
    for half in splits:
        first, second = ((values * (half == h)).sum(axis=1) / np.maximum(n_half, 1) for h in (1, 2))
        columns += [column * views.has_pair for column in kappa.correlation_summands(first, second)]
    steps = *harmonic_summands(views.n_ratings), *harmonic_summands(n_half)

    def ceiling(sums: Floats) -> Floats:
        times = safe_ratio(sums[:, 0], sums[:, 1]) / safe_ratio(sums[:, 2], sums[:, 3])
        correlation = kappa.group_correlations(sums[:, 4:])[0].mean(axis=1)
        return root_reliability(spearman_brown(correlation, times))

    summands = stack_columns(*steps, *columns)
    method = f"√reliability by split half, Spearman-Brown, {len(splits)} splits"
    return views.statistic("ceiling_split_half", method, summands, ceiling)


def split_judges(judges: int, seed: int) -> list[Ints]:
    """For each split, 1 or 2 by judge for the half they are in, 0 for who is left over."""
    size = judges // 2
    if judges > MAX_JUDGES_EXHAUSTIVE:
        everybody = np.ones((1, judges), dtype=np.bool_)
        return [random_halves(everybody, seed, split) for split in range(SPLITS)]
    splits: list[Ints] = []
    for first in combinations(range(judges), size):
        for second in combinations([j for j in range(judges) if j not in first], size):
            if first < second:
                half = np.zeros((1, judges), dtype=np.int64)
                half[0, list(first)], half[0, list(second)] = 1, 2
                splits.append(half)
    return splits


def random_halves(present: Bools, seed: int, split: int) -> Ints:
    """1 or 2 by rating for the half it is in, row by row; 0 for no rating, or one left over."""
    draws = draw_uniform(present.size, seed, SPLIT_STREAM + split).reshape(present.shape)
    rank = np.argsort(np.argsort(np.where(present, draws, 2.0), axis=1), axis=1)
    size = present.sum(axis=1, keepdims=True) // 2
    return np.asarray(np.where(rank < size, 1, np.where(rank < 2 * size, 2, 0)))


def leave_one_out_statistic(views: RatingViews) -> SumStatistic:
    """The mean over judges, weighted by units, of r of a judge with the mean of all others.

    A score that gets here predicts people as well as one more of them would. Judges with fewer
    than three shared units, or who gave every unit the same rating, are left out.
    """
    values = np.where(views.present, views.values, 0.0)
    unit, judge = np.nonzero(views.present & views.has_pair[:, None])
    others = (values.sum(axis=1)[unit] - values[unit, judge]) / (views.n_ratings[unit] - 1)
    own = kappa.zscore_by_judge(views.values)[unit, judge]
    enough = np.bincount(judge, minlength=views.present.shape[1])[judge] >= MIN_UNITS
    mask = enough & np.isfinite(own)
    unit, judge, x, y = unit[mask], judge[mask], own[mask], others[mask]
    distinct, judge = np.unique(judge, return_inverse=True)
    shape = (len(views.n_ratings), len(distinct))
    summands = kappa.scatter_by_group(unit, judge, kappa.correlation_summands(x, y), shape=shape)
    status: Status = "ok" if len(distinct) else "degenerate" if enough.any() else "too_few"
    method = f"Pearson's r of a judge with the mean of the others, {len(distinct):,} judges"
    n = len(np.unique(unit))
    return SumStatistic("one_more_judge", method, summands, kappa.mean_correlation, n, status)
