"""Log-probabilities of the tokens of a text by a language model, given a context.

A causal model reads a context and then the target, which begins with a space where a context goes
before it, so that the target's tokens are the same whatever the context is. Before everything
stands the special token that begins a document. A sequence-to-sequence model encodes the context
and is forced to write the target, with the special tokens that its own tokenizer puts around it.
Texts run one by one, unpadded, so that a number never depends on what else is scored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import BadValue
from simpatico.features import Features
from simpatico.features.on_model import ModelRunner, OnModel, cache_key
from simpatico.models.cache import Array, compute_once
from simpatico.models.names import Model, find_model
from simpatico.models.runtime.language_models import (
    Frame,
    LmTokenizer,
    PrefixTree,
    continuation_logprobs,
    follow_up_logprobs,
    map_contexts,
    target_logprobs,
)
from simpatico.models.runtime.torch_backend import (
    load_causal,
    load_hf_tokenizer,
    load_seq2seq,
    map_on_torch,
)
from simpatico.turns import Turns

VERSION = 1


@dataclass(frozen=True)
class Likelihood(OnModel):
    """Log-probabilities, to base e, of the tokens of a text after another.

    With `frame="end"` a causal model reads no special token before the text but one after it: the
    first token has no probability then, and the closing one has. With `frame="untagged"` the
    special token that a sequence-to-sequence model begins with, such as a language's, is left out.
    """

    frame: Frame = "plain"

    def compute(self, turns: Turns, features: Features) -> Likelihoods:
        model = find_model(self.model)
        if self.frame == "end":
            require_causal(model)
        return Likelihoods(model, self.frame)


def is_seq2seq(model: Model) -> bool:
    """Whether the model encodes one text to write another."""
    return bool(model.config.get("is_encoder_decoder"))


def require_causal(model: Model) -> None:
    """Refuse a model that cannot continue a text."""
    if is_seq2seq(model):
        raise BadValue(
            f"{model.name} is a sequence-to-sequence model; name a causal language model, such as "
            "package:smollm2"
        )


class FollowUps(NamedTuple):
    """Log-probability and number of tokens of a context, and of each text that might follow it."""

    context: float
    context_tokens: int
    sums: Floats
    tokens: Floats


@dataclass(frozen=True)
class Likelihoods(ModelRunner[tuple[str, ...]]):
    """Scores targets, each after a context, with one model."""

    frame: Frame
    follow_up_memo: dict[str, dict[tuple[str, ...], Array]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def of(self, contexts: Sequence[str], targets: Sequence[str]) -> list[Floats]:
        """For each target, given its context, the log-probability of each of its tokens."""
        keys: list[tuple[str, ...]] = list(zip(contexts, targets, strict=True))
        rows = self.outputs(keys, "likelihood", VERSION, self.frame)
        return [np.asarray(row, np.float64) for row in rows]

    def follow_ups(
        self, contexts: Sequence[tuple[str, ...]], continuations: tuple[str, ...]
    ) -> list[FollowUps]:
        """How likely each continuation is to follow each context, which is a tuple of turns.

        The end-of-document token stands before every turn and before what follows. A context is
        read once, with all continuations after it, and so is what several of them begin with; each
        sees the context and itself alone.
        """
        require_causal(self.model)
        texts = sha256("\0".join(continuations).encode("utf-8", "surrogatepass")).hexdigest()
        kind = cache_key("follow-ups", VERSION, self.model, texts)
        memo = self.follow_up_memo.setdefault(texts, {})
        compute = partial(self._compute_follow_ups, continuations)
        outputs = compute_once(kind, list(contexts), compute, memo=memo)
        # the first row of an output is that of the context: log-probability and number of tokens
        arrays = [np.asarray(rows, np.float64) for rows in outputs]
        return [FollowUps(float(a[0, 0]), int(a[0, 1]), *a[1:].T) for a in arrays]

    def _compute(self, keys: list[tuple[str, ...]]) -> Iterator[tuple[int, Array]]:
        """Log-probabilities of pairs of context and target; equal contexts are read once."""
        tokenizer = LmTokenizer(load_hf_tokenizer(self.model))
        if is_seq2seq(self.model):
            net = load_seq2seq(self.model)
            longest = tokenizer.max_tokens(net)
            sides = [
                (tokenizer.encode_source(first, longest), tokenizer.encode_target(second, longest))
                for first, second in keys
            ]
            untag = tokenizer.language_tokens if self.frame == "untagged" else set[int]()
            return map_contexts(sides, lambda item: target_logprobs(net, *item, untag))
        net = load_causal(self.model)
        longest = tokenizer.max_tokens(net)
        pairs = [
            tokenizer.encode_pair(context, target, self.frame, longest) for context, target in keys
        ]
        return map_contexts(pairs, lambda item: continuation_logprobs(net, *item))

    def _compute_follow_ups(
        self, continuations: tuple[str, ...], keys: list[tuple[str, ...]]
    ) -> Iterator[tuple[int, Array]]:
        net, tokenizer = load_causal(self.model), LmTokenizer(load_hf_tokenizer(self.model))
        after = [tokenizer.encode(f" {text}") for text in continuations]
        room = max(tokenizer.max_tokens(net) - max(map(len, after), default=0), 2)
        prompts, tree = (tokenizer.encode_turns(key, room) for key in keys), PrefixTree.of(after)
        rows = map_on_torch(lambda ids: follow_up_logprobs(net, ids, after, tree), prompts)
        yield from enumerate(rows)
