"""How well guesses tell whether people answer, and how surely, person by person.

Accuracy, the mean of the two F1 scores (of answered and of not answered), and the area under the
curve. In a resample a person is drawn with all their examples, the same persons for all guesses,
so that the interval of a difference holds what they have in common. Of few persons resamples say
next to nothing about others: then there is no interval and no p.
Example: 3 answered of which 2 are told so, 1 not answered and told so: accuracy 3/4; F1 of answered
2 * 2 / (3 + 2) = .8, of not answered 2 * 1 / (1 + 2) = .667; macro-F1 .733.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Bools, Floats, Ints
from simpatico.stats.auc import DECIMALS, DRAWS, weighted_area
from simpatico.stats.bootstrap import DEFINED, FEWEST_CLUSTERS, reaching_zero
from simpatico.stats.classification import Counts
from simpatico.stats.cluster_draws import Draws, blocks, coded
from simpatico.stats.draws import percentile_interval

FIGURES = ("accuracy", "macro_f1", "auc")
NO_INTERVAL = (
    f"no interval: fewer than {FEWEST_CLUSTERS} persons, or too few resamples of them have a value"
)


class Estimate(NamedTuple):
    """A figure, and between what it lies in 95% of the resamples of persons, if that is known."""

    value: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, drawn: Floats, persons: int) -> Estimate:
        """The figure as seen, which is the first, and the middle of its resamples."""
        value, kept = round(float(drawn[0]), DECIMALS), usable(drawn, persons)
        if kept is None:
            return cls(value)
        low, high = percentile_interval(kept)
        return cls(value, round(low, DECIMALS), round(high, DECIMALS))


class Guess(NamedTuple):
    """Numbers that are higher where an answer is likelier, and what is taken for answered."""

    number: Floats
    told: Bools

    @classmethod
    def of(cls, chance: Floats) -> Guess:
        """What is taken for answered is what is likelier than not."""
        return cls(chance, chance > 0.5)

    def some(self, flags: Bools) -> Guess:
        """The guess of these examples only."""
        return Guess(self.number[flags], self.told[flags])


class Drawn(NamedTuple):
    """Figures: the first as seen, the others of resamples of persons."""

    accuracy: Floats
    macro_f1: Floats
    auc: Floats


class Measured(NamedTuple):
    """How well a guess does."""

    name: str
    accuracy: Estimate
    macro_f1: Estimate
    auc: Estimate
    """NaN where all were answered, or none."""
    n: int
    persons: int


class Above(NamedTuple):
    """By how much a guess is above another."""

    name: str
    accuracy: Estimate
    macro_f1: Estimate
    auc: Estimate
    p: dict[str, float | None]
    """Of each figure, the level at which its interval would reach 0; null where it has none."""


def measured(
    guesses: Mapping[str, Guess], answered: Bools, person: Sequence[str], *, seed: int = 0
) -> list[Measured]:
    """Figures of every guess about the same examples."""
    drawn = resampled(guesses, answered, person, seed=seed)
    n, persons = len(answered), len(set(person))
    rows = []
    for name, found in drawn.items():
        accuracy, macro, auc = (Estimate.of(one, persons) for one in found)
        rows.append(Measured(name, accuracy, macro, auc, n, persons))
    return rows


def above(
    guesses: Mapping[str, Guess],
    ours: str,
    answered: Bools,
    person: Sequence[str],
    *,
    seed: int = 0,
) -> list[Above]:
    """By how much our guess is above every other."""
    drawn, persons = resampled(guesses, answered, person, seed=seed), len(set(person))
    found = []
    for name, other in drawn.items():
        if name != ours:
            gaps = [mine - theirs for mine, theirs in zip(drawn[ours], other, strict=True)]
            p = {n: level(gap, persons) for n, gap in zip(FIGURES, gaps, strict=True)}
            accuracy, macro, auc = (Estimate.of(gap, persons) for gap in gaps)
            found.append(Above(name, accuracy, macro, auc, p))
    return found


def usable(drawn: Floats, persons: int) -> Floats | None:
    """The resamples that have a value; null where they say too little of other persons.

    They say nothing where there is no value as seen.
    """
    kept = drawn[1:][np.isfinite(drawn[1:])]
    few = persons < FEWEST_CLUSTERS or len(kept) < DEFINED * (len(drawn) - 1)
    return None if few or not np.isfinite(drawn[0]) else np.asarray(kept, np.float64)


def level(drawn: Floats, persons: int) -> float | None:
    """The level at which the interval of a difference would reach 0, where it has an interval."""
    kept = usable(drawn, persons)
    return None if kept is None else round(reaching_zero(kept), DECIMALS)


def area_told(found: Estimate) -> str:
    """An area for a card."""
    return "no area" if isnan(found.value) else f"area {found.value:.3f}"


def resampled(
    guesses: Mapping[str, Guess], answered: Bools, person: Sequence[str], *, seed: int = 0
) -> dict[str, Drawn]:
    """The figures of every guess, as seen and in each resample of persons."""
    whose, persons = coded(np.array(person, object).astype(str))
    order = {name: np.unique(one.number, return_inverse=True)[1] for name, one in guesses.items()}
    parts = {name: list[Drawn]() for name in guesses}
    for drawn in draws(persons, seed):
        for name, guess in guesses.items():
            areas = np.array([weighted_area(order[name], answered, row[whose]) for row in drawn])
            accuracy, macro = told_right(guess.told, answered, whose, drawn)
            parts[name].append(Drawn(accuracy, macro, areas))
    return {
        name: Drawn(*map(np.concatenate, zip(*some, strict=True))) for name, some in parts.items()
    }


def draws(persons: int, seed: int) -> Iterator[Floats]:
    """How often each person counts: once as seen, then in resamples, some of them at a time."""
    yield np.ones((1, persons))
    for _, drawn in blocks(persons, Draws(DRAWS, seed)):
        yield drawn


def told_right(told: Bools, answered: Bools, whose: Ints, drawn: Floats) -> tuple[Floats, Floats]:
    """Accuracy and macro-F1 in every draw."""
    found = Counts.of(told, answered, whose, drawn)
    # of what neither is nor is told, F1 is 0
    halves = [np.nan_to_num(side.f1) for side in (found, found.turned)]
    return found.accuracy, (halves[0] + halves[1]) / 2
