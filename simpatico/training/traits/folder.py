"""The folder of a trained trait model: weights, recipe, vocabulary and card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from simpatico.features import ngram_model
from simpatico.features.ngram_model import CorrelationFigure
from simpatico.metric import package_version
from simpatico.training.card import About, ModelCard
from simpatico.training.model_folder import encode_json, write_model_folder
from simpatico.training.traits.features import FeatureConfig
from simpatico.wording import capitalize, format_interval, format_number

LIMITS = (
    "Means over many people or dialogs are far more reliable than the score of a single person.",
    "Never use it to decide about a person: not for hiring, credit, insurance, care or policing.",
    "It is valid for English, and for the style of writing in its training texts.",
    "A system is not a person: a score says what its words would suggest about one.",
)


@dataclass(frozen=True)
class AboutTrait(About):
    """The training data, and what the questionnaire in them measures."""

    measures: str = ""
    scale: tuple[float, float] | None = None


@dataclass(frozen=True)
class NgramWeights:
    """A linear model: an intercept and one weight per n-gram, by order."""

    intercept: float
    ngrams: dict[int, dict[tuple[str, ...], float]]


@dataclass(frozen=True)
class TraitReport:
    """The results of a training; the first of `heldout`, cross-validated, is the one to quote.

    The others repeat it with other folds, to show how much depends on these.
    """

    config: FeatureConfig
    penalty: float
    people: int
    texts: int
    words: int
    features: dict[int, int]
    heldout: list[CorrelationFigure]
    # what the number of words alone predicts; a model has to do better
    word_count: CorrelationFigure


def save_trait_model(
    out: Path,
    weights: NgramWeights,
    report: TraitReport,
    *,
    about: AboutTrait,
    training: Mapping[str, object],
) -> None:
    """Write the folder; one that holds anything but a model is left alone.

    The vocabulary holds words of the training texts, as any n-gram model must: see `minimum`, which
    keeps words of few people out of it.
    """
    vocabulary = sorted({word for terms in weights.ngrams.values() for t in terms for word in t})
    recipe = {
        "kind": "trait",
        "schema": ngram_model.SCHEMA,
        "version": package_version(),
        "measures": about.measures,
        "orders": sorted(report.features),
        "scale": list(about.scale or ()),
        "people": report.people,
        "texts": report.texts,
        "words": report.words,
        "features": report.features,
        "chosen": {**report.config._asdict(), "penalty": round(report.penalty, 6)},
        "training": dict(training),
        "licence": about.licence,
        "command": about.command,
        "heldout": [msgspec.to_builtins(figure) for figure in report.heldout],
        "word_count": msgspec.to_builtins(report.word_count),
    }
    files = {
        ngram_model.WEIGHTS: encode_weights(weights, vocabulary),
        ngram_model.VOCABULARY: encode_json(vocabulary, ensure_ascii=True),
        ngram_model.RECIPE: encode_json(recipe, ensure_ascii=True),
        ngram_model.CARD: render_trait_card(report, about).encode(),
    }
    write_model_folder(out, files)


def encode_weights(weights: NgramWeights, vocabulary: list[str]) -> bytes:
    """The n-grams as indices into the vocabulary, sorted, and their weights.

    Single precision is far finer than what anyone could learn of a person, and it hides in which
    order a linear algebra library adds up.
    """
    from safetensors.numpy import save

    index = {word: i for i, word in enumerate(vocabulary)}
    arrays: dict[str, npt.NDArray[Any]] = {"intercept": np.array([weights.intercept], np.float32)}
    for order, terms in weights.ngrams.items():
        rows = sorted((tuple(index[word] for word in term), w) for term, w in terms.items())
        arrays[f"ngrams_{order}"] = np.array([row for row, _ in rows], np.int32).reshape(-1, order)
        arrays[f"weights_{order}"] = np.array([weight for _, weight in rows], np.float32)
    return bytes(save(arrays))


def render_trait_card(report: TraitReport, about: AboutTrait) -> str:
    """What people should read before they use the model.

    Two intervals, since Fisher's assumes normal scores and the bootstrap does not.
    """
    config, (low, high) = report.config, about.scale or (0.0, 0.0)
    features = " + ".join(f"{n:,} of order {order}" for order, n in report.features.items())
    results = [(f"model, seed {figure.seed}", figure) for figure in report.heldout]
    rows = []
    for name, figure in (*results, ("word count alone", report.word_count)):
        fisher = format_interval(figure.low, figure.high, 3)
        bootstrap = format_interval(figure.bootstrap_low, figure.bootstrap_high, 3)
        r = "undefined: no variance" if figure.r is None else format_number(figure.r, 3)
        rows.append(f"| {name} | {r} | {fisher} | {bootstrap} | {figure.n:,} |")
    card = ModelCard(
        capitalize(about.measures),
        "A linear model over n-grams of words. It predicts a person's questionnaire score, from "
        f"{low:g} to {high:g}.",
        data=[
            f"- {about.data}: {report.people:,} people, {report.texts:,} texts, "
            f"{report.words:,} words"
        ],
        evaluation=[
            "## Cross-validated correlation with the questionnaire",
            "Nested cross-validation over people: vocabulary, scaling, configuration and penalty "
            "were chosen without the fold they predict; all texts of a person are in one fold.",
            "",
            "| | r | 95% CI (Fisher) | 95% CI (bootstrap over people) | n |",
            "|---|---|---|---|---|",
            *rows,
        ],
        method=[
            f"- n-grams used by at least {config.minimum} people: {features}",
            f"- scaling: {config.scaling}",
            f"- ridge penalty {report.penalty:.4g} times the kernel's mean diagonal",
        ],
        limits=(*about.limits, *LIMITS),
    )
    return card.render(about)
