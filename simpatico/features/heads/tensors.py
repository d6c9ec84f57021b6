"""Heads out of tensors by name, refused where they do not fit together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simpatico.errors import DataError
from simpatico.features.char_ngrams import GramForm
from simpatico.features.heads.head import GramWeights, Head, Numbers, Part
from simpatico.models.folder import finite

if TYPE_CHECKING:
    from simpatico.features.heads.folder import HeadRecipe

Layers = Sequence[tuple[Numbers, Numbers]]


def head(path: Path, name: str, told: HeadRecipe, tensors: Mapping[str, Numbers]) -> Head:
    """One head out of a file of tensors, once they are known to fit together."""
    own = {key: value for key, value in tensors.items() if key.partition(".")[0] == name}
    for key, value in own.items():
        if not finite(value):
            raise DataError(f"{path}: {key!r} holds something that is not a finite number")
    layers, bilinear = tuple(stack(own, name)), own.get(f"{name}.bilinear")
    grams = weighed(own, name, told.grams)
    count = 2 * len(layers) + (bilinear is not None) + 2 * (grams is not None)
    whole = chained(layers) and seen_whole(told.parts, layers, bilinear)
    if not whole or len(own) != count or (grams is None) != (told.grams is None):
        raise DataError(f"{path}: the tensors of head {name!r} do not fit together")
    exact = tuple((m.astype(np.float64), s.astype(np.float64)) for m, s in layers)
    return Head(
        tuple(told.parts),
        exact,
        told.activation,
        None if bilinear is None else bilinear.astype(np.float64),
        grams,
    )


def weighed(own: Mapping[str, Numbers], name: str, form: GramForm | None) -> GramWeights | None:
    """What runs of characters weigh; none where the tensors are not as the form says."""
    both = [own.get(f"{name}.grams_{side}") for side in ("first", "second")]
    fits = [form and side is not None and side.shape == (form.columns,) for side in both]
    if form is None or form.flaw or not all(fits):
        return None
    first, second = (side.astype(np.float64) for side in both if side is not None)
    return GramWeights(form, first, second)


def chained(layers: Layers) -> bool:
    """Whether each layer takes what the one before it gives, and the last gives one number."""
    if not layers or any(m.ndim != 2 or s.shape != m.shape[1:] for m, s in layers):
        return False
    wide = all(a.shape[1] == b.shape[0] for (a, _), (b, _) in pairwise(layers))
    return wide and layers[0][0].shape[0] > 0 and layers[-1][0].shape[1] == 1


def seen_whole(parts: Sequence[Part], layers: Layers, bilinear: Numbers | None) -> bool:
    """Whether the first layer takes just what the parts of two vectors make."""
    numbers, plain = layers[0][0].shape[0], sum(part != "bilinear" for part in parts)
    inner = len(parts) - plain
    if (bilinear is None) == bool(inner):
        return False
    if bilinear is None:
        return plain > 0 and numbers % plain == 0
    size = bilinear.shape[0] if bilinear.ndim else 0
    return bilinear.shape == (size, size) and numbers == plain * size + inner and size > 0


def width(head: Head) -> int:
    """Of how many numbers the vectors are that a head takes."""
    if head.bilinear is not None:
        return int(head.bilinear.shape[0])
    return int(head.layers[0][0].shape[0]) // len(head.parts)


def stack(own: Mapping[str, Numbers], name: str) -> Iterator[tuple[Numbers, Numbers]]:
    """The layers of a head, from the first on."""
    number = 0
    while {f"{name}.weight_{number}", f"{name}.offset_{number}"} <= set(own):
        yield own[f"{name}.weight_{number}"], own[f"{name}.offset_{number}"]
        number += 1
