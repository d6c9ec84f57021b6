"""Train a trait model: ridge regression from what people wrote to what they answered.

The figure that is reported comes from people held out: in each fold the vocabulary, the scaling,
the penalty and, with `search`, the configuration are chosen from the other folds alone, by
leave-one-out error. The model that is saved makes the same choices with everybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from math import ceil
from pathlib import Path

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.errors import DataError
from simpatico.features.ngram_model import LONGEST
from simpatico.training.fit.ridge import Fit, centred, fit
from simpatico.training.traits.data import People
from simpatico.training.traits.features import SCALINGS, TOPICS, Block, Config, Scaling, Texts
from simpatico.training.traits.folder import AboutTrait, Report, Weights, save_trait_model
from simpatico.training.traits.heldout import figure, folds

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
    kernel: Floats

    @property
    def guesses(self) -> Floats:
        """What the fit says of everybody, in the training or not."""
        return np.asarray(self.fit.mean + self.kernel @ self.fit.dual)


def train_trait(people: People, out: Path, *, training: Training, about: AboutTrait) -> Report:
    """Train, estimate on people held out, and write the model's folder."""
    check(people, training, about)
    plan = Plan.of(training, len(people))
    texts = Texts.of(people, training.topics)
    blocks = texts.blocks(plan.orders[-1], min(plan.minima))
    seeds = range(training.seed, training.seed + training.repeats)
    figures = [
        figure(
            heldout(blocks, people.target, plan, n=training.folds, seed=s), people.target, seed=s
        )
        for s in seeds
    ]
    choice = chosen(blocks, people.target, np.arange(len(people)), plan)
    weights = folded(choice, blocks, texts)
    report = Report(
        choice.config,
        choice.fit.relative,
        len(people),
        len(people.texts),
        int(texts.written.sum()),
        {n: len(terms) for n, terms in weights.ngrams.items()},
        figures,
        figure(texts.written, people.target, seed=training.seed),
    )
    facts = {
        **asdict(training),
        "grid": asdict(plan),
        "topics": texts.topics
        and {"file": Path(training.topics or "").name, "sha256": texts.topics.sha256},
        "data": {"name": about.data, "sha256": people.sha256},
    }
    save_trait_model(out, weights, report, about=about, training=facts)
    return report


def check(people: People, training: Training, about: AboutTrait) -> None:
    """Refuse what nothing could be learned from, or what makes no sense."""
    n, orders = len(people), training.orders
    if n < FEWEST_PEOPLE:
        raise DataError(f"{about.data}: {n} people; a trait model needs at least {FEWEST_PEOPLE}")
    if n > MOST_PEOPLE:
        raise DataError(f"{about.data}: {n:,} people; draw {MOST_PEOPLE:,} of them or fewer")
    if np.ptp(people.target) == 0:
        raise DataError(f"{about.data}: all {n} people have the same target; nothing to learn")
    if (
        not orders
        or orders != tuple(sorted(set(orders)))
        or not 1 <= orders[0] <= orders[-1] <= LONGEST
    ):
        raise DataError(f"orders {list(orders)}; give rising numbers from 1 to {LONGEST}")
    if not 2 <= training.folds <= n // 2:
        raise DataError(f"{training.folds} folds of {n} people; give 2 to {n // 2}")
    if training.repeats < 1 or (training.minimum_people or 1) < 1:
        raise DataError("repeats and minimum people are numbers from 1")
    if about.scale and not about.scale[0] < about.scale[1]:
        raise DataError(
            f"a scale from {about.scale[0]} to {about.scale[1]}; give the lower end first"
        )


def heldout(blocks: Sequence[Block], target: Floats, plan: Plan, *, n: int, seed: int) -> Floats:
    """For everybody, the guess of a model that was trained without their fold."""
    fold, guesses = folds(len(target), n, seed), np.zeros(len(target))
    for part in range(n):
        choice = chosen(blocks, target, np.flatnonzero(fold != part), plan)
        guesses[fold == part] = choice.guesses[fold == part]
    return guesses


def chosen(blocks: Sequence[Block], target: Floats, rows: Ints, plan: Plan) -> Choice:
    """The best configuration and penalty for these rows, by leave-one-out error among them."""
    best: Choice | None = None
    for config, products in candidates(blocks, rows, plan):
        kernel = centred(products, rows)
        if np.trace(kernel[rows]) > 0:
            found = fit(kernel[rows], target[rows])
            if best is None or found.error < best.fit.error:
                best = Choice(config, found, kernel)
    if best is None:
        raise DataError(
            f"no n-gram is used by {min(plan.minima)} of {len(rows)} people, or all write alike; "
            "lower the minimum or add text"
        )
    return best


def candidates(blocks: Sequence[Block], rows: Ints, plan: Plan) -> Iterator[tuple[Config, Floats]]:
    """Every configuration with the inner products of its features, one order added at a time."""
    for minimum, scaling in product(plan.minima, plan.scalings):
        products, orders = np.zeros((blocks[0].values.shape[0], len(rows))), tuple[int, ...]()
        for block in blocks:
            products = products + block.products(rows, Config(orders, minimum, scaling))
            orders += (block.order,) if block.order else ()
            if orders in plan.orders:
                yield Config(orders, minimum, scaling), products


def folded(choice: Choice, blocks: Sequence[Block], texts: Texts) -> Weights:
    """The regression as one weight per n-gram; topics become weights of their words."""
    config, dual = choice.config, choice.fit.dual
    rows, intercept = np.arange(len(dual)), choice.fit.mean
    ngrams: dict[int, dict[tuple[str, ...], float]] = {n: {} for n in config.orders}
    for block in blocks:
        if block.order in (TOPICS, *config.orders):
            weights, mean = block.weights(rows, config, dual)
            intercept -= mean
            for order, term, weight in texts.spelled(block, weights):
                terms = ngrams.setdefault(order, {})
                terms[term] = terms.get(term, 0.0) + weight
    return Weights(intercept, dict(sorted(ngrams.items())))
