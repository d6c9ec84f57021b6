"""Google's multilingual Universal Sentence Encoder (version 3, the CNN one) on numpy.

Token embeddings pass three convolutions (two, three and five tokens wide, each twice, with residual
connections); their sum over the text, divided by the square root of its length, passes four dense
layers. Yang et al., 2020, Multilingual Universal Sentence Encoder for Semantic Retrieval.
On numpy since the package with the weights has them as arrays, embeddings in eight bits, and has no
graph that onnxruntime could run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats32, Ints
from simpatico.errors import DataError
from simpatico.models.names import Model

VOCABULARY, WEIGHTS = "sp.model", "weights.npz"
TABLES = 17
"""The embedding matrix is cut into so many tables (token i is in table i % 17), each quantised with
a scale and an offset of its own."""
WIDTHS = {2: 0, 3: 1, 5: 2}
"""Widths of the convolutions in tokens, and how many of these stand before the current one."""


@dataclass(frozen=True)
class UseEncoder:
    """The net; called with token ids, a row a text, it gives a vector of length 1 per row."""

    table: npt.NDArray[np.uint8]
    weights: Mapping[str, Any]
    convolutions: Mapping[int, list[tuple[Floats32, Floats32]]]
    """Weight and bias of both layers, by width."""

    def __call__(self, ids: Ints, types: Ints) -> Floats32:
        weights = self.weights
        tokens = self.embed(ids)
        narrow = tokens @ weights["proj"] + weights["proj_b"]
        narrow = layer_norm(narrow, weights["proj_g"], weights["proj_o"], weights["eps"])
        inputs = zip(np.split(narrow, len(WIDTHS), 2), WIDTHS, strict=True)
        windows = [convolve(part, width, self.convolutions[width]) for part, width in inputs]
        wide = np.concatenate([tokens, *windows], axis=2)
        total = layer_norm(wide, weights["ln_g"], weights["ln_b"], weights["eps"]).sum(axis=1)
        length = np.float32(ids.shape[1])
        return self.dense((total @ weights["cnn_W"] + length * weights["cnn_b"]) / np.sqrt(length))

    def embed(self, ids: Ints) -> Floats32:
        """Token embeddings, dequantised from eight bits."""
        table = ids % TABLES
        scale, low = self.weights["scale"][table], self.weights["lo"][table]
        return np.asarray(self.table[ids] * scale[..., None] + low[..., None])

    def dense(self, text: Floats32) -> Floats32:
        """The dense layers, two pairs with a skip connection past each, and length 1."""
        weights = self.weights
        first = np.maximum(text @ weights["d0"], 0)
        middle = np.maximum(text @ weights["p1"] + first @ weights["d1"], 0)
        inner = np.maximum(middle @ weights["d2"], 0)
        last = np.tanh(middle @ weights["p3"] + inner @ weights["d3"])
        size = np.sqrt(np.maximum((last * last).sum(axis=1, keepdims=True), weights["eps"]))
        return np.asarray(last / size)


def layer_norm(rows: Floats32, gain: Floats32, offset: Floats32, epsilon: np.float32) -> Floats32:
    """Every row with mean 0 and variance 1, then scaled and shifted."""
    deviation = rows - rows.mean(axis=-1, keepdims=True)
    sd = np.sqrt((deviation * deviation).mean(axis=-1, keepdims=True) + epsilon)
    return np.asarray(deviation / sd * gain + offset)


def convolve(rows: Floats32, width: int, layers: list[tuple[Floats32, Floats32]]) -> Floats32:
    """Both layers of a convolution; beyond the ends of a text stand zeros."""
    n, length, size = rows.shape
    before = WIDTHS[width]
    for weight, bias in layers:
        padding = np.pad(rows, ((0, 0), (before, width - 1 - before), (0, 0)))
        shifts = [padding[:, i : i + length] for i in range(width)]
        window = np.concatenate(shifts, axis=2).reshape(n * length, width * size)
        rows = rows + np.maximum(window @ weight + bias, 0).reshape(n, length, size)
    return rows


@lru_cache(maxsize=1)
def load_use_encoder(model: Model) -> UseEncoder:
    """The model, ready to run; loaded once."""
    path = model.folder / WEIGHTS
    try:
        with np.load(path, allow_pickle=False) as files:
            arrays = {name: files[name] for name in files.files}
        return assemble_encoder(arrays)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        raise DataError(f"{path} does not hold the weights of the encoder; get it again") from None


def assemble_encoder(arrays: dict[str, Any]) -> UseEncoder:
    """The net of these arrays; the three projections become one matrix product."""
    tables = [arrays.pop(f"q{i + 1}") for i in range(TABLES)]
    table = np.empty((sum(map(len, tables)), tables[0].shape[1]), np.uint8)
    for i, part in enumerate(tables):
        table[i::TABLES] = part
    projection = {"proj": "proj", "proj_b": "proj_b", "proj_g": "ln_g", "proj_o": "ln_b"}
    for name, parts in projection.items():
        arrays[name] = np.concatenate([arrays[f"{parts}{width}"] for width in WIDTHS], axis=-1)
    convolutions = {
        width: [(arrays[f"w{i}_{width}"], arrays[f"b{i}_{width}"]) for i in (1, 2)]
        for width in WIDTHS
    }
    arrays["eps"] = np.float32(arrays["eps"])
    return UseEncoder(table, arrays, convolutions)
