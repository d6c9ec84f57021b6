"""The folder of a trained trait model: weights, recipe, vocabulary, card and manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from simpatico.errors import DataError
from simpatico.features.ngram_model import CARD, FILES, RECIPE, SCHEMA, VOCABULARY, WEIGHTS, Figure
from simpatico.files import publish
from simpatico.metric import package_version
from simpatico.models.folder import MANIFEST, manifest
from simpatico.training.traits.features import Config
from simpatico.wording import capitalize

LIMITS = (
    "A guess about a group of people or dialogs is far safer than one about a single person.",
    "Never use it to decide about a person: not for hiring, credit, insurance, care or policing.",
    "It knows English words only, and the way of writing of the people it learned from.",
    "A system is not a person: a score says what its words would suggest of one.",
)


@dataclass(frozen=True)
class About:
    """What the training data are, for the card."""

    measures: str
    data: str
    licence: str = "not stated"
    scale: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True)
class Weights:
    """A linear model: an intercept and one weight per n-gram, by order."""

    intercept: float
    ngrams: dict[int, dict[tuple[str, ...], float]]


@dataclass(frozen=True)
class Report:
    """What came out of a training; the first of `heldout` is the figure to quote."""

    config: Config
    penalty: float
    people: int
    texts: int
    words: int
    features: dict[int, int]
    heldout: list[Figure]
    word_count: Figure


def save(
    out: Path,
    weights: Weights,
    report: Report,
    *,
    about: About,
    training: Mapping[str, object],
) -> None:
    """Write the folder; one that holds anything but a model is left alone."""
    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is a file; name a folder for the model")
    if out.is_dir() and (alien := {p.name for p in out.iterdir()} - {*FILES, MANIFEST}):
        raise DataError(f"{out} holds {min(alien)!r}, which is no part of a model; name another")
    vocabulary = sorted({word for terms in weights.ngrams.values() for t in terms for word in t})
    files = {
        WEIGHTS: tensors(weights, vocabulary),
        VOCABULARY: written(vocabulary),
        RECIPE: written(recipe(report, about, training)),
        CARD: card(report, about).encode(),
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, data in {**files, MANIFEST: manifest(files)}.items():
        publish(out / name, lambda path, data=data: path.write_bytes(data))  # type: ignore[misc]


def written(value: object) -> bytes:
    return (json.dumps(value, indent=1, allow_nan=False) + "\n").encode()


def tensors(weights: Weights, vocabulary: list[str]) -> bytes:
    """The n-grams as places in the vocabulary, sorted, and their weights.

    Single precision is far finer than what anyone could learn of a person, and it hides in which
    order a linear algebra library adds up.
    """
    from safetensors.numpy import save as serialised

    place = {word: i for i, word in enumerate(vocabulary)}
    arrays: dict[str, npt.NDArray[Any]] = {"intercept": np.array([weights.intercept], np.float32)}
    for order, terms in weights.ngrams.items():
        rows = sorted((tuple(place[word] for word in term), w) for term, w in terms.items())
        ngrams = np.array([row for row, _ in rows], np.int32).reshape(-1, order)
        arrays[f"ngrams_{order}"] = ngrams
        arrays[f"weights_{order}"] = np.array([weight for _, weight in rows], np.float32)
    return bytes(serialised(arrays))


def recipe(report: Report, about: About, training: Mapping[str, object]) -> dict[str, object]:
    """Everything that is needed to read the model, and to train it again."""
    return {
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


def card(report: Report, about: About) -> str:
    """What people should read before they use the model."""
    config, low_high = report.config, about.scale or (0.0, 0.0)
    features = " + ".join(f"{n:,} of order {order}" for order, n in report.features.items())
    lines = [
        f"# {capitalize(about.measures)}",
        "",
        "A linear model over words and word sequences. It guesses what a person would have "
        f"answered, from {low_high[0]:g} to {low_high[1]:g}.",
        "",
        "## Data",
        f"- {about.data}: {report.people:,} people, {report.texts:,} texts, {report.words:,} words",
        f"- licence of the data: {about.licence}",
        "",
        "## How well it does on people it has not seen",
        "In each of the folds the vocabulary, scaling, configuration and penalty were chosen from "
        "the other folds alone; all texts of a person are in one fold.",
        "",
        "| | r | 95% (Fisher) | 95% (resampled people) | n |",
        "|---|---|---|---|---|",
        *(line(f"model, folds drawn with seed {f.seed}", f) for f in report.heldout),
        line("number of words alone", report.word_count),
        "",
        "## How it was made",
        f"- features: {features}",
        f"- kept when used by at least {config.minimum} people; scaling: {config.scaling}",
        f"- ridge penalty {report.penalty:.4g} times the kernel's mean diagonal",
        *([f"- made again by: `{about.command}`"] if about.command else []),
        "",
        "## Limits",
        *(f"- {note}" for note in (*about.notes, *LIMITS)),
        "",
    ]
    return "\n".join(lines)


def line(name: str, figure: Figure) -> str:
    """A row of the table of figures."""
    if figure.r is None:
        return f"| {name} | undefined: one side does not vary | | | {figure.n:,} |"
    told = decimals(figure)
    return (
        f"| {name} | {told['r']} | {told['low']} to {told['high']} | "
        f"{told['bootstrap_low']} to {told['bootstrap_high']} | {figure.n:,} |"
    )


def decimals(figure: Figure) -> dict[str, str]:
    """The numbers of a figure with three decimals."""
    return {
        k: f"{v:.3f}" for k, v in msgspec.structs.asdict(figure).items() if isinstance(v, float)
    }
