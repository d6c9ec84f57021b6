"""The folder of trained heads: weights, recipe, costs of words, card and manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from simpatico.errors import DataError
from simpatico.features.char_ngrams import GramForm
from simpatico.features.heads.folder import (
    CARD,
    FILES,
    RECIPE,
    VOCABULARY,
    WEIGHTS,
    Costs,
    HeadRecipe,
    Recipe,
)
from simpatico.features.heads.head import Head, Numbers
from simpatico.files import publish
from simpatico.metric import package_version
from simpatico.models.folder import MANIFEST, manifest

COMMON = 3
"""Fewest dialogs that a word is in which the folder tells."""
LIMITS = (
    "It tells replies of one dialog from those of others, which mostly is a matter of subject.",
    "It knows the language and the manner of the dialogs it learned from.",
)


@dataclass(frozen=True)
class About:
    """What the training data are, for the card."""

    data: str
    licence: str = "not stated"
    command: str = ""
    training: Mapping[str, object] = field(default_factory=dict)
    card: str = ""
    """The card itself, where it is not the usual one."""


def writable(out: Path, files: Sequence[str] = FILES) -> None:
    """Refuse a place that holds anything but these files of a model."""
    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is a file; name a folder for the model")
    if out.is_dir() and (alien := {p.name for p in out.iterdir()} - {*files, MANIFEST}):
        raise DataError(f"{out} holds {min(alien)!r}, which is no part of a model; name another")


def save(
    out: Path,
    recipe: Recipe,
    heads: Mapping[str, Head],
    *,
    costs: Mapping[str, float],
    about: About,
) -> None:
    """Write the folder; one that holds anything but heads is left alone."""
    writable(out)
    told = {"data": about.data, "licence": about.licence, "command": about.command}
    more = {"version": package_version(), **told}
    files = {
        WEIGHTS: tensors(heads),
        RECIPE: written({**msgspec.to_builtins(recipe), **more, "training": dict(about.training)}),
        VOCABULARY: written(dict(costs)),
        CARD: (about.card or card(recipe, about)).encode(),
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, data in {**files, MANIFEST: manifest(files)}.items():
        publish(out / name, lambda path, data=data: path.write_bytes(data))  # type: ignore[misc]


def written(value: object) -> bytes:
    return (json.dumps(value, indent=1, allow_nan=False, ensure_ascii=False) + "\n").encode()


def tensors(heads: Mapping[str, Head]) -> bytes:
    """The layers of all heads by name."""
    from safetensors.numpy import save as serialised

    arrays: dict[str, Numbers] = {}
    for name, head in heads.items():
        for number, (matrix, offset) in enumerate(head.layers):
            arrays[f"{name}.weight_{number}"] = matrix
            arrays[f"{name}.offset_{number}"] = offset
        if head.bilinear is not None:
            arrays[f"{name}.bilinear"] = head.bilinear
        if head.grams is not None:
            arrays[f"{name}.grams_first"] = head.grams.first
            arrays[f"{name}.grams_second"] = head.grams.second
    exact = {key: np.ascontiguousarray(array, np.float32) for key, array in arrays.items()}
    return bytes(serialised(exact))


def card(recipe: Recipe, about: About) -> str:
    """What people should read before they use the heads."""
    lines = [
        f"# Heads for {recipe.kind}",
        "",
        "Small networks over the vectors of a pretrained encoder, which stays as it is.",
        "",
        "## Data",
        f"- {about.data}: {recipe.dialogs:,} dialogs",
        f"- licence of the data: {about.licence}",
        "",
        "## How well they do on dialogs they have not seen",
        "Half of the examples are true, half made up; all of a dialog are on one side.",
        "",
        "| head | accuracy | AUC | AUC of a plain number | examples | dialogs |",
        "|---|---|---|---|---|---|",
        *(line(name, told) for name, told in recipe.heads.items()),
        "",
        "## How they were made",
        *(f"- {name}: {made(told)}" for name, told in recipe.heads.items()),
        *([f"- likelihood: {likelihood(recipe.likelihood)}"] if recipe.likelihood else []),
        *([f"- made again by: `{about.command}`"] if about.command else []),
        "",
        "## Limits",
        *(f"- {note}" for note in LIMITS),
        "",
    ]
    return "\n".join(lines)


def framed(
    title: str,
    says: str,
    about: About,
    *,
    data: Sequence[str],
    figures: Sequence[str],
    made: Sequence[str],
    limits: Sequence[str],
) -> str:
    """A card: what a model says, what it learned from, how well it does, how it was made."""
    lines = [
        f"# {title}",
        "",
        says,
        "",
        "## Data",
        data[0],
        f"- licence of the data: {about.licence}",
        *data[1:],
        "",
        *figures,
        "",
        "## How it was made",
        *made,
        *([f"- made again by: `{about.command}`"] if about.command else []),
        "",
        "## Limits",
        *(f"- {note}" for note in limits),
        "",
    ]
    return "\n".join(lines)


def line(name: str, told: HeadRecipe) -> str:
    """A row of the table of figures."""
    found = told.heldout
    return (
        f"| {name} | {found.accuracy:.3f} | {found.auc:.3f} | "
        f"{found.plain_auc:.3f} ({found.plain}) | {found.n:,} | {found.dialogs:,} |"
    )


def made(told: HeadRecipe) -> str:
    return (
        f"{told.encoder} ({told.encoder_sha256[:12]}), pooled by {told.pooling}; "
        f"sees {', '.join(told.parts)}{runs(told.grams)}"
    )


def runs(form: GramForm | None) -> str:
    """Which runs of characters a head weighs."""
    if form is None:
        return ""
    return f", and runs of {form.shortest} to {form.longest} characters in {form.buckets:,} buckets"


def likelihood(told: Costs) -> str:
    where = told.source or (
        "how often each word occurs in the training dialogs; words of fewer than "
        f"{COMMON} dialogs are not in the folder and count as unknown"
    )
    return f"{where}; quartiles {told.low:.2f} and {told.high:.2f}"
