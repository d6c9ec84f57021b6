"""Log-probabilities of the tokens of a text by a language model, given a context or the rest.

A causal model reads a context and then the target, which begins with a space where a context goes
before it, so that the target's tokens are the same whatever the context is. Before everything
stands the special token that begins a document. A sequence-to-sequence model encodes the context
and is forced to write the target, with the special tokens that its own tokenizer puts around it.
A masked model predicts each token in turn from all others (Salazar et al., 2020, Masked Language
Model Scoring), in blocks whose size depends on the text's own length alone. Texts run one by one,
unpadded, so that a number never depends on what else is scored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import BadValue, DataError
from simpatico.features import Features
from simpatico.features.on_model import ModelRunner, OnModel, cache_key
from simpatico.models.cache import Array, compute_once
from simpatico.models.names import Model, find_model
from simpatico.models.runtime import language_models as lm
from simpatico.models.runtime.tokens import Encoding, load_tokenizer
from simpatico.models.runtime.torch_backend import (
    load_causal,
    load_hf_tokenizer,
    load_masked,
    load_seq2seq,
    map_on_torch,
)
from simpatico.turns import Turns

VERSION = MASKED_VERSION = 1
BLOCK = 1024
"""Tokens in a batch of one text, each row with another token masked."""


@dataclass(frozen=True)
class Likelihood(OnModel):
    """Log-probabilities, to base e, of the tokens of a text after another.

    With `frame="end"` a causal model reads no special token before the text but one after it: the
    first token has no probability then, and the closing one has. With `frame="untagged"` the
    special token that a sequence-to-sequence model begins with, such as a language's, is left out.
    """

    frame: lm.Frame = "plain"

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

    frame: lm.Frame
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
        tokenizer = lm.LmTokenizer(load_hf_tokenizer(self.model))
        if is_seq2seq(self.model):
            net = load_seq2seq(self.model)
            longest = tokenizer.max_tokens(net)
            sides = [
                (tokenizer.encode_source(first, longest), tokenizer.encode_target(second, longest))
                for first, second in keys
            ]
            untag = tokenizer.language_tokens if self.frame == "untagged" else set[int]()
            return lm.map_contexts(sides, lambda item: lm.target_logprobs(net, *item, untag))
        net = load_causal(self.model)
        longest = tokenizer.max_tokens(net)
        pairs = [
            tokenizer.encode_pair(context, target, self.frame, longest) for context, target in keys
        ]
        return lm.map_contexts(pairs, lambda item: lm.continuation_logprobs(net, *item))

    def _compute_follow_ups(
        self, continuations: tuple[str, ...], keys: list[tuple[str, ...]]
    ) -> Iterator[tuple[int, Array]]:
        net = load_causal(self.model)
        tokenizer = lm.LmTokenizer(load_hf_tokenizer(self.model))
        after = [tokenizer.encode(f" {text}") for text in continuations]
        room = max(tokenizer.max_tokens(net) - max(map(len, after), default=0), 2)
        prompts, tree = (tokenizer.encode_turns(key, room) for key in keys), lm.PrefixTree.of(after)
        rows = map_on_torch(lambda ids: lm.follow_up_logprobs(net, ids, after, tree), prompts)
        yield from enumerate(rows)


@dataclass(frozen=True)
class MaskedLikelihoods(ModelRunner[str]):
    """Scores texts with one model."""

    def of(self, texts: Sequence[str]) -> list[Floats]:
        """For each text the log-probability of each of its tokens."""
        rows = self.outputs(texts, "masked likelihood", MASKED_VERSION)
        return [np.asarray(row, np.float64) for row in rows]

    def _compute(self, texts: list[str]) -> Iterator[tuple[int, Array]]:
        net, mask = load_masked(self.model), load_hf_tokenizer(self.model).mask_token_id
        if mask is None:
            raise DataError(f"{self.model.folder}: its tokenizer has no mask; name another model")
        encodings = load_tokenizer(self.model)(texts)
        yield from enumerate(map_on_torch(lambda t: masked_logprobs(net, t, int(mask)), encodings))


@dataclass(frozen=True)
class MaskedLikelihood(OnModel):
    """Log-probabilities, to base e, of the tokens of a text, each masked in turn."""

    runner = MaskedLikelihoods


def masked_logprobs(net: Any, text: Encoding, mask: int) -> Array:
    """The log-probability of each token of the text, special tokens left out."""
    import torch

    positions = np.flatnonzero(~text.special)
    rows = max(1, BLOCK // len(text.ids))
    logprobs = [np.zeros(0)]
    for start in range(0, len(positions), rows):
        block = positions[start : start + rows]
        ids = np.tile(text.ids, (len(block), 1))
        ids[np.arange(len(block)), block] = mask
        inputs = {"input_ids": torch.from_numpy(ids).to(net.device)}
        inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
        logits = net(**inputs).logits[np.arange(len(block)), block]
        logprobs.append(lm.gather_logprobs(logits, text.ids[block].tolist()))
    return np.concatenate(logprobs)
