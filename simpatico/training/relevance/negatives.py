"""Negative examples for true pairs: random replies of other dialogs, or hard ones.

Hard negatives are of four kinds: of a sample of replies of other dialogs the one nearest to the
true reply, or the one nearest to what is answered; what is answered, repeated; and another turn of
the same dialog. Example: to "Tea or coffee?" the reply "Tea, please." gets "Coffee, please.",
"Do you sell tea?", "Tea or coffee?" and "That is two euros.".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from simpatico.arrays import Floats32, Ints
from simpatico.errors import BadValue
from simpatico.training.fit.mlp import PairExamples
from simpatico.training.heads import data as heads_data

Negatives = Literal["random", "hard", "both"]
NegativeKind = Literal["random", "near-reply", "near-question", "copied", "same-dialog"]
KINDS: tuple[NegativeKind, ...] = get_args(NegativeKind)
HARD: tuple[NegativeKind, ...] = KINDS[1:]
SAMPLE = 200
"""Replies among which the nearest is sought: the nearest of all would often be a good reply."""
AT_ONCE = 1_024
"""Pairs that share a sample and whose similarities are in memory together."""


@dataclass(frozen=True)
class NegativeMix:
    """Which negatives are drawn, and how many for each true pair.

    Hard ones are drawn evenly from the kinds in `hard`; `share` is that of hard ones among both.
    """

    negatives: Negatives = "both"
    hard: tuple[NegativeKind, ...] = ("same-dialog",)
    share: float = 0.3
    per_pair: int = 1

    def __post_init__(self) -> None:
        if self.negatives not in get_args(Negatives):
            raise BadValue(f"negatives {self.negatives!r}; there are random, hard and both")
        if unknown := [kind for kind in self.hard if kind not in HARD]:
            raise BadValue(f"hard negatives {unknown[0]!r}; there are {', '.join(HARD)}")
        if not self.hard:
            raise BadValue(f"no kind of hard negatives; there are {', '.join(HARD)}")
        if not 0 < self.share < 1:
            raise BadValue(f"a share of {self.share} hard negatives; give one between 0 and 1")
        if self.per_pair < 1:
            raise BadValue(f"{self.per_pair} negatives per pair; give 1 or more")


class TruePairs(NamedTuple):
    """True pairs of some dialogs as rows of a table of vectors, and all turns of the dialogs.

    The turns are in the order of their dialogs, which `same_dialog` relies on.
    """

    first: Ints
    second: Ints
    dialog: Ints
    turns: Ints
    turns_dialog: Ints

    @classmethod
    def of(
        cls,
        data: heads_data.TrainingDialogs,
        dialogs: Ints,
        index: Mapping[str, int],
        vectors: Floats32,
    ) -> TruePairs:
        """Those whose texts both have a vector."""
        row = np.array([index.get(text, -1) for text in data.texts], np.int64)
        usable = (row >= 0) & np.isin(data.dialog, dialogs)
        usable[usable] = ~np.isnan(vectors[row[usable], 0])
        reply = np.flatnonzero((data.query >= 0) & usable & usable[data.query])
        query, turns = data.query[reply], np.flatnonzero(usable)
        return cls(row[query], row[reply], data.dialog[reply], row[turns], data.dialog[turns])


@dataclass(frozen=True)
class NegativeSampler:
    """Draws negative replies for true pairs."""

    pairs: TruePairs
    vectors: Floats32
    rng: np.random.Generator

    def sample(self, mix: NegativeMix) -> PairExamples:
        """Every true pair and each of its negatives."""
        kinds = [self.draw_kinds(mix) for _ in range(mix.per_pair)]
        return self.with_negatives(np.concatenate(kinds))

    def draw_kinds(self, mix: NegativeMix) -> Ints:
        """For each pair the kind of a negative, as an index of KINDS; 0 is random."""
        n = len(self.pairs.first)
        kinds = np.array([KINDS.index(kind) for kind in mix.hard])
        hard = kinds[self.rng.integers(0, len(kinds), n)]
        share = {"random": 0.0, "hard": 1.0, "both": mix.share}[mix.negatives]
        return np.where(self.rng.random(n) < share, hard, 0)

    def with_negatives(self, kinds: Ints) -> PairExamples:
        """The true pairs, repeated, and negatives of these kinds, where there are any.

        `kinds` are indices of KINDS, as many for each pair as it is to have negatives.
        """
        times = len(kinds) // max(1, len(self.pairs.first))
        other = np.concatenate([self.draw(part) for part in np.split(kinds, max(1, times))])
        second = np.tile(self.pairs.second, times)
        rows = np.flatnonzero((other >= 0) & (other != second))
        first, dialog = (np.tile(part, times) for part in (self.pairs.first, self.pairs.dialog))
        return PairExamples(
            np.tile(first[rows], 2),
            np.concatenate([second[rows], other[rows]]),
            heads_data.true_then_negative_labels(len(rows)),
            np.tile(dialog[rows], 2),
        )

    def draw(self, kinds: Ints) -> Ints:
        """A negative of the given kind for each pair; -1 where there is none."""
        replies = np.full(len(kinds), -1, np.int64)
        methods: Mapping[NegativeKind, Callable[[Ints], Ints]] = {
            "random": self.random,
            "near-reply": lambda rows: self.nearest(rows, self.pairs.second),
            "near-question": lambda rows: self.nearest(rows, self.pairs.first),
            "copied": lambda rows: self.pairs.first[rows],
            "same-dialog": self.same_dialog,
        }
        for index, kind in enumerate(KINDS):
            rows = np.flatnonzero(kinds == index)
            replies[rows] = methods[kind](rows)
        return replies

    def random(self, rows: Ints) -> Ints:
        """A reply of another dialog.

        Drawn for all pairs, of which there are enough dialogs even if few rows are wanted.
        """
        other = heads_data.draw_other_dialog(self.pairs.dialog, self.rng)
        return self.pairs.second[other[rows]]

    def nearest(self, rows: Ints, to: Ints) -> Ints:
        """Of a sample of replies of other dialogs the nearest; never a text of the pair itself."""
        pairs, replies = self.pairs, np.full(len(rows), -1, np.int64)
        for start in range(0, len(rows), AT_ONCE):
            part = rows[start : start + AT_ONCE]
            sample = self.rng.permutation(len(pairs.second))[:SAMPLE]
            texts = pairs.second[sample]
            similarity = self.vectors[to[part]] @ self.vectors[texts].T
            # a text of the same dialog may be a good reply, and one of the pair is no negative
            unsuitable = pairs.dialog[sample] == pairs.dialog[part][:, None]
            for own in (pairs.first, pairs.second):
                unsuitable |= texts == own[part][:, None]
            similarity[unsuitable] = -np.inf
            best = similarity.argmax(axis=1)
            # -1 where the whole sample was unsuitable
            exists = np.isfinite(similarity[np.arange(len(part)), best])
            replies[start : start + AT_ONCE] = np.where(exists, texts[best], -1)
        return replies

    def same_dialog(self, rows: Ints) -> Ints:
        """Another turn of the dialog; -1 where it has no other text."""
        pairs, replies = self.pairs, np.full(len(rows), -1, np.int64)
        begin = np.searchsorted(pairs.turns_dialog, pairs.dialog[rows], "left")
        end = np.searchsorted(pairs.turns_dialog, pairs.dialog[rows], "right")
        draws = self.rng.random(len(rows))
        for at, row in enumerate(rows):
            texts = pairs.turns[begin[at] : end[at]]
            others = texts[(texts != pairs.first[row]) & (texts != pairs.second[row])]
            if len(others):
                replies[at] = others[int(draws[at] * len(others))]
        return replies
