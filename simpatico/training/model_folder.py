"""Write a model's folder: all of its files, or none of them.

A new folder is written beside its place and then renamed into it, so that no reader ever meets the
weights of one training with the card of another. `manifest.json` holds the hash of every file.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

from simpatico.errors import DataError, RunError
from simpatico.files import make_folder, replace_folder, write_atomically
from simpatico.models.folder import build_manifest
from simpatico.models.store.checkpoint import MANIFEST


def refuse_file(out: Path) -> None:
    """Refuse a place where a file is, or a link that leads nowhere."""
    if out.is_symlink() and not out.exists():
        raise DataError(f"{out} is a link that leads nowhere; name a folder for the model")
    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is a file; name a folder for the model")


def check_writable(out: Path, names: Collection[str]) -> None:
    """Refuse a place that holds anything but a model of files with these names."""
    refuse_file(out)
    if out.is_dir() and (alien := {p.name for p in out.iterdir()} - {*names, MANIFEST}):
        raise DataError(
            f"{out} holds {min(alien)!r}, which is not part of a model; name another folder"
        )


def encode_json(value: object, *, ensure_ascii: bool = False) -> bytes:
    """JSON as all model folders have it."""
    return (json.dumps(value, indent=1, allow_nan=False, ensure_ascii=ensure_ascii) + "\n").encode()


def write_model_folder(
    out: Path, files: Mapping[str, bytes], *, private: Collection[str] = ()
) -> None:
    """Let a folder of these files and their manifest take the place of the model that is there.

    Of `private` files nobody but their owner can read a byte at any time.
    """
    check_writable(out, files)
    out = recover_folder(out, files)
    new, old = staging_folders(out)
    make_folder(out.parent, 0o755)
    make_folder(new, 0o755)
    for name, data in {**files, MANIFEST: build_manifest(files)}.items():
        write_atomically(new / name, data, public=name not in private)
    replace_folder(new, out, old=old)
    remove_leftover(old, files)


def change_model_folder(folder: Path, changes: Mapping[str, bytes]) -> None:
    """Let a copy of the folder with other contents of some files take its place."""
    new, old = staging_folders(folder)
    shutil.copytree(folder, new)
    for name, data in changes.items():
        write_atomically(new / name, data, public=True)
    replace_folder(new, folder, old=old)
    remove_leftover(old, [path.name for path in folder.iterdir()])


def recover_folder(out: Path, names: Collection[str]) -> Path:
    """Undo what an interrupted writing left beside a folder; the folder's real path."""
    out = out.resolve()
    new, old = staging_folders(out)
    if old.is_dir() and not out.exists() and is_model_folder(old, names):
        old.rename(out)
    for leftover in (new, old):
        remove_leftover(leftover, names)
    return out


def staging_folders(out: Path) -> tuple[Path, Path]:
    """Where the new folder is written, and where the one before it waits to be removed."""
    return out.with_name(f".{out.name}.new"), out.with_name(f".{out.name}.old")


def is_model_folder(folder: Path, names: Collection[str]) -> bool:
    """Whether a folder has nothing but files of these names, finished or not."""
    expected = {*names, MANIFEST}
    present = [path.name.removeprefix(".").removesuffix(".tmp") for path in folder.iterdir()]
    # an unfinished file carries the number of its process: .card.md.4711.tmp
    return all(name in expected or name.rpartition(".")[0] in expected for name in present)


def remove_leftover(folder: Path, names: Collection[str]) -> None:
    """Delete a staging folder, for it may know users who have been forgotten since.

    Never one with other files in it: somebody may have chosen the same name.
    """
    if not folder.exists():
        return
    if not is_model_folder(folder, names):
        raise DataError(f"{folder} is in the way and is not a model; move it")
    try:
        shutil.rmtree(folder)
    except OSError as error:
        why = error.strerror
        raise RunError(f"{folder} could not be removed: {why}; remove it", resumable=True) from None
