"""Fit `predicted_rating` to rated sets: ridge regression on standardised columns.

A source of n units weighs sqrt(n), so that none decides alone, and sets are centred, so that only
differences within a set count. Whole sources are left out in turn: the model of the others predicts
the ratings of each. A single source is cut into five parts by prompt or dialog, which take the
place of sources. The penalty is chosen in the same way among the sources that are not left out, so
that no rating has a say in the choice it is predicted with (nested cross-validation).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
from scipy.optimize import lsq_linear

from simpatico.arrays import Floats, Ints
from simpatico.errors import BadValue, DataError
from simpatico.features import closure, features_for_texts
from simpatico.features.chat_words import load_chat_words
from simpatico.features.rating_model import (
    CARD,
    CLIP,
    RECIPE,
    SCHEMA,
    Column,
    RatingEvaluation,
    RatingRecipe,
    neural_features,
)
from simpatico.features.replies import PARTS, NeuralColumns, column_names, reply_columns
from simpatico.models.names import find_model
from simpatico.stats.correlation import correlation
from simpatico.stats.correlation_bootstrap import bootstrap_correlation
from simpatico.stats.partial_correlation import partial_correlations
from simpatico.training.card import About, ModelCard
from simpatico.training.model_folder import check_writable, encode_json, write_model_folder
from simpatico.training.rating.data import RatedSet
from simpatico.wording import format_interval, format_number

RAISES = (
    *("cosine", "cosine_context", "cosine_best", "relevance"),
    *("overlap_reply", "overlap_any", "overlap_earlier"),
    *("association", "content_words", "exclamation", "sentiment_match"),
)
LOWERS = (
    *("copied", "repeated_words", "repeated_pairs", "repeated_trigrams", "near_copy"),
    *("short", "long"),
)
"""Columns that can only raise a rating, and those that can only lower it: what the training data
show to the contrary is chance or a habit of one data set."""
TINY, ZERO = 1e-12, 1e-9
"""An upper bound of 0, which must be above a lower one; a weight that counts as 0."""
FOLDS = 5
"""Parts that a single source is cut into."""
PENALTIES = (1.0, 3.0, 10.0, 30.0, 100.0)
DEFAULT_PENALTY = 3.0
"""Where there are too few prompts or dialogs to choose by: on twelve public sets of rated replies
it gave the best mean rho of all `PENALTIES`."""
NAME, WORDS = "predicted_rating", "log words"
"""The prediction in tables, and the baseline of the number of words."""


@dataclass(frozen=True)
class RatingSettings:
    """Over which encoder's vectors to train; none gives a model that runs without any."""

    encoder: str = ""
    penalty: float | None = None
    """Of the squared weights; null for the one of `PENALTIES` that predicts sources left out
    best."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.penalty is not None and not 0 < self.penalty < float("inf"):
            raise BadValue(f"penalty is {self.penalty}; give a number above 0")


@dataclass(frozen=True, eq=False)
class Examples:
    """Columns of the units of one set, standardised and clipped, and their ratings."""

    source: RatedSet
    group: str
    x: Floats
    length: Floats
    """The mean over the replies of a unit of log(1 + words)."""

    @property
    def y(self) -> Floats:
        return self.source.rating

    def take(self, rows: Ints, group: str) -> Examples:
        """Some units, as a set of their own."""
        source = replace(
            self.source, rating=self.source.rating[rows], cluster=self.source.cluster[rows]
        )
        return Examples(source, group, self.x[rows], self.length[rows])


def train_rating(
    sets: Sequence[RatedSet], out: Path, *, settings: RatingSettings, about: About
) -> RatingRecipe:
    """Fit, evaluate on the sources left out, and write the folder."""
    check_writable(out, (RECIPE, CARD))
    if len({one.name for one in sets}) < len(sets):
        raise BadValue("two files of one name; give each set once, under a name of its own")
    names = column_names(bool(settings.encoder))
    examples, mean, sd = standardise_columns(sets, settings.encoder)
    parts = parts_to_leave_out(examples, settings.seed)
    penalty = choose_penalty(parts, names, settings)
    weights = fit(examples, names, penalty)
    predictions = [predict_left_out(part, parts, names, settings) for part in parts]
    evaluation = evaluate_sources(
        parts, predictions, names=names, weights=weights, settings=settings
    )
    turn_sd, dialog_sd = residual_sds(parts, predictions)
    model = find_model(settings.encoder) if settings.encoder else None
    recipe = RatingRecipe(
        "rating",
        SCHEMA,
        {
            name: Column(float(m), float(s), float(w))
            for name, m, s, w in zip(names, mean, sd, weights, strict=True)
        },
        turn_sd,
        dialog_sd,
        settings.encoder,
        model.sha256 if model else "",
        about.data,
        about.licence,
        about.limits,
        evaluation,
    )
    facts = {**asdict(settings), "penalty": penalty, "sets": [describe_set(one) for one in sets]}
    recipe_json = encode_json(msgspec.to_builtins(recipe) | {"training": facts})
    card = rating_card(recipe, sets, penalty).render(about)
    write_model_folder(out, {RECIPE: recipe_json, CARD: card.encode()})
    return recipe


def standardise_columns(
    sets: Sequence[RatedSet], encoder: str
) -> tuple[list[Examples], Floats, Floats]:
    """The units of each set, and the means and standard deviations of all replies' columns."""
    columns = compute_columns(sets, encoder)
    pooled = np.concatenate(columns)
    mean, sd = pooled.mean(axis=0), np.maximum(pooled.std(axis=0), 1e-6)
    examples = [
        Examples(
            one,
            one.group,
            one.means(np.clip((x - mean) / sd, -CLIP, CLIP)),
            one.means(np.log1p(one.words)),
        )
        for one, x in zip(sets, columns, strict=True)
    ]
    return examples, mean, sd


