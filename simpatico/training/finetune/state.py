"""Checkpoints of a fine-tuning, so that a kill at any moment loses minutes at most.

`state.json` names the files that belong together and is the last to be written; every file appears
whole or not at all. Tensors are safetensors: nothing is ever unpickled.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from simpatico.errors import DataError
from simpatico.files import write_atomically

STATE = "state.json"


class Progress(msgspec.Struct):
    """Steps done, the validation loss after every epoch, and the files of the weights."""

    key: str
    step: int = 0
    losses: list[float] = []
    latest: str = ""
    """The file of all tensors after the last step."""
    best: str = ""
    """The file of the weights of the best epoch."""

    @property
    def epoch(self) -> int:
        """The epoch of least validation loss, counted from 1; the first of those that are alike."""
        return 1 + min(range(len(self.losses)), key=self.losses.__getitem__)


def resume_progress(partial: Path, key: str, model: Any, optimizer: Any) -> Progress:
    """Load the last checkpoint of this training, if there is one, into model and optimizer."""
    path = partial / STATE
    if not path.is_file():
        return Progress(key)
    try:
        progress = msgspec.json.decode(path.read_bytes(), type=Progress)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise DataError(f"{path}: cannot be read; delete {partial} to start over") from None
    if progress.key != key:
        raise DataError(
            f"{partial} holds an unfinished training of other data or settings; "
            "finish that one, or delete the folder"
        )
    copy_tensors(partial / progress.latest, checkpoint_tensors(model, optimizer))
    # Adam corrects its running means for the number of steps, which is the same for all weights
    for state in optimizer.state.values():
        state["step"].fill_(progress.step)
    return progress


def save_progress(partial: Path, progress: Progress, model: Any, optimizer: Any) -> None:
    """Write the tensors, then the file that names them, then delete older ones."""
    from safetensors.torch import save_file

    tensors = {n: t.detach() for n, t in checkpoint_tensors(model, optimizer).items()}
    epochs = len(progress.losses)
    best = f"best-{epochs}.safetensors"
    if epochs and progress.epoch == epochs and progress.best != best:
        weights = {name: tensor for name, tensor in tensors.items() if name.startswith("weight.")}
        write_atomically(partial / best, lambda path: save_file(weights, path))
        progress.best = best
    progress.latest = f"step-{progress.step}.safetensors"
    write_atomically(partial / progress.latest, lambda path: save_file(tensors, path))
    write_atomically(partial / STATE, msgspec.json.encode(progress))
    for path in [*partial.glob("*.safetensors"), *partial.glob(".*.tmp")]:
        if path.name not in (progress.latest, progress.best):
            path.unlink()


def checkpoint_tensors(model: Any, optimizer: Any = None) -> dict[str, Any]:
    """All that a step changes, by name: weights, and Adam's running means of their gradients."""
    weights = {name: w for name, w in model.named_parameters() if w.requires_grad}
    tensors = {f"weight.{name}": w for name, w in weights.items()}
    if optimizer is not None:
        for kind, key in (("mean", "exp_avg"), ("square", "exp_avg_sq")):
            tensors |= {f"{kind}.{name}": optimizer.state[w][key] for name, w in weights.items()}
    return tensors


def copy_tensors(path: Path, tensors: Mapping[str, Any]) -> None:
    """Overwrite tensors by those in a file; their memory, and so its alignment, stays the same."""
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        checkpoint = load_file(path)
    except (OSError, SafetensorError):
        raise DataError(f"{path}: cannot be read; delete {path.parent} to start over") from None
    with torch.no_grad():
        for name, tensor in tensors.items():
            tensor.copy_(checkpoint[name])
