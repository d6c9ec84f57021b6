"""How well any score could correlate with these judgements, whose judges do not quite agree."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from simpatico.arrays import Bools, Floats, Ints
from simpatico.judgements import JudgeKind, Judgements
from simpatico.stats.bootstrap_sums import FEWEST_UNITS, Sums, beside, enough, ratio, resampled
from simpatico.stats.draws import uniform
from simpatico.stats.result import Result, Status
from simpatico.validation.raters.agreement import AgreementRow, By, about, drawn, row
from simpatico.validation.raters.icc import complete, one_way, one_way_parts, two_way, two_way_parts
from simpatico.validation.raters.kappa import (
    by_group,
    by_judge,
    correlations,
    mean_correlation,
    products,
)
from simpatico.validation.raters.ratings import Rated, Ratings, ratings

SPLITS = 100
HALVED = 2_000_000
"""Units halved at most, over all splits."""

FEW_JUDGES = 8
"""Up to this many judges, every way to halve them is taken."""

SPLIT_STREAM = 1 << 32
"""Random splits must not be the draws of the bootstrap."""


@dataclass(frozen=True)
class Ceiling:
    """What a perfect score would reach, estimated twice, and what one more judge reaches."""

    analytic: Result
    split_half: Result
    one_more_judge: Result

    def rows(self, quality: str) -> list[AgreementRow]:
        return [
            row(quality, "ceiling", self.analytic),
            row(quality, "ceiling_split_half", self.split_half),
            row(quality, "one_more_judge", self.one_more_judge),
        ]


def ceiling(
    judgements: Judgements,
    quality: str,
    *,
    judge_kind: JudgeKind | None = None,
    by: By = "dialog",
    seed: int = 0,
) -> Ceiling:
    """The ceiling for correlations with the mean over judges of a quality, and the judges' line.

    A perfect score correlates √reliability with the mean over judges, since reliability is the
    share of its variance that is not noise. With the median as gold it is about the same.
    """
    found = ratings(judgements, quality, judge_kind=judge_kind)
    return ceiling_of(found, by=by, seed=seed)


def ceiling_of(found: Ratings, *, by: By = "dialog", seed: int = 0) -> Ceiling:
    """The ceiling of a matrix of ratings."""
    rated = Rated(found.matrix)
    statistics = [analytic(rated), split_half(rated, seed=seed), one_more(rated)]
    results = resampled(statistics, drawn(found, by), seed=seed)
    return Ceiling(*(r.named(f"{r.method}; {about(found, by)}") for r in results))


def root(reliability: Floats) -> Floats:
    """√reliability; a negative estimate of what cannot be negative counts as 0."""
    return np.sqrt(np.maximum(reliability, 0.0))


def stepped_up(single: Floats, times: Floats | float) -> Floats:
    """Reliability of that many ratings together, from that of one: Spearman 1910, Brown 1910."""
    return ratio(times * single, 1 + (times - 1) * single)


def all_by_all(rated: Rated) -> bool:
    """Whether every judge rated every unit that anybody rated."""
    return bool(rated.given[rated.number > 0].all()) and rated.given.shape[1] > 1


def analytic(rated: Rated) -> Sums:
    """√ICC(3,k) where all judges rated all units, so that their levels cancel; else √ICC(1,k).

    Units with few ratings have noisier means: k is the harmonic mean of their numbers of ratings,
    units with a single rating included.
    """
    name = "ceiling"
    if all_by_all(rated):
        n = int(complete(rated).sum())

        def of_all(sums: Floats) -> Floats:
            return root(two_way(sums, "3", mean=True))

        return Sums(name, "√ICC(3,k)", two_way_parts(rated), of_all, n, enough(n))

    def of(sums: Floats) -> Floats:
        single = one_way(sums)
        return root(stepped_up(single, ratio(sums[:, 6], sums[:, 7])))

    n = int(rated.paired.sum())
    parts = beside(one_way_parts(rated), *harmonic(rated.number))
    return Sums(name, "√ICC(1,k), k the harmonic mean", parts, of, n, enough(n))


def harmonic(number: Floats) -> tuple[Floats, Floats]:
    """Parts of a harmonic mean: how many, and the sum of 1 / number, over numbers above 0."""
    some = number > 0
    return some.astype(np.float64), np.where(some, 1 / np.maximum(number, 1), 0.0)


def split_half(rated: Rated, *, seed: int = 0) -> Sums:
    """√ of the Spearman-Brown reliability from the mean correlation of two halves of the judges.

    Halves have ⌊m/2⌋ of a unit's m ratings each, and the step is from their harmonic mean to that
    of m. Judges are halved where all rated all (every way up to 8 judges), else the ratings of
    each unit by chance.
    """
    values, _ = packed = rated.packed
    half = np.floor(rated.number / 2)
    sides = judge_sides(values.shape[1], seed) if all_by_all(rated) else unit_sides(packed, seed)
    columns: list[Floats] = []
    for side in sides:
        left, right = ((values * (side == s)).sum(axis=1) / np.maximum(half, 1) for s in (1, 2))
        columns += [column * rated.paired for column in products(left, right)]
    parts = beside(*harmonic(rated.number), *harmonic(half), *columns)

    def of(sums: Floats) -> Floats:
        times = ratio(sums[:, 0], sums[:, 1]) / ratio(sums[:, 2], sums[:, 3])
        return root(stepped_up(correlations(sums[:, 4:])[0].mean(axis=1), times))

    n = int(rated.paired.sum())
    method = f"√reliability by split half, Spearman-Brown, {len(sides)} splits"
    return Sums("ceiling_split_half", method, parts, of, n, enough(n))


def judge_sides(judges: int, seed: int) -> list[Ints]:
    """For each split, 1 or 2 by judge for the half they are in, 0 for who is left over."""
    half = judges // 2
    if judges > FEW_JUDGES:
        rows = np.ones((1, judges), dtype=np.bool_)
        return [by_chance(rows, seed, split) for split in range(SPLITS)]
    sides: list[Ints] = []
    for left in combinations(range(judges), half):
        for right in combinations([j for j in range(judges) if j not in left], half):
            if left < right:
                side = np.zeros((1, judges), dtype=np.int64)
                side[0, list(left)], side[0, list(right)] = 1, 2
                sides.append(side)
    return sides


def unit_sides(packed: tuple[Floats, Bools], seed: int) -> list[Ints]:
    """For each split, 1 or 2 by rating; fewer splits of many units, which average by themselves."""
    _, given = packed
    splits = int(np.clip(HALVED // max(len(given), 1), 10, SPLITS))
    return [by_chance(given, seed, split) for split in range(splits)]


def by_chance(given: Bools, seed: int, split: int) -> Ints:
    """Two halves of each row's ratings."""
    lot = uniform(given.size, seed, SPLIT_STREAM + split).reshape(given.shape)
    place = np.argsort(np.argsort(np.where(given, lot, 2.0), axis=1), axis=1)
    half = given.sum(axis=1, keepdims=True) // 2
    return np.asarray(np.where(place < half, 1, np.where(place < 2 * half, 2, 0)))


def one_more(rated: Rated) -> Sums:
    """The correlation of one judge with the mean of the others, averaged over judges by units.

    A score that gets here predicts people as well as one more of them would. Judges with fewer
    than three shared units, or who gave everything the same rating, are left out.
    """
    values = np.where(rated.given, rated.values, 0.0)
    unit, judge = np.nonzero(rated.given & rated.paired[:, None])
    others = (values.sum(axis=1)[unit] - values[unit, judge]) / (rated.number[unit] - 1)
    own = by_judge(rated.values)[unit, judge]
    met = np.bincount(judge, minlength=rated.given.shape[1])[judge] >= FEWEST_UNITS
    kept = met & np.isfinite(own)
    unit, judge, x, y = unit[kept], judge[kept], own[kept], others[kept]
    distinct, judge = np.unique(judge, return_inverse=True)
    shape = (len(rated.number), len(distinct))
    parts = by_group(unit, judge, products(x, y), shape=shape)
    status: Status = "ok" if len(distinct) else "degenerate" if met.any() else "too_few"
    method = f"Pearson's r of a judge with the mean of the others, {len(distinct):,} judges"
    n = len(np.unique(unit))
    return Sums("one_more_judge", method, parts, mean_correlation, n, status)
