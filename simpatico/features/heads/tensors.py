"""Heads out of tensors by name, refused where their shapes do not match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simpatico.arrays import AnyFloats
from simpatico.errors import DataError
from simpatico.features.char_ngrams import CharNgramSettings
from simpatico.features.heads.head import CharNgramWeights, Head, Part
from simpatico.models.folder import all_finite

if TYPE_CHECKING:
    from simpatico.features.heads.folder import HeadRecipe

Layers = Sequence[tuple[AnyFloats, AnyFloats]]


def head_from_tensors(
    path: Path, name: str, recipe: HeadRecipe, tensors: Mapping[str, AnyFloats]
) -> Head:
    """One head out of the file `path`; its tensors' names begin with the head's."""
    own = {key: value for key, value in tensors.items() if key.partition(".")[0] == name}
    for key, value in own.items():
        if not all_finite(value):
            raise DataError(f"{path}: {key!r} holds something that is not a finite number")
    layers = list[tuple[AnyFloats, AnyFloats]]()
    while (key := f"{name}.weight_{len(layers)}") in own:
        if (offset := f"{name}.offset_{len(layers)}") not in own:
            break
        layers.append((own[key], own[offset]))
    bilinear, grams = own.get(f"{name}.bilinear"), char_ngram_weights(own, name, recipe.grams)
    count = 2 * len(layers) + (bilinear is not None) + 2 * (grams is not None)
    valid = layers_match(layers) and input_matches(recipe.parts, layers, bilinear)
    if not valid or len(own) != count or (grams is None) != (recipe.grams is None):
        raise DataError(f"{path}: the tensors of head {name!r} have shapes that do not match")
    return Head(
        tuple(recipe.parts),
        tuple((m.astype(np.float64), o.astype(np.float64)) for m, o in layers),
        recipe.activation,
        None if bilinear is None else bilinear.astype(np.float64),
        grams,
    )


def char_ngram_weights(
    own: Mapping[str, AnyFloats], name: str, form: CharNgramSettings | None
) -> CharNgramWeights | None:
    """The weights of character n-grams; null where the tensors are not as `form` says."""
    first, second = (own.get(f"{name}.grams_{text}") for text in ("first", "second"))
    if form is None or form.problem or first is None or second is None:
        return None
    if first.shape != (form.columns,) or second.shape != (form.columns,):
        return None
    return CharNgramWeights(form, first.astype(np.float64), second.astype(np.float64))


def layers_match(layers: Layers) -> bool:
    """Whether each layer takes what the one before it gives, and the last gives one logit."""
    if not layers or any(m.ndim != 2 or o.shape != m.shape[1:] for m, o in layers):
        return False
    wide = all(a.shape[1] == b.shape[0] for (a, _), (b, _) in pairwise(layers))
    return wide and layers[0][0].shape[0] > 0 and layers[-1][0].shape[1] == 1


def input_matches(parts: Sequence[Part], layers: Layers, bilinear: AnyFloats | None) -> bool:
    """Whether the first layer takes as many inputs as the parts of two vectors make."""
    inputs, vectors = layers[0][0].shape[0], sum(part != "bilinear" for part in parts)
    forms = len(parts) - vectors
    if (bilinear is None) == bool(forms):
        return False
    if bilinear is None:
        return vectors > 0 and inputs % vectors == 0
    size = bilinear.shape[0] if bilinear.ndim else 0
    return bilinear.shape == (size, size) and inputs == vectors * size + forms and size > 0


def vector_width(head: Head) -> int:
    """The dimension of the vectors that a head takes."""
    if head.bilinear is not None:
        return int(head.bilinear.shape[0])
    return int(head.layers[0][0].shape[0]) // len(head.parts)
