"""Texts as vectors of a pretrained encoder: one for a whole text, or one for every word piece.

`features[Embeddings()].of(texts)` gives a row for each text; equal texts are encoded once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats32
from simpatico.errors import BadValue
from simpatico.features import Features
from simpatico.features.on_model import OnModel, work
from simpatico.models.cache import Numbers
from simpatico.models.cache__once import remembered
from simpatico.models.names import Model, find
from simpatico.models.runtime.encoders import back_end, each, net
from simpatico.models.runtime.tokens import Ids, cutter
from simpatico.turns import Turns

MINILM = "package:minilm"
"""all-MiniLM-L6-v2, the encoder that comes with the extra `neural`."""
VERSION = 1
"""To be raised whenever the procedure changes, so that no number of the old one is used."""

Pooling = Literal["mean", "max", "cls"]


class Tokens(NamedTuple):
    """The word pieces of a text with a vector each; `special` marks those not of the text."""

    ids: Ids
    vectors: Floats32
    special: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Embeddings(OnModel):
    """One vector of length 1 for a text: its word pieces' mean, maximum, or its first one's."""

    model: str = MINILM
    pooling: Pooling = "mean"

    def __post_init__(self) -> None:
        if self.pooling not in ("mean", "max", "cls"):
            raise BadValue(f"pooling {self.pooling!r}; there are mean, max and cls")

    def compute(self, turns: Turns, features: Features) -> Sentences:
        model = find(self.model)
        if back_end(model) == "numpy" and self.pooling != "mean":
            raise BadValue(
                f"pooling {self.pooling!r}; {model.name} makes one vector of a whole text, "
                "so leave it at mean"
            )
        return Sentences(model, self.pooling)


@dataclass(frozen=True)
class TokenEmbeddings(OnModel):
    """A vector for every word piece of a text, after `layer` layers or after the last."""

    model: str = MINILM
    layer: int | None = None

    def compute(self, turns: Turns, features: Features) -> Words:
        model = find(self.model)
        if back_end(model) == "numpy":
            raise BadValue(
                f"{model.name} makes one vector of a whole text; "
                "vectors of its word pieces need another model, such as package:minilm"
            )
        return Words(model, self.layer)


@dataclass(frozen=True)
class Sentences:
    """Encodes texts; each distinct one once."""

    model: Model
    pooling: Pooling
    memo: dict[str, Numbers] = field(default_factory=dict, compare=False, repr=False)

    def of(self, texts: Iterable[str]) -> Floats32:
        """A row for each text."""
        what = work("embeddings", VERSION, self.model, self.pooling)
        rows = remembered(what, list(texts), self._compute, memo=self.memo)
        return np.stack(rows).astype(np.float32) if rows else np.zeros((0, 0), np.float32)

    def _compute(self, texts: list[str]) -> Iterator[tuple[int, Numbers]]:
        run = net(self.model, "encoder")
        for place, states in each(self.model, run, cutter(self.model)(texts)):
            yield place, unit(pooled(states, self.pooling))


@dataclass(frozen=True)
class Words:
    """Encodes the word pieces of texts; each distinct text once."""

    model: Model
    layer: int | None
    memo: dict[str, Numbers] = field(default_factory=dict, compare=False, repr=False)

    def of(self, texts: Iterable[str]) -> list[Tokens]:
        """Word pieces and vectors of each text."""
        given = list(texts)
        what = work("tokens", VERSION, self.model, self.layer)
        vectors = remembered(what, given, self._compute, memo=self.memo)
        cut = cutter(self.model)(given)
        return [
            Tokens(pieces.ids, np.asarray(found, np.float32), pieces.special)
            for pieces, found in zip(cut, vectors, strict=True)
        ]

    def _compute(self, texts: list[str]) -> Iterator[tuple[int, Numbers]]:
        run = net(self.model, "encoder", self.layer)
        yield from each(self.model, run, cutter(self.model)(texts))


def pooled(states: Floats32, how: Pooling) -> Floats32:
    """One vector from those of all word pieces, the special ones among them.

    Some models have only one for a text, and that is it.
    """
    if states.ndim == 1:
        return states
    if how == "cls":
        return np.asarray(states[0])
    found: Floats32 = states.mean(0) if how == "mean" else states.max(0)
    return found


def unit(vectors: Floats32) -> Floats32:
    """The vector, or each row of vectors, made 1 long."""
    length = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    found: Floats32 = vectors / np.maximum(length, np.float32(1e-12))
    return found


class Vectorised(Protocol):
    """What gives every text a vector."""

    def of(self, texts: Sequence[str]) -> Floats32: ...


def cosines(first: Floats32, second: Floats32) -> npt.NDArray[np.float64]:
    """The cosine of each row with the one beside it; NaN where one of them is nothing but 0."""
    a, b = first.astype(np.float64), second.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        lengths = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
        return np.asarray(np.clip((a * b).sum(axis=1) / lengths, -1.0, 1.0))
