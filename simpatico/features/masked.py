"""How likely a masked language model finds each word piece of a text among all the others.

Each piece is hidden in turn and guessed from the rest (Salazar et al., 2020, Masked Language Model
Scoring). A text runs by itself, in blocks whose size depends on its own length alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import DataError
from simpatico.features import Features
from simpatico.features.on_model import OnModel, work
from simpatico.models.cache import Numbers
from simpatico.models.cache__once import remembered
from simpatico.models.names import Model, find
from simpatico.models.runtime.language_models import chosen
from simpatico.models.runtime.tokens import Pieces, cutter
from simpatico.models.runtime.torch_backend import masked, side_by_side, tokenizer
from simpatico.turns import Turns

VERSION = 1
BLOCK = 1024
"""Word pieces that run together."""


@dataclass(frozen=True)
class MaskedLikelihood(OnModel):
    """Log-probabilities, to base e, of the word pieces of a text, each hidden in turn."""

    def compute(self, turns: Turns, features: Features) -> MaskedLikelihoods:
        return MaskedLikelihoods(find(self.model))


@dataclass(frozen=True)
class MaskedLikelihoods:
    """Scores texts with one model; each distinct one once."""

    model: Model
    memo: dict[str, Numbers] = field(default_factory=dict, compare=False, repr=False)

    def of(self, texts: Sequence[str]) -> list[Floats]:
        """For each text the log-probability of each of its word pieces."""
        what = work("masked likelihood", VERSION, self.model)
        rows = remembered(what, list(texts), self._compute, memo=self.memo)
        return [np.asarray(row, np.float64) for row in rows]

    def _compute(self, texts: list[str]) -> Iterator[tuple[int, Numbers]]:
        net, mask = masked(self.model), tokenizer(self.model).mask_token_id
        if mask is None:
            raise DataError(f"{self.model.folder}: its tokenizer has no mask; name another model")
        cut = cutter(self.model)(texts)
        yield from enumerate(side_by_side(lambda pieces: hidden(net, pieces, int(mask)), cut))


def hidden(net: Any, pieces: Pieces, mask: int) -> Numbers:
    """The log-probability of each piece of the text, the marks around it left out."""
    import torch

    places = np.flatnonzero(~pieces.special)
    rows = max(1, BLOCK // len(pieces.ids))
    found = [np.zeros(0)]
    for start in range(0, len(places), rows):
        some = places[start : start + rows]
        ids = np.tile(pieces.ids, (len(some), 1))
        ids[np.arange(len(some)), some] = mask
        given = {"input_ids": torch.from_numpy(ids).to(net.device)}
        given["attention_mask"] = torch.ones_like(given["input_ids"])
        logits = net(**given).logits[np.arange(len(some)), some]
        found.append(chosen(logits, pieces.ids[some].tolist()))
    return np.concatenate(found)
