"""The neural baseline of the engagement paper: two recurrent networks over static word vectors.

One GRU reads the query and one the reply, each in both directions. Their last states are
concatenated and go through a layer with tanh to the logit of label 1. The word vectors are frozen,
and words without one are left out.
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
from simpatico.features.word_vectors import GLOVE, WordVectors, load_word_vectors
from simpatico.features.words import cut_words
from simpatico.models.names import find_model
from simpatico.progress import track
from simpatico.training.finetune import isolated_torch
from simpatico.training.fit.early_stopping import EarlyStopping

Pairs = tuple[Sequence[str], Sequence[str], npt.ArrayLike]
"""Queries, replies and labels, 0 or 1."""


@dataclass(frozen=True)
class BiRnn:
    """Architecture and hyperparameters.

    The dropout is the paper's. Its learning rate of 1e-5 takes hundreds of epochs over vectors of
    50 dimensions, so ours is larger, with early stopping.
    """

    cell: Literal["gru", "rnn"] = "gru"
    hidden: int = 64
    dropout: float = 0.8
    rate: float = 1e-3
    batch: int = 128
    epochs: int = 12
    patience: int = 2
    """Epochs without a lower validation loss after which it ends."""
    longest: int = 60
    """Words of a text that are read."""

    def __post_init__(self) -> None:
        if self.cell not in ("gru", "rnn"):
            raise BadValue(f"cell {self.cell!r}; there are gru and rnn")
        if not 0 <= self.dropout < 1:
            raise BadValue(f"dropout is {self.dropout}; it is a share, at least 0 and below 1")


DEFAULT = BiRnn()


def predict_by_birnn(
    train: Pairs,
    validation: Pairs,
    test: Pairs,
    *,
    vectors: str = GLOVE,
    shape: BiRnn = DEFAULT,
    seed: int = 0,
) -> Floats:
    """The probability of label 1 for each pair of `test`, whose labels are not looked at."""
    try:
        import torch
    except ImportError:
        raise MissingResource(
            "the recurrent baseline needs the package torch; pip install 'simpatico[torch]'"
        ) from None
    table = load_word_vectors(find_model(vectors))
    train_words, validation_words, test_words = (
        look_up_words(pairs, table, shape.longest) for pairs in (train, validation, test)
    )
    for what, words in (("training", train_words), ("validation", validation_words)):
        labels = np.unique(words.label)
        if labels.tolist() != [0.0, 1.0]:
            values = ", ".join(f"{value:g}" for value in labels[:5])
            raise DataError(f"{what} labels: {values or 'none'}; both 0 and 1 are needed")
    if not test_words.query:
        return np.zeros(0)
    with isolated_torch():
        torch.manual_seed(seed)
        net = build_network(table.numbers, shape)
        train_network(net, train_words, validation_words, shape, seed)
        batches = batch_indices(len(test_words.query), shape.batch)
        with torch.inference_mode():
            logits = [net(test_words, rows) for rows in batches]
            return np.asarray(torch.cat(logits).double().sigmoid().numpy())


class WordPairs(NamedTuple):
    """Pairs of texts as the rows of their words' vectors, and the labels."""

    query: list[Ints]
    reply: list[Ints]
    label: Floats32


def look_up_words(pairs: Pairs, table: WordVectors, longest: int) -> WordPairs:
    """The pairs with their words looked up."""
    query, reply, label = pairs[0], pairs[1], np.asarray(pairs[2], np.float32)
    if not len(query) == len(reply) == len(label):
        raise DataError(
            f"{len(query)} queries, {len(reply)} replies and {len(label)} labels; "
            "each pair needs one of each"
        )
    return WordPairs(word_rows(query, table, longest), word_rows(reply, table, longest), label)


def word_rows(texts: Sequence[str], table: WordVectors, longest: int) -> list[Ints]:
    """The rows of each text's word vectors, counted from 1; 0 for a text without any."""
    tokens = cut_words(pl.Series("text", list(texts), pl.String))
    # row 0 of the network's table is padding, so that words count from 1
    rows = [[row + 1 for row in table.rows(word)] for word in tokens.vocabulary]
    lines = []
    for start, end in pairwise(tokens.ends.tolist()):
        line = [row for code in tokens.codes[start:end] for row in rows[code]]
        lines.append(np.array(line[:longest] or [0], np.int64))
    return lines


def build_network(numbers: Floats32, shape: BiRnn) -> Any:
    """The untrained network; row 0 of its table is a vector of zeros.

    The class is defined in here since torch is imported by those alone who train it.
    """
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
            ids = pad_sequence([torch.from_numpy(line) for line in lines], batch_first=True)
            sizes = torch.tensor([len(line) for line in lines])
            vectors = nn.functional.embedding(ids, self.words)
            # packed, so that the state after the last word does not see the padding
            words = pack_padded_sequence(vectors, sizes, batch_first=True, enforce_sorted=False)
            _, last = reader(words)
            return torch.cat([last[0], last[1]], dim=1)

        def forward(self, pairs: WordPairs, rows: Ints) -> Any:
            query = self.state(self.query, [pairs.query[row] for row in rows])
            reply = self.state(self.reply, [pairs.reply[row] for row in rows])
            both = self.drop(torch.cat([query, reply], dim=1))
            return self.last(self.drop(torch.tanh(self.layer(both))))[:, 0]

    return Net()


def train_network(
    net: Any, train: WordPairs, validation: WordPairs, shape: BiRnn, seed: int
) -> None:
    """Leave the network with the weights of least validation loss, in evaluation mode.

    Both labels weigh the same in the loss, n / 2n_k each, as in the other classifiers here.
    """
    import torch

    weights = [weight for weight in net.parameters() if weight.requires_grad]
    adam = torch.optim.AdamW(weights, lr=shape.rate, weight_decay=0.0, foreach=False)
    balance = (len(train.label) / (2 * np.bincount(train.label.astype(int)))).astype(np.float32)
    # numpy's own generator, so that batches do not depend on what else draws from torch's
    rng = np.random.default_rng(seed)

    def run_epoch() -> None:
        net.train()
        for rows in batch_indices(len(train.label), shape.batch, rng):
            adam.zero_grad()
            total, weight = batch_loss(net, train, rows, balance)
            (total / weight).backward()
            adam.step()

    def validation_loss() -> float:
        net.eval()
        batches = batch_indices(len(validation.label), shape.batch)
        with torch.inference_mode():
            losses = [batch_loss(net, validation, rows, balance) for rows in batches]
        return float(sum(float(total) for total, _ in losses) / sum(weight for _, weight in losses))

    arrays = [weight.detach().numpy() for weight in weights]  # views: they share the memory
    with track("epochs", shape.epochs) as tick:
        stopping = EarlyStopping(shape.epochs, shape.patience)
        stopping.train(arrays, run_epoch, validation_loss, tick=tick)
    net.eval()


def batch_loss(net: Any, pairs: WordPairs, rows: Ints, balance: Floats32) -> tuple[Any, float]:
    """The sum of the pairs' cross-entropies, both labels counting alike, and of their weights."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

    label = pairs.label[rows]
    weight = balance[label.astype(int)]
    loss = cross_entropy(
        net(pairs, rows), torch.from_numpy(label), weight=torch.from_numpy(weight), reduction="sum"
    )
    return loss, float(weight.sum())


def batch_indices(n: int, size: int, rng: np.random.Generator | None = None) -> list[Ints]:
    """All rows in batches, in order or shuffled."""
    order = np.arange(n) if rng is None else rng.permutation(n)
    return [order[start : start + size] for start in range(0, n, size)]
