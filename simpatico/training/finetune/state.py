"""What is done so far of a fine-tuning, kept so that a kill at any moment loses minutes at most.

`state.json` names the files that belong together and is the last to be written; every file appears
whole or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from simpatico.errors import DataError
from simpatico.files import write_atomically
from simpatico.training.fit.adam import Adam

STATE = "state.json"


class Progress(msgspec.Struct):
    """How many steps are done, the loss after every epoch, and in which files the weights are."""

    key: str
    step: int = 0
    losses: list[float] = []
    latest: str = ""
    best: str = ""

    @property
    def epoch(self) -> int:
        """The epoch that checked best, counted from 1; the first of those that are alike."""
        return 1 + min(range(len(self.losses)), key=self.losses.__getitem__)


def resume(partial: Path, key: str, adam: Adam) -> Progress:
    """What is kept of this training, with weights and moments in place; nothing at the start."""
    path = partial / STATE
    if not path.is_file():
        return Progress(key)
    try:
        progress = msgspec.json.decode(path.read_bytes(), type=Progress)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise DataError(f"{path}: cannot be read; delete {partial} to begin anew") from None
    if progress.key != key:
        raise DataError(
            f"{partial} holds an unfinished training of other data or settings; "
            "finish that one, or delete the folder"
        )
    kept = loaded(partial / progress.latest)
    for part, tensors in parts(adam).items():
        put(tensors, kept, part)
    adam.steps = progress.step
    return progress


def keep(partial: Path, progress: Progress, adam: Adam) -> None:
    """Write weights and moments, then the file that names them, then let go of older ones."""
    from safetensors.torch import save_file

    whole = {
        f"{part}.{name}": tensor.detach()
        for part, tensors in parts(adam).items()
        for name, tensor in tensors.items()
    }
    epochs = len(progress.losses)
    best = f"best-{epochs}.safetensors"
    if epochs and progress.epoch == epochs and progress.best != best:
        weights = {name: tensor for name, tensor in whole.items() if name.startswith("weight.")}
        write_atomically(partial / best, lambda path: save_file(weights, path))
        progress.best = best
    progress.latest = f"step-{progress.step}.safetensors"
    write_atomically(partial / progress.latest, lambda path: save_file(whole, path))
    write_atomically(partial / STATE, lambda path: path.write_bytes(msgspec.json.encode(progress)))
    for path in [*partial.glob("*.safetensors"), *partial.glob(".*.tmp")]:
        if path.name not in (progress.latest, progress.best):
            path.unlink()


def parts(adam: Adam) -> dict[str, dict[str, Any]]:
    """All that a step changes."""
    return {"weight": adam.weights, "mean": adam.means, "square": adam.squares}


def best_weights(partial: Path, progress: Progress, model: Any) -> None:
    """Put the weights of the best epoch in place."""
    kept = loaded(partial / progress.best)
    put({n: w for n, w in model.named_parameters() if w.requires_grad}, kept, "weight")


def loaded(path: Path) -> dict[str, Any]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        found: dict[str, Any] = load_file(path)
    except (OSError, SafetensorError):
        raise DataError(f"{path}: cannot be read; delete {path.parent} to begin anew") from None
    return found


def put(tensors: Mapping[str, Any], kept: Mapping[str, Any], part: str) -> None:
    """Overwrite numbers where they are, so that their memory stays the one it was."""
    import torch

    with torch.no_grad():
        for name, tensor in tensors.items():
            tensor.copy_(kept[f"{part}.{name}"])
