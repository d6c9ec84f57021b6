"""The folder of trained heads: weights, recipe, costs of words and card."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np

from simpatico.arrays import AnyFloats
from simpatico.features.heads import folder as heads_folder
from simpatico.features.heads.folder import HeadRecipe, HeadsRecipe
from simpatico.features.heads.head import Head
from simpatico.metric import package_version
from simpatico.models.names import public_model_name
from simpatico.training.card import About, ModelCard, describe_char_ngrams
from simpatico.training.model_folder import check_writable, encode_json, write_model_folder
from simpatico.wording import format_interval

FEWEST_DIALOGS_OF_WORD = 3
"""A word of fewer dialogs is not written down: it may be a name, and so tell who was trained on."""
WORD_FREQUENCIES = (
    f"word frequencies in the training dialogs; words of fewer than {FEWEST_DIALOGS_OF_WORD} "
    "dialogs are not in the folder and count as unknown"
)
LIMITS = (
    "They separate replies of one dialog from those of others, which is mostly a matter of topic.",
    "They are valid for the language and the style of their training dialogs.",
)


def check_heads_folder(out: Path) -> None:
    """Refuse a folder that holds anything but heads, before a training is wasted."""
    check_writable(out, heads_folder.FILES)


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
        heads_folder.WEIGHTS: encode_heads(heads),
        heads_folder.RECIPE: encode_json({**msgspec.to_builtins(recipe), **facts}),
        heads_folder.VOCABULARY: encode_json(dict(costs or {})),
        heads_folder.CARD: (card or render_heads_card(recipe, about)).encode(),
    }
    write_model_folder(out, files)


def encode_heads(heads: Mapping[str, Head]) -> bytes:
    """The layers of all heads by name, in single precision.

    That is far finer than what training can tell, and hides how a library adds up.
    """
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
    """The card of heads that were trained on true and negative examples."""
    rows, method = list[str](), list[str]()
    for name, head in recipe.heads.items():
        test = head.heldout
        auc = f"{test.auc:.3f} {format_interval(test.low, test.high, 3)}"
        baseline = f"{test.plain_auc:.3f} ({test.plain})"
        rows.append(
            f"| {name} | {test.accuracy:.3f} | {auc} | {baseline} | {test.n:,} | {test.dialogs:,} |"
        )
        method.append(f"- {name}: {describe_head(head)}")
    if costs := recipe.likelihood:
        # a cost is −log p of a word, in nats; scores are scaled by the quartiles
        source = costs.source or WORD_FREQUENCIES
        method.append(f"- likelihood: {source}; quartiles {costs.low:.2f} and {costs.high:.2f}")
    return ModelCard(
        f"Heads for {recipe.kind}",
        "Small networks over the vectors of a frozen pretrained encoder.",
        data=[f"- {about.data}: {recipe.dialogs:,} dialogs"],
        evaluation=[
            "## Results on the test set",
            "Half of the examples are true, half are negatives; no dialog is in two splits. In "
            "brackets: 95% CI (bootstrap over dialogs).",
            "",
            "| head | accuracy | AUC | AUC of a baseline | examples | dialogs |",
            "|---|---|---|---|---|---|",
            *rows,
        ],
        method=method,
        limits=(*LIMITS, *about.limits),
    ).render(about)


def describe_head(head: HeadRecipe) -> str:
    """Over which vectors a head was trained, and what it sees of them."""
    return (
        f"{public_model_name(head.encoder)} ({head.encoder_sha256[:12]}), {head.pooling} pooling; "
        f"inputs: {', '.join(head.parts)}{describe_char_ngrams(head.grams)}"
    )
