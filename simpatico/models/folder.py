"""A folder of trained weights: safetensors, JSON and Markdown, every byte of it accounted for.

`manifest.json` holds the SHA-256 of every other file and nothing else, so that a changed byte in
any file, the manifest included, is refused. Nothing in such a folder is ever executed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from simpatico.errors import DataError
from simpatico.models.store.checkpoint import MANIFEST, NOT_JSON, refuse_unreadable

MAX_BYTES = 64 * 1024**2
"""Of one file: these folders are read into memory whole."""


@dataclass(frozen=True)
class ModelFolder:
    """The files of a model, read once and verified; `sha256` covers all of them."""

    path: Path
    sha256: str
    files: Mapping[str, bytes] = field(compare=False, repr=False)

    def decode(self, name: str, kind: Any) -> Any:
        """The JSON file of this name as a value of type `kind`."""
        try:
            return msgspec.json.decode(self.files[name], type=kind)
        except NOT_JSON as error:
            why = str(error) if isinstance(error, msgspec.ValidationError) else "not valid JSON"
            raise DataError(f"{self.path / name}: {why}; get the model again") from None

    def tensors(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """The tensors of the safetensors file of this name."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            return dict(load(self.files[name]))
        except (SafetensorError, KeyError, TypeError, ValueError):
            path = self.path / name
            raise DataError(f"{path}: not a safetensors file; get the model again") from None


def read_model_folder(folder: Path, names: Collection[str]) -> ModelFolder:
    """The model in this folder, which holds exactly the files `names` and a manifest."""
    required = sorted({*names, MANIFEST})
    with refuse_unreadable(folder):
        present = {path.name for path in folder.iterdir()}
        if missing := [name for name in required if name not in present]:
            raise DataError(f"{folder}: there is no {missing[0]}; get the model again")
        if extra := sorted(present - {*required}):
            raise DataError(
                f"{folder}: {extra[0]!r} is not part of a model folder, which holds "
                f"{', '.join(required)}; get the model again"
            )
        files = {name: read_plain_file(folder / name) for name in required}
    manifest = files.pop(MANIFEST)
    if manifest == build_manifest(files):
        return ModelFolder(folder, hashlib.sha256(manifest).hexdigest(), files)
    why = f"{MANIFEST} is not as it was written"
    try:
        hashes = msgspec.json.decode(manifest, type=dict[str, str])
        for name, data in files.items():
            if hashes.get(name) != hashlib.sha256(data).hexdigest():
                why = f"{name} is not the file that {MANIFEST} names"
                break
    except NOT_JSON:
        why = f"{MANIFEST} is not valid"
    raise DataError(f"{folder}: {why}; get the model again")


def read_plain_file(path: Path) -> bytes:
    """The bytes of a plain file of reasonable size."""
    # a link could lead anywhere; what is hashed and read must be the folder's own
    if path.is_symlink() or not path.is_file():
        raise DataError(f"{path}: not a plain file; a model folder holds no links and no folders")
    if (size := path.stat().st_size) > MAX_BYTES:
        raise DataError(f"{path}: {size:,} bytes; no file of a model is larger than {MAX_BYTES:,}")
    return path.read_bytes()


def build_manifest(files: Mapping[str, bytes]) -> bytes:
    """The manifest of these files."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}
    return (json.dumps(hashes, indent=1) + "\n").encode()


def all_finite(numbers: npt.NDArray[Any]) -> bool:
    """Whether these are floating point numbers, none of them NaN or infinite."""
    return np.issubdtype(numbers.dtype, np.floating) and bool(np.isfinite(numbers).all())
