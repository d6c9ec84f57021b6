"""How well guesses tell whether people answer, and how surely, person by person.

Accuracy, the mean of the two F1 scores (of answered and of not answered), and the area under the
curve. In a resample a person is drawn with all their examples, the same persons for all guesses,
so that the interval of a difference holds what they have in common.
Example: 3 answered of which 2 are told so, 1 not answered and told so: accuracy 3/4; F1 of answered
2 * 2 / (3 + 2) = .8, of not answered 2 * 1 / (1 + 2) = .667; macro-F1 .733.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from simpatico.resample import counts
from simpatico.train.areas import DECIMALS, DRAWS, weighted_area
from simpatico.train.emotion_measures import Counts
from simpatico.train.measures import Estimate, estimate
from simpatico.train.outcomes import Flags, Numbers, Places
from simpatico.validate.bootstrap import reaching_zero
from simpatico.validate.drawn import coded

FIGURES = ("accuracy", "macro_f1", "auc")


class Guess(NamedTuple):
    """Numbers that are higher where an answer is likelier, and what is taken for answered."""

    number: Numbers
    told: Flags

    @classmethod
    def of(cls, chance: Numbers) -> Guess:
        """What is taken for answered is what is likelier than not."""
        return cls(chance, chance > 0.5)

    def some(self, flags: Flags) -> Guess:
        """The guess of these examples only."""
        return Guess(self.number[flags], self.told[flags])


class Drawn(NamedTuple):
    """Figures: the first as seen, the others of resamples of persons."""

    accuracy: Numbers
    macro_f1: Numbers
    auc: Numbers


class Measured(NamedTuple):
    """How well a guess does."""

    name: str
    accuracy: Estimate
    macro_f1: Estimate
    auc: Estimate
    n: int
    persons: int


class Above(NamedTuple):
    """By how much a guess is above another."""

    name: str
    accuracy: Estimate
    macro_f1: Estimate
    auc: Estimate
    p: dict[str, float]
    """Of each figure, the level at which its interval would reach 0."""


def measured(
    guesses: Mapping[str, Guess], answered: Flags, person: Sequence[str], *, seed: int = 0
) -> list[Measured]:
    """Figures of every guess about the same examples."""
    drawn = resampled(guesses, answered, person, seed=seed)
    n, persons = len(answered), len(set(person))
    rows = []
    for name, found in drawn.items():
        accuracy, macro, auc = map(estimate, found)
        rows.append(Measured(name, accuracy, macro, auc, n, persons))
    return rows


def above(
    guesses: Mapping[str, Guess],
    ours: str,
    answered: Flags,
    person: Sequence[str],
    *,
    seed: int = 0,
) -> list[Above]:
    """By how much our guess is above every other."""
    drawn = resampled(guesses, answered, person, seed=seed)
    found = []
    for name, other in drawn.items():
        if name != ours:
            gaps = [mine - theirs for mine, theirs in zip(drawn[ours], other, strict=True)]
            p = {
                figure: round(reaching_zero(gap[1:]), DECIMALS)
                for figure, gap in zip(FIGURES, gaps, strict=True)
            }
            accuracy, macro, auc = map(estimate, gaps)
            found.append(Above(name, accuracy, macro, auc, p))
    return found


def resampled(
    guesses: Mapping[str, Guess], answered: Flags, person: Sequence[str], *, seed: int = 0
) -> dict[str, Drawn]:
    """The figures of every guess, as seen and in each resample of persons."""
    whose, persons = coded(np.array(person, object).astype(str))
    drawn = np.vstack([np.ones(persons), counts(persons, DRAWS, seed)])
    return {name: figures(guess, answered, whose, drawn) for name, guess in guesses.items()}


def figures(guess: Guess, answered: Flags, whose: Places, drawn: Numbers) -> Drawn:
    """The figures of one guess in every draw."""
    _, code = np.unique(guess.number, return_inverse=True)
    areas = [weighted_area(code, answered, row[whose]) for row in drawn]
    found = Counts.of(guess.told, answered, whose, drawn)
    # of what neither is nor is told, F1 is 0
    halves = [np.nan_to_num(side.f1) for side in (found, found.turned)]
    return Drawn(found.accuracy, (halves[0] + halves[1]) / 2, np.array(areas))
