"""Krippendorff's alpha and Fleiss' kappa: agreement of judges who need not be the same people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from simpatico.arrays import Floats
from simpatico.stats.bootstrap_sums import TINY, Sums, beside, enough, per_unit, ratio, scattered
from simpatico.validation.raters.ratings import Rated

Measure = Literal["nominal", "ordinal", "interval"]
Summed = tuple[Any, Callable[[Floats], Floats]]
"""Parts per unit, and the statistic of their sums."""


def alpha(rated: Rated, measure: Measure) -> Sums:
    """1 − (n − 1) Σ o(c,k) δ²(c,k) / Σ n(c) n(k) δ²(c,k) over the coincidences o of ratings.

    δ² is 1 for any two categories (nominal), the squared difference of values (interval) or of
    mid-ranks (ordinal). Units with one rating are left out. Krippendorff, Content Analysis, 2004;
    "Computing Krippendorff's alpha-reliability", 2011.
    """
    parts, of = MEASURES[measure](rated)
    n = int(rated.paired.sum())
    method = f"Krippendorff's alpha, {measure}"
    return Sums(f"krippendorff_alpha_{measure}", method, parts, of, n, enough(n))


def fleiss(rated: Rated) -> Sums:
    """(P − Pₑ) / (1 − Pₑ): pairs of judges who agree, against chance by the shares of categories.

    With different numbers of judges, each unit has one vote in P (if two judges or more rated it)
    and in the shares: Gwet, Handbook of Inter-Rater Reliability, 2014, the extension of Fleiss,
    Psychological Bulletin 76, 1971.
    """
    pairs, n = rated.pairs, len(rated.number)
    agree = per_unit(pairs.unit, (pairs.c == pairs.k) / comparisons(rated)[pairs.unit], n)
    votes = tallies(rated, rated.number >= 1, 1 / np.maximum(rated.number, 1))
    once = (rated.number >= 1).astype(np.float64)

    def of(sums: Floats) -> Floats:
        seen = ratio(sums[:, 0], sums[:, 1])
        chance = (ratio(sums[:, 3:], sums[:, 2:3]) ** 2).sum(axis=1)
        return ratio(seen - chance, 1 - chance)

    parts = beside(agree, rated.paired.astype(np.float64), once, votes)
    units = int(rated.paired.sum())
    return Sums("fleiss_kappa", "Fleiss' kappa", parts, of, units, enough(units))


def comparisons(rated: Rated) -> Floats:
    """How many pairs of ratings each unit has."""
    return np.asarray(rated.number * (rated.number - 1) / 2)


def share(rated: Rated) -> Floats:
    """What each pair counts: twice, for both orders, by the judges each could be paired with."""
    return np.asarray(2 / (rated.number[rated.pairs.unit] - 1))


def tallies(rated: Rated, units: Any, worth: Floats) -> Any:
    """How often each of these units was put in each category, times what a rating is worth."""
    rows, columns = np.nonzero(rated.given & units[:, None])
    shape = (len(rated.number), rated.categories)
    return scattered(rows, rated.codes[rows, columns], worth[rows], shape)


def paired_tallies(rated: Rated) -> Any:
    return tallies(rated, rated.paired, np.ones(len(rated.number)))


def nominal(rated: Rated) -> Summed:
    pairs = rated.pairs
    differ = per_unit(pairs.unit, share(rated) * (pairs.c != pairs.k), len(rated.number))

    def of(sums: Floats) -> Floats:
        tally = sums[:, 1:]
        n = tally.sum(axis=1)
        chance = n**2 - (tally**2).sum(axis=1)
        return np.asarray(1 - ratio((n - 1) * sums[:, 0], chance, 0.5))

    return beside(differ, paired_tallies(rated)), of


def ordinal(rated: Rated) -> Summed:
    """The distance of two categories is that of their mid-ranks, which every resample changes."""
    pairs, size = rated.pairs, rated.categories
    differ = pairs.c != pairs.k
    low, high = np.minimum(pairs.c, pairs.k), np.maximum(pairs.c, pairs.k)
    cells, cell = np.unique((low * size + high)[differ], return_inverse=True)
    shape = (len(rated.number), len(cells))
    coincide = scattered(pairs.unit[differ], cell, share(rated)[differ], shape)
    low, high = np.divmod(cells, max(size, 1))

    def of(sums: Floats) -> Floats:
        tally, met = sums[:, :size], sums[:, size:]
        n = tally.sum(axis=1)
        rank = tally.cumsum(axis=1) - tally / 2 - n[:, None] / 2
        apart = (met * (rank[:, low] - rank[:, high]) ** 2).sum(axis=1)
        chance = 2 * n * (tally * rank**2).sum(axis=1)
        return np.asarray(1 - ratio((n - 1) * apart, chance, TINY * n**4))

    return beside(paired_tallies(rated), coincide), of


def interval(rated: Rated) -> Summed:
    pairs, n = rated.pairs, len(rated.number)
    values = np.where(rated.given & rated.paired[:, None], rated.values, 0.0)
    apart = per_unit(pairs.unit, share(rated) * (pairs.x - pairs.y) ** 2, n)
    number = np.where(rated.paired, rated.number, 0.0)
    parts = beside(apart, number, values.sum(axis=1), (values**2).sum(axis=1))

    def of(sums: Floats) -> Floats:
        apart, n, total, squares = sums.T
        chance = 2 * (n * squares - total**2)
        return np.asarray(1 - ratio((n - 1) * apart, chance, TINY * n**2))

    return parts, of


MEASURES: dict[Measure, Callable[[Rated], Summed]] = {
    "nominal": nominal,
    "ordinal": ordinal,
    "interval": interval,
}
