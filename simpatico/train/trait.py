"""Train a trait model: ridge regression from what people wrote to what they answered.

The figure that is reported comes from people held out: in each fold the vocabulary, the scaling,
the penalty and, with `search`, the configuration are chosen from the other folds alone, by
leave-one-out error. The model that is saved makes the same choices with everybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.errors import DataError
from simpatico.features.ngrams import LONGEST, Figure
from simpatico.features.words import WordTable, words
from simpatico.train.heldout import figure, folds
from simpatico.train.people import People
from simpatico.train.ridge import Fit, centred, fit
from simpatico.train.trait_features import (
    SCALINGS,
    TOPICS,
    Block,
    Scaling,
    Topics,
    ngram_blocks,
    read_topics,
    topic_block,
)
from simpatico.train.trait_folder import About, Trained, save

Matrix = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

FEWEST_PEOPLE, MOST_PEOPLE = 30, 10_000
SHARES = (0.01, 0.02, 0.05)
"""Shares of people who must use an n-gram, which a search tries."""

USUAL_SHARE = 0.02


@dataclass(frozen=True)
class Training:
    """How to train; `minimum_people` is 2% of the people when not given."""

    orders: tuple[int, ...] = (1, 2, 3)
    minimum_people: int | None = None
    scaling: Scaling = "sqrt"
    search: bool = False
    seed: int = 0
    folds: int = 10
    repeats: int = 1
    topics: str | None = None


class Config(NamedTuple):
    """One way to make features."""

    orders: tuple[int, ...]
    minimum: int
    scaling: Scaling


@dataclass(frozen=True)
class Plan:
    """The configurations among which training chooses."""

    orders: tuple[tuple[int, ...], ...]
    minima: tuple[int, ...]
    scalings: tuple[Scaling, ...]

    @classmethod
    def of(cls, training: Training, people: int) -> Plan:
        """All that a search tries, or the one that is asked for."""
        orders = training.orders
        if training.search:
            minima = sorted({max(2, ceil(share * people)) for share in SHARES})
            prefixes = tuple(orders[: i + 1] for i in range(len(orders)))
            return cls(prefixes, tuple(minima), SCALINGS)
        minimum = training.minimum_people or max(2, ceil(USUAL_SHARE * people))
        return cls((orders,), (minimum,), (training.scaling,))


@dataclass(frozen=True)
class Choice:
    """The configuration with the least leave-one-out error, fitted."""

    config: Config
    fit: Fit
    kernel: Matrix

    @property
    def guesses(self) -> Matrix:
        """What the fit says of everybody, in the training or not."""
        return np.asarray(self.fit.mean + self.kernel @ self.fit.dual)


@dataclass(frozen=True)
class Report:
    """What came out, for people."""

    config: Config
    penalty: float
    people: int
    features: dict[int, int]
    heldout: list[Figure]
    word_count: Figure


def train_trait(people: People, out: Path, *, training: Training, about: About) -> Report:
    """Train, estimate on people held out, and write the model's folder."""
    check(people, training, about)
    table, topics = words(people.texts), None
    plan = Plan.of(training, len(people))
    if training.topics:
        topics = read_topics(Path(training.topics))
    blocks = made(table, people, plan, topics)
    seeds = range(training.seed, training.seed + training.repeats)
    figures = [
        figure(heldout(blocks, people.target, plan, training.folds, seed), people.target, seed=seed)
        for seed in seeds
    ]
    written = np.bincount(people.owner, table.counts).astype(np.float64)
    model = folded(blocks, people, chosen(blocks, people.target, everybody(people), plan))
    trained = model.spelled(table.vocabulary, topics)
    report = Report(
        model.config,
        model.relative,
        len(people),
        {n: len(weights) for n, (_, weights) in trained.items()},
        figures,
        figure(written, people.target, seed=training.seed),
    )
    save(out, Trained(model.intercept, trained), recipe(people, training, plan, report, topics), about)
    return report
