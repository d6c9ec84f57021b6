"""Run an encoder or a classifier over token ids, on onnxruntime, on torch or on numpy.

A text's numbers are the same to the last bit whatever it is run with. Texts are never padded: those
of one length share a batch. An encoder on onnxruntime has the same bits for a text in any number;
where a trial shows otherwise, for classifiers and on numpy, a batch has as many rows as its length
says and is filled up with copies. On torch each text runs by itself: there a row's last bit depends
on its position in the batch.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from inspect import signature
from itertools import groupby
from pathlib import Path
from typing import Literal

import numpy as np

from simpatico.arrays import Floats32, Ints
from simpatico.errors import DataError, MissingResource
from simpatico.models.names import Model
from simpatico.models.runtime.threads import map_threads
from simpatico.models.runtime.tokens import Encoding, unknown_tokens
from simpatico.models.runtime.use_multilingual import VOCABULARY, WEIGHTS, load_use_encoder

Net = Callable[[Ints, Ints], Floats32]
"""From token ids and segment ids, a row a text, to the model's output for every row."""
Task = Literal["encoder", "classes", "next-sentence"]
TORCH_CLASSES: Mapping[Task, str] = {
    "encoder": "AutoModel",
    "classes": "AutoModelForSequenceClassification",
    "next-sentence": "AutoModelForNextSentencePrediction",
}

TOKENS = 96
"""In a batch. Chat takes 10% longer with half as many, and 3% less with twice as many."""
FILLED_TOKENS = 48
"""The same where batches are filled up: six texts of a live conversation share few lengths."""


def onnx_file(model: Model) -> Path | None:
    """The model's graph for onnxruntime, if it has one."""
    paths = (model.folder / "model.onnx", model.folder / "onnx" / "model.onnx")
    return next((path for path in paths if path.is_file()), None)


def backend(model: Model) -> str:
    """What the model runs on: onnxruntime where its folder has a graph for it."""
    if set(model.files) == {VOCABULARY, WEIGHTS}:
        return "numpy"
    return "onnx" if onnx_file(model) else "torch"


def load_net(model: Model, task: Task, layer: int | None = None) -> Net:
    """The model, ready to run; loaded once."""
    match backend(model):
        case "torch":
            return load_torch_net(model, task, layer)
        case "numpy" if task != "encoder":
            raise DataError(f"{model.folder / WEIGHTS} is not a classifier; name another model")
        case "numpy":
            return load_use_encoder(model)
    if layer is not None:
        raise MissingResource(
            f"{model.name} is a graph for onnxruntime, which gives its last layer only; "
            f"layer {layer} needs a model for torch, such as package:minilm-torch"
        )
    return load_onnx_net(model, task)


@lru_cache(maxsize=4)
def load_onnx_net(model: Model, task: Task) -> Net:
    """A graph on onnxruntime; batches run in parallel, each on one thread."""
    # telemetry is on by default; the variable is read when the library is loaded
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime
    except ImportError:
        raise MissingResource(
            f"{model.name} needs the package onnxruntime; pip install 'simpatico[neural]'"
        ) from None
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what it would print of errors, it also raises
    path = onnx_file(model)
    try:
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime's errors share no base but Exception
        why = type(error).__name__
        raise DataError(f"{path}: onnxruntime cannot run it ({why}); get it again") from None
    names = [tensor.name for tensor in session.get_inputs()]
    # an encoder's output has rows, tokens and dimensions; a classifier's rows and classes
    if (len(session.get_outputs()[0].shape) == 3) != (task == "encoder"):
        what = "an encoder" if task == "encoder" else "a classifier"
        raise DataError(f"{path} is not {what}; name another model")

    def run(ids: Ints, types: Ints) -> Floats32:
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
        try:
            return np.asarray(session.run(None, {name: inputs[name] for name in names})[0])
        except Exception as error:
            if type(error).__name__ != "InvalidArgument":  # which is what a token too many is
                raise
            raise unknown_tokens(path) from None

    return run