def compute_columns(sets: Sequence[RatedSet], encoder: str) -> list[Floats]:
    """The columns of every reply of each set."""
    words, neural = load_chat_words(), None
    if needs := neural_features(encoder):
        features = features_for_texts(closure(needs))
        neural = NeuralColumns(*(features[one] for one in needs))
    tables = [reply_columns(one.replies, words, neural) for one in sets]
    return [np.column_stack(list(table.values())) for table in tables]


def parts_to_leave_out(sets: Sequence[Examples], seed: int) -> Sequence[Examples]:
    """The sets of several sources as they are, or parts of the only source by prompt or dialog."""
    if len({one.group for one in sets}) > 1:
        return sets
    rng, parts = np.random.default_rng(seed), list[Examples]()
    for one in sets:
        clusters = np.unique(one.source.cluster)
        if len(clusters) < FOLDS:
            raise DataError(
                f"{one.source.name}: {len(clusters)} prompts or dialogs; {FOLDS} are needed"
            )
        fold = rng.permutation(len(clusters)) % FOLDS
        of_unit = fold[np.searchsorted(clusters, one.source.cluster)]
        parts += [one.take(np.flatnonzero(of_unit == k), f"part {k + 1}") for k in range(FOLDS)]
    return parts


def fit(examples: Sequence[Examples], names: Sequence[str], penalty: float) -> Floats:
    """The weights of ridge regression over these sets, none with a sign that makes no sense.

    Rows of a source of n units weigh 1 / sqrt(n). The penalised sum of squares is |C'w - d|^2 + c,
    with CC' the Gram matrix and Cd the products with the target.
    """
    size = Counter[str]()
    for one in examples:
        size[one.group] += len(one.y)
    gram, target = penalty * np.eye(len(names)), np.zeros(len(names))
    for one in examples:
        x, weight = one.x - one.x.mean(axis=0), size[one.group] ** -0.5
        gram += weight * x.T @ x
        target += weight * x.T @ (one.y - one.y.mean())
    root = np.linalg.cholesky(gram)
    low = [0.0 if name in RAISES else -np.inf for name in names]
    high = [TINY if name in LOWERS else np.inf for name in names]
    solution = lsq_linear(root.T, np.linalg.solve(root, target), bounds=(low, high))
    return np.asarray(np.where(np.abs(solution.x) < ZERO, 0.0, solution.x))


def predict_left_out(
    part: Examples, parts: Sequence[Examples], names: Sequence[str], settings: RatingSettings
) -> Floats:
    """What a model of the other sources predicts for a set; its penalty is chosen among them."""
    others = [one for one in parts if one.group != part.group]
    return np.asarray(part.x @ fit(others, names, choose_penalty(others, names, settings)))


def choose_penalty(
    examples: Sequence[Examples], names: Sequence[str], settings: RatingSettings
) -> float:
    """The given penalty, or that of the best mean rho over the sources, each left out in turn."""
    if settings.penalty is not None:
        return settings.penalty
    try:
        parts = parts_to_leave_out(examples, settings.seed)
    except DataError:  # a single source of fewer prompts or dialogs than parts
        return DEFAULT_PENALTY

    def rho(part: Examples, penalty: float) -> float:
        predicted = predict_left_out(part, parts, names, replace(settings, penalty=penalty))
        return (
            correlation(predicted, part.y, kind="spearman").value or 0.0
        )  # null where all are equal

    return max(PENALTIES, key=lambda penalty: sum(rho(part, penalty) for part in parts))


