"""Predictions of a pretrained classifier for a text, a pair of texts, or a reply in a dialog."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from simpatico.arrays import Floats, Floats32
from simpatico.errors import BadValue, ContractError, DataError
from simpatico.features import Features
from simpatico.features.on_model import ModelRunner, OnModel
from simpatico.models.cache import Array
from simpatico.models.names import find_model
from simpatico.models.runtime.encoders import Task, load_net, run_texts
from simpatico.models.runtime.language_models import LmTokenizer, TokenIds, as_batch
from simpatico.models.runtime.tokens import load_tokenizer
from simpatico.models.runtime.torch_backend import load_classifier, load_hf_tokenizer, map_on_torch
from simpatico.turns import Turns

VERSION = 2
"""To be raised whenever the procedure changes, so that no logit of the old one is reused."""
REPLY_VERSION = 1
NEXT_SENTENCE = ("is_next", "not_next")
TRAINING = "training.json"
"""The file that says how a classifier was fine-tuned here."""

Output = Literal["softmax", "sigmoid", "logits"]


@dataclass(frozen=True)
class ClassProbabilities(OnModel):
    """A number for every class: probabilities that add up to 1 (softmax), one each, or logits."""

    pair: bool = False
    output: Output = "softmax"
    head: Literal["classes", "next-sentence"] = "classes"

    def __post_init__(self) -> None:
        if self.output not in ("softmax", "sigmoid", "logits"):
            raise BadValue(f"output {self.output!r}; there are softmax, sigmoid and logits")

    def compute(self, turns: Turns, features: Features) -> Classes:
        return Classes(find_model(self.model), self.pair, self.output, self.head)


@dataclass(frozen=True)
class Classes(ModelRunner[tuple[str, ...]]):
    """Classifies texts, or pairs of texts, with one model."""

    pair: bool
    output: Output
    head: Task

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes' names, in the order of the columns."""
        if self.head == "next-sentence":
            return NEXT_SENTENCE
        # transformers leaves out the names of two classes that have none of their own
        labels = self.model.config.get("id2label") or {"0": "LABEL_0", "1": "LABEL_1"}
        if not isinstance(labels, dict) or set(labels) != {str(n) for n in range(len(labels))}:
            raise DataError(f"{self.model.folder / 'config.json'}: id2label does not name classes")
        return tuple(str(labels[str(n)]) for n in range(len(labels)))

    def of(self, texts: Iterable[str], seconds: Iterable[str] | None = None) -> Floats32:
        """A row for each text or pair, a column for each class."""
        if self.pair != (seconds is not None):
            texts_or_pairs = "pairs of texts" if self.pair else "single texts"
            raise ContractError(f"{self.model.name} was set up for {texts_or_pairs}; pass those")
        columns: list[Iterable[str]] = [texts] if seconds is None else [texts, seconds]
        keys: list[tuple[str, ...]] = list(zip(*columns, strict=True))
        rows = self.outputs(keys, "classes", VERSION, self.head)
        if not rows:
            return np.zeros((0, len(self.labels)), np.float32)
        # row by row, so that a row's last bit cannot depend on how many rows there are
        return np.stack([OUTPUTS[self.output](np.asarray(row, np.float32)) for row in rows])

    def _compute(self, keys: list[tuple[str, ...]]) -> Iterator[tuple[int, Array]]:
        seconds = [key[1] for key in keys] if self.pair else None
        encodings = load_tokenizer(self.model)([key[0] for key in keys], seconds)
        yield from run_texts(self.model, load_net(self.model, self.head), encodings)


def softmax(logits: Floats32) -> Floats32:
    """Probabilities that add up to 1."""
    powers = np.exp(logits - logits.max())
    return np.asarray(powers / powers.sum())


def sigmoid(logits: Any) -> Any:
    """From 0 to 1, each logit by itself, without overflow."""
    from scipy.special import expit

    return expit(logits)


OUTPUTS: dict[Output, Callable[[Floats32], Floats32]] = {
    "softmax": softmax,
    "sigmoid": sigmoid,
    "logits": lambda logits: logits,
}


@dataclass(frozen=True)
class ReplyRater(ModelRunner[tuple[str, ...]]):
    """Rates replies with one model."""

    def of(self, conversations: Sequence[tuple[str, ...]]) -> Floats:
        """A number for the last turn of each conversation."""
        logits = self.outputs(conversations, "reply ratings", REPLY_VERSION)
        return np.array([sigmoid(np.asarray(row, np.float64)[0]) for row in logits], np.float64)

    def _compute(self, conversations: list[tuple[str, ...]]) -> Iterator[tuple[int, Array]]:
        net, tokenizer = load_classifier(self.model), LmTokenizer(load_hf_tokenizer(self.model))
        if net.config.num_labels != 1:
            raise DataError(
                f"{self.model.name} predicts {net.config.num_labels} classes, where one number is "
                "needed; name a regression model"
            )
        longest, end = tokenizer.max_tokens(net), tokenizer.end_token

        def rate(ids: TokenIds) -> Array:
            output = net(input_ids=as_batch(net, ids), use_cache=False)
            return np.asarray(output.logits[0].float().cpu().numpy(), np.float32)

        def prompt(turns: tuple[str, ...]) -> TokenIds:
            # an end token between turns; what is too long loses its start
            ids = [id for turn in turns for id in (*tokenizer.encode(turn.strip()), end)]
            return ids[:-1][-longest:]

        yield from enumerate(map_on_torch(rate, map(prompt, conversations)))


@dataclass(frozen=True)
class ReplyRatings(OnModel):
    """A number from 0 to 1 for a reply after the turns before it, by a left-to-right classifier."""

    runner = ReplyRater
