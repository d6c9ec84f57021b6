"""What a pretrained classifier says of a text, or of two texts that belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from simpatico.arrays import Floats32
from simpatico.errors import BadValue, ContractError, DataError
from simpatico.features import Features
from simpatico.features.on_model import OnModel, work
from simpatico.models.cache import Numbers
from simpatico.models.cache__once import remembered
from simpatico.models.names import Model, find
from simpatico.models.runtime.encoders import Task, each, net
from simpatico.models.runtime.tokens import cutter
from simpatico.turns import Turns

VERSION = 1
NEXT_SENTENCE = ("is_next", "not_next")
TRAINING = "training.json"
"""How a classifier was fine-tuned here."""

Output = Literal["softmax", "sigmoid", "logits"]


@dataclass(frozen=True)
class ClassProbabilities(OnModel):
    """A number for every class: shares that add up to 1, each by itself, or raw."""

    pair: bool = False
    output: Output = "softmax"
    head: Literal["classes", "next-sentence"] = "classes"

    def __post_init__(self) -> None:
        if self.output not in ("softmax", "sigmoid", "logits"):
            raise BadValue(f"output {self.output!r}; there are softmax, sigmoid and logits")

    def compute(self, turns: Turns, features: Features) -> Classes:
        return Classes(find(self.model), self.pair, self.output, self.head)


@dataclass(frozen=True)
class Classes:
    """Classifies texts; each distinct one once."""

    model: Model
    pair: bool
    output: Output
    head: Task
    memo: dict[tuple[str, ...], Numbers] = field(default_factory=dict, compare=False, repr=False)

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes' names, in the order of the columns."""
        if self.head == "next-sentence":
            return NEXT_SENTENCE
        # transformers leaves out the names of two classes that have none of their own
        named = self.model.config.get("id2label") or {"0": "LABEL_0", "1": "LABEL_1"}
        if not isinstance(named, dict) or set(named) != {str(n) for n in range(len(named))}:
            raise DataError(f"{self.model.folder / 'config.json'}: id2label does not name classes")
        return tuple(str(named[str(n)]) for n in range(len(named)))

    def of(self, texts: Iterable[str], seconds: Iterable[str] | None = None) -> Floats32:
        """A row for each text or pair, a column for each class."""
        if self.pair != (seconds is not None):
            raise ContractError(f"{self.model.name} was asked for pairs: {self.pair}; give just so")
        if seconds is None:
            given: list[tuple[str, ...]] = [(text,) for text in texts]
        else:
            given = list(zip(texts, seconds, strict=True))
        what = work("classes", VERSION, self.model, self.head)
        rows = remembered(what, given, self._compute, memo=self.memo)
        if not rows:
            return np.zeros((0, len(self.labels)), np.float32)
        # row by row, so that a row's last bit cannot depend on how many rows there are
        return np.stack([OUTPUTS[self.output](np.asarray(row, np.float32)) for row in rows])

    def _compute(self, given: list[tuple[str, ...]]) -> Iterator[tuple[int, Numbers]]:
        cut = cutter(self.model)
        seconds = [texts[1] for texts in given] if self.pair else None
        pieces = cut([texts[0] for texts in given], seconds)
        yield from each(self.model, net(self.model, self.head), pieces)


def softmax(logits: Floats32) -> Floats32:
    powers = np.exp(logits - logits.max())
    shares: Floats32 = powers / powers.sum()
    return shares


def sigmoid(logits: Any) -> Any:
    """From 0 to 1, each number by itself, without overflow."""
    from scipy.special import expit

    return expit(logits)


def unchanged(logits: Floats32) -> Floats32:
    return logits


OUTPUTS: dict[Output, Callable[[Floats32], Floats32]] = {
    "softmax": softmax,
    "sigmoid": sigmoid,
    "logits": unchanged,
}
