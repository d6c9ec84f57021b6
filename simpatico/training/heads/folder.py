"""The folder of trained heads: weights, recipe, costs of words and card."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np

from simpatico.arrays import AnyFloats
from simpatico.features.heads.folder import (
    CARD,
    FILES,
    RECIPE,
    VOCABULARY,
    WEIGHTS,
    HeadRecipe,
    HeadsRecipe,
    WordCosts,
)
from simpatico.features.heads.head import Head
from simpatico.metric import package_version
from simpatico.training.card import About, ModelCard, describe_char_ngrams
from simpatico.training.model_folder import check_writable, encode_json, write_model_folder

FEWEST_DIALOGS_OF_WORD = 3
"""A word of fewer dialogs is not written down: it may be a name, and so tell who was trained on."""
LIMITS = (
    "It tells replies of one dialog from those of others, which mostly is a matter of subject.",
    "It knows the language and the manner of the dialogs it learned from.",
)


def check_heads_folder(out: Path) -> None:
    """Refuse a place that holds anything but heads, before the work of a training is lost to it."""
    check_writable(out, FILES)


def save_heads(
    out: Path,
    recipe: HeadsRecipe,
    heads: Mapping[str, Head],
    *,
    about: About,
    costs: Mapping[str, float] | None = None,
    card: str = "",
) -> None:
    """Write the folder; without a card of its own, heads get the one for pairs."""
    facts = {
        "version": package_version(),
        "data": about.data,
        "licence": about.licence,
        "command": about.command,
        "training": dict(about.training),
    }
    files = {
        WEIGHTS: encode_heads(heads),
        RECIPE: encode_json({**msgspec.to_builtins(recipe), **facts}),
        VOCABULARY: encode_json(dict(costs or {})),
        CARD: (card or render_heads_card(recipe, about)).encode(),
    }
    write_model_folder(out, files)


def encode_heads(heads: Mapping[str, Head]) -> bytes:
    """The layers of all heads by name, in single precision."""
    from safetensors.numpy import save

    arrays: dict[str, AnyFloats] = {}
    for name, head in heads.items():
        for index, (matrix, offset) in enumerate(head.layers):
            arrays[f"{name}.weight_{index}"] = matrix
            arrays[f"{name}.offset_{index}"] = offset
        if head.bilinear is not None:
            arrays[f"{name}.bilinear"] = head.bilinear
        if head.grams is not None:
            arrays[f"{name}.grams_first"] = head.grams.first
            arrays[f"{name}.grams_second"] = head.grams.second
    exact = {key: np.ascontiguousarray(array, np.float32) for key, array in arrays.items()}
    return bytes(save(exact))


def render_heads_card(recipe: HeadsRecipe, about: About) -> str:
    """The card of heads that were trained on true and made-up examples."""
    likelihood = recipe.likelihood
    card = ModelCard(
        f"Heads for {recipe.kind}",
        "Small networks over the vectors of a pretrained encoder, which stays as it is.",
        data=[f"- {about.data}: {recipe.dialogs:,} dialogs"],
        evaluation=[
            "## How well they do on dialogs they have not seen",
            "Half of the examples are true, half made up; all of a dialog are on one side.",
            "",
            "| head | accuracy | AUC | AUC of a plain number | examples | dialogs |",
            "|---|---|---|---|---|---|",
            *(evaluation_row(name, head) for name, head in recipe.heads.items()),
        ],
        method=[
            *(f"- {name}: {describe_head(head)}" for name, head in recipe.heads.items()),
            *([f"- likelihood: {describe_likelihood(likelihood)}"] if likelihood else []),
        ],
        limits=LIMITS,
    )
    return card.render(about)


def evaluation_row(name: str, head: HeadRecipe) -> str:
    figures = head.heldout
    return (
        f"| {name} | {figures.accuracy:.3f} | {figures.auc:.3f} | "
        f"{figures.plain_auc:.3f} ({figures.plain}) | {figures.n:,} | {figures.dialogs:,} |"
    )


def describe_head(head: HeadRecipe) -> str:
    """Over which vectors a head was trained, and what it sees of them."""
    return (
        f"{head.encoder} ({head.encoder_sha256[:12]}), pooled by {head.pooling}; "
        f"sees {', '.join(head.parts)}{describe_char_ngrams(head.grams)}"
    )


def describe_likelihood(costs: WordCosts) -> str:
    """Where the costs of words come from, and between which quartiles scores are spread."""
    source = costs.source or (
        "how often each word occurs in the training dialogs; words of fewer than "
        f"{FEWEST_DIALOGS_OF_WORD} dialogs are not in the folder and count as unknown"
    )
    return f"{source}; quartiles {costs.low:.2f} and {costs.high:.2f}"
