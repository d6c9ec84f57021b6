"""Files that appear complete or not at all, and folders that one process writes at a time."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import re
import shutil
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

from simpatico.errors import RunError

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Errors that more room on the disk, or a higher limit, takes away."""
AT_FDCWD, RENAME_EXCHANGE = -100, 2
"""Of Linux' renameat2: paths as they are, and two files that change places."""
CREATION = threading.Lock()
"""Held while a file is created that other threads may open at once."""
PASSED: Counter[str] = Counter()
"""How often each fault point was passed; counted in tests alone."""


def fault(name: str) -> None:
    """A named place at which tests let the process die, as a power cut would.

    `SIMPATICO_FAULT=renamed:3` ends it the third time it comes by this name, `any:3` at its third
    fault point of any name; with `:kill` behind it by SIGKILL, else by leaving at once.
    """
    if not (plan := os.environ.get("SIMPATICO_FAULT")):
        return
    wanted, number, how = f"{plan}:".split(":")[:3]
    PASSED.update((name, "any"))
    if wanted in (name, "any") and PASSED[wanted] == int(number):
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(70)


def sync(path: Path) -> None:
    """Wait until the disk has a file, or the names in a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path, mode: int = 0o700) -> None:
    """Make a folder and those above it that are missing, for their owner only, and on disk."""
    for place in reversed([p for p in (folder, *folder.parents) if not p.is_dir()]):
        try:
            place.mkdir(mode, exist_ok=True)
        except FileExistsError:
            what = "file" if place.exists() else "link that leads nowhere"
            raise RunError(f"{place} is a {what}; name a folder") from None
        sync(place.parent)


@contextmanager
def lock_folder(folder: Path, holder: Path | None = None) -> Iterator[None]:
    """Keep other processes from writing the folder; `holder` is a file that says who has it.

    The lock is the kernel's (flock), so that it is released even after kill -9.
    """
    make_folder(folder)
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
    path: Path, content: bytes | Callable[[Path], object], *, public: bool = False
) -> None:
    """Write bytes, or let a function write to a path, so that `path` is never seen half-written.

    The content goes to a hidden file beside `path`, is flushed to disk and renamed; flushing the
    folder as well makes the rename itself survive a crash. From its first byte on only its owner
    can read it, unless it is public: nearly every file of ours holds ids or what people said.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        fault("write")
        temporary.unlink(missing_ok=True)  # a file of a process of our number, with its own mode
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL, 0o644 if public else 0o600))
        if isinstance(content, bytes):
            temporary.write_bytes(content)
        else:
            content(temporary)
        fault("written")
        sync(temporary)
        fault("synced")
        temporary.replace(path)
        fault("renamed")
        sync(path.parent)
        fault("folder-synced")
    except Exception as error:
        number = re.search(r"os error (\d+)", str(error))  # how Polars reports a full disk
        # by the name of its module, as importing polars takes its time
        is_polars = type(error).__module__.startswith("polars")
        if not isinstance(error, OSError) and not (is_polars and number):
            raise
        code = int(number[1]) if number else error.errno if isinstance(error, OSError) else None
        why = os.strerror(code) if code else type(error).__name__
        if code in FULL:
            why += how_full(temporary, content)
        raise RunError(f"{path} could not be written: {why}", resumable=True) from None
    finally:
        with suppress(OSError):  # a file may stand where the folder should be
            temporary.unlink(missing_ok=True)


def create_private(path: Path) -> None:
    """Make sure that there is a file, private from its first byte, that can be read and written.

    A file that is there is not opened: a process that closes a file gives up all its locks of it
    (fcntl), those that SQLite holds for other threads among them.
    """
    with CREATION:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            if not os.access(path, os.R_OK | os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None


def remove_leftovers(path: Path) -> None:
    """Remove what processes that were killed had written of this file."""
    for leftover in path.parent.glob(f".{escape(path.name)}.*.tmp"):
        with suppress(ValueError, OverflowError, OSError):
            try:
                os.kill(int(leftover.name.split(".")[-2]), 0)
            except ProcessLookupError:
                leftover.unlink()


def how_full(temporary: Path, content: bytes | Callable[[Path], object]) -> str:
    """How much of a file went on a full disk, and what is left there."""
    written, free = 0, 0
    with suppress(OSError):
        written = temporary.stat().st_size
        free = shutil.disk_usage(temporary.parent).free
    of = f" of {len(content):,}" if isinstance(content, bytes) else ""
    size = f" after {written:,}{of} bytes ({free:,} are free)"
    return f"{size}; make room and run the same command again"


def write_json_atomically(path: Path, value: object, *, public: bool = False) -> None:
    """The same for a JSON document; keys are sorted, so that equal values give equal bytes."""
    text = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True, allow_nan=False)
    write_atomically(path, f"{text}\n".encode(), public=public)


def replace_folder(new: Path, target: Path, *, old: Path) -> None:
    """Move a finished folder to its place, all of it on disk; what stood there goes to `old`.

    The two change places in one step: at any moment readers see the old folder or the new one.
    Where the system has no such step there are two renames, with nothing in place between them.
    """
    for path in (*new.rglob("*"), new):
        sync(path)
    fault("folder-ready")
    if target.exists() and exchange(new, target):
        fault("exchanged")
        new.rename(old)
    else:
        if target.exists():
            target.rename(old)
            fault("old-moved")
        new.rename(target)
    fault("new-moved")
    for parent in {new.parent, target.parent, old.parent}:
        sync(parent)


def exchange(one: Path, other: Path) -> bool:
    """Let two folders change places in one step; false where the system cannot do that."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    places = (AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other))
    return rename is not None and rename(*places, RENAME_EXCHANGE) == 0
