"""Train a trait model: ridge regression from what people wrote to what they answered.

The reported correlation is cross-validated over people, with nested selection: for each fold the
vocabulary, the scaling, the penalty and, with `search`, the configuration are chosen on the other
folds alone, by leave-one-out error. The model that is saved makes the same choices with everybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise, product
from math import ceil
from pathlib import Path

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.errors import DataError
from simpatico.features.ngram_model import MAX_ORDER, CorrelationFigure
from simpatico.training.fit.ridge import RidgeFit, centre_kernel, fit_ridge
from simpatico.training.traits import features
from simpatico.training.traits.data import People
from simpatico.training.traits.features import FeatureBlock, FeatureConfig, Scaling, TextFeatures
from simpatico.training.traits.folder import AboutTrait, NgramWeights, TraitReport, save_trait_model

FEWEST_PEOPLE, MOST_PEOPLE = 30, 10_000
"""The kernel of more people, which is quadratic in their number, would not fit into memory."""
SHARES = (0.01, 0.02, 0.05)
"""Shares of people who must use an n-gram, which a search tries; rarer ones name single people."""
DEFAULT_SHARE = 0.02
Z95 = 1.959963984540054
"""The 97.5% quantile of the normal distribution."""
RESAMPLES, RESAMPLES_AT_ONCE = 5_000, 250
"""Bootstrap samples, and how many of them are in memory together."""
DECIMALS = 6
"""Results are rounded so that the last bits of a linear algebra library cannot show."""


@dataclass(frozen=True)
class TraitSettings:
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
class SearchGrid:
    """The configurations among which training chooses: every combination of the three."""

    orders: tuple[tuple[int, ...], ...]
    minima: tuple[int, ...]
    scalings: tuple[Scaling, ...]

    @classmethod
    def of(cls, settings: TraitSettings, people: int) -> SearchGrid:
        """All that a search tries, or the one configuration of the settings."""
        orders = settings.orders
        if settings.search:
            minima = sorted({max(2, ceil(share * people)) for share in SHARES})
            prefixes = tuple(orders[: i + 1] for i in range(len(orders)))
            return cls(prefixes, tuple(minima), features.SCALINGS)
        minimum = settings.minimum_people or max(2, ceil(DEFAULT_SHARE * people))
        return cls((orders,), (minimum,), (settings.scaling,))


@dataclass(frozen=True)
class ConfigChoice:
    """The configuration with the least leave-one-out error, fitted."""

    config: FeatureConfig
    fit: RidgeFit
    kernel: Floats

    @property
    def predictions(self) -> Floats:
        """The predictions for everybody, in the training or not."""
        return np.asarray(self.fit.mean + self.kernel @ self.fit.dual)


def train_trait(
    people: People, out: Path, *, settings: TraitSettings, about: AboutTrait
) -> TraitReport:
    """Train, cross-validate over people, and write the model's folder."""
    check_trait_data(people, settings, about)
    grid = SearchGrid.of(settings, len(people))
    texts = TextFeatures.of(people, settings.topics)
    blocks = texts.blocks(grid.orders[-1], min(grid.minima))
    figures = []
    for seed in range(settings.seed, settings.seed + settings.repeats):
        predictions = cross_validated_predictions(
            blocks, people.target, grid, n=settings.folds, seed=seed
        )
        figures.append(correlation_figure(predictions, people.target, seed=seed))
    choice = choose_config(blocks, people.target, np.arange(len(people)), grid)
    weights = primal_weights(choice, blocks, texts)
    config, penalty = choice.config, choice.fit.relative_penalty
    size = len(people), len(people.texts), int(texts.word_counts.sum())
    counts = {n: len(terms) for n, terms in weights.ngrams.items()}
    by_length = correlation_figure(texts.word_counts, people.target, seed=settings.seed)
    report = TraitReport(config, penalty, *size, counts, figures, by_length)
    facts = {
        **asdict(settings),
        "grid": asdict(grid),
        "topics": texts.topics
        and {"file": Path(settings.topics or "").name, "sha256": texts.topics.sha256},
        "data": {"name": about.data, "sha256": people.sha256},
    }
    save_trait_model(out, weights, report, about=about, training=facts)
    return report


def check_trait_data(people: People, settings: TraitSettings, about: AboutTrait) -> None:
    """Refuse data that no model can be fitted to, and settings that make no sense."""
    n, orders = len(people), settings.orders
    if n < FEWEST_PEOPLE:
        raise DataError(f"{about.data}: {n} people; a trait model needs at least {FEWEST_PEOPLE}")
    if n > MOST_PEOPLE:
        raise DataError(f"{about.data}: {n:,} people; draw {MOST_PEOPLE:,} of them or fewer")
    if np.ptp(people.target) == 0:
        raise DataError(f"{about.data}: all {n} people have the same target; targets must differ")
    # strictly rising, from 1 to the longest
    if not orders or any(a >= b for a, b in pairwise((0, *orders, MAX_ORDER + 1))):
        raise DataError(f"orders {list(orders)}; give rising numbers from 1 to {MAX_ORDER}")
    if not 2 <= settings.folds <= n // 2:
        raise DataError(f"{settings.folds} folds of {n} people; give 2 to {n // 2}")
    counts = {"repeats": settings.repeats, "minimum_people": settings.minimum_people or 1}
    for name, count in counts.items():
        if count < 1:
            raise DataError(f"{name} is {count}; give 1 or more")
    if about.scale and not about.scale[0] < about.scale[1]:
        raise DataError(f"a scale from {about.scale[0]} to {about.scale[1]}; give the lower first")


