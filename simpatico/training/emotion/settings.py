"""Settings of a training for emotions, and its task: what the labels mean, and the splits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats32
from simpatico.errors import BadValue
from simpatico.features.heads.folder import REQUIRED_HEADS, EmotionKind
from simpatico.models.names import public_model_name
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.labels import LabelMeanings, polarity_model, resolve_labels
from simpatico.training.emotion.splits import SplitUtterances, UtteranceInput, drop_unusable_texts


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
    balanced: bool | None = None
    """Both classes count the same; null is yes for heads and no for fine-tuning."""
    runs: bool = True
    """Heads weigh character n-grams besides the vectors."""
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

    @property
    def facts(self) -> dict[str, object]:
        """The settings for the recipe, without paths."""
        names = {"encoder": self.encoder, "polarity": self.polarity}
        public = {key: public_model_name(name) for key, name in names.items()}
        return {**asdict(self), "mapped": dict(self.mapped), **public}


class EmotionTask(NamedTuple):
    """What labels mean, and the splits that come of it."""

    kind: EmotionKind
    meaning: LabelMeanings
    data: SplitUtterances

    @property
    def names(self) -> tuple[str, ...]:
        """The heads, one for each column of the targets."""
        return REQUIRED_HEADS[self.kind]

    def balances_classes(self, settings: EmotionSettings) -> bool:
        """Whether both classes count the same; each of several emotions is as rare as it is."""
        if self.kind == "plutchik":
            return False
        return not settings.fine_tune if settings.balanced is None else settings.balanced

    def drop_texts(self, usable: Callable[[str], bool]) -> EmotionTask:
        """The task without unusable texts; refuses a split that then lacks a class."""
        splits = drop_unusable_texts(self.data.splits, usable, self.names)
        return self._replace(data=self.data._replace(splits=splits))


def prepare_task(
    utterances: UtteranceInput | Utterances, kind: EmotionKind, settings: EmotionSettings
) -> EmotionTask:
    """The task, before any text is encoded.

    Splits that lack a class are refused here, since encoding a corpus can take long.
    """
    utterances = UtteranceInput.of(utterances)
    meanings = resolve_labels(
        utterances.all,
        kind,
        mapping=settings.mapped,
        polarity=lambda: polarity_model(settings.polarity),
    )
    data = utterances.split(meanings, tidy=settings.tidy, seed=settings.seed)
    return EmotionTask(kind, meanings, data).drop_texts(lambda text: True)


def balanced_weights(label: Floats32) -> Floats32:
    """Example weights with which both classes count the same; their mean is 1.

    With a share p of class 1 they are 1 / 2p and 1 / 2(1 − p).
    """
    share = label.mean()
    return np.asarray(np.where(label > 0, 0.5 / share, 0.5 / (1 - share)), np.float32)
