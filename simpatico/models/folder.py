"""A folder of weights: safetensors, JSON and Markdown, every byte of it accounted for.

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

MANIFEST = "manifest.json"
LIMIT = 64 * 1024**2
"""Bytes of the largest file that is read."""


@dataclass(frozen=True)
class ModelFolder:
    """The files of a model, read once and checked; `sha256` stands for all of them."""

    path: Path
    sha256: str
    files: Mapping[str, bytes] = field(compare=False, repr=False)

    def decode(self, name: str, kind: Any) -> Any:
        """The JSON file of this name as a value of type `kind`."""
        try:
            return msgspec.json.decode(self.files[name], type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            why = str(error) if isinstance(error, msgspec.ValidationError) else "not valid JSON"
            raise DataError(f"{self.path / name}: {why}; get the model again") from None

    def tensors(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """The tensors of the safetensors file of this name."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            found: dict[str, npt.NDArray[Any]] = load(self.files[name])
        except (SafetensorError, KeyError, TypeError, ValueError):
            where = self.path / name
            raise DataError(f"{where}: not a safetensors file; get the model again") from None
        return found


def read_folder(folder: Path, names: Collection[str]) -> ModelFolder:
    """The model in this folder, which holds exactly the files `names` and a manifest."""
    wanted = sorted({*names, MANIFEST})
    try:
        present = sorted(path.name for path in folder.iterdir())
        if present != wanted:
            raise DataError(f"{folder}: {difference(present, wanted)}; get the model again")
        files = {name: content(folder / name) for name in wanted}
    except OSError as error:
        raise DataError(f"{folder}: cannot be read ({error.strerror or 'unknown'})") from None
    told = files.pop(MANIFEST)
    if told != manifest(files):
        raise DataError(f"{folder}: {changed(told, files)}; get the model again")
    return ModelFolder(folder, hashlib.sha256(told).hexdigest(), files)


def difference(present: list[str], wanted: list[str]) -> str:
    """Which file is one too many or too few."""
    if lacking := [name for name in wanted if name not in present]:
        return f"there is no {lacking[0]}"
    extra = next(name for name in present if name not in wanted)
    return f"{extra!r} does not belong into a model folder, which holds {', '.join(wanted)}"


def content(path: Path) -> bytes:
    """The bytes of a plain file of reasonable size."""
    # a link could lead anywhere; what is hashed and read must be the folder's own
    if path.is_symlink() or not path.is_file():
        raise DataError(f"{path}: not a plain file; a model folder holds no links and no folders")
    if (size := path.stat().st_size) > LIMIT:
        raise DataError(f"{path}: {size:,} bytes; no file of a model is larger than {LIMIT:,}")
    return path.read_bytes()


def manifest(files: Mapping[str, bytes]) -> bytes:
    """The manifest that belongs to these files."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}
    return (json.dumps(hashes, indent=1) + "\n").encode()


def changed(told: bytes, files: Mapping[str, bytes]) -> str:
    """Which file is not the one that the manifest was written for."""
    try:
        hashes = msgspec.json.decode(told, type=dict[str, str])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return f"{MANIFEST} is not valid"
    for name, data in files.items():
        if hashes.get(name) != hashlib.sha256(data).hexdigest():
            return f"{name} is not the file that {MANIFEST} names"
    return f"{MANIFEST} is not as it was written"


def finite(numbers: npt.NDArray[Any]) -> bool:
    """Whether these are floating point numbers, none of them NaN or infinite."""
    return np.issubdtype(numbers.dtype, np.floating) and bool(np.isfinite(numbers).all())
