"""The neural baseline of the engagement paper: two recurrent networks over static word vectors.

One reads the query, one the reply, each in both directions. Their last states, side by side, go
through one layer with tanh to the probability that the label is 1. The vectors of words stay as
they are, and words without one are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.arrays import Floats, Floats32, Ints
from simpatico.errors import BadValue, DataError, MissingResource
from simpatico.features.word_vectors import GLOVE, Vectors
from simpatico.features.word_vectors import vectors as vectors_of
from simpatico.features.words import words
from simpatico.models.names import find_model
from simpatico.progress import step
from simpatico.training.finetune import apart
from simpatico.training.fit.adam import Adam

Pairs = tuple[Sequence[str], Sequence[str], npt.ArrayLike]
"""Queries, replies and labels, 0 or 1."""


@dataclass(frozen=True)
class BiRnn:
    """What the network looks like and how it learns.

    The dropout is the paper's. Its rate of 1e-5 takes hundreds of epochs over vectors of 50
    numbers, so that ours is larger and the epoch that checks best is kept.
    """

    cell: Literal["gru", "rnn"] = "gru"
    hidden: int = 64
    dropout: float = 0.8
    rate: float = 1e-3
    batch: int = 128
    epochs: int = 12
    patience: int = 2
    """Epochs without a better check after which it ends."""
    longest: int = 60
    """Words of a text that are read."""

    def __post_init__(self) -> None:
        if self.cell not in ("gru", "rnn"):
            raise BadValue(f"cell {self.cell!r}; there are gru and rnn")
        if not 0 <= self.dropout < 1:
            raise BadValue(f"dropout is {self.dropout}; it is a share, at least 0 and below 1")


USUAL = BiRnn()


def birnn(
    learn: Pairs,
    check: Pairs,
    test: Pairs,
    *,
    vectors: str = GLOVE,
    shape: BiRnn = USUAL,
    seed: int = 0,
) -> Floats:
    """The probability of label 1 for each pair of `test`, whose labels are not looked at."""
    try:
        import torch
    except ImportError:
        raise MissingResource(
            "the recurrent baseline needs the package torch; pip install 'simpatico[torch]'"
        ) from None
    table = vectors_of(find_model(vectors))
    seen, judge, asked = (read(side, table, shape.longest) for side in (learn, check, test))
    enough(seen.label, "to learn from")
    enough(judge.label, "to check by")
    if not asked.query:
        return np.zeros(0)
    with apart():
        torch.manual_seed(seed)
        net = fitted(made(table.numbers, shape), seen, judge, shape, seed)
        with torch.inference_mode():
            logits = [net(asked, some) for some in parts(len(asked.query), shape.batch)]
            found: Floats = torch.cat(logits).double().sigmoid().numpy()
    return found


class Read(NamedTuple):
    """Texts as the places of their words' vectors, and the labels."""

    query: list[Ints]
    reply: list[Ints]
    label: Floats32


def read(side: Pairs, table: Vectors, longest: int) -> Read:
    """The pairs with their words looked up."""
    query, reply, label = side[0], side[1], np.asarray(side[2], np.float32)
    if not len(query) == len(reply) == len(label):
        raise DataError(
            f"{len(query)} queries, {len(reply)} replies and {len(label)} labels; "
            "there is one of each for a pair"
        )
    return Read(rows(query, table, longest), rows(reply, table, longest), label)


def rows(texts: Sequence[str], table: Vectors, longest: int) -> list[Ints]:
    """Where the vectors of each text's words are, counted from 1; 0 for a text without any."""
    found = words(pl.Series("text", list(texts), pl.String))
    known = [table.rows(word) for word in found.vocabulary]
    ends = [int(end) for end in found.ends]
    lines = [
        [row + 1 for code in found.codes[a:b] for row in known[code]] for a, b in pairwise(ends)
    ]
    return [np.array(line[:longest] or [0], np.int64) for line in lines]


def enough(label: Floats32, what: str) -> None:
    """Refuse labels that are not 0 and 1, or all the same."""
    if set(np.unique(label).tolist()) != {0.0, 1.0}:
        values = ", ".join(f"{value:g}" for value in np.unique(label)[:5])
        raise DataError(f"labels {what}: {values or 'none'}; some are 0 and some are 1")


