"""Dialogs as true and made-up examples, split so that no dialog is on two sides.

A true pair is a turn and what it answers; a made-up one has a reply out of another dialog of the
same side. A true text is what somebody wrote; a made-up one has its words in another order, some
left out, or some said again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Ints
from simpatico.errors import DataError
from simpatico.features.words import words
from simpatico.training.fit.mlp import Examples
from simpatico.turns import Turns

FEWEST_DIALOGS = 20
PARTS = 10
"""Of ten parts one is held out, one decides when to stop, and the others are learned from."""
FEWEST_WORDS = 3
MOST_TEXTS = 5_000
"""Texts of a side that are spoilt; each spoilt one has to be encoded anew."""
TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
ENDS = set(".!?,…")
SMALL = {"a", "an", "the"}
CHANCES = (0.3, 0.6)
"""Up to the first a made-up text is in another order, up to the second it lacks words."""
KEPT = 0.8
"""Share of true texts that stay as they are; the others lose small words or their last mark."""


class Split(NamedTuple):
    """Which dialogs are learned from, which decide when to stop, and which are held out."""

    learn: Ints
    check: Ints
    heldout: Ints


class Side(NamedTuple):
    """Examples of one side of the split, as texts."""

    first: list[str]
    second: list[str]
    label: npt.NDArray[np.float32]
    dialog: Ints

    def among(self, place: dict[str, int]) -> Examples:
        """The same as places among distinct texts."""
        first = np.array([place[text] for text in self.first], np.int64)
        second = np.array([place[text] for text in self.second], np.int64)
        return Examples(first, second, self.label, self.dialog)


@dataclass(frozen=True)
class Talk:
    """Turns with words, those that answer one, and the dialog of each."""

    texts: list[str]
    answered: Ints
    dialog: Ints
    source: str

    @classmethod
    def of(cls, turns: Turns, source: str) -> Talk:
        """What can be learned from; refuses too little of it."""
        dialog = turns.frame["dialog"].rle_id().to_numpy().astype(np.int64)
        wordy = words(turns.frame["text"]).counts > 0
        answered = np.where(wordy & wordy[turns.answered], turns.answered, -1)
        n = len(np.unique(dialog[answered >= 0])) if len(dialog) else 0
        if n < FEWEST_DIALOGS:
            raise DataError(
                f"{source}: {n} {'dialog' if n == 1 else 'dialogs'} in which a turn answers "
                f"another; training needs at least {FEWEST_DIALOGS}"
            )
        return cls(turns.frame["text"].to_list(), answered, dialog, source)

    @property
    def paired(self) -> list[str]:
        """The texts of turns that answer another or are answered."""
        row = np.flatnonzero(self.answered >= 0)
        return [self.texts[place] for place in np.union1d(row, self.answered[row])]

    def split(self, seed: int) -> Split:
        """Dialogs that have a pair, drawn into three sides."""
        usable = np.unique(self.dialog[self.answered >= 0])
        part = np.random.default_rng(seed).permutation(np.arange(len(usable)) % PARTS)
        return Split(usable[part > 1], usable[part == 1], usable[part == 0])

    def pairs(self, dialogs: Ints, rng: np.random.Generator) -> Side:
        """Every true pair of these dialogs, and one made-up pair for each."""
        row = np.flatnonzero((self.answered >= 0) & np.isin(self.dialog, dialogs))
        other = of_another(self.dialog[row], rng)
        heard = [self.texts[place] for place in self.answered[row]]
        said = [self.texts[place] for place in row]
        replies = [*said, *(said[place] for place in other)]
        return Side([*heard, *heard], replies, labels(len(row)), np.tile(self.dialog[row], 2))

    def utterances(self, dialogs: Ints, rng: np.random.Generator) -> Side:
        """Every longer text of these dialogs, and a spoilt version of each."""
        row = np.flatnonzero(np.isin(self.dialog, dialogs))
        cut = [TOKEN.findall(self.texts[place]) for place in row]
        long = np.flatnonzero([len(set(tokens)) >= FEWEST_WORDS for tokens in cut])
        long = long[np.sort(rng.permutation(len(long))[:MOST_TEXTS])]
        able = [cut[place] for place in long]
        texts = [*(" ".join(kept(t, rng)) for t in able), *(" ".join(spoilt(t, rng)) for t in able)]
        return Side(texts, texts, labels(len(able)), np.tile(self.dialog[row[long]], 2))


def labels(n: int) -> npt.NDArray[np.float32]:
    """n true ones, then n made-up ones."""
    return np.repeat(np.array([1, 0], np.float32), n)


def of_another(dialog: Ints, rng: np.random.Generator) -> Ints:
    """For each row the place of one that is of another dialog."""
    found = rng.integers(0, len(dialog), len(dialog))
    while (same := np.flatnonzero(dialog[found] == dialog)).size:
        found[same] = rng.integers(0, len(dialog), len(same))
    return found


def kept(tokens: Sequence[str], rng: np.random.Generator) -> Sequence[str]:
    """The words as they are, or without small words, or without the mark at the end."""
    drawn = rng.random()
    if drawn < KEPT:
        return tokens
    if drawn < (1 + KEPT) / 2:
        return tokens[:-1] if tokens[-1] in ENDS else tokens
    return [token for token in tokens if token.lower() not in SMALL] or tokens


def spoilt(tokens: Sequence[str], rng: np.random.Generator) -> list[str]:
    """The words in another order, with some left out, or with some said again."""
    how = rng.random()
    while True:
        if how < CHANCES[0]:
            found = [tokens[place] for place in rng.permutation(len(tokens))]
        elif how < CHANCES[1]:
            share = rng.random() / 2
            found = [token for token in tokens if rng.random() >= share]
        else:
            found = repeated(tokens, rng)
        if found and found != list(tokens):
            return found


def repeated(tokens: Sequence[str], rng: np.random.Generator) -> list[str]:
    """After one word in ten, the last one to three words once more, or up to three times."""
    found: list[str] = []
    for token in tokens:
        found.append(token)
        if rng.random() < 0.1:
            length = int(rng.choice([1, 2, 3], p=[0.7, 0.2, 0.1]))
            found += found[-length:] * int(rng.choice([1, 2, 3], p=[0.8, 0.15, 0.05]))
    return found
