"""Log-probability of each token of a text by a masked language model, given all others.

Each token is masked in turn and predicted from the rest (Salazar et al., 2020, Masked Language
Model Scoring). A text runs by itself, in blocks whose size depends on its own length alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import DataError
from simpatico.features.on_model import ModelRunner, OnModel
from simpatico.models.cache import Array
from simpatico.models.runtime.language_models import gather_logprobs
from simpatico.models.runtime.tokens import Encoding, load_tokenizer
from simpatico.models.runtime.torch_backend import load_hf_tokenizer, load_masked, map_on_torch

VERSION = 1
BLOCK = 1024
"""Tokens in a batch."""


@dataclass(frozen=True)
class MaskedLikelihoods(ModelRunner[str]):
    """Scores texts with one model."""

    def of(self, texts: Sequence[str]) -> list[Floats]:
        """For each text the log-probability of each of its tokens."""
        rows = self.outputs(texts, "masked likelihood", VERSION)
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
        logprobs.append(gather_logprobs(logits, text.ids[block].tolist()))
    return np.concatenate(logprobs)