def made(numbers: Floats32, shape: BiRnn) -> Any:
    """The network, still knowing nothing; place 0 is a vector of zeros."""
    import torch
    from torch import nn
    from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

    cell = nn.GRU if shape.cell == "gru" else nn.RNN

    class Net(nn.Module):  # type: ignore[misc]  # torch is Any here
        def __init__(self) -> None:
            super().__init__()
            width = numbers.shape[1]
            table = torch.cat([torch.zeros(1, width), torch.from_numpy(numbers)])
            self.register_buffer("words", table)
            self.query = cell(width, shape.hidden, batch_first=True, bidirectional=True)
            self.reply = cell(width, shape.hidden, batch_first=True, bidirectional=True)
            self.drop = nn.Dropout(shape.dropout)
            self.layer = nn.Linear(4 * shape.hidden, shape.hidden)
            self.last = nn.Linear(shape.hidden, 1)

        def state(self, reader: Any, lines: list[Ints]) -> Any:
            padded = pad_sequence([torch.from_numpy(line) for line in lines], batch_first=True)
            sizes = torch.tensor([len(line) for line in lines])
            seen = nn.functional.embedding(padded, self.words)
            packed = pack_padded_sequence(seen, sizes, batch_first=True, enforce_sorted=False)
            _, last = reader(packed)
            return torch.cat([last[0], last[1]], dim=1)

        def forward(self, side: Read, some: Ints) -> Any:
            query = self.state(self.query, [side.query[place] for place in some])
            reply = self.state(self.reply, [side.reply[place] for place in some])
            both = self.drop(torch.cat([query, reply], dim=1))
            return self.last(self.drop(torch.tanh(self.layer(both))))[:, 0]

    return Net()


def fitted(net: Any, learn: Read, check: Read, shape: BiRnn, seed: int) -> Any:
    """The network after the epoch whose loss on `check` is least, ready to be asked."""
    import torch

    weights = [weight for weight in net.parameters() if weight.requires_grad]
    adam = Adam(net.named_parameters())
    balance = (len(learn.label) / (2 * np.bincount(learn.label.astype(int)))).astype(np.float32)
    rng = np.random.default_rng(seed)
    best, least, waited = [w.detach().clone() for w in weights], np.inf, 0
    with step("epochs", shape.epochs) as tick:
        for epoch in range(shape.epochs):
            net.train()
            for some in parts(len(learn.label), shape.batch, rng):
                adam.forget()
                total, weight = loss(net, learn, some, balance)
                (total / weight).backward()
                adam.descend(shape.rate)
            tick(1)
            found = check_loss(net, check, shape.batch, balance)
            waited += 1
            if found < least:
                best, least, waited = [w.detach().clone() for w in weights], found, 0
            if waited >= shape.patience:
                tick(shape.epochs - epoch - 1)
                break
    with torch.no_grad():
        for weight, kept in zip(weights, best, strict=True):
            weight.copy_(kept)
    return net.eval()


def loss(net: Any, side: Read, some: Ints, balance: Floats32) -> tuple[Any, float]:
    """The sum of the pairs' cross-entropies, both labels counting alike, and of their weights."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits as entropy

    label = side.label[some]
    heavy = balance[label.astype(int)]
    told = torch.from_numpy(label), torch.from_numpy(heavy)
    return entropy(net(side, some), told[0], weight=told[1], reduction="sum"), float(heavy.sum())


def check_loss(net: Any, check: Read, batch: int, balance: Floats32) -> float:
    """The mean loss on pairs that are not learned from."""
    import torch

    net.eval()
    with torch.inference_mode():
        found = [loss(net, check, some, balance) for some in parts(len(check.label), batch)]
    return float(sum(float(total) for total, _ in found) / sum(weight for _, weight in found))


def parts(n: int, size: int, rng: np.random.Generator | None = None) -> list[Ints]:
    """All places in batches, in order or as they are drawn."""
    order = np.arange(n) if rng is None else rng.permutation(n)
    return [order[start : start + size] for start in range(0, n, size)]
