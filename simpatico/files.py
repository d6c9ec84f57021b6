"""Files that appear complete or not at all, and folders that one process writes at a time."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from polars.exceptions import PolarsError

from simpatico.errors import RunError


@contextmanager
def lock_folder(folder: Path, holder: Path | None = None) -> Iterator[None]:
    """Keep other processes from writing the folder; `holder` is a file that says who has it.

    The lock is the kernel's (flock), so that it is released even after kill -9.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            who = "another process"
            if holder and holder.exists():
                who = holder.read_text(encoding="utf-8")
            raise RunError(f"{folder} is being written by {who}; wait or use another") from None
        yield
    finally:
        os.close(handle)


def write_atomically(
    path: Path, content: bytes | Callable[[Path], object], *, private: bool = False
) -> None:
    """Write bytes, or let a function write to a path, so that `path` is never seen half-written.

    The content goes to a hidden file beside `path`, is flushed to disk and renamed; flushing the
    folder as well makes the rename itself survive a crash. A private file can be read by its owner
    only, from its first byte on.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        if private:
            temporary.touch(mode=0o600)
        if isinstance(content, bytes):
            temporary.write_bytes(content)
        else:
            content(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except (OSError, PolarsError) as error:
        with suppress(OSError):  # a file may stand where the folder should be
            temporary.unlink()
        errno = re.search(r"os error (\d+)", str(error))  # how Polars reports a full disk
        if isinstance(error, PolarsError) and not errno:
            raise
        why = os.strerror(int(errno[1])) if errno else getattr(error, "strerror", None)
        raise RunError(f"{path} could not be written: {why}", resumable=True) from None
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_json_atomically(path: Path, value: object) -> None:
    """The same for a JSON document; keys are sorted, so that equal values give equal bytes."""
    text = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True, allow_nan=False)
    write_atomically(path, f"{text}\n".encode())


def replace_folder(new: Path, target: Path, *, old: Path) -> None:
    """Move a finished folder to its place; what stood there goes to `old`.

    Two renames on one file system: readers see the old or the new folder, never a mixture.
    """
    if target.exists():
        target.rename(old)
    new.rename(target)
