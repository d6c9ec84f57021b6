"""The one place that reaches the network for a model, and only for a name that says `hub:`."""

from __future__ import annotations

import shutil
from pathlib import Path

from simpatico.errors import MissingResource
from simpatico.models.store.convert import from_torch

WANTED = ["*.json", "*.txt", "*.model", "*.spm", "*.safetensors"]
PASSED_OVER = ["onnx/*", "openvino/*", "*/*/*", "*adapter*", ".*"]
PICKLED = "pytorch_model.bin"


def download(what: str, folder: Path) -> None:
    """Fetch ORG/NAME into a folder; pickled weights are converted, no code is fetched."""
    fetch(what, folder, WANTED)
    if not any(folder.glob("*.safetensors")):
        fetch(what, folder, [PICKLED])
        source = folder / PICKLED
        if not source.is_file():
            raise MissingResource(f"hub:{what} has no weights as safetensors or {PICKLED}")
        from_torch(source, folder / "model.safetensors")
        source.unlink()
    shutil.rmtree(folder / ".cache", ignore_errors=True)


def fetch(what: str, folder: Path, patterns: list[str]) -> None:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingResource(
            f"hub:{what} is fetched with huggingface_hub; `pip install 'simpatico[torch]'`"
        ) from None
    try:
        snapshot_download(
            repo_id=what, local_dir=folder, allow_patterns=patterns, ignore_patterns=PASSED_OVER
        )
    except Exception as error:  # the network, the hub and the disk fail in many ways
        raise MissingResource(
            f"hub:{what} could not be fetched ({type(error).__name__}); "
            "check the name and the network, or copy the model here and name it path:DIR"
        ) from None
