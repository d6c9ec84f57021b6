"""Utterances drawn into sides, none of which shares a dialog or a text with another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.errors import DataError
from simpatico.features.detokenise import letters, tidied
from simpatico.training.emotion.data import Utterances, joined
from simpatico.training.emotion.labels import Meaning

SHARES = (0.8, 0.1, 0.1)
"""Of what is learned from, what decides when to stop, and what is held out."""
FEWEST = 20


@dataclass(frozen=True, eq=False)
class Taught:
    """Texts as a model sees them and as they were stored, and what is to be said of each."""

    text: list[str]
    stored: list[str]
    target: Floats
    """A row a text, a column a head."""
    group: list[str]

    def __len__(self) -> int:
        return len(self.text)

    def some(self, rows: Ints) -> Taught:
        text, stored, group = (
            [column[row] for row in rows] for column in (self.text, self.stored, self.group)
        )
        return Taught(text, stored, self.target[rows], group)

    @property
    def keys(self) -> list[str]:
        """By what equal texts are known."""
        return [letters(text) for text in self.text]


class Sides(NamedTuple):
    """What is learned from, what decides when to stop, and what is held out."""

    learn: Taught
    check: Taught
    heldout: Taught


class Drawn(NamedTuple):
    """The sides, and what came in none of them."""

    sides: Sides
    left_out: int
    """Utterances of no use for this kind: of both labels, of neither, or to be left out."""
    repeated: int
    """Utterances that were left out since another side has the same text."""


@dataclass(frozen=True)
class Given:
    """Utterances to learn from; what decides and what is held out is drawn from them if absent."""

    data: Utterances
    validation: Utterances | None = None
    test: Utterances | None = None

    @classmethod
    def of(cls, given: Given | Utterances) -> Given:
        return given if isinstance(given, Given) else cls(given)

    @property
    def parts(self) -> list[Utterances]:
        return [part for part in (self.data, self.validation, self.test) if part is not None]

    @property
    def whole(self) -> Utterances:
        """All utterances, for what their labels mean."""
        return joined(self.parts)

    def drawn(self, meaning: Meaning, *, tidy: bool, seed: int) -> Drawn:
        """The sides; a text that two have stays on the later one only."""
        data, *own = (taught(part, meaning, tidy=tidy) for part in self.parts)
        left_out = sum(map(len, self.parts)) - sum(map(len, (data, *own)))
        if len(set(data.group)) < FEWEST:
            raise DataError(
                f"{self.data.source}: {len(data):,} utterances in {len(set(data.group))} dialogs "
                f"or different texts; training needs at least {FEWEST} of these"
            )
        share = SHARES[0] / (SHARES[0] + SHARES[1])
        if self.validation is not None and self.test is not None:
            sides = Sides(data, own[0], own[1])
        elif self.validation is not None:
            learn, heldout = split(data, (share, 1 - share), seed=seed)
            sides = Sides(learn, own[0], heldout)
        elif self.test is not None:
            learn, check = split(data, (share, 1 - share), seed=seed)
            sides = Sides(learn, check, own[0])
        else:
            sides = Sides(*split(data, SHARES, seed=seed))
        apart = distinct(sides)
        return Drawn(apart, left_out, sum(map(len, sides)) - sum(map(len, apart)))


def taught(given: Utterances, meaning: Meaning, *, tidy: bool) -> Taught:
    """The utterances of which the labels say something."""
    target = meaning.of(given)
    text = [tidied(text) for text in given.text] if tidy else given.text
    kept = ~np.isnan(target).any(axis=1) & np.array([bool(one.strip()) for one in text])
    return Taught(text, given.text, target, given.group).some(np.flatnonzero(kept))


def split(given: Taught, shares: Sequence[float], *, seed: int) -> list[Taught]:
    """Parts of these shares; groups with different targets are drawn apart, and none is in two."""
    kinds = dict(zip(given.group, map(bytes, given.target.astype(bool)), strict=True))
    rng, part = np.random.default_rng(seed), dict[str, int]()
    for kind in sorted(set(kinds.values())):
        names = [name for name, own in kinds.items() if own == kind]
        order = rng.permutation(len(names))
        cuts = np.round(np.cumsum(shares)[:-1] * len(names)).astype(int)
        for number, some in enumerate(np.split(order, cuts)):
            part.update((names[at], number) for at in some)
    where = np.array([part[group] for group in given.group], np.int64)
    return [given.some(np.flatnonzero(where == number)) for number in range(len(shares))]


def distinct(sides: Sides) -> Sides:
    """The sides without utterances whose letters and digits a later side has, too."""
    later: set[str] = set()
    found = []
    for side in reversed(sides):
        keys = side.keys
        found.append(side.some(np.array([n for n, k in enumerate(keys) if k not in later], int)))
        later |= {*keys}
    return Sides(*reversed(found))


def able(sides: Sides, known: Callable[[str], bool], names: Sequence[str]) -> Sides:
    """The sides without texts that have no vector; each must have some of both of every label."""
    sides = Sides(
        *(side.some(np.flatnonzero([known(text) for text in side.text])) for side in sides)
    )
    for at, name in enumerate(names):
        counts = [(int(side.target[:, at].sum()), len(side)) for side in sides]
        if not all(0 < n < whole for n, whole in counts):
            told = [f"{n:,} of {whole:,}" for n, whole in counts]
            raise DataError(
                f"{name!r} are {told[0]} utterances to learn from, {told[1]} to decide by when to "
                f"stop, and {told[2]} held out; each side needs such ones and others"
            )
    return sides