def load_torch_net(model: Model, task: Task, layer: int | None) -> Net:
    """A model on torch: an encoder's hidden states after `layer`, or a classifier's logits."""
    from simpatico.models.runtime import torch_backend

    torch_backend.import_transformers(model)
    import torch

    module = torch_backend.load_pretrained(TORCH_CLASSES[task], model)
    device = next(module.parameters()).device
    takes_types = "token_type_ids" in signature(module.forward).parameters and has_segments(model)
    options = {"output_hidden_states": True} if layer is not None else {}

    def run(ids: Ints, types: Ints) -> Floats32:
        with torch.inference_mode():
            inputs = {"input_ids": torch.from_numpy(ids).to(device)}
            inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
            if takes_types:
                inputs["token_type_ids"] = torch.from_numpy(types).to(device)
            output = module(**inputs, **options)
            if task != "encoder":
                states = output.logits
            else:
                hidden = output.hidden_states
                states = output.last_hidden_state if layer is None else hidden[layer]
            return np.asarray(states.float().cpu().numpy())

    return run


def has_segments(model: Model) -> bool:
    """Whether the model has segment embeddings that tell first texts from second ones."""
    return int(model.config.get("type_vocab_size") or 0) > 1


def batch_rows(length: int, tokens: int) -> int:
    """How many texts of this length make a batch; it depends on nothing else, see above."""
    return max(1, tokens // length)


def length_batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Indices of texts that run together: of one length, never more than make a batch.

    Texts of one length need no padding, whose attention mask would change the last bits.
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    for length, group in groupby(order, key=lengths.__getitem__):
        indices, rows = list(group), batch_rows(length, tokens)
        yield from (indices[start : start + rows] for start in range(0, len(indices), rows))


@lru_cache(maxsize=4)
def depends_on_rows(net: Net) -> bool:
    """Whether a text's bits may depend on how many others are in its batch, by a trial of three.

    A matrix product has a row for each token of an encoder. Of a classifier it has one for each
    text, and a single row may be added up in another order.
    """
    ids = np.arange(21).reshape(3, 7)
    types = np.zeros_like(ids)
    batch, first, rest = (net(ids[rows], types[rows]) for rows in np.s_[:, :1, 1:])
    return batch.ndim < 3 or not np.array_equal(batch, np.concatenate([first, rest]))


def run_texts(
    model: Model, net: Net, encodings: Sequence[Encoding]
) -> Iterator[tuple[int, Floats32]]:
    """The model's output for every text, with the text's index, in any order."""
    if backend(model) == "torch":
        from simpatico.models.runtime.torch_backend import map_on_torch

        # A linear layer with one output, such as BLEURT's, is a matrix-vector product on torch, and
        # a row's last bits depend on its position (up to 5e-7 with torch 2.13). One text at a time
        # costs a twelve-layer BERT nothing; MiniLM takes 1.7 times as long for short texts.
        def run_one(text: Encoding) -> Floats32:
            (output,) = net(text.ids[None], text.types[None])
            return np.asarray(output)

        yield from enumerate(map_on_torch(run_one, encodings))
        return

    is_filled = backend(model) == "numpy" or depends_on_rows(net)
    tokens = FILLED_TOKENS if is_filled else TOKENS

    def run_batch(batch: list[int]) -> tuple[list[int], Floats32]:
        length = len(encodings[batch[0]].ids)
        # a text of one token is never alone, as it would be the single row of its products
        least = batch_rows(length, tokens) if is_filled else 1 + (length == 1)
        rows = batch + batch[:1] * (least - len(batch))
        ids = np.stack([encodings[row].ids for row in rows])
        types = np.stack([encodings[row].types for row in rows])
        return batch, net(ids, types)

    batches = length_batches([len(text.ids) for text in encodings], tokens)
    for batch, output in map_threads(run_batch, batches):
        yield from zip(batch, output, strict=False)  # the rest are the copies
