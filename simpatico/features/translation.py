"""Texts in another language, as a model writes them, word by likeliest word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simpatico.features import Features
from simpatico.features.on_model import OnModel, work
from simpatico.models.cache import Numbers
from simpatico.models.cache__once import remembered
from simpatico.models.names import Model, find
from simpatico.models.runtime.language_models import Ids, Reader, tensor
from simpatico.models.runtime.torch_backend import seq2seq, side_by_side, tokenizer
from simpatico.turns import Turns

VERSION = 1
LONGER = 50
"""Word pieces by which a translation may be longer than twice its text."""


@dataclass(frozen=True)
class Translation(OnModel):
    """What a model makes of a text, always the same: the likeliest piece after each piece."""

    def compute(self, turns: Turns, features: Features) -> Translations:
        return Translations(find(self.model))


@dataclass(frozen=True)
class Translations:
    """Translates texts with one model; each distinct one once."""

    model: Model
    memo: dict[str, Numbers] = field(default_factory=dict, compare=False, repr=False)

    def of(self, texts: Sequence[str]) -> list[str]:
        """Each text in the model's other language."""
        what = work("translation", VERSION, self.model)
        found = remembered(what, list(texts), self._compute, memo=self.memo)
        words = tokenizer(self.model)
        return [str(words.decode(ids.tolist(), skip_special_tokens=True)) for ids in found]

    def _compute(self, texts: list[str]) -> Iterator[tuple[int, Numbers]]:
        net, reader = seq2seq(self.model), Reader(tokenizer(self.model))
        cut = [reader.read(text, reader.longest(net)) for text in texts]
        most = reader.longest(net) - 1
        yield from enumerate(side_by_side(lambda ids: greedy(net, ids, most), cut))


def greedy(net: Any, source: Ids, most: int) -> Numbers:
    """The pieces that the model writes for these."""
    pad = net.config.pad_token_id
    written = net.generate(
        input_ids=tensor(net, source),
        attention_mask=tensor(net, [1] * len(source)),
        num_beams=1,
        do_sample=False,
        max_length=None,
        max_new_tokens=min(most, 2 * len(source) + LONGER),
        bad_words_ids=None if pad is None else [[pad]],
    )
    return np.asarray(written[0].cpu().numpy(), np.int64)
