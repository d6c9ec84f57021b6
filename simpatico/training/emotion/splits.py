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


class EmotionSplits(NamedTuple):
    """The three splits."""

    train: LabelledTexts
    validation: LabelledTexts
    test: LabelledTexts


class SplitUtterances(NamedTuple):
    """The splits, and how many utterances came into none of them."""

    splits: EmotionSplits
    left_out: int
    """Utterances of no use for this kind: of both labels, of neither, or to be left out."""
    repeated: int
    """Utterances that were left out since a later split has the same text."""


@dataclass(frozen=True)
class UtteranceInput:
    """Utterances to train on; validation and test split are drawn from them if absent."""

    data: Utterances
    validation: Utterances | None = None
    test: Utterances | None = None

    @classmethod
    def of(cls, utterances: UtteranceInput | Utterances) -> UtteranceInput:
        return utterances if isinstance(utterances, UtteranceInput) else cls(utterances)

    @property
    def parts(self) -> list[Utterances]:
        return [part for part in (self.data, self.validation, self.test) if part is not None]

    @property
    def all(self) -> Utterances:
        """All utterances, for what their labels mean."""
        return join_utterances(self.parts)

    def split(self, meanings: LabelMeanings, *, tidy: bool, seed: int) -> SplitUtterances:
        """The splits; a text that two have stays in the later one only, so that none leaks."""
        label = partial(label_texts, meanings=meanings, tidy=tidy)
        data = label(self.data)
        validation = None if self.validation is None else label(self.validation)
        test = None if self.test is None else label(self.test)
        used = sum(len(part) for part in (data, validation, test) if part is not None)
        if len(set(data.group)) < FEWEST:
            raise DataError(
                f"{self.data.source}: {len(data):,} utterances in {len(set(data.group))} dialogs "
                f"or different texts; training needs at least {FEWEST} of these"
            )
        draw = partial(split_utterances, seed=seed)
        splits = complete_splits(data, validation, test, split=draw, shares=SHARES)
        distinct = drop_repeated_texts(EmotionSplits(*splits))
        repeated = sum(map(len, splits)) - sum(map(len, distinct))
        return SplitUtterances(distinct, sum(map(len, self.parts)) - used, repeated)


def label_texts(utterances: Utterances, meanings: LabelMeanings, *, tidy: bool) -> LabelledTexts:
    """The utterances whose labels give a target."""
    target = meanings.targets(utterances)
    text = [detokenise(text) for text in utterances.text] if tidy else utterances.text
    mask = ~np.isnan(target).any(axis=1) & np.array([bool(one.strip()) for one in text])
    labelled = LabelledTexts(text, utterances.text, target, utterances.group)
    return labelled.take(np.flatnonzero(mask))


def split_utterances(
    texts: LabelledTexts, shares: Sequence[float], *, seed: int
) -> list[LabelledTexts]:
    """Parts of these shares, stratified by target; no group is in two of them."""
    # a group of several targets counts for its last, which keeps it in one stratum
    strata = dict(zip(texts.group, map(bytes, texts.target.astype(bool)), strict=True))
    rng, part_of = np.random.default_rng(seed), dict[str, int]()
    for stratum in sorted(set(strata.values())):
        names = [name for name, own in strata.items() if own == stratum]
        order = rng.permutation(len(names))
        cuts = np.round(np.cumsum(shares)[:-1] * len(names)).astype(int)
        for part, indices in enumerate(np.split(order, cuts)):
            part_of.update((names[index], part) for index in indices)
    parts = np.array([part_of[group] for group in texts.group], np.int64)
    return [texts.take(np.flatnonzero(parts == part)) for part in range(len(shares))]


def drop_repeated_texts(splits: EmotionSplits) -> EmotionSplits:
    """The splits without utterances whose letters and digits a later split has, too."""
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
        counts = [(int(texts.target[:, column].sum()), len(texts)) for texts in splits]
        if not all(0 < positive < n for positive, n in counts):
            shares = [f"{positive:,} of {n:,}" for positive, n in counts]
            raise DataError(
                f"{name!r} are {shares[0]} utterances to learn from, {shares[1]} to decide by when "
                f"to stop, and {shares[2]} held out; each side needs such ones and others"
            )
    return splits
