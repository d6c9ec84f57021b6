"""Each person's own weights: drawn towards those of the average person, and moved by examples.

With examples z, y and the shared number s, the weights u of a person make the sum of losses of
s + u z, plus half the pull times u squared, least. For scores that is one linear system; for
chances it is solved step by step, and what earlier examples said is kept as the parabola that fits
them best, so that going on from a model needs none of them.
Example: scores, z = 1, pull 1, residuals 2 and 4: u = 6 / (2 + 1) = 2. One more of 6: the curvature
2 and the sum (2 + 1) 2 = 6 are kept, and u = (6 + 6) / (3 + 1) = 3, as with all three at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats, Ints
from simpatico.features.classes import sigmoid
from simpatico.features.users.model import People, Personal, Target

STEPS = 25
ENOUGH = 1e-9
"""A step of all weights below this is the last."""
SAFE = 1.79
"""A step that moves no number farther lowers the loss for certain."""
HALVINGS = 40


class Cases(NamedTuple):
    """What is seen of some turns, a row each, those of a person in the order of time."""

    rows: Any
    """A sparse matrix: vectors, runs of characters."""
    circumstances: Floats
    person: Sequence[str]
    """Who is talked to; "" where nobody knows."""
    y: Floats
    """1 where the person answered and else 0, or the score."""
    weight: Floats
    """How much each counts."""

    def some(self, places: Ints) -> Cases:
        """These of them."""
        person = [self.person[at] for at in places]
        return Cases(
            self.rows[places],
            self.circumstances[places],
            person,
            self.y[places],
            self.weight[places],
        )


class Lessons(NamedTuple):
    """Examples for the weights of persons; `who` is a row of `People`."""

    z: Floats
    plain: Floats
    y: Floats
    weight: Floats
    who: Ints
    persons: int

    @classmethod
    def of(cls, z: Floats, plain: Floats, cases: Cases, place: Mapping[str, int]) -> Lessons:
        """Of these cases; those of a person who is not in `place` have -1."""
        who = np.array([place.get(one, -1) for one in cases.person], np.int64)
        return cls(z, plain, cases.y, cases.weight, who, len(place))

    @property
    def named(self) -> Lessons:
        """Without those of nobody we know."""
        return self.some(self.who >= 0)

    def some(self, kept: npt.NDArray[np.bool_]) -> Lessons:
        """These of them."""
        z, plain, y, weight = (part[kept] for part in self[:4])
        return Lessons(z, plain, y, weight, self.who[kept], self.persons)

    def summed(self, values: Floats) -> Floats:
        """Columns of values added up for each person."""
        columns = [np.bincount(self.who, column, self.persons) for column in values.T]
        return np.stack(columns, axis=1) if columns else np.zeros((self.persons, 0))

    def curvature(self, weight: Floats) -> Floats:
        """The weighted sum of z z' for each person."""
        width = self.z.shape[1]
        found = np.zeros((self.persons, width, width))
        for one in range(width):
            for other in range(one + 1):
                product = weight * self.z[:, one] * self.z[:, other]
                found[:, one, other] = np.bincount(self.who, product, self.persons)
                found[:, other, one] = found[:, one, other]
        return found

    def number(self, mean: Floats) -> Floats:
        """What each is told with these weights of persons."""
        return np.asarray(self.plain + (self.z * mean[self.who]).sum(axis=1))

    def loss(self, mean: Floats, before: Before) -> Floats:
        """Of each person's chances with these weights, and of what earlier examples said."""
        number = self.number(mean)
        lost = self.weight * (np.logaddexp(0.0, number) - self.y * number)
        parabola = np.einsum("pi,pij,pj->p", mean, before.curvature, mean) / 2
        summed = np.bincount(self.who, lost, self.persons)
        return np.asarray(summed + parabola - (before.sums * mean).sum(axis=1))

    @property
    def widest(self) -> Floats:
        """How far each column of z goes from 0."""
        return np.array([np.abs(column).max(initial=0.0) for column in self.z.T])

    def faded(self, discount: float) -> Lessons:
        """Each example counts less for every later one of the same person."""
        return self._replace(weight=self.weight * discount ** ages(self.who))


