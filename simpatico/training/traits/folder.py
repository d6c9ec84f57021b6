"""The folder of a trained trait model: weights, recipe, vocabulary and card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from simpatico.features.ngram_model import (
    CARD,
    RECIPE,
    SCHEMA,
    VOCABULARY,
    WEIGHTS,
    CorrelationFigure,
)
from simpatico.metric import package_version
from simpatico.training.card import About, ModelCard
from simpatico.training.model_folder import encode_json, write_model_folder
from simpatico.training.traits.features import FeatureConfig
from simpatico.wording import capitalize

LIMITS = (
    "A guess about a group of people or dialogs is far safer than one about a single person.",
    "Never use it to decide about a person: not for hiring, credit, insurance, care or policing.",
    "It knows English words only, and the way of writing of the people it learned from.",
    "A system is not a person: a score says what its words would suggest of one.",
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
    """The results of a training; the first of `heldout`, cross-validated, is the one to quote."""

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
    """Write the folder; one that holds anything but a model is left alone."""
    vocabulary = sorted({word for terms in weights.ngrams.values() for t in terms for word in t})
    recipe = {
        "kind": "trait",
        "schema": SCHEMA,
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
        WEIGHTS: encode_weights(weights, vocabulary),
        VOCABULARY: encode_json(vocabulary, ensure_ascii=True),
        RECIPE: encode_json(recipe, ensure_ascii=True),
        CARD: render_trait_card(report, about).encode(),
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
        ngrams = np.array([row for row, _ in rows], np.int32).reshape(-1, order)
        arrays[f"ngrams_{order}"] = ngrams
        arrays[f"weights_{order}"] = np.array([weight for _, weight in rows], np.float32)
    return bytes(save(arrays))


def render_trait_card(report: TraitReport, about: AboutTrait) -> str:
    """What people should read before they use the model."""
    config, (low, high) = report.config, about.scale or (0.0, 0.0)
    features = " + ".join(f"{n:,} of order {order}" for order, n in report.features.items())
    card = ModelCard(
        capitalize(about.measures),
        "A linear model over words and word sequences. It guesses what a person would have "
        f"answered, from {low:g} to {high:g}.",
        data=[
            f"- {about.data}: {report.people:,} people, {report.texts:,} texts, "
            f"{report.words:,} words"
        ],
        evaluation=[
            "## How well it does on people it has not seen",
            "In each of the folds the vocabulary, scaling, configuration and penalty were chosen "
            "from the other folds alone; all texts of a person are in one fold.",
            "",
            "| | r | 95% (Fisher) | 95% (resampled people) | n |",
            "|---|---|---|---|---|",
            *(correlation_row(f"model, folds drawn with seed {f.seed}", f) for f in report.heldout),
            correlation_row("number of words alone", report.word_count),
        ],
        method=[
            f"- features: {features}",
            f"- kept when used by at least {config.minimum} people; scaling: {config.scaling}",
            f"- ridge penalty {report.penalty:.4g} times the kernel's mean diagonal",
        ],
        limits=(*about.limits, *LIMITS),
    )
    return card.render(about)


def correlation_row(name: str, figure: CorrelationFigure) -> str:
    """A row of the table: r with both of its intervals."""
    if figure.r is None:
        return f"| {name} | undefined: one side does not vary | | | {figure.n:,} |"
    return (
        f"| {name} | {figure.r:.3f} | {figure.low:.3f} to {figure.high:.3f} | "
        f"{figure.bootstrap_low:.3f} to {figure.bootstrap_high:.3f} | {figure.n:,} |"
    )
