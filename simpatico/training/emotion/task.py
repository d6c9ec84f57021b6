"""What a training for emotions starts from: its settings, and its splits.

No two splits have a dialog or a text in common.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial

import numpy as np

from simpatico.arrays import Floats, Floats32, Ints
from simpatico.errors import BadValue, DataError
from simpatico.features.detokenise import detokenise, letters_and_digits
from simpatico.features.heads.folder import REQUIRED_HEADS, EmotionKind
from simpatico.models.names import public_model_name
from simpatico.training.emotion.data import Utterances, join_utterances
from simpatico.training.emotion.labels import LabelMeanings
from simpatico.training.heads.splits import SplitInput, Splits, check_both_classes, split_groups

SHARES = (0.8, 0.1, 0.1)
"""Of training, validation and test."""
FEWEST = 20
"""Dialogs, or different texts, without which no three splits with both classes can be drawn."""


@dataclass(frozen=True)
class EmotionSettings:
    """How to train; with `fine_tune` epochs the encoder's own weights are trained, too.

    Fields are named as the recipe of a model has them.
    """

    encoder: str = ""
    seed: int = 0
    fine_tune: int = 0
    rate: float = 1e-5
    """Learning rate of fine-tuning; the paper's, for a model six times as large."""
    tidy: bool = True
    """Texts lose what a tokeniser left in them, so that this cannot be learned."""
    spelling: bool = False
    """Fine-tuning shows an encoder without case capitals, and spaces before punctuation."""
    balanced: bool | None = None
    """Both classes count the same; null is yes for heads and no for fine-tuning."""
    runs: bool = True
    """Heads weigh character n-grams besides the vectors."""
    penalty: float = 0.0
    """Ridge penalty of a linear head; 0 trains a network with a hidden layer."""
    svm: bool = True
    """A support vector machine is trained as a baseline."""
    mapped: Mapping[str, str] = field(default_factory=dict)
    """What labels mean."""
    polarity: str = "polarity"
    """The polarity classifier for labels of unknown sign."""
    limits: tuple[str, ...] = ()
    """Sentences for the card's limits, besides those of all such models."""

    def __post_init__(self) -> None:
        if self.fine_tune < 0:
            raise BadValue(f"{self.fine_tune} epochs of fine-tuning; give 0 or more")
        if not self.penalty >= 0:
            raise BadValue(f"a penalty of {self.penalty}; give 0 or more")

    @property
    def facts(self) -> dict[str, object]:
        """The settings for the recipe, without paths."""
        models = {"encoder": self.encoder, "polarity": self.polarity}
        return asdict(self) | {key: public_model_name(name) for key, name in models.items()}

    def balances_classes(self, kind: EmotionKind) -> bool:
        """Whether both classes count the same; each of several emotions is as rare as it is."""
        if kind == "plutchik":
            return False
        return not self.fine_tune if self.balanced is None else self.balanced


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


@dataclass(frozen=True, eq=False)
class EmotionTask:
    """What labels mean, the splits that come of it, and how many utterances came into none."""

    meaning: LabelMeanings
    splits: EmotionSplits
    left_out: int
    """Utterances of no use for this kind: of both labels, of neither, or to be left out."""
    duplicates: int
    """Utterances that were left out since a later split has the same text."""

    @property
    def kind(self) -> EmotionKind:
        return self.meaning.kind

    @property
    def names(self) -> tuple[str, ...]:
        """The heads, one for each column of the targets."""
        return REQUIRED_HEADS[self.kind]

    def drop_texts(self, usable: Callable[[str], bool]) -> EmotionTask:
        """The task without unusable texts; each split must have both classes of every head."""
        splits = EmotionSplits(
            *(one.take(np.flatnonzero([usable(text) for text in one.text])) for one in self.splits)
        )
        for column, name in enumerate(self.names):
            check_both_classes(f"{name} utterances", [one.target[:, column] for one in splits])
        return replace(self, splits=splits)


@dataclass(frozen=True)
class UtteranceInput(SplitInput[Utterances]):
    """Utterances to train on; validation and test split are drawn from them if absent."""

    @property
    def all(self) -> Utterances:
        """All utterances, for what their labels mean."""
        return join_utterances(self.parts)

    def split(self, meanings: LabelMeanings, *, tidy: bool, seed: int) -> EmotionTask:
        """The splits; a text that two have stays in the later one only, so that none leaks."""
        texts = self.apply(partial(label_texts, meanings=meanings, tidy=tidy))
        n, groups = len(texts.data), len(set(texts.data.group))
        if groups < FEWEST:
            raise DataError(
                f"{self.data.source}: {n:,} utterances in {groups} dialogs or different texts; "
                f"training needs at least {FEWEST} of these"
            )
        splits = drop_repeated_texts(texts.complete(partial(split_utterances, seed=seed), SHARES))
        usable = sum(map(len, texts.parts))
        left_out = sum(map(len, self.parts)) - usable
        return EmotionTask(meanings, splits, left_out, usable - sum(map(len, splits)))


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


def balanced_weights(label: Floats32) -> Floats32:
    """Example weights with which both classes count the same; their mean is 1.

    With a share p of class 1 they are 1 / 2p and 1 / 2(1 − p).
    """
    share = label.mean()
    return np.asarray(np.where(label > 0, 0.5 / share, 0.5 / (1 - share)), np.float32)
