"""What a classifier that reads a conversation from left to right says of its last turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from simpatico.errors import DataError
from simpatico.features import Features
from simpatico.features.classes import sigmoid
from simpatico.features.on_model import OnModel, work
from simpatico.models.cache import Numbers
from simpatico.models.cache__once import remembered
from simpatico.models.names import Model, find
from simpatico.models.runtime.language_models import Ids, Reader, tensor
from simpatico.models.runtime.torch_backend import classifier, side_by_side, tokenizer
from simpatico.turns import Turns

VERSION = 1


@dataclass(frozen=True)
class ReplyRatings(OnModel):
    """One number, from 0 to 1, for a reply after the turns before it."""

    def compute(self, turns: Turns, features: Features) -> Replies:
        return Replies(find(self.model))


@dataclass(frozen=True)
class Replies:
    """Rates replies with one model; each distinct conversation once."""

    model: Model
    memo: dict[tuple[str, ...], Numbers] = field(default_factory=dict, compare=False, repr=False)

    def of(self, conversations: Sequence[tuple[str, ...]]) -> npt.NDArray[np.float64]:
        """A number for the last turn of each conversation."""
        what = work("reply ratings", VERSION, self.model)
        found = remembered(what, list(conversations), self._compute, memo=self.memo)
        return np.array([sigmoid(np.asarray(n, np.float64)[0]) for n in found], np.float64)

    def _compute(self, conversations: list[tuple[str, ...]]) -> Iterator[tuple[int, Numbers]]:
        net, reader = classifier(self.model), Reader(tokenizer(self.model))
        if net.config.num_labels != 1:
            raise DataError(
                f"{self.model.name} tells {net.config.num_labels} classes apart, where one number "
                "is needed; name a model that rates"
            )
        longest = reader.longest(net)
        cut = (conversation(reader, turns, longest) for turns in conversations)
        yield from enumerate(side_by_side(lambda ids: logit(net, ids), cut))


def conversation(reader: Reader, turns: tuple[str, ...], longest: int) -> Ids:
    """The turns with a mark between them; one that is too long loses its start."""
    ids = list[int]()
    for turn in turns:
        ids += [*reader.text(turn.strip()), reader.end]
    return ids[:-1][-longest:]


def logit(net: Any, ids: Ids) -> Numbers:
    """What the model says after the last piece."""
    found = net(input_ids=tensor(net, ids), use_cache=False).logits[0]
    return np.asarray(found.float().cpu().numpy(), np.float32)
