"""Relative frequencies of n-grams and topics per person, and the kernels made of them.

There are far more n-grams than people, so that ridge regression is solved in its dual form, with
the kernel K = X S² X' of people instead of the covariances of features. Schwartz et al. (2013) call
this differential language analysis; DLATK is their implementation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from scipy import sparse

from simpatico.arrays import Floats, Ints
from simpatico.errors import DataError, MissingResource
from simpatico.features.lexicon_files import lexicon_rows
from simpatico.features.words import WORD, WordTable, cut_words, normalise_texts
from simpatico.training.traits.data import People

Scaling = Literal["raw", "sqrt", "std"]
"""Frequencies as they are, divided by the root of their mean, or by their SD."""

SCALINGS: tuple[Scaling, ...] = ("raw", "sqrt", "std")
TOPIC_TABLE = "fb2000_cp"
"""The 2,000 Facebook topics (conditional probabilities) in DLATK's distribution."""
SLICE = 2_048
"""Columns that are dense at a time: with 10,000 people 160 MB of doubles."""
TOPICS = 0
"""The order of a block of topics, which is no block of n-grams."""


class FeatureConfig(NamedTuple):
    """One way to make features: orders of n-grams, the fewest users of one, and the scaling."""

    orders: tuple[int, ...]
    minimum: int
    scaling: Scaling


@dataclass(frozen=True)
class FeatureBlock:
    """Features of one kind: `values` has a row per person, `terms` the words of each column.

    All methods take the rows to look at, so that nothing of a test fold has any influence.
    """

    order: int
    terms: Ints
    values: Any

    def squares(self, rows: Ints, config: FeatureConfig) -> Floats:
        """The squared scaling factor of each feature; 0 where too few of these people use it.

        With `std` that is 1 / variance; with `sqrt`, 1 / mean, as for counts, whose variance is
        about their mean.
        """
        part = self.values[rows]
        frequent = np.bincount(part.indices, minlength=part.shape[1]) >= config.minimum
        if config.scaling == "raw":
            return frequent.astype(np.float64)
        mean = np.asarray(part.mean(axis=0)).ravel()
        square = np.asarray(part.multiply(part).mean(axis=0)).ravel()
        variance = mean if config.scaling == "sqrt" else np.maximum(square - mean**2, 0.0)
        if self.order == TOPICS and frequent.any():
            # a topic nobody dwells on must not outweigh all others the first time somebody does
            variance = np.maximum(variance, np.median(variance[frequent]))
        positive = frequent & (variance > 0)
        squares = np.zeros_like(variance)
        np.divide(1.0, variance, out=squares, where=positive)
        return squares

    def products(self, rows: Ints, config: FeatureConfig) -> Floats:
        """Inner products of all people with those of `rows`, features scaled by what these use."""
        factor = np.sqrt(self.squares(rows, config))
        features, total = np.flatnonzero(factor), np.zeros((self.values.shape[0], len(rows)))
        columns = self.values.tocsc()
        # dense, a slice at a time: frequent words make sparse products several times as slow
        for low in range(0, len(features), SLICE):
            part = features[low : low + SLICE]
            dense = columns[:, part].toarray() * factor[part]
            total += dense @ dense[rows].T
        return total

    def weights(self, rows: Ints, config: FeatureConfig, dual: Floats) -> tuple[Floats, float]:
        """The weight of each feature in a dual solution, and what they give the mean person.

        With K = X X' the primal weights are β = X'α; scaling features by s makes that s² X'α.
        """
        part = self.values[rows]
        weights = self.squares(rows, config) * (part.T @ dual)
        return weights, float(np.asarray(part.mean(axis=0)).ravel() @ weights)


@dataclass(frozen=True)
class Topics:
    """How strongly each word belongs to each topic, one row per word."""

    words: list[str]
    loadings: Any
    sha256: str


