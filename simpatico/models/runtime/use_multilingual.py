"""Google's multilingual Universal Sentence Encoder (version 3, the small one) on numpy.

Vectors of the pieces of a text pass three convolutions (two, three and five pieces wide, each
twice, with what came in added to what goes out); the sum over the text, divided by the square
root of its length, passes four dense layers. Vectors of pieces are kept in eight bits, as they
come. Yang et al., 2020, Multilingual Universal Sentence Encoder for Semantic Retrieval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats32
from simpatico.errors import DataError
from simpatico.models.names import Model
from simpatico.models.runtime.tokens import Ids

VOCABULARY, WEIGHTS = "sp.model", "weights.npz"
TABLES = 17
"""Pieces are dealt out to so many tables, each with a scale of its own."""
WIDTHS = {2: 0, 3: 1, 5: 2}
"""How many pieces each convolution sees, and how many of them stand before the one it is for."""


class Branch(NamedTuple):
    """One convolution: its width, what stands before, and the weights of both its rounds."""

    width: int
    before: int
    rounds: tuple[tuple[Floats32, Floats32], tuple[Floats32, Floats32]]


@dataclass(frozen=True)
class Encoder:
    """The whole net; called with ids, rows by places, it gives a vector of length 1 per row."""

    table: npt.NDArray[np.uint8]
    weights: Mapping[str, Any]
    branches: tuple[Branch, ...]

    def __call__(self, ids: Ids, types: Ids) -> Floats32:
        said = self.weights
        pieces = self.pieces(ids)
        narrow = pieces @ said["proj"] + said["proj_b"]
        narrow = level(narrow, said["proj_g"], said["proj_o"], said["eps"])
        seen = [
            convolved(part, branch)
            for part, branch in zip(np.split(narrow, len(WIDTHS), 2), self.branches, strict=True)
        ]
        wide = np.concatenate([pieces, *seen], axis=2)
        summed = level(wide, said["ln_g"], said["ln_b"], said["eps"]).sum(axis=1)
        length = np.float32(ids.shape[1])
        return self.dense((summed @ said["cnn_W"] + length * said["cnn_b"]) / np.sqrt(length))

    def pieces(self, ids: Ids) -> Floats32:
        """The vectors of pieces, out of their eight bits."""
        table = ids % TABLES
        scale, low = self.weights["scale"][table], self.weights["lo"][table]
        found: Floats32 = self.table[ids] * scale[..., None] + low[..., None]
        return found

    def dense(self, text: Floats32) -> Floats32:
        """The last layers, two pairs with a way past each, and length 1."""
        said = self.weights
        first = np.maximum(text @ said["d0"], 0)
        middle = np.maximum(text @ said["p1"] + first @ said["d1"], 0)
        last = np.tanh(middle @ said["p3"] + np.maximum(middle @ said["d2"], 0) @ said["d3"])
        size = np.sqrt(np.maximum((last * last).sum(axis=1, keepdims=True), said["eps"]))
        found: Floats32 = last / size
        return found


def level(rows: Floats32, gain: Floats32, offset: Floats32, tiny: np.float32) -> Floats32:
    """Every row with mean 0 and variance 1, then stretched and moved."""
    middle = rows - rows.mean(axis=-1, keepdims=True)
    spread = np.sqrt((middle * middle).mean(axis=-1, keepdims=True) + tiny)
    found: Floats32 = middle / spread * gain + offset
    return found


def convolved(rows: Floats32, branch: Branch) -> Floats32:
    """Both rounds of a convolution; beyond the ends of a text stand zeros."""
    n, places, size = rows.shape
    for weight, bias in branch.rounds:
        padded = np.pad(rows, ((0, 0), (branch.before, branch.width - 1 - branch.before), (0, 0)))
        beside = [padded[:, i : i + places] for i in range(branch.width)]
        window = np.concatenate(beside, axis=2).reshape(n * places, branch.width * size)
        rows = rows + np.maximum(window @ weight + bias, 0).reshape(n, places, size)
    return rows


def encoder(model: Model) -> Encoder:
    """The model, ready to run; loaded once."""
    return _encoder(model.sha256, model)


@lru_cache(maxsize=1)
def _encoder(sha256: str, model: Model) -> Encoder:
    path = model.folder / WEIGHTS
    try:
        with np.load(path, allow_pickle=False) as files:
            found = {name: files[name] for name in files.files}
        return assembled(found)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        raise DataError(f"{path} does not hold the weights of the encoder; get it again") from None


def assembled(found: dict[str, Any]) -> Encoder:
    """The net of these arrays."""
    tables = [found.pop(f"q{i + 1}") for i in range(TABLES)]
    table = np.empty((sum(map(len, tables)), tables[0].shape[1]), np.uint8)
    for i, part in enumerate(tables):
        table[i::TABLES] = part
    for name, parts, axis in (("proj", "proj", 1), ("proj_b", "proj_b", 0)):
        found[name] = np.concatenate([found[f"{parts}{width}"] for width in WIDTHS], axis=axis)
    for name, parts in (("proj_g", "ln_g"), ("proj_o", "ln_b")):
        found[name] = np.concatenate([found[f"{parts}{width}"] for width in WIDTHS])
    branches = tuple(
        Branch(
            width,
            before,
            (
                (found[f"w1_{width}"], found[f"b1_{width}"]),
                (found[f"w2_{width}"], found[f"b2_{width}"]),
            ),
        )
        for width, before in WIDTHS.items()
    )
    found["eps"] = np.float32(found["eps"])
    return Encoder(table, found, branches)
