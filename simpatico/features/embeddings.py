"""Texts as vectors of a pretrained encoder: one for a whole text, or one for every token.

`features[Embeddings()].of(texts)` gives a row for each text; equal texts are encoded once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np

from simpatico.arrays import Bools, Floats, Floats32, Ints
from simpatico.errors import BadValue
from simpatico.features import Features
from simpatico.features.on_model import ModelRunner, OnModel
from simpatico.models.cache import Array
from simpatico.models.names import find_model
from simpatico.models.runtime.encoders import backend, load_net, run_texts
from simpatico.models.runtime.tokens import load_tokenizer
from simpatico.turns import Turns

MINILM = "package:minilm"
"""all-MiniLM-L6-v2, the encoder that comes with the extra `neural`."""
VERSION = 2
"""To be raised whenever the procedure changes, so that no vector of the old one is reused."""

Pooling = Literal["mean", "max", "cls"]


class TokenVectors(NamedTuple):
    """The tokens of a text with a vector each; `special` flags the special tokens."""

    ids: Ints
    vectors: Floats32
    special: Bools


@dataclass(frozen=True)
class Embeddings(OnModel):
    """One vector of length 1 for a text: mean or maximum over its tokens, or the first token's."""

    model: str = MINILM
    pooling: Pooling = "mean"

    def __post_init__(self) -> None:
        if self.pooling not in ("mean", "max", "cls"):
            raise BadValue(f"pooling {self.pooling!r}; there are mean, max and cls")

    def compute(self, turns: Turns, features: Features) -> SentenceEncoder:
        model = find_model(self.model)
        if backend(model) == "numpy" and self.pooling != "mean":
            raise BadValue(
                f"pooling {self.pooling!r}; {model.name} makes one vector of a whole text, "
                "so leave it at mean"
            )
        return SentenceEncoder(model, self.pooling)


@dataclass(frozen=True)
class TokenEmbeddings(OnModel):
    """A vector for every token of a text, after `layer` layers or after the last."""

    model: str = MINILM
    layer: int | None = None

    def compute(self, turns: Turns, features: Features) -> TokenEncoder:
        model = find_model(self.model)
        if backend(model) == "numpy":
            raise BadValue(
                f"{model.name} makes one vector of a whole text; "
                "vectors of its word pieces need another model, such as package:minilm"
            )
        return TokenEncoder(model, self.layer)


@dataclass(frozen=True)
class SentenceEncoder(ModelRunner[str]):
    """Encodes texts with one model."""

    pooling: Pooling

    def of(self, texts: Iterable[str]) -> Floats32:
        """A row for each text."""
        rows = self.outputs(texts, "embeddings", VERSION, self.pooling)
        return np.stack(rows).astype(np.float32) if rows else np.zeros((0, 0), np.float32)

    def _compute(self, texts: list[str]) -> Iterator[tuple[int, Array]]:
        net = load_net(self.model, "encoder")
        for index, states in run_texts(self.model, net, load_tokenizer(self.model)(texts)):
            yield index, unit_length(pool(states, self.pooling))


@dataclass(frozen=True)
class TokenEncoder(ModelRunner[str]):
    """Encodes the tokens of texts with one model."""

    layer: int | None

    def of(self, texts: Iterable[str]) -> list[TokenVectors]:
        """Tokens and vectors of each text."""
        every = list(texts)
        vectors = self.outputs(every, "tokens", VERSION, self.layer)
        return [
            TokenVectors(text.ids, np.asarray(rows, np.float32), text.special)
            for text, rows in zip(load_tokenizer(self.model)(every), vectors, strict=True)
        ]

    def _compute(self, texts: list[str]) -> Iterator[tuple[int, Array]]:
        net = load_net(self.model, "encoder", self.layer)
        yield from run_texts(self.model, net, load_tokenizer(self.model)(texts))


def pool(states: Floats32, how: Pooling) -> Floats32:
    """One vector from those of all tokens, special ones included, as sentence-transformers does.

    A model that has only one vector for a text keeps it.
    """
    if states.ndim == 1:
        return states
    if how == "cls":
        return np.asarray(states[0])
    return np.asarray(states.mean(0) if how == "mean" else states.max(0))


def unit_length(vectors: Floats32) -> Floats32:
    """The vector, or each row of vectors, scaled to length 1."""
    length = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    return np.asarray(vectors / np.maximum(length, np.float32(1e-12)))


class TextEncoder(Protocol):
    """Anything that gives every text a vector."""

    def of(self, texts: Sequence[str]) -> Floats32: ...


def row_cosines(first: Floats32, second: Floats32) -> Floats:
    """The cosine of each row with its counterpart; NaN where one of the two is zero."""
    a, b = first.astype(np.float64), second.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        lengths = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
        return np.asarray(np.clip((a * b).sum(axis=1) / lengths, -1.0, 1.0))
