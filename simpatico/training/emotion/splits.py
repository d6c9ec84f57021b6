"""Utterances in a training, validation and test split, no two with a dialog or text in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.errors import DataError
from simpatico.features.detokenise import detokenise, letters_and_digits
from simpatico.training.emotion.data import Utterances, join_utterances
from simpatico.training.emotion.labels import LabelMeanings
from simpatico.training.heads.splits import SplitInput, Splits, check_both_classes, split_groups
from simpatico.training.splits import complete_splits

SHARES = (0.8, 0.1, 0.1)
"""Of training, validation and test."""
FEWEST = 20
"""Dialogs, or different texts, without which no three splits with both classes can be drawn."""


@dataclass(frozen=True, eq=False)
class LabelledTexts:
    """Texts as a model gets them and as they are in the data, with their targets."""

    text: list[str]
    raw: list[str]
    target: Floats
    """A row a text, a column a head."""
    group: list[str]
    """All of a group are in one split."""

    def __len__(self) -> int:
        return len(self.text)

    def take(self, rows: Ints) -> LabelledTexts:
        text, raw, group = (
            [column[row] for row in rows] for column in (self.text, self.raw, self.group)
        )
        return LabelledTexts(text, raw, self.target[rows], group)


EmotionSplits = Splits[LabelledTexts]


class SplitUtterances(NamedTuple):
    """The splits, and how many utterances came into none of them."""

    splits: EmotionSplits
    left_out: int
    """Utterances of no use for this kind: of both labels, of neither, or to be left out."""
    duplicates: int
    """Utterances that were left out since a later split has the same text."""


@dataclass(frozen=True)
class UtteranceInput(SplitInput[Utterances]):
    """Utterances to train on; validation and test split are drawn from them if absent."""

    @property
    def all(self) -> Utterances:
        """All utterances, for what their labels mean."""
        return join_utterances(self.parts)

    def split(self, meanings: LabelMeanings, *, tidy: bool, seed: int) -> SplitUtterances:
        """The splits; a text that two have stays in the later one only, so that none leaks."""
        parts = self.apply(partial(label_texts, meanings=meanings, tidy=tidy))
        n, groups = len(parts[0]), len(set(parts[0].group))
        if groups < FEWEST:
            raise DataError(
                f"{self.data.source}: {n:,} utterances in {groups} dialogs or different texts; "
                f"training needs at least {FEWEST} of these"
            )
        draw = partial(split_utterances, seed=seed)
        splits = EmotionSplits(*complete_splits(*parts, split=draw, shares=SHARES))
        distinct = drop_repeated_texts(splits)
        usable = sum(len(part) for part in parts if part is not None)
        left_out = sum(map(len, self.parts)) - usable
        return SplitUtterances(distinct, left_out, usable - sum(map(len, distinct)))


def label_texts(utterances: Utterances, meanings: LabelMeanings, *, tidy: bool) -> LabelledTexts:
    """The utterances whose labels give a target, and of which tidying leaves something."""
    target = meanings.targets(utterances)
    text = [detokenise(text) for text in utterances.text] if tidy else utterances.text
    mask = ~np.isnan(target).any(axis=1) & np.array([bool(one.strip()) for one in text])
    texts = LabelledTexts(text, utterances.text, target, utterances.group)
    return texts.take(np.flatnonzero(mask))


def split_utterances(
    texts: LabelledTexts, shares: Sequence[float], *, seed: int
) -> list[LabelledTexts]:
    """Parts of these shares, stratified by target; no group is in two of them.

    Of eight emotions each combination is a stratum, so that rare ones are in every part.
    """
    # a group of several targets counts for its last, which keeps it in one stratum
    strata = dict(zip(texts.group, map(bytes, texts.target.astype(bool)), strict=True))
    return [texts.take(rows) for rows in split_groups(texts.group, strata, shares, seed=seed)]


def drop_repeated_texts(splits: EmotionSplits) -> EmotionSplits:
    """The splits without utterances whose letters and digits a later split has, too.

    Corpora repeat short texts ("Thank you!"); left in, they would be tested as they were learned.
    """
    # from the test split backwards, so that the test set never shrinks for the sake of training
    later: set[str] = set()
    distinct = []
    for texts in reversed(splits):
        keys = [letters_and_digits(text) for text in texts.text]
        rows = [row for row, key in enumerate(keys) if key not in later]
        distinct.append(texts.take(np.array(rows, int)))
        later |= {*keys}
    return EmotionSplits(*reversed(distinct))


def drop_unusable_texts(
    splits: EmotionSplits, usable: Callable[[str], bool], names: Sequence[str]
) -> EmotionSplits:
    """The splits' usable texts; each split must have some of both classes of every head."""
    splits = EmotionSplits(
        *(texts.take(np.flatnonzero([usable(text) for text in texts.text])) for texts in splits)
    )
    for column, name in enumerate(names):
        check_both_classes(f"{name} utterances", [texts.target[:, column] for texts in splits])
    return splits
