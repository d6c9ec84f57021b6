"""Judges two by two: weighted Cohen's kappa and Pearson's r, averaged over pairs of judges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.stats.bootstrap_sums import FEWEST_UNITS, TINY, Sums, enough, ratio, scattered
from simpatico.stats.result import Status
from simpatico.validation.raters.ratings import Pairs, Rated

Weights = Literal["linear", "quadratic"]

MOST_CATEGORIES = 100
"""With more different ratings than this, a kappa is not what one wants."""

ENOUGH_SHARED = 10


class Couples(NamedTuple):
    """The pairs of ratings of judges who share enough units, and whose they are."""

    pairs: Pairs
    couple: Ints
    number: int

    @property
    def units(self) -> int:
        return len(np.unique(self.pairs.unit))

    @property
    def shown(self) -> str:
        return f"mean over {self.number:,} pair{'' if self.number == 1 else 's'} of judges"


def couples(pairs: Pairs) -> Couples:
    """Pairs of ratings by pair of judges; judges who hardly meet are not compared.

    They must share ten units, or half of all where that is less, but three: a kappa of fewer is
    far too low on average, so that a crowd of judges who seldom meet would seem to disagree.
    """
    least = np.clip(len(np.unique(pairs.unit)) // 2, FEWEST_UNITS, ENOUGH_SHARED)
    judges = int(pairs.b.max(initial=0)) + 1
    _, couple, met = np.unique(pairs.a * judges + pairs.b, return_inverse=True, return_counts=True)
    often = met[couple] >= least
    kept, couple = np.unique(couple[often], return_inverse=True)
    return Couples(pairs.keep(often), couple, len(kept))


def cohen(rated: Rated, weights: Weights) -> Sums:
    """1 − Σ|x − y|ᵖ / E Σ|x − y|ᵖ with p = 1 (linear) or 2 (quadratic), E for unrelated judges.

    The distance of two ratings is that of their values. Several judges: the mean over pairs of
    judges, each pair counting by the units it shares (Light's kappa, 1971, where all rate all).
    Cohen, Psychological Bulletin 70, 1968.
    """
    sets = couples(rated.pairs)
    name, method = f"cohen_kappa_{weights}", f"Cohen's kappa, {weights} weights, {sets.shown}"
    if weights == "linear" and rated.categories > MOST_CATEGORIES:
        method += f"; not for over {MOST_CATEGORIES} different ratings"
        return Sums(name, method, None, mean_correlation, sets.units, "degenerate")
    parts, of = (quadratic if weights == "quadratic" else linear)(rated, sets)
    return Sums(name, method, parts, of, sets.units, enough(sets.units))


def pearson(rated: Rated) -> Sums:
    """The mean of r over pairs of judges, each pair counting by the units it shares.

    A judge who gave everything the same rating is not compared.
    """
    sets, values = couples(rated.pairs), by_judge(rated.values)
    unit, a, b = sets.pairs[:3]
    pairs = sets.pairs._replace(x=values[unit, a], y=values[unit, b])
    varied = couples(pairs.keep(np.isfinite(pairs.x) & np.isfinite(pairs.y)))
    status: Status = "ok" if varied.number else "degenerate" if sets.number else "too_few"
    parts = by_group(
        varied.pairs.unit,
        varied.couple,
        products(varied.pairs.x, varied.pairs.y),
        shape=(len(rated.number), varied.number),
    )
    method = f"Pearson's r, {varied.shown}"
    return Sums("pairwise_pearson", method, parts, mean_correlation, varied.units, status)


def by_judge(values: Floats) -> Floats:
    """Values in each judge's own standard units; NaN throughout for one who never varies."""
    given = np.isfinite(values)
    number = np.maximum(given.sum(axis=0), 1)
    mean = np.where(given, values, 0.0).sum(axis=0) / number
    centred = np.where(given, values - mean, 0.0)
    highest = np.where(given, values, -np.inf).max(axis=0, initial=-np.inf)
    lowest = np.where(given, values, np.inf).min(axis=0, initial=np.inf)
    spread = np.sqrt((centred**2).sum(axis=0) / number)
    scale = np.where((highest > lowest) & (spread > 0), spread, np.nan)
    return np.asarray(np.where(given, centred / scale, np.nan))


def products(x: Floats, y: Floats) -> list[Floats]:
    """What a correlation is made of."""
    return [np.ones(len(x)), x, y, x * x, y * y, x * y]


def by_group(unit: Ints, group: Ints, columns: list[Floats], *, shape: tuple[int, int]) -> Any:
    """Parts per unit: these columns for the first group, then for the second, …"""
    width = len(columns)
    where = (group[:, None] * width + np.arange(width)).ravel()
    values = np.column_stack(columns).ravel()
    return scattered(np.repeat(unit, width), where, values, (shape[0], shape[1] * width))


def correlations(sums: Floats) -> tuple[Floats, Floats]:
    """r and n of each group of six sums; NaN under three units or where one side never varies."""
    n, x, y, xx, yy, xy = np.moveaxis(sums.reshape(len(sums), -1, 6), 2, 0)
    left, right = n * xx - x * x, n * yy - y * y
    varies = (n >= FEWEST_UNITS) & (left > TINY * n**2) & (right > TINY * n**2)
    below = np.sqrt(np.where(varies, left, 0.0)) * np.sqrt(np.where(varies, right, 0.0))
    return np.clip(ratio(n * xy - x * y, below, 0.0), -1.0, 1.0), n


def mean_correlation(sums: Floats) -> Floats:
    return weighted(*correlations(sums))


def weighted(values: Floats, weights: Floats) -> Floats:
    """The mean of what is not NaN in each row."""
    weights = np.where(np.isfinite(values), weights, 0.0)
    return ratio((np.nan_to_num(values) * weights).sum(axis=1), weights.sum(axis=1))


def quadratic(rated: Rated, sets: Couples) -> tuple[Any, Callable[[Floats], Floats]]:
    """E(x − y)² from the two judges' own sums."""
    p = sets.pairs
    columns = [np.ones(len(p.x)), p.x, p.y, p.x**2 + p.y**2, (p.x - p.y) ** 2]

    def of(sums: Floats) -> Floats:
        n, x, y, squares, apart = np.moveaxis(sums.reshape(len(sums), -1, 5), 2, 0)
        chance = n * squares - 2 * x * y
        return weighted(1 - ratio(n * apart, chance, TINY * n**2), n)

    return by_group(p.unit, sets.couple, columns, shape=(len(rated.number), sets.number)), of


def linear(rated: Rated, sets: Couples) -> tuple[Any, Callable[[Floats], Floats]]:
    """E|x − y| is the sum over gaps between categories of F(1 − G) + G(1 − F)."""
    p, size = sets.pairs, rated.categories
    gaps, width = np.diff(rated.levels), 1 + 2 * size
    start = sets.couple * width
    columns = np.concatenate([start, start + 1 + p.c, start + 1 + size + p.k])
    values = np.concatenate([np.abs(p.x - p.y), np.ones(2 * len(p.x))])
    shape = (len(rated.number), sets.number * width)
    parts = scattered(np.tile(p.unit, 3), columns, values, shape)

    def of(sums: Floats) -> Floats:
        groups = sums.reshape(len(sums), -1, width)
        n = groups[:, :, 1 : 1 + size].sum(axis=2)
        x = groups[:, :, 1 : 1 + size].cumsum(axis=2)[:, :, :-1]
        y = groups[:, :, 1 + size :].cumsum(axis=2)[:, :, :-1]
        chance = (x * (n[..., None] - y) + y * (n[..., None] - x)) @ gaps
        return weighted(1 - ratio(n * groups[:, :, 0], chance, TINY * n**2), n)

    return parts, of
