"""The part of a personal model that all persons share, learned with and without who was talked to.

Learned beside a column for every person who is there often enough, what is only a habit of
somebody is not taken for what a text does to everybody; these columns are then left out. What the
shared part says of the examples it learned from is too good, so that the persons' own weights are
learned from what it says of each quarter of them when it learned from the other three.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.features.users.model import Scaling, Target
from simpatico.training.fit.linear import ENOUGH, Seen, nearest
from simpatico.training.users.user_weights import Cases

PULLS = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0)
"""How hard weights are drawn to 0, from much to little; after two that are no better it ends."""
PATIENCE = 2
AROUND = (3.0, 1.0, 1 / 3)
"""Factors of the pull that is best without persons, which are tried beside them."""
OUT = 1e9
"""The pull of what is left out."""
FOLDS = 4
FEWEST = 5
"""Examples of a person who has a column."""
ROUGHLY = 1e-7
"""In a fold, a step that lowers the loss by a smaller share is the last."""


class Squared(Seen):
    """The same for scores, where the loss is half the squared error."""

    def judged(self, number: Floats) -> tuple[float, Floats]:
        wrong = number - self.label
        return float(self.weight @ wrong**2) / 2, self.weight * wrong


KINDS: dict[Target, type[Seen]] = {"chance": Seen, "score": Squared}


class Shared(NamedTuple):
    """Weights of what is seen, of the circumstances and an offset; what fresh eyes say of each."""

    weights: Floats
    crossed: Floats


class Attempt(NamedTuple):
    """Weights that were drawn to 0 so hard, those of circumstances `about`, and their loss."""

    loss: float
    weights: Floats
    pull: float
    about: float


class Columns(NamedTuple):
    """What the shared part and the persons' columns see; `held` is the pull of a person's."""

    scaling: Scaling
    persons: dict[str, int]
    held: float

    def of(self, cases: Cases, target: Target) -> Seen:
        """All columns of these cases: seen, circumstances, persons, 1."""
        from scipy import sparse

        about = sparse.csr_matrix(self.scaling(cases.circumstances))
        one = sparse.csr_matrix(np.ones((len(cases.y), 1)))
        parts = [cases.rows, about, *self.who(cases), one]
        rows = sparse.hstack(parts, format="csr", dtype=np.float64)
        return KINDS[target](rows, cases.y, cases.weight)

    def who(self, cases: Cases) -> list[Any]:
        """A column for each person, where there are any."""
        from scipy import sparse

        if not self.persons:
            return []
        place = np.array([self.persons.get(one, -1) for one in cases.person], np.int64)
        row = np.flatnonzero(place >= 0)
        shape = (len(cases.y), len(self.persons))
        return [sparse.csr_matrix((np.ones(len(row)), (row, place[row])), shape=shape)]

    def pulls(self, width: int, pull: float, about: float) -> Floats:
        """The pull of each column."""
        found, end = np.full(width, pull), width - 1 - len(self.persons)
        found[end:-1] = self.held
        found[end - len(self.scaling.centre) : end] = about
        return found

    def kept(self, weights: Floats) -> Floats:
        """The weights without those of the persons' columns."""
        end = len(weights) - 1 - len(self.persons)
        return np.append(weights[:end], weights[-1])

    def begun(self, weights: Floats) -> Floats:
        """The weights with 0 for each person."""
        return np.concatenate([weights[:-1], np.zeros(len(self.persons)), weights[-1:]])


class Search(NamedTuple):
    """Examples to learn from and to check by, in columns of which some are never used."""

    columns: Columns
    learn: Seen
    check: Seen
    used: Ints
    width: int

    @classmethod
    def of(cls, columns: Columns, learn: Cases, check: Cases, target: Target) -> Search:
        seen, judge = columns.of(learn, target), columns.of(check, target)
        used, width = np.flatnonzero(seen.rows.getnnz(axis=0)), seen.rows.shape[1]
        part, judge = (side._replace(rows=side.rows[:, used]) for side in (seen, judge))
        return cls(columns, part, judge, used, width)

    def tried(self, pull: float, about: float, begun: Floats) -> Attempt:
        """Weights drawn to 0 so hard; `begun` is where to look for them first."""
        weights = np.zeros(self.width)
        weights[self.used] = self.least(self.learn, (pull, about), begun, ENOUGH)
        return Attempt(self.check.loss(weights[self.used]), weights, pull, about)

    def least(self, seen: Seen, pulls: tuple[float, float], begun: Floats, enough: float) -> Floats:
        """The weights of columns in use."""
        held = self.columns.pulls(self.width, *pulls)[self.used]
        nowhere = np.zeros(len(self.used))
        return nearest(seen, nowhere, begun[self.used], held, enough=enough)

    def crossed(self, best: Attempt) -> Floats:
        """What the shared part says of each fold of examples after learning from the others."""
        seen, total = self.learn, len(self.learn.label)
        found, fold = np.zeros(total), np.arange(total) * FOLDS // total
        for number in range(FOLDS):
            rest, here = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
            part = seen._replace(
                rows=seen.rows[rest], label=seen.label[rest], weight=seen.weight[rest]
            )
            weights = np.zeros(self.width)
            pulls = (best.pull, best.about)
            weights[self.used] = self.least(part, pulls, best.weights, ROUGHLY)
            if self.columns.persons:
                weights[-1 - len(self.columns.persons) : -1] = 0.0
            found[here] = seen.rows[here] @ weights[self.used]
        return found


def fit_shared(
    learn: Cases,
    check: Cases,
    columns: Columns,
    *,
    target: Target,
    tick: Callable[[int], object] = lambda n: None,
) -> list[Shared]:
    """Weights drawn to 0 as hard as is best for the loss on `check`.

    Where there are persons, two kinds: learned without and beside their columns.
    """
    alone = Search.of(columns._replace(persons={}), learn, check, target)
    best = strongest(alone, tick)
    if not columns.persons:
        return [Shared(best.weights, np.zeros(0))]
    columns = columns._replace(persons=often(learn.person))
    beside = Search.of(columns, learn, check, target)
    begun = columns.begun(best.weights)
    other = least_of([beside.tried(best.pull * by, best.about, begun) for by in AROUND])
    return [
        Shared(best.weights, alone.crossed(best)),
        Shared(columns.kept(other.weights), beside.crossed(other)),
    ]


def often(person: Sequence[str]) -> dict[str, int]:
    """Persons with enough examples to have a column."""
    counts = Counter(filter(None, person))
    names = [name for name, count in counts.items() if count >= FEWEST]
    return {name: at for at, name in enumerate(names)}


def strongest(search: Search, tick: Callable[[int], object]) -> Attempt:
    """Of pulls from much to little the best; the circumstances are in, or left out."""
    attempts = list[Attempt]()
    for pull in PULLS:
        begun = attempts[-1].weights if attempts else np.zeros(search.width)
        attempts.append(search.tried(pull, pull, begun))
        tick(1)
        if np.argmin([attempt.loss for attempt in attempts]) < len(attempts) - PATIENCE:
            break
    best = least_of(attempts)
    return least_of([best, search.tried(best.pull, OUT, best.weights)])


def least_of(attempts: Sequence[Attempt]) -> Attempt:
    """The one of least loss on the checks."""
    return min(attempts, key=lambda attempt: attempt.loss)
