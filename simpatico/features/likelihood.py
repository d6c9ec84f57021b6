"""How likely a language model finds a text: the log-probability of each of its word pieces.

A causal model reads a context and then the target, which begins with a space where a context goes
before it, so that the target's word pieces are the same whatever the context is. Before everything
stands the mark that begins a document. A sequence-to-sequence model encodes the context and is
forced to write the target, with the marks that its own tokenizer puts around it. Texts run one by
one, unpadded, so that a number never depends on what else is scored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import BadValue
from simpatico.features import Features
from simpatico.features.on_model import OnModel, work
from simpatico.models.cache import Numbers
from simpatico.models.cache__once import remembered
from simpatico.models.names import Model, find
from simpatico.models.runtime.language_models import (
    Frame,
    Reader,
    Tree,
    branched,
    continued,
    shared,
    written,
)
from simpatico.models.runtime.torch_backend import causal, seq2seq, side_by_side, tokenizer
from simpatico.turns import Turns

VERSION = 1


@dataclass(frozen=True)
class Likelihood(OnModel):
    """Log-probabilities, to base e, of the word pieces of a text after another.

    With `frame="end"` a causal model reads no mark before the text but one after it: the first word
    piece has no probability then, and the closing mark has one. With `frame="untagged"` the mark
    that a sequence-to-sequence model begins with, such as that of a language, is left out.
    """

    frame: Frame = "plain"

    def compute(self, turns: Turns, features: Features) -> Likelihoods:
        model = find(self.model)
        if self.frame == "end":
            needs_causal(model)
        return Likelihoods(model, self.frame)


def encodes(model: Model) -> bool:
    """Whether the model encodes one text to write another."""
    return bool(model.config.get("is_encoder_decoder"))


def needs_causal(model: Model) -> None:
    """Refuse a model that cannot go on with a text."""
    if encodes(model):
        raise BadValue(
            f"{model.name} turns one text into another; a text by itself is likely or not to a "
            "causal language model, such as package:smollm2"
        )


class Followed(NamedTuple):
    """How likely a context is, and each of the texts that might follow it."""

    context: float
    context_pieces: int
    sums: Floats
    pieces: Floats

    @classmethod
    def of(cls, numbers: Floats) -> Followed:
        """As `branched` gives them."""
        return cls(float(numbers[0, 0]), int(numbers[0, 1]), numbers[1:, 0], numbers[1:, 1])


@dataclass(frozen=True)
class Likelihoods:
    """Scores texts with one model; each distinct pair of context and target once."""

    model: Model
    frame: Frame
    memo: dict[tuple[str, ...], Numbers] = field(default_factory=dict, compare=False, repr=False)
    followed: dict[str, dict[tuple[str, ...], Numbers]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def of(self, contexts: Sequence[str], targets: Sequence[str]) -> list[Floats]:
        """For each target, given its context, the log-probability of each of its word pieces."""
        keys: list[tuple[str, ...]] = list(zip(contexts, targets, strict=True))
        what = work("likelihood", VERSION, self.model, self.frame)
        compute = self._written if encodes(self.model) else self._continued
        return [np.asarray(n, np.float64) for n in remembered(what, keys, compute, memo=self.memo)]

    def follow(
        self, contexts: Sequence[tuple[str, ...]], continuations: tuple[str, ...]
    ) -> list[Followed]:
        """How likely each continuation is to follow each context, which is a tuple of turns.

        The mark of a document stands before every turn and before what follows. A context is read
        once, with all continuations after it, and so is what several of them begin with; each sees
        the context and itself alone.
        """
        needs_causal(self.model)
        texts = sha256("\0".join(continuations).encode("utf-8", "surrogatepass")).hexdigest()
        what = work("follow-ups", VERSION, self.model, texts)
        memo = self.followed.setdefault(texts, {})

        def compute(keys: list[tuple[str, ...]]) -> Iterator[tuple[int, Numbers]]:
            return self._followed(keys, continuations)

        found = remembered(what, list(contexts), compute, memo=memo)
        return [Followed.of(np.asarray(numbers, np.float64)) for numbers in found]

    def _continued(self, keys: list[tuple[str, ...]]) -> Iterator[tuple[int, Numbers]]:
        """Log-probabilities by a causal model; equal contexts are read once."""
        net, pieces = causal(self.model), Reader(tokenizer(self.model))
        longest = pieces.longest(net)
        cut = [pieces.joined(context, target, self.frame, longest) for context, target in keys]
        yield from shared(cut, lambda item: continued(net, *item))

    def _written(self, keys: list[tuple[str, ...]]) -> Iterator[tuple[int, Numbers]]:
        """Log-probabilities by a sequence-to-sequence model; equal contexts are encoded once."""
        net, pieces = seq2seq(self.model), Reader(tokenizer(self.model))
        longest = pieces.longest(net)
        cut = [(pieces.read(a, longest), pieces.write(b, longest)) for a, b in keys]
        untag = pieces.tags if self.frame == "untagged" else set[int]()
        yield from shared(cut, lambda item: written(net, *item, untag))

    def _followed(
        self, keys: list[tuple[str, ...]], continuations: tuple[str, ...]
    ) -> Iterator[tuple[int, Numbers]]:
        net, pieces = causal(self.model), Reader(tokenizer(self.model))
        after = [pieces.text(f" {text}") for text in continuations]
        room = max(pieces.longest(net) - max(map(len, after), default=0), 2)
        cut, tree = (pieces.turns(key, room) for key in keys), Tree.of(after)
        yield from enumerate(side_by_side(lambda ids: branched(net, ids, after, tree), cut))
