"""What is to be learned of emotions: how, from which sides, and what the labels mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats32
from simpatico.errors import BadValue
from simpatico.features.heads.folder import NEEDED, EmotionKind
from simpatico.models.names import public_model_name
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.evaluators import judge
from simpatico.training.emotion.labels import Meaning, meaning
from simpatico.training.emotion.splits import Drawn, Given, able


@dataclass(frozen=True)
class Training:
    """How to train; with `fine_tune` epochs the encoder's own weights learn, too."""

    encoder: str = ""
    seed: int = 0
    fine_tune: int = 0
    rate: float = 1e-5
    """How fast a fine-tuned encoder learns; this is the paper's, for a model six times as large."""
    tidy: bool = True
    """Texts lose what a tokeniser left in them, so that this cannot be learned."""
    balanced: bool | None = None
    """Both classes count the same; null is so for heads and not where an encoder learns."""
    runs: bool = True
    """Heads weigh runs of characters beside the vectors."""
    svm: bool = True
    """A support vector machine is trained beside it."""
    mapped: Mapping[str, str] = field(default_factory=dict)
    """What labels mean."""
    polarity: str = "polarity"
    """The model that says whether utterances are positive where labels do not."""
    limits: tuple[str, ...] = ()
    """Sentences that the card has beside those that are always true."""

    def __post_init__(self) -> None:
        if self.fine_tune < 0:
            raise BadValue(f"{self.fine_tune} epochs of fine-tuning; there are none or more")

    @property
    def facts(self) -> dict[str, object]:
        """What was asked for."""
        told = {**asdict(self), "mapped": dict(self.mapped)}
        return {
            **told,
            "encoder": public_model_name(self.encoder),
            "polarity": public_model_name(self.polarity),
        }


class Prepared(NamedTuple):
    """What labels mean, and the sides that come of it."""

    kind: EmotionKind
    meaning: Meaning
    drawn: Drawn

    @property
    def names(self) -> tuple[str, ...]:
        return NEEDED[self.kind]

    def balanced(self, training: Training) -> bool:
        """Whether both classes count the same; each of several emotions is as rare as it is."""
        usual = not training.fine_tune
        return self.kind != "plutchik" and (
            usual if training.balanced is None else training.balanced
        )


def prepared(given: Given | Utterances, kind: EmotionKind, training: Training) -> Prepared:
    """What is to be learned, before any text is encoded."""
    given = Given.of(given)
    meant = meaning(
        given.whole, kind, mapped=training.mapped, polarity=lambda: judge(training.polarity)
    )
    drawn = given.drawn(meant, tidy=training.tidy, seed=training.seed)
    return usable(Prepared(kind, meant, drawn), lambda text: True)


def usable(ready: Prepared, known: Callable[[str], bool]) -> Prepared:
    """The same without texts of which nothing is known; refuses a side that lacks a class."""
    drawn = ready.drawn
    return ready._replace(drawn=drawn._replace(sides=able(drawn.sides, known, ready.names)))


def evenly(label: Floats32) -> Floats32:
    """How much each text counts so that both classes count the same; their mean is 1."""
    share = label.mean()
    return np.asarray(np.where(label > 0, 0.5 / share, 0.5 / (1 - share)), np.float32)