@dataclass(frozen=True)
class TextFeatures:
    """What people wrote, as words, and the topics these words belong to."""

    table: WordTable
    owner: Ints
    topics: Topics | None

    @classmethod
    def of(cls, people: People, topics: str | None = None) -> TextFeatures:
        return cls(
            cut_words(people.texts), people.owner, read_topics(Path(topics)) if topics else None
        )

    @property
    def word_counts(self) -> Floats:
        """How many words each person wrote."""
        return np.bincount(self.owner, self.table.counts).astype(np.float64)

    def blocks(self, orders: tuple[int, ...], minimum: int) -> list[FeatureBlock]:
        """Topics first, if there are any, then n-grams by order."""
        topics = [self.topic_block(self.topics)] if self.topics else []
        return [*topics, *self.ngram_blocks(orders, minimum)]

    def ngram_blocks(self, orders: tuple[int, ...], minimum: int) -> Iterator[FeatureBlock]:
        """One block per order, of the n-grams that at least `minimum` people use.

        An n-gram cannot have more users than its beginning, so each order starts from what is left
        of the one before.
        """
        people, base = int(self.owner.max()) + 1, len(self.table.vocabulary)
        turn = np.repeat(np.arange(len(self.table.counts)), self.table.counts)
        codes = self.table.codes.astype(np.int64)
        start, ids = np.arange(len(codes)), np.zeros(len(codes), np.int64)
        terms = np.zeros((1, 0), np.int64)
        for order in range(1, max(orders) + 1):
            inside = start + order - 1 < len(codes)
            inside[inside] = turn[start[inside]] == turn[start[inside] + order - 1]
            start, ids = start[inside], ids[inside]
            # an n-gram is its beginning, numbered before, and one more word: one integer for both
            pairs, ids = np.unique(ids * base + codes[start + order - 1], return_inverse=True)
            terms = np.column_stack([terms[pairs // base], pairs % base])
            cells = (self.owner[turn[start]], ids)
            counts = sparse.csr_matrix((np.ones(len(ids)), cells), shape=(people, len(pairs)))
            mask = np.bincount(counts.indices, minlength=len(pairs)) >= minimum
            start, ids = start[mask[ids]], (np.cumsum(mask) - 1)[ids[mask[ids]]]
            terms = terms[mask]
            if order in orders:
                yield FeatureBlock(order, terms, self.frequencies(counts[:, mask], order))

    def topic_block(self, topics: Topics) -> FeatureBlock:
        """Per person and topic, the sum over words of loading times relative frequency."""
        index = {word: i for i, word in enumerate(topics.words)}
        rows = np.array([index.get(word, -1) for word in self.table.vocabulary], np.int64)
        rows, person = rows[self.table.codes], np.repeat(self.owner, self.table.counts)
        mask = rows >= 0
        shape = (int(self.owner.max()) + 1, len(index))
        counts = sparse.csr_matrix((np.ones(mask.sum()), (person[mask], rows[mask])), shape=shape)
        values = sparse.csr_matrix(self.frequencies(counts, 1) @ topics.loadings)
        return FeatureBlock(TOPICS, np.zeros((values.shape[1], 0), np.int64), values)

    def frequencies(self, counts: Any, order: int) -> Any:
        """Counts divided by how many n-grams of that order each person wrote."""
        totals = np.bincount(self.owner, np.maximum(self.table.counts - order + 1, 0))
        return sparse.csr_matrix(sparse.diags(1 / np.maximum(totals, 1)) @ counts)

    def ngram_weights(
        self, block: FeatureBlock, weights: Floats
    ) -> Iterator[tuple[int, tuple[str, ...], float]]:
        """Order, words and weight of each n-gram; a topic's weight is handed on to its words.

        A topic is a weighted sum of word frequencies, so that this is exact: the saved model needs
        no topics.
        """
        if block.order == TOPICS and self.topics:
            for word, weight in zip(self.topics.words, self.topics.loadings @ weights, strict=True):
                yield 1, (word,), float(weight)
            return
        vocabulary = self.table.vocabulary.to_list()
        for column in np.flatnonzero(weights):
            term = tuple(vocabulary[code] for code in block.terms[column])
            yield block.order, term, float(weights[column])


def read_topics(path: Path) -> Topics:
    """A table `term, category, weight`, or the topics in DLATK's SQLite file.

    Terms are normalised as texts are; what then is no single word cannot occur and is left out.
    """
    if not path.is_file():
        raise MissingResource(f"no file {str(path)!r}; give a table term,category,weight of topics")
    schema = ["term", "category", "weight"]
    rows = pl.DataFrame(list(lexicon_rows(path, TOPIC_TABLE)), schema=schema, orient="row")
    rows = rows.with_columns(term=normalise_texts(rows["term"])).filter(
        pl.col("term").str.contains(rf"^(?:{WORD})$")
    )
    if rows.is_empty():
        raise DataError(f"{path}: no topic has a word; give a table term,category,weight of topics")
    terms, names = sorted(rows["term"].unique()), sorted(rows["category"].unique())
    at = [
        rows[column].replace_strict({v: i for i, v in enumerate(values)}, return_dtype=pl.Int64)
        for column, values in (("term", terms), ("category", names))
    ]
    shape = (len(terms), len(names))
    loadings = sparse.csr_matrix((rows["weight"].to_numpy(), (at[0], at[1])), shape=shape)
    with path.open("rb") as file:
        return Topics(terms, loadings, hashlib.file_digest(file, "sha256").hexdigest())
