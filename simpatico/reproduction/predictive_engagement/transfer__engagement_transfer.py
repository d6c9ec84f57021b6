"""The transfer step: an evaluator goes on learning from 300 labelled DailyDialog pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from simpatico.features.embeddings import MINILM
from simpatico.features.heads.folder import load_heads, trained
from simpatico.features.heads.head import Head
from simpatico.reproduction import Cell
from simpatico.reproduction.predictive_engagement.classifiers import AREA, BALANCED, HEADS
from simpatico.reproduction.predictive_engagement.counts import NAMES
from simpatico.reproduction.predictive_engagement.data import labelled_as
from simpatico.stats.classification__measures import Run, measured
from simpatico.training.engagement.baselines import plainly, run
from simpatico.training.engagement.data import Reading
from simpatico.training.engagement.exchanges import Exchanges, split
from simpatico.training.engagement.heads import Encoded, guessed, learned
from simpatico.training.engagement.train import (
    ENGAGING,
    SHAPES,
    TRANSFER_EPOCHS,
    PooledBy,
    batch,
    examples,
    learning_on,
)
from simpatico.training.heads.train import Form

TABLE = "Transfer: telling labelled DailyDialog pairs, "
SHIPPED, SCRATCH = "shipped evaluator", "no evaluator, from scratch"
BEFORE, AFTER = "before", "after"
SHARES = (0.8, 0.2)
"""Of the pairs to learn from, what is learned from and what decides when to stop."""


class Base(NamedTuple):
    """A trained head, and how texts are pooled for it."""

    head: Head
    encoder: str
    pooling: PooledBy


class Target(NamedTuple):
    """Labelled pairs to go on learning from and to test on; `dropped` are among the rated pairs."""

    learn: Exchanges
    test: Exchanges
    dropped: int


def target(learn: pl.DataFrame, test: pl.DataFrame, dropped: int) -> Target:
    return Target(labelled_as(learn, "learn"), labelled_as(test, "test"), dropped)


def bases(heads: Mapping[Reading, Head]) -> dict[str, Base]:
    """The evaluator that is shipped, if there is one, and those just trained on ConvAI."""
    pooling = HEADS["our head"][1]
    found = {f"ConvAI, {NAMES[r]}": Base(head, MINILM, pooling) for r, head in heads.items()}
    if not trained("engagement"):
        return found
    folder = load_heads("engagement", "engagement")
    told = folder.recipe.heads[ENGAGING]
    if told.pooling not in ("mean", "max"):
        return found
    how: PooledBy = "mean" if told.pooling == "mean" else "max"
    return {SHIPPED: Base(folder.heads[ENGAGING], told.encoder, how), **found}


def transfer_cells(given: Target, heads: Mapping[Reading, Head], seeds: int) -> Iterator[Cell]:
    """How well each evaluator tells the test pairs before and after, and what length tells."""
    for name, base in bases(heads).items():
        known = vectors(given, base.encoder, base.pooling)
        guess = guessed(base.head, known, given.test)
        yield from figures(name, BEFORE, [run(guess, guess > 0, given.test)], given)
        rounds = [tuned(given, known, base.head, seed) for seed in range(seeds)]
        yield from figures(name, AFTER, rounds, given)
    known = vectors(given, MINILM, "mean")
    rounds = [tuned(given, known, None, seed) for seed in range(seeds)]
    yield from figures(SCRATCH, AFTER, rounds, given)
    for name, found in plainly(given.learn, given.test).items():
        yield from figures(name, AFTER, [found], given)


def vectors(given: Target, encoder: str, pooling: PooledBy) -> Encoded:
    return Encoded.of([given.learn, given.test], Form(encoder, pooling, SHAPES["best", pooling]))


def tuned(given: Target, known: Encoded, base: Head | None, seed: int) -> Run:
    """What a head guesses of the test pairs once it has learned from the others."""
    learn, check = (examples(s, known.place) for s in split(given.learn, SHARES, seed=seed))
    shape = SHAPES["best", "mean"] if base is None else learning_on(base)
    shape = replace(shape, epochs=TRANSFER_EPOCHS, batch=batch(len(learn.label)))
    head = learned(shape, known, learn, check, seed=seed, base=base)
    guess = guessed(head, known, given.test)
    return run(guess, guess > 0, given.test)


def figures(name: str, when: str, runs: list[Run], given: Target) -> Iterator[Cell]:
    """Balanced accuracy and area on the test pairs."""
    told = measured(name, runs)
    n = len(given.test)
    note = (
        f"0 of {n} not scored; learned from {len(given.learn)} pairs; {given.dropped} of the "
        f"published 300 left out, as their query or reply is among the rated pairs; "
        f"mean of {len(runs)} {'seed' if len(runs) == 1 else 'seeds'}"
    )
    for column, value in ((BALANCED, told.balanced), (AREA, told.auc)):
        yield Cell(f"{TABLE}{column}", when, name, None, *value, n, note)