class Before(NamedTuple):
    """What earlier examples said: the parabola u A u / 2 - b u for each person."""

    curvature: Floats
    sums: Floats

    @classmethod
    def nothing(cls, persons: int, width: int) -> Before:
        """No earlier examples."""
        return cls(np.zeros((persons, width, width)), np.zeros((persons, width)))

    @classmethod
    def of(cls, people: People, pull: Floats, kept: Floats) -> Before:
        """Of these people, each faded by what is kept."""
        curvature = people.curvature
        sums = np.einsum("pij,pj->pi", curvature, people.mean) + pull * people.mean
        return cls(kept[:, None, None] * curvature, kept[:, None] * sums)


def ages(who: Ints) -> Ints:
    """How many later examples each has of the same person."""
    backwards = who[::-1]
    order = np.argsort(backwards, kind="stable")
    ranked = backwards[order]
    first = np.searchsorted(ranked, ranked)
    found = np.empty(len(who), np.int64)
    found[order] = np.arange(len(who)) - first
    return found[::-1]


def believed(
    lessons: Lessons, before: Before, pull: Floats, target: Target
) -> tuple[Floats, Floats]:
    """The mean weights of each person, and the curvature of all examples."""
    held, mean = np.diag(pull), np.zeros(before.sums.shape)
    drawn, widest = before._replace(curvature=before.curvature + held), lessons.widest
    for _ in range(STEPS if target == "chance" else 1):
        number = lessons.number(mean)
        if target == "chance":
            share = sigmoid(number)
            wrong, sharp = share - lessons.y, share * (1 - share)
        else:
            wrong, sharp = number - lessons.y, np.ones(len(number))
        data = lessons.curvature(lessons.weight * sharp) + before.curvature
        slope = lessons.summed((lessons.weight * wrong)[:, None] * lessons.z) - before.sums
        slope += np.einsum("pij,pj->pi", drawn.curvature, mean)
        step = np.asarray(np.linalg.solve(data + held, slope[..., None])[..., 0], np.float64)
        if target == "chance" and (far := np.abs(step) @ widest > SAFE).any():
            step = held_back(step, mean, lessons.some(far[lessons.who]), drawn)
        mean = mean - step
        if np.abs(step).max(initial=0.0) < ENOUGH:
            break
    return mean, data


def held_back(step: Floats, mean: Floats, lessons: Lessons, before: Before) -> Floats:
    """The steps, each halved until the loss of its person, in these lessons, does not rise.

    With s the slope times the step, and no number moved by more than m, the loss falls by s (1 -
    (exp(m) - m - 1) / m^2) or more, which is above 0 up to m = `SAFE`: whose step goes no farther
    needs no lessons here.
    """
    there = np.bincount(lessons.who, minlength=lessons.persons) > 0
    least = lessons.loss(mean, before)
    for _ in range(HALVINGS):
        worse = there & (lessons.loss(mean - step, before) > least)
        if not worse.any():
            break
        step = np.where(worse[:, None], step / 2, step)
    return step


def met(model: Personal, cases: Cases) -> Personal:
    """The model after these examples of persons it knew or did not know; the shared part stays."""
    place = dict(model.people.place)
    for person in filter(None, cases.person):
        place.setdefault(person, len(place))
    plain = model.plain(cases.rows, cases.circumstances)
    z = model.design(plain, cases.circumstances)
    cases = cases._replace(y=in_units(model, cases.y))
    lessons = Lessons.of(z, plain, cases, place).named
    return replace(model, people=learned(model.people.grown(place), lessons, model))


def in_units(model: Personal, y: Floats) -> Floats:
    """Targets as the model counts them."""
    mean, spread = model.unit
    return y if model.target == "chance" else np.asarray((y - mean) / spread)


def learned(people: People, lessons: Lessons, model: Personal) -> People:
    """These people after some lessons."""
    new = np.bincount(lessons.who, minlength=lessons.persons)
    fading = np.asarray(model.discount**new, np.float64)
    before = Before.of(people, model.pull, fading)
    mean, curvature = believed(lessons.faded(model.discount), before, model.pull, model.target)
    # who has no new example stays to the last bit
    mean[new == 0], curvature[new == 0] = people.mean[new == 0], people.curvature[new == 0]
    return People(people.place, mean, curvature, people.seen + new)
