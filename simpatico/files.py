"""Files that appear whole or not at all, in a folder that one process holds at a time."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from simpatico.errors import RunError
from simpatico.readers.input.record import Reject

HOLDER = "parts/holder"
ROWS_PER_GROUP = 65_536
LEVEL = 1
"""Of zstd: half the work of its usual 3 for files of the same size but for a few percent."""


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


def begin(folder: Path, key: str) -> bool:
    """Make the folder ready; false when this very run is already finished in it."""
    path = folder / "run.json"
    if path.exists():
        try:
            held = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            held = {}
        if held.get("key") != key:
            raise RunError(
                f"{folder} holds a run of other input, metrics, options or version; "
                "choose another folder or delete this one"
            )
        if held.get("status") == "done":
            shutil.rmtree(folder / "parts", ignore_errors=True)
            return False
    elif any(not p.name.endswith(".tmp") for p in folder.iterdir()):
        raise RunError(f"{folder} holds files that are not of a run; choose an empty folder")
    else:
        publish_json(path, {"status": "running", "key": key})
    (folder / "parts").mkdir(exist_ok=True)
    for leftover in [*folder.glob(".*.tmp"), *folder.glob("parts/.*.tmp")]:
        leftover.unlink()
    sign(folder)
    return True


def discard(folder: Path) -> None:
    """Take back an unfinished run, so that the folder can be used again."""
    shutil.rmtree(folder / "parts")
    (folder / "run.json").unlink()


def part_done(folder: Path, index: int) -> bool:
    return (folder / "parts" / f"{index:06d}.json").exists()


def publish(path: Path, write: Callable[[Path], object], *, private: bool = False) -> None:
    """Let `path` appear complete or not at all: write, flush to disk, rename, flush the folder.

    A private file can be read by its owner only, from its first byte on.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        if private:
            unfinished.touch(mode=0o600)
        write(unfinished)
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    except (OSError, PolarsError) as error:
        with suppress(OSError):  # a file may stand where the folder should be
            unfinished.unlink()
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


def joined(files: Sequence[Path], out: Path) -> None:
    """All parts as one file, read and written piece by piece."""
    pl.scan_parquet(list(files), glob=False).sink_parquet(
        out, compression_level=LEVEL, row_group_size=ROWS_PER_GROUP, maintain_order=True
    )


def publish_rejects(folder: Path, rejects: Sequence[Reject]) -> None:
    """What could not be read, one JSON object a line: file, line, byte, code, reason."""
    if rejects:
        rows = [{**r.place._asdict(), "code": r.code, "reason": r.reason} for r in rejects]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        publish(folder / "rejects.jsonl", lambda p: p.write_text(text, encoding="utf-8"))
