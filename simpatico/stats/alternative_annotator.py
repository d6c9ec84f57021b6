"""The alternative annotator test: may a judge stand in for one of several raters?

Calderon, Reichart & Dror, ACL 2025. Each rater h in turn is left out, and on each unit the judge
and h are compared by how close they come to the ratings of all others. With W_h the share of units
on which h is at least as close, and W_j that on which the judge is (both count a tie), the judge
wins against h if W_h - W_j is significantly below epsilon, by a one-sided t-test: epsilon is what
its lower price is worth. p-values are corrected by Benjamini & Yekutieli (2001), as all tests share
the judge. The winning rate is the share of raters whom it wins against; .5 passes. The advantage
is W_j, averaged over raters.

In the paper units are independent. Here t is of clusters of units (dialogs); with a cluster for
each unit it is the paper's.
Example: raters 3, 3, 5 and judge 3. Left out 5: it is 2 away from both others, the judge 0, so that
the judge wins the unit; left out 3: the others are 3 and 5, and both come equally close.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Literal

import numpy as np
from scipy.special import ndtri, stdtr

from simpatico.arrays import Bools, Floats, Ints
from simpatico.stats.bootstrap import cluster_codes
from simpatico.stats.clustered import MIN_CLUSTERS, Estimate, mean_of_groups
from simpatico.stats.correction import correct_p_values
from simpatico.stats.draws import SMALLEST_P

Closeness = Literal["distance", "match"]
"""How close a value comes to others: by root mean square distance, or by how many it equals."""

EPSILONS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
FDR = 0.05
PASSES = 0.5
MIN_UNITS = 30
"""Units that a rater needs to be left out: the t-test needs about 30 (section 3 of the paper)."""
GRID = np.arange(51) / 100
"""Epsilons among which the smallest that passes is looked for."""
TIE = 1e-9
"""Distances that differ by less than this share differ by rounding only."""
POWER = 0.8


@dataclass(frozen=True)
class Contests:
    """A row for each rating of a unit with two or more: who comes closer to its other ratings.

    `gap`: 1 where the judge is closer than the rater, -1 where the rater is, 0 for a tie, NaN where
    the judge gave no answer; a column a judge.
    """

    gap: Floats
    person: Ints
    cluster: Ints

    def of_judge(self, judge: int) -> JudgeContest:
        """The test of one judge."""
        rows = np.isfinite(self.gap[:, judge])
        gap, person, cluster = self.gap[rows, judge], self.person[rows], self.cluster[rows]
        people = [
            mean_of_groups(-gap[own], person[own], cluster[own])
            for own in (person == number for number in np.unique(person))
        ]
        return JudgeContest(tuple(people), np.unique(person), gap, person, cluster)

    def advantage_difference(self, first: int, second: int) -> Estimate:
        """By how much the advantage of one judge is above that of another, on the same ratings."""
        rows = np.isfinite(self.gap[:, [first, second]]).all(axis=1)
        sizes = np.bincount(self.person[rows], minlength=int(self.person.max(initial=0)) + 1)
        rows &= sizes[self.person] >= MIN_UNITS
        closer = np.asarray(self.gap[rows][:, [first, second]] >= 0, np.float64)
        a, b = closer.T
        return mean_of_groups(a - b, self.person[rows], self.cluster[rows])


@dataclass(frozen=True)
class JudgeContest:
    """One judge against each rater: `people` has W_h - W_j, named by their columns in `columns`."""

    people: tuple[Estimate, ...]
    columns: Ints
    gap: Floats
    person: Ints
    cluster: Ints

    @property
    def eligible(self) -> Bools:
        """The raters with enough units, and enough clusters of these, to be tested."""
        return np.array(
            [p.n >= MIN_UNITS and p.df + 1 >= MIN_CLUSTERS for p in self.people], np.bool_
        )

    @property
    def n(self) -> int:
        """Units of the rater with most of them."""
        return max((p.n for p in self.people), default=0)

    @cached_property
    def advantage(self) -> Estimate:
        """How probable it is that the judge comes at least as close as a rater does."""
        rows = np.isin(self.person, self.columns[self.eligible])
        closer = np.asarray(self.gap[rows] >= 0, np.float64)
        return mean_of_groups(closer, self.person[rows], self.cluster[rows])

    def p_values(self, epsilon: float) -> list[float]:
        """One-sided p of W_h - W_j >= epsilon, of each rater who can be tested."""
        return [
            one_sided_p(p, epsilon) for p, ok in zip(self.people, self.eligible, strict=True) if ok
        ]

    def winning_rate(self, epsilon: float) -> float | None:
        """The share of raters whom the judge wins against; null where nobody can be tested."""
        adjusted, n = correct_p_values(self.p_values(epsilon), "by")
        return sum(p is not None and p <= FDR for p in adjusted) / n if n else None

    def passes(self, epsilon: float) -> bool:
        """Whether the judge wins against half of the raters or more."""
        rate = self.winning_rate(epsilon)
        return rate is not None and rate >= PASSES

    @property
    def smallest_epsilon(self) -> float | None:
        """The smallest epsilon, in steps of .01 up to .5, at which the judge passes."""
        return next((float(epsilon) for epsilon in GRID if self.passes(float(epsilon))), None)

    def units_needed(self, epsilon: float) -> int | None:
        """Ratings of each rater with which the judge would pass with 80% power, as it is.

        ((z(1 - a) + z(.8)) SD / (epsilon - difference))², with the median rater's figures, and a
        the level that half of the raters have to reach. Null where more ratings would not help.
        """
        people = [p for p in self.people if p.n > 1 and np.isfinite(p.standard_error)]
        if not people:
            return None
        people = sorted(people, key=lambda p: p.value)
        wins = ceil(PASSES * len(people))
        median = people[wins - 1]
        room = epsilon - median.value
        if room <= 0:
            return None
        level = FDR * wins / len(people) / float((1 / np.arange(1, len(people) + 1)).sum())
        quantiles = float(ndtri(1 - level) + ndtri(POWER))
        return max(MIN_UNITS, ceil(median.n * (quantiles * median.standard_error / room) ** 2))


def one_sided_p(estimate: Estimate, epsilon: float) -> float:
    """p of t = (difference - epsilon) / SE on clusters - 1 degrees of freedom."""
    below = estimate.value - epsilon
    if not estimate.standard_error > 0:
        return SMALLEST_P if below < 0 else 1.0
    return max(float(stdtr(estimate.df, below / estimate.standard_error)), SMALLEST_P)


def contests(
    ratings: Floats,
    judges: Floats,
    *,
    clusters: Ints | None = None,
    closeness: Closeness = "distance",
) -> Contests:
    """Compare judges (units × judges) with raters (units × raters); NaN where nobody rated."""
    present = np.isfinite(ratings)
    order = np.argsort(~present, axis=1, kind="stable")
    width = int(present.sum(axis=1).max(initial=0))
    person = order[:, :width]
    present = np.take_along_axis(present, person, axis=1)
    values = np.where(present, np.take_along_axis(ratings, person, axis=1), 0.0)
    usable = present & (present.sum(axis=1) >= 2)[:, None]
    to_people, to_judges = np.zeros(values.shape), np.zeros((*values.shape, judges.shape[1]))
    for rating in range(width):  # one after the other: a crowd's cube would not fit into memory
        other, there = values[:, rating, None], present[:, rating, None]
        to_people += loss(values, other, closeness) * there
        own = loss(judges, other, closeness) * there
        to_judges += own[:, None, :]
        to_judges[:, rating] -= own  # nobody is compared with the rating that is left out
    unit, slot = np.nonzero(usable)
    theirs, ours = to_people[unit, slot, None], to_judges[unit, slot]
    gap = theirs - ours
    gap[np.abs(gap) <= TIE * np.maximum(theirs, np.abs(ours))] = 0.0
    code = cluster_codes(np.arange(len(ratings)) if clusters is None else clusters)[0]
    return Contests(np.sign(gap), person[unit, slot], code[unit])


def loss(first: Floats, second: Floats, closeness: Closeness) -> Floats:
    """What adds up to how far a value is from others: square distances, or mismatches."""
    if closeness == "distance":
        return np.asarray((first - second) ** 2)
    return np.where(np.isnan(first), np.nan, (first != second) * 1.0)
