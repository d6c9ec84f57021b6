"""Which weights of their own persons have, how hard these are drawn to 0, how fast examples fade.

All of it is what makes the loss on the examples to check by least, found step by step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.features.users.model import Target
from simpatico.training.users.user_weights import Before, Cases, Lessons, ages, believed

HELD = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
"""How hard weights of persons are drawn to 0."""
FADING = (1.0, 0.99, 0.95, 0.9, 0.8, 0.7)
"""What may be left of an example's weight after each later one."""


CUTS, AHEAD = (0.5, 0.6, 0.7), 0.2
"""Shares of each person's lessons after which the next are foretold, and how many of these."""


class Choice(NamedTuple):
    """Which weights persons have, how hard these are drawn to 0, and how fast examples fade."""

    own: tuple[int, ...]
    pull: tuple[float, ...]
    discount: float = 1.0


class Sides(NamedTuple):
    """Pairs of lessons, to learn from and to check by; z has all that could have a weight.

    What is best for the stretch right behind the lessons need not be best farther on: beside the
    examples to check by, each person's own lessons are cut at several places, and what follows a
    cut is foretold from what is before it.
    """

    pairs: tuple[tuple[Lessons, Lessons], ...]
    target: Target

    @classmethod
    def of(cls, learn: Lessons, check: Lessons, target: Target) -> Sides:
        return cls(((learn, check), *(cut(learn, share) for share in CUTS)), target)

    def loss(self, choice: Choice) -> float:
        """On all examples to check by, of weights that are learned in this way."""
        return sum(self.lost(choice, learn, check) for learn, check in self.pairs)

    def lost(self, choice: Choice, learn: Lessons, check: Lessons) -> float:
        own = list(choice.own)
        lessons = learn._replace(z=learn.z[:, own]).faded(choice.discount)
        before = Before.nothing(lessons.persons, len(own))
        mean, _ = believed(lessons, before, np.array(choice.pull), self.target)
        weights = np.concatenate([mean, np.zeros((1, len(own)))])[check.who]
        number = check.plain + (check.z[:, own] * weights).sum(axis=1)
        return summed(number, check, self.target)


def cut(lessons: Lessons, share: float) -> tuple[Lessons, Lessons]:
    """The first share of each person's lessons, and the next two tenths."""
    count = np.bincount(lessons.who, minlength=lessons.persons)[lessons.who]
    rank = (count - 1 - ages(lessons.who)) / count
    return lessons.some(rank < share), lessons.some((share <= rank) & (rank < share + AHEAD))


def summed(number: Floats, lessons: Lessons, target: Target) -> float:
    """The loss of these numbers."""
    if target == "score":
        return float(lessons.weight @ (number - lessons.y) ** 2)
    return float(lessons.weight @ (np.logaddexp(0.0, number) - lessons.y * number))


def chosen(sides: Sides) -> Choice:
    """How hard offsets are drawn and how examples fade, more weights or not, the offsets again."""
    best = min([Choice((0,), (held,), d) for d in FADING for held in HELD], key=sides.loss)
    width = sides.pairs[0][0].z.shape[1]
    for more in ((1,), tuple(range(2, width))):
        own = (*best.own, *more)
        wider = [Choice(own, (*best.pull, *[h] * len(more)), best.discount) for h in HELD]
        best = better(sides, best, wider)
    return better(sides, best, [best._replace(pull=(held, *best.pull[1:])) for held in HELD])


def better(sides: Sides, best: Choice, others: list[Choice]) -> Choice:
    """The one of least loss; the one that was best before, where none is better."""
    return min([best, *others], key=sides.loss)


def offsets(learn: Cases, check: Cases, place: dict[str, int], target: Target) -> float:
    """How hard persons' offsets are drawn to 0 where nothing but these is known."""
    mean = float(np.average(learn.y, weights=learn.weight))
    level = float(np.log(mean / (1 - mean))) if target == "chance" else mean
    one, other = (
        Lessons.of(np.ones((len(side.y), 1)), np.full(len(side.y), level), side, place)
        for side in (learn, check)
    )
    sides = Sides.of(one.named, other, target)
    return min(HELD, key=lambda held: sides.loss(Choice((0,), (held,))))
