"""Dialogs as true and negative examples, split so that no dialog is in two splits.

A true pair is a turn and what it answers; a negative one has a reply out of another dialog of the
same split. A true text is what somebody wrote; a corrupted one has its words in another order, some
left out, or some repeated, as in USL-H (Phy et al. 2020).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats32, Ints
from simpatico.errors import DataError
from simpatico.features.words import cut_words
from simpatico.readers.alignment import HUMAN
from simpatico.training.fit.mlp import PairExamples
from simpatico.training.heads.splits import Splits
from simpatico.turns import Turns
from simpatico.wording import format_count

FEWEST_DIALOGS = 20
"""So that validation and test split have two dialogs each, which negatives need."""
PARTS = 10
"""Of ten parts of the dialogs one is the test split, one for validation, and eight for training."""
MIN_WORDS = 3
"""Different words of a text without which a corruption may be as good as the text."""
MOST_TEXTS = 5_000
"""Texts of a split that are corrupted; each corrupted one has to be encoded anew."""
TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
"""Words with their apostrophes, and single marks."""
ENDS = set(".!?,…")
ARTICLES = {"a", "an", "the"}
SHUFFLED, SHORTENED = 0.3, 0.6
"""Cumulative probabilities: up to the first words are shuffled, up to the second left out."""
UNCHANGED = 0.8
"""Share of true texts that stay as they are; half of the others lose articles, half the last mark,
so that these alone do not give away what is corrupted."""


DialogSplits = Splits[Ints]
"""The dialogs of each split."""


class TextExamples(NamedTuple):
    """True and negative examples of one split, as texts."""

    first: list[str]
    second: list[str]
    label: Floats32
    dialog: Ints

    def to_pairs(self, index: dict[str, int]) -> PairExamples:
        """The same as rows of a table of vectors."""
        first = np.array([index[text] for text in self.first], np.int64)
        second = np.array([index[text] for text in self.second], np.int64)
        return PairExamples(first, second, self.label, self.dialog)


@dataclass(frozen=True)
class TrainingDialogs:
    """All turns, the row of the turn that each answers (-1 for none), and their dialogs.

    A turn without words, or that answers one without, counts as answering none.
    """

    texts: list[str]
    query: Ints
    dialog: Ints
    source: str

    @classmethod
    def of(cls, turns: Turns, source: str, *, people: bool = False) -> TrainingDialogs:
        """Refuses too few dialogs to train on; with `people`, what bots reply answers none."""
        dialog = turns.frame["dialog"].rle_id().to_numpy().astype(np.int64)
        has_words = cut_words(turns.frame["text"]).counts > 0
        replies = has_words & has_words[turns.answered]
        if people:
            replies &= turns.frame["system"].fill_null(HUMAN).eq(HUMAN).to_numpy()
        query = np.where(replies, turns.answered, -1)
        n = len(np.unique(dialog[query >= 0])) if len(dialog) else 0
        if n < FEWEST_DIALOGS:
            raise DataError(
                f"{source}: {format_count(n, 'dialog')} in which a turn answers another; training "
                f"needs at least {FEWEST_DIALOGS}"
            )
        return cls(turns.frame["text"].to_list(), query, dialog, source)

    @property
    def paired_texts(self) -> list[str]:
        """The texts of turns that answer another or are answered."""
        rows = np.flatnonzero(self.query >= 0)
        return [self.texts[row] for row in np.union1d(rows, self.query[rows])]

    def split(self, seed: int) -> DialogSplits:
        """Dialogs that have a pair, drawn into three splits.

        Whole dialogs, for turns of one dialog share names and topics that give a pair away.
        """
        usable = np.unique(self.dialog[self.query >= 0])
        part = np.random.default_rng(seed).permutation(np.arange(len(usable)) % PARTS)
        return DialogSplits(usable[part > 1], usable[part == 1], usable[part == 0])

    def pairs(self, dialogs: Ints, rng: np.random.Generator) -> TextExamples:
        """Every true pair of these dialogs, and one negative pair for each.

        Made-up replies come from the same split, so that no text of the test split is trained on.
        """
        rows = np.flatnonzero((self.query >= 0) & np.isin(self.dialog, dialogs))
        other = draw_other_dialog(self.dialog[rows], rng)
        queries = [self.texts[row] for row in self.query[rows]]
        replies = [self.texts[row] for row in rows]
        replies += [replies[index] for index in other]
        labels = true_then_negative_labels(len(rows))
        return TextExamples(queries * 2, replies, labels, np.tile(self.dialog[rows], 2))

    def corrupted_utterances(self, dialogs: Ints, rng: np.random.Generator) -> TextExamples:
        """Every longer text of these dialogs, and a corrupted version of each."""
        rows = np.flatnonzero(np.isin(self.dialog, dialogs))
        tokens = [TOKEN.findall(self.texts[row]) for row in rows]
        long = np.flatnonzero([len(set(own)) >= MIN_WORDS for own in tokens])
        long = long[np.sort(rng.permutation(len(long))[:MOST_TEXTS])]
        texts = [" ".join(vary(tokens[index], rng)) for index in long]
        texts += [" ".join(corrupt(tokens[index], rng)) for index in long]
        labels = true_then_negative_labels(len(long))
        return TextExamples(texts, texts, labels, np.tile(self.dialog[rows[long]], 2))


def true_then_negative_labels(n: int) -> Floats32:
    """The labels of n true examples and then n negative ones."""
    return np.repeat(np.array([1, 0], np.float32), n)


def draw_other_dialog(dialog: Ints, rng: np.random.Generator) -> Ints:
    """For each row a random one of another dialog."""
    # drawn again where the dialog is the same; it ends, as every split has two dialogs or more
    rows = rng.integers(0, len(dialog), len(dialog))
    while (same := np.flatnonzero(dialog[rows] == dialog)).size:
        rows[same] = rng.integers(0, len(dialog), len(same))
    return rows


def vary(tokens: Sequence[str], rng: np.random.Generator) -> Sequence[str]:
    """The words as they are, or without articles, or without the mark at the end."""
    draw = rng.random()
    if draw < UNCHANGED:
        return tokens
    if draw < (1 + UNCHANGED) / 2:
        return tokens[:-1] if tokens[-1] in ENDS else tokens
    return [token for token in tokens if token.lower() not in ARTICLES] or tokens


def corrupt(tokens: Sequence[str], rng: np.random.Generator) -> list[str]:
    """The words shuffled, with some left out, or with some repeated; never as they were."""
    draw = rng.random()
    while True:
        if draw < SHUFFLED:
            result = [tokens[index] for index in rng.permutation(len(tokens))]
        elif draw < SHORTENED:
            share = rng.random() / 2
            result = [token for token in tokens if rng.random() >= share]
        else:
            # after one word in ten, the last one to three words come once more, or several times
            result = []
            for token in tokens:
                result.append(token)
                if rng.random() < 0.1:
                    length = int(rng.choice([1, 2, 3], p=[0.7, 0.2, 0.1]))
                    result += result[-length:] * int(rng.choice([1, 2, 3], p=[0.8, 0.15, 0.05]))
        # no word may have been left out or repeated, or the shuffled order be the old one
        if result and result != list(tokens):
            return result
