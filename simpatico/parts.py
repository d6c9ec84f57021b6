"""Files that appear whole or not at all, in a folder that one process holds at a time."""

from __future__ import annotations

import fcntl
import json
import os
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from polars.exceptions import PolarsError

from simpatico.errors import RunError

HOLDER = "parts/holder"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder for this process; the system gives it back even after kill -9."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    holder = folder / HOLDER
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            who = holder.read_text(encoding="utf-8") if holder.exists() else "another process"
            raise RunError(f"{folder} is being written by {who}; wait or use another") from None
        yield
    finally:
        os.close(handle)


def sign(folder: Path) -> None:
    """Say who holds the folder, for whoever else tries."""
    (folder / HOLDER).write_text(
        f"process {os.getpid()} on {socket.gethostname()}", encoding="utf-8"
    )


def publish(path: Path, write: Callable[[Path], object]) -> None:
    """Let `path` appear complete or not at all: write, flush to disk, rename, flush the folder."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(unfinished)
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    except (OSError, PolarsError) as error:
        unfinished.unlink(missing_ok=True)
        number = re.search(r"os error (\d+)", str(error))  # how Polars reports a full disk
        if isinstance(error, PolarsError) and not number:
            raise
        why = os.strerror(int(number[1])) if number else getattr(error, "strerror", None)
        raise RunError(f"{path} could not be written: {why}", resumable=True) from None
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def publish_json(path: Path, value: object) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True, allow_nan=False)
    publish(path, lambda p: p.write_text(text + "\n", encoding="utf-8"))
