"""Numbers that depend on who is talked to: a part that all persons share, and each person's own.

The shared number s is linear in what is seen of a turn. A person has a weight for some of
z = (1, s, circumstances), all 0 for somebody who is not known, so that a new person is like the
average one; the number is s plus the sum of these weights times z. A chance is the logistic
function of it, a score lies between the ends of its scale.
Example: s = .2, weights .5 for 1 and -1 for s (which has mean 0 and spread 1): .2 + .5 - .2 = .5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.features.classes import sigmoid

Target = Literal["chance", "score"]

TINY = 1e-9
FARTHEST = 3.0
"""Spreads from the mean beyond which nothing is told apart."""


class Scaling(NamedTuple):
    """Mean and spread of some columns, which are brought to 0 and 1.

    Nothing counts as farther out than three spreads, as nobody knows how things go on there.
    """

    centre: Floats
    spread: Floats

    @classmethod
    def of(cls, columns: Floats) -> Scaling:
        """Of these columns; one that never changes is left as wide as it is."""
        spread = columns.std(axis=0)
        return cls(columns.mean(axis=0), np.where(spread > TINY, spread, 1.0))

    def __call__(self, columns: Floats) -> Floats:
        return np.asarray(np.clip((columns - self.centre) / self.spread, -FARTHEST, FARTHEST))


class People(NamedTuple):
    """What is believed of each person, a row each.

    `curvature` says how sharply the examples of a person speak, without what draws towards the
    average: with it and the mean new examples can be added as if all had been seen together.
    """

    place: Mapping[str, int]
    mean: Floats
    curvature: Floats
    seen: Ints
    """Examples of each person."""

    @classmethod
    def nobody(cls, weights: int) -> People:
        return cls(
            {}, np.zeros((0, weights)), np.zeros((0, weights, weights)), np.zeros(0, np.int64)
        )

    def places(self, person: Sequence[str]) -> Ints:
        """The row of each person; -1 for one who is not known."""
        return np.array([self.place.get(one, -1) for one in person], np.int64)

    def weights(self, person: Sequence[str]) -> Floats:
        """The weights of each person; 0 for one who is not known."""
        average = np.zeros((1, self.mean.shape[1]))
        return np.concatenate([self.mean, average])[self.places(person)]

    def without(self, person: str) -> People:
        """All but one."""
        return self.chosen([name for name in self.place if name != person])

    def chosen(self, names: Sequence[str]) -> People:
        """These of them, in this order."""
        rows = [self.place[name] for name in names]
        place = {name: at for at, name in enumerate(names)}
        return People(place, self.mean[rows], self.curvature[rows], self.seen[rows])

    def grown(self, place: Mapping[str, int]) -> People:
        """With a row for everybody in `place`; newcomers are like the average person."""
        more, width = len(place) - len(self.seen), self.mean.shape[1]
        return People(
            place,
            np.concatenate([self.mean, np.zeros((more, width))]),
            np.concatenate([self.curvature, np.zeros((more, width, width))]),
            np.concatenate([self.seen, np.zeros(more, np.int64)]),
        )


class Told(NamedTuple):
    """What a model says of some turns: the number, and how many examples of the person it knew."""

    value: Floats
    seen: Ints


@dataclass(frozen=True)
class Personal:
    """The weights that all share, those of each person, and how a number is made of them."""

    target: Target
    shared: Floats = field(repr=False)
    """Of the columns of what is seen, then of the circumstances, and at last an offset."""
    circumstances: Scaling = field(repr=False)
    number: tuple[float, float] = (0.0, 1.0)
    """Mean and spread of the shared number, of which persons may have a weight."""
    own: tuple[int, ...] = ()
    """For which of 1, the shared number and the circumstances persons have weights."""
    pull: Floats = field(default_factory=lambda: np.zeros(0), repr=False)
    """How hard each weight of a person is drawn to 0."""
    discount: float = 1.0
    """What is left of an example's weight after each later one of the same person."""
    people: People = field(default_factory=lambda: People.nobody(0), repr=False)
    temper: tuple[float, float] = (1.0, 0.0)
    """Slope and offset that make a chance as frequent as it says."""
    unit: tuple[float, float] = (0.0, 1.0)
    """Mean and spread of scores in the training."""
    ends: tuple[float, float] | None = None
    """The ends of the scale."""

    def plain(self, rows: Any, circumstances: Floats) -> Floats:
        """The number that all share: of an average person."""
        columns = rows.shape[1]
        seen = rows @ self.shared[:columns]
        about = self.circumstances(circumstances) * self.shared[columns:-1]
        return np.asarray(seen + about.sum(axis=1) + self.shared[-1], np.float64)

    def design(self, plain: Floats, circumstances: Floats) -> Floats:
        """What the weights of a person are multiplied with, a row a turn."""
        return designed(plain, self.circumstances(circumstances), self.number)[:, self.own]

    def raw(self, rows: Any, circumstances: Floats, person: Sequence[str]) -> Floats:
        """The shared number and the person's part."""
        plain = self.plain(rows, circumstances)
        own = self.design(plain, circumstances) * self.people.weights(person)
        return np.asarray(plain + own.sum(axis=1))

    def of(self, rows: Any, circumstances: Floats, person: Sequence[str]) -> Told:
        """A chance or a score for each turn."""
        seen = np.append(self.people.seen, 0)[self.people.places(person)]
        return Told(self.finished(self.raw(rows, circumstances, person)), seen)

    def finished(self, number: Floats) -> Floats:
        """A chance between 0 and 1, or a score on its scale."""
        if self.target == "chance":
            slope, offset = self.temper
            return np.asarray(sigmoid(slope * number + offset), np.float64)
        mean, spread = self.unit
        low, high = self.ends or (-np.inf, np.inf)
        return np.asarray(np.clip(mean + spread * number, low, high))


def designed(plain: Floats, circumstances: Floats, number: tuple[float, float]) -> Floats:
    """1, the shared number with mean 0 and spread 1, and the circumstances likewise."""
    mean, spread = number
    ones, shared = np.ones((len(plain), 1)), (plain - mean) / spread
    return np.concatenate(
        [ones, np.clip(shared, -FARTHEST, FARTHEST)[:, None], circumstances], axis=1
    )
