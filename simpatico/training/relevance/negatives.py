"""Made-up replies for true pairs: of any other dialog, or such as are hard to tell.

Hard ones are of four kinds: of some replies of other dialogs the one nearest to the
true reply, or the one nearest to what is answered; what is answered, said again; and another turn
of the same dialog. Example: to "Tea or coffee?" the reply "Tea, please." gets "Coffee, please.",
"Do you sell tea?", "Tea or coffee?" and "That is two euros.".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from simpatico.arrays import Floats32, Ints
from simpatico.errors import BadValue
from simpatico.training.fit.mlp import Examples
from simpatico.training.heads.data import Talk, of_another

Negatives = Literal["random", "hard", "both"]
Way = Literal["random", "near-reply", "near-question", "copied", "same-dialog"]
WAYS: tuple[Way, ...] = get_args(Way)
HARD: tuple[Way, ...] = WAYS[1:]
POOL = 200
"""Replies among which the nearest is looked for: among all, it often would do as well."""
AT_ONCE = 1_024


@dataclass(frozen=True)
class Mix:
    """Which made-up replies stand beside true ones, and how many beside each.

    Of hard kinds those that `hard` names are drawn evenly; `share` of all are hard where there are
    both.
    """

    negatives: Negatives = "both"
    hard: tuple[Way, ...] = ("same-dialog",)
    share: float = 0.3
    per_pair: int = 1

    def __post_init__(self) -> None:
        if self.negatives not in get_args(Negatives):
            raise BadValue(f"negatives {self.negatives!r}; there are random, hard and both")
        if odd := [way for way in self.hard if way not in HARD]:
            raise BadValue(f"hard replies {odd[0]!r}; there are {', '.join(HARD)}")
        if not self.hard:
            raise BadValue(f"no kind of hard replies; there are {', '.join(HARD)}")
        if not 0 < self.share < 1:
            raise BadValue(f"a share of {self.share} hard replies; it lies between 0 and 1")
        if self.per_pair < 1:
            raise BadValue(f"{self.per_pair} made-up replies per pair; there must be at least 1")


class Answers(NamedTuple):
    """True pairs of some dialogs as places among distinct texts, and all turns of the dialogs."""

    first: Ints
    second: Ints
    dialog: Ints
    turns: Ints
    turns_dialog: Ints

    @classmethod
    def of(cls, talk: Talk, dialogs: Ints, place: Mapping[str, int], vectors: Floats32) -> Answers:
        """Those whose texts both have a vector."""
        at = np.array([place.get(text, -1) for text in talk.texts], np.int64)
        able = (at >= 0) & np.isin(talk.dialog, dialogs)
        able[able] = ~np.isnan(vectors[at[able], 0])
        row = np.flatnonzero((talk.answered >= 0) & able & able[talk.answered])
        turns = np.flatnonzero(able)
        return cls(at[talk.answered[row]], at[row], talk.dialog[row], at[turns], talk.dialog[turns])


@dataclass(frozen=True)
class Maker:
    """Makes up replies for true pairs."""

    answers: Answers
    vectors: Floats32
    rng: np.random.Generator

    def made(self, mix: Mix) -> Examples:
        """Every true pair beside each of its made-up ones."""
        return self.against(np.concatenate([self.ways(mix) for _ in range(mix.per_pair)]))

    def against(self, ways: Ints) -> Examples:
        """The true pairs, over and over, beside replies made up in these ways, if there are any."""
        times = len(ways) // max(1, len(self.answers.first))
        other = np.concatenate([self.replies(some) for some in np.split(ways, max(1, times))])
        second = np.tile(self.answers.second, times)
        kept = np.flatnonzero((other >= 0) & (other != second))
        first, dialog = (np.tile(part, times) for part in (self.answers.first, self.answers.dialog))
        return Examples(
            np.tile(first[kept], 2),
            np.concatenate([second[kept], other[kept]]),
            np.repeat(np.array([1, 0], np.float32), len(kept)),
            np.tile(dialog[kept], 2),
        )

    def ways(self, mix: Mix) -> Ints:
        """For each pair the number of the way in which its reply is made up."""
        n = len(self.answers.first)
        numbers = np.array([WAYS.index(way) for way in mix.hard])
        hard = numbers[self.rng.integers(0, len(numbers), n)]
        share = {"random": 0.0, "hard": 1.0, "both": mix.share}[mix.negatives]
        return np.where(self.rng.random(n) < share, hard, 0)

    def replies(self, ways: Ints) -> Ints:
        """A reply for each pair in the way that is asked for; -1 where there is none."""
        found = np.full(len(ways), -1, np.int64)
        makers: Mapping[Way, Callable[[Ints], Ints]] = {
            "random": self.random,
            "near-reply": lambda rows: self.near(rows, self.answers.second),
            "near-question": lambda rows: self.near(rows, self.answers.first),
            "copied": lambda rows: self.answers.first[rows],
            "same-dialog": self.same_dialog,
        }
        for number, way in enumerate(WAYS):
            rows = np.flatnonzero(ways == number)
            found[rows] = makers[way](rows)
        return found

    def random(self, rows: Ints) -> Ints:
        """A reply of another dialog."""
        return self.answers.second[of_another(self.answers.dialog, self.rng)[rows]]

    def near(self, rows: Ints, to: Ints) -> Ints:
        """Of some replies of other dialogs the nearest; never a text that the pair itself has."""
        own, found = self.answers, np.full(len(rows), -1, np.int64)
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            pool = self.rng.permutation(len(own.second))[:POOL]
            texts = own.second[pool]
            likeness = self.vectors[to[some]] @ self.vectors[texts].T
            barred = own.dialog[pool] == own.dialog[some][:, None]
            barred |= (texts == own.second[some][:, None]) | (texts == own.first[some][:, None])
            likeness[barred] = -np.inf
            best = likeness.argmax(axis=1)
            able = np.isfinite(likeness[np.arange(len(some)), best])
            found[start : start + AT_ONCE] = np.where(able, texts[best], -1)
        return found

    def same_dialog(self, rows: Ints) -> Ints:
        """Another turn of the dialog; -1 where it has no other text."""
        own, found = self.answers, np.full(len(rows), -1, np.int64)
        begin = np.searchsorted(own.turns_dialog, own.dialog[rows], "left")
        end = np.searchsorted(own.turns_dialog, own.dialog[rows], "right")
        drawn = self.rng.random(len(rows))
        for at, row in enumerate(rows):
            texts = own.turns[begin[at] : end[at]]
            others = texts[(texts != own.first[row]) & (texts != own.second[row])]
            if len(others):
                found[at] = others[int(drawn[at] * len(others))]
        return found
