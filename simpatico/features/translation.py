"""Translations of texts by a sequence-to-sequence model, decoded greedily."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simpatico.features.on_model import ModelRunner, OnModel
from simpatico.models.cache import Array
from simpatico.models.runtime.language_models import LmTokenizer, TokenIds, as_batch
from simpatico.models.runtime.torch_backend import load_hf_tokenizer, load_seq2seq, map_on_torch

VERSION = 1
LONGER = 50
"""Tokens by which a translation may be longer than twice its text; a model that loops must stop."""


@dataclass(frozen=True)
class Translations(ModelRunner[str]):
    """Translates texts with one model."""

    def of(self, texts: Sequence[str]) -> list[str]:
        """Each text in the model's other language."""
        arrays = self.outputs(texts, "translation", VERSION)
        tokenizer = load_hf_tokenizer(self.model)
        return [str(tokenizer.decode(ids.tolist(), skip_special_tokens=True)) for ids in arrays]

    def _compute(self, texts: list[str]) -> Iterator[tuple[int, Array]]:
        net, tokenizer = load_seq2seq(self.model), LmTokenizer(load_hf_tokenizer(self.model))
        longest = tokenizer.max_tokens(net)
        sources = [tokenizer.encode_source(text, longest) for text in texts]
        translations = map_on_torch(lambda ids: translate_greedily(net, ids, longest - 1), sources)
        yield from enumerate(translations)


@dataclass(frozen=True)
class Translation(OnModel):
    """The translation of a text, deterministic: the most likely token each time."""

    runner = Translations


def translate_greedily(net: Any, source: TokenIds, longest: int) -> Array:
    """The tokens that the model writes for these."""
    pad = net.config.pad_token_id
    ids = net.generate(
        input_ids=as_batch(net, source),
        attention_mask=as_batch(net, [1] * len(source)),
        num_beams=1,
        do_sample=False,
        max_length=None,
        max_new_tokens=min(longest, 2 * len(source) + LONGER),
        bad_words_ids=None if pad is None else [[pad]],
    )
    return np.asarray(ids[0].cpu().numpy(), np.int64)
