"""Run an encoder or a classifier over word pieces, on onnxruntime, on torch or on numpy.

A text is never padded: texts of the same length run together, in a batch whose number of rows
depends on that length alone and which is filled up with copies. So a text's numbers are the same
to the last bit whatever it is run with.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from inspect import signature
from pathlib import Path
from typing import Any, Literal

import numpy as np

from simpatico.arrays import Floats32
from simpatico.errors import DataError, MissingResource
from simpatico.models.names import Model
from simpatico.models.runtime.threads import side_by_side
from simpatico.models.runtime.tokens import Ids, Pieces
from simpatico.models.runtime.use_multilingual import VOCABULARY, WEIGHTS, encoder

Net = Callable[[Ids, Ids], Floats32]
"""From ids and types, rows by places, to what the model says of every row."""
Task = Literal["encoder", "classes", "next-sentence"]

TOKENS = 96
"""Word pieces in a batch: larger ones are no faster, and filling up would cost more."""


def onnx_file(model: Model) -> Path | None:
    """The model's graph for onnxruntime, if it has one."""
    tries = (model.folder / "model.onnx", model.folder / "onnx" / "model.onnx")
    return next((path for path in tries if path.is_file()), None)


def back_end(model: Model) -> str:
    """What the model runs on: onnxruntime where its folder has a graph for it."""
    if set(model.files) == {VOCABULARY, WEIGHTS}:
        return "numpy"
    return "onnx" if onnx_file(model) else "torch"


def net(model: Model, task: Task, layer: int | None = None) -> Net:
    """The model, ready to run; loaded once."""
    if back_end(model) == "torch":
        return torch_net(model, task, layer)
    if back_end(model) == "numpy":
        return whole_texts(model, task)
    if layer is not None:
        raise MissingResource(
            f"{model.name} is a graph for onnxruntime, which gives its last layer only; "
            f"layer {layer} needs a model for torch, such as package:minilm-torch"
        )
    return onnx_net(model.sha256, model, task)


def whole_texts(model: Model, task: Task) -> Net:
    """An encoder on numpy, which has one vector for a text and none for its pieces."""
    if task != "encoder":
        raise DataError(f"{model.folder / WEIGHTS} is not a classifier; name another model")
    return encoder(model)


@lru_cache(maxsize=4)
def onnx_net(sha256: str, model: Model, task: Task) -> Net:
    """A graph on onnxruntime; batches run side by side, each on one thread."""
    onnxruntime = silent_onnxruntime(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    path = onnx_file(model)
    try:
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime's errors share no base but Exception
        why = type(error).__name__
        raise DataError(f"{path} is no graph that onnxruntime can run ({why})") from None
    names = [given.name for given in session.get_inputs()]
    if (len(session.get_outputs()[0].shape) == 3) != (task == "encoder"):
        what = "an encoder" if task == "encoder" else "a classifier"
        raise DataError(f"{path} is not {what}; name another model")

    def run(ids: Ids, types: Ids) -> Floats32:
        known = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
        found: Floats32 = session.run(None, {name: known[name] for name in names})[0]
        return found

    return run


def silent_onnxruntime(model: Model) -> Any:
    """The package onnxruntime, kept from reporting to its maker, as it otherwise does."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when the library is loaded
    try:
        import onnxruntime
    except ImportError:
        raise MissingResource(
            f"{model.name} needs the package onnxruntime; pip install 'simpatico[neural]'"
        ) from None
    onnxruntime.disable_telemetry_events()
    return onnxruntime


def torch_net(model: Model, task: Task, layer: int | None) -> Net:
    """A model on torch: an encoder's hidden states after `layer`, or a classifier's logits."""
    from simpatico.models.runtime import torch_backend as torch_models

    torch_models.library(model)
    import torch

    makers = {
        "encoder": torch_models.encoder,
        "classes": torch_models.classifier,
        "next-sentence": torch_models.next_sentence,
    }
    loaded = makers[task](model)
    device = next(loaded.parameters()).device
    typed = "token_type_ids" in signature(loaded.forward).parameters and segments(model)
    deep = {"output_hidden_states": True} if layer is not None else {}

    def run(ids: Ids, types: Ids) -> Floats32:
        with torch.inference_mode():
            given = {"input_ids": torch.from_numpy(ids).to(device)}
            given["attention_mask"] = torch.ones_like(given["input_ids"])
            if typed:
                given["token_type_ids"] = torch.from_numpy(types).to(device)
            said = loaded(**given, **deep)
            if task != "encoder":
                found = said.logits
            else:
                found = said.last_hidden_state if layer is None else said.hidden_states[layer]
            numbers: Floats32 = found.float().cpu().numpy()
            return numbers

    return run


def segments(model: Model) -> bool:
    """Whether the model tells first texts from second ones."""
    return int(model.config.get("type_vocab_size") or 0) > 1


def rows_of(length: int) -> int:
    """How many texts of this length make a batch."""
    return max(1, TOKENS // length)


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts that run together: of one length, never more than make a batch."""
    order = np.argsort(lengths, kind="stable").tolist()
    batch: list[int] = []
    for place in order:
        if batch and (lengths[batch[0]] != lengths[place] or len(batch) == rows_of(lengths[place])):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def each(model: Model, run: Net, cut: Sequence[Pieces]) -> Iterator[tuple[int, Floats32]]:
    """What the model says of every text, with the text's place, in any order."""

    def work(batch: list[int]) -> tuple[list[int], Floats32]:
        filled = batch + batch[:1] * (rows_of(len(cut[batch[0]].ids)) - len(batch))
        ids = np.stack([cut[place].ids for place in filled])
        types = np.stack([cut[place].types for place in filled])
        return batch, run(ids, types)

    if back_end(model) == "torch":
        from simpatico.models.runtime.torch_backend import side_by_side as together
    else:
        together = side_by_side
    for batch, found in together(work, batches([len(pieces.ids) for pieces in cut])):
        yield from ((place, found[row]) for row, place in enumerate(batch))