def evaluate_sources(
    parts: Sequence[Examples],
    predictions: Sequence[Floats],
    *,
    names: Sequence[str],
    weights: Floats,
    settings: RatingSettings,
) -> tuple[RatingEvaluation, ...]:
    """The results of every source, all of whose sets were left out together."""
    rows = list[RatingEvaluation]()
    for group in dict.fromkeys(part.group for part in parts):
        own = [at for at, part in enumerate(parts) if part.group == group]
        rows += evaluate_group(
            [parts[at] for at in own],
            [predictions[at] for at in own],
            names=names,
            weights=weights,
            seed=settings.seed,
        )
    return tuple(rows)


def evaluate_group(
    parts: Sequence[Examples],
    predictions: Sequence[Floats],
    *,
    names: Sequence[str],
    weights: Floats,
    seed: int,
) -> list[RatingEvaluation]:
    """Rho of the prediction, of baselines and of each part, on a source left out."""
    x, y, length, predicted = (
        np.concatenate(columns)
        for columns in (
            [p.x for p in parts],
            [p.y for p in parts],
            [p.length for p in parts],
            predictions,
        )
    )
    sizes = np.cumsum([0, *(p.source.cluster.max(initial=0) + 1 for p in parts)])
    cluster = np.concatenate([p.source.cluster + at for p, at in zip(parts, sizes, strict=False)])
    scores = {NAME: predicted, WORDS: length}
    if "cosine" in names:
        scores["cosine"] = x[:, names.index("cosine")]
    for part, columns in PARTS.items():
        at = [names.index(name) for name in columns if name in names]
        scores[part] = x[:, at] @ weights[at]
    level, rows = parts[0].source.level, []
    for name, values in scores.items():
        result = bootstrap_correlation(values, y, cluster, kind="spearman", seed=seed)
        if None in result.value_and_interval:  # it does not vary, or there are too few clusters
            continue
        partial = partial_correlations(values[:, None], y, length, cluster, kind="spearman")[0]
        held = None if name == WORDS else partial.value
        rows.append(RatingEvaluation(parts[0].group, level, name, *result.numbers, held, result.n))
    return rows


def residual_sds(parts: Sequence[Examples], predictions: Sequence[Floats]) -> tuple[float, float]:
    """How far ratings of turns and of dialogs lie from their predictions; of one kind for both."""
    residuals = {"turn": list[Floats](), "dialog": list[Floats]()}
    for part, predicted in zip(parts, predictions, strict=True):
        residuals[part.source.level].append(part.y - predicted)
    sds = {level: float(np.concatenate(r).std()) for level, r in residuals.items() if r}
    only = next(iter(sds.values()))
    return sds.get("turn", only), sds.get("dialog", only)


def describe_set(one: RatedSet) -> str:
    return f"{one.name}: {len(one.rating):,} rated {one.level}s"


def rating_card(recipe: RatingRecipe, sets: Sequence[RatedSet], penalty: float) -> ModelCard:
    """The card of a rating model."""
    rows = [
        f"| {e.data} | {e.level} | {e.score} | {format_number(e.rho, 3)} "
        f"{format_interval(e.low, e.high, 3)} | {format_number(e.without_length, 3)} | {e.n:,} |"
        for e in recipe.evaluation
    ]
    weights = [f"| {name} | {format_number(c.weight, 3)} |" for name, c in recipe.columns.items()]
    encoder = f"vectors of {recipe.encoder}" if recipe.encoder else "no encoder"
    return ModelCard(
        "Predicted rating of a reply",
        "How people would rate a reply: a weighted sum of readable columns, in standard "
        "deviations of ratings.",
        [f"- {recipe.data}", *(f"- {describe_set(one)}" for one in sets)],
        [
            f"- ridge regression, penalty {penalty:g}, {encoder}; ratings are standardised per "
            "judge and within each set",
            "- columns and their weights, in standard deviations of ratings per standard deviation "
            "of the column:",
            "",
            "| column | weight |",
            "|---|---|",
            *weights,
        ],
        [
            *recipe.limits,
            "It knows nothing of facts, of safety and of what a user needs.",
            f"A single rating lies {recipe.turn_sd:.2f} standard deviations around the prediction "
            f"for a turn and {recipe.dialog_sd:.2f} for a dialog.",
        ],
        [
            "## Results on sources left out of the training",
            "",
            "Spearman's rho with people's mean ratings; 95% CI by bootstrap over prompts or "
            "dialogs; then with length held constant.",
            "",
            "| left out | level | score | rho, 95% CI | length held constant | n |",
            "|---|---|---|---|---|---|",
            *rows,
        ],
    )