def cross_validated_predictions(
    blocks: Sequence[FeatureBlock], target: Floats, grid: SearchGrid, *, n: int, seed: int
) -> Floats:
    """For everybody, the prediction of a model that was trained without their fold.

    Nested: configuration and penalty are chosen anew in each fold, as the choice is part of the
    training and would otherwise have seen the answers that it is tested on.
    """
    fold, predictions = assign_folds(len(target), n, seed), np.zeros(len(target))
    for part in range(n):
        choice = choose_config(blocks, target, np.flatnonzero(fold != part), grid)
        predictions[fold == part] = choice.predictions[fold == part]
    return predictions


def assign_folds(people: int, n: int, seed: int) -> Ints:
    """The fold of each person; all are of equal size, give or take one.

    By person, not by text: all that somebody wrote is in one fold.
    """
    return np.random.default_rng(seed).permutation(np.arange(people, dtype=np.int64) % n)


def choose_config(
    blocks: Sequence[FeatureBlock], target: Floats, rows: Ints, grid: SearchGrid
) -> ConfigChoice:
    """The best configuration and penalty for these rows, by leave-one-out error among them.

    Ridge regression has that error in closed form, without refitting (Allen 1974, PRESS).
    """
    best: ConfigChoice | None = None
    for minimum, scaling in product(grid.minima, grid.scalings):
        products, orders = np.zeros((blocks[0].values.shape[0], len(rows))), tuple[int, ...]()
        # inner products add up over blocks, so that each order is multiplied out once
        for block in blocks:
            products = products + block.products(rows, FeatureConfig(orders, minimum, scaling))
            orders += (block.order,) if block.order else ()
            kernel = centre_kernel(products, rows) if orders in grid.orders else None
            if kernel is not None and np.trace(kernel[rows]) > 0:
                fit = fit_ridge(kernel[rows], target[rows])
                if best is None or fit.error < best.fit.error:
                    best = ConfigChoice(FeatureConfig(orders, minimum, scaling), fit, kernel)
    if best is None:
        raise DataError(
            f"no n-gram is used by {min(grid.minima)} of {len(rows)} people, or by all alike; "
            "lower the minimum or add text"
        )
    return best


def primal_weights(
    choice: ConfigChoice, blocks: Sequence[FeatureBlock], texts: TextFeatures
) -> NgramWeights:
    """The regression as one weight per n-gram; topics become weights of their words."""
    config, dual = choice.config, choice.fit.dual
    rows, intercept = np.arange(len(dual)), choice.fit.mean
    # with X centred, y = mean + (x − x̄)'β: the intercept of raw x is mean − x̄'β
    ngrams: dict[int, dict[tuple[str, ...], float]] = {n: {} for n in config.orders}
    for block in blocks:
        if block.order in (features.TOPICS, *config.orders):
            weights, mean = block.weights(rows, config, dual)
            intercept -= mean
            for order, term, weight in texts.ngram_weights(block, weights):
                terms = ngrams.setdefault(order, {})
                terms[term] = terms.get(term, 0.0) + weight
    return NgramWeights(intercept, dict(sorted(ngrams.items())))


def correlation_figure(predictions: Floats, answers: Floats, *, seed: int = 0) -> CorrelationFigure:
    """Pearson's r with two 95% CIs, Fisher's and the bootstrap over people; null if undefined.

    Fisher: tanh(artanh r ± 1.96 / √(n − 3)).
    """
    n, r = len(answers), float(row_correlations(predictions, answers))
    # a model that gives everybody the mean has no correlation, which is not one of 0
    if not np.isfinite(r):
        return CorrelationFigure(None, n, None, None, None, None, seed)
    reach = Z95 / np.sqrt(n - 3)
    z = np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12))
    # NumPy's own generator, not `stats.draws`: other draws would move the published intervals
    rng, resamples = np.random.default_rng(0), []
    for _ in range(RESAMPLES // RESAMPLES_AT_ONCE):
        rows = rng.integers(0, n, (RESAMPLES_AT_ONCE, n))
        resamples.append(row_correlations(predictions[rows], answers[rows]))
    percentiles = np.nanpercentile(np.concatenate(resamples), [2.5, 97.5])
    bounds = [*np.tanh([z - reach, z + reach]), *percentiles]
    low, high, bootstrap_low, bootstrap_high = (round(float(b), DECIMALS) for b in bounds)
    return CorrelationFigure(round(r, DECIMALS), n, low, high, bootstrap_low, bootstrap_high, seed)


def row_correlations(a: Floats, b: Floats) -> Floats:
    """Pearson's r of each pair of rows; NaN where one of them does not vary."""
    a = a - a.mean(axis=-1, keepdims=True)
    b = b - b.mean(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(
            (a * b).sum(axis=-1) / np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
        )
