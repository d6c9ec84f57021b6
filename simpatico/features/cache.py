"""What models said of texts, kept on disk: a text that was encoded once is not encoded again.

A file holds the numbers of one kind of work: one model, one set of parameters, one version of the
procedure. Texts are known by their SHA-256 only; none is stored. SQLite takes care of processes
that write at the same time and of those that are killed while they do.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from simpatico.errors import BadValue

Numbers = npt.NDArray[np.generic]

WHERE = "SIMPATICO_CACHE"
LARGEST = 4 * 1024**3
"""Bytes that all files together may take; the one not used for longest goes first."""
AT_ONCE = 500
SECONDS = 30.0
TYPES = ("f4", "f8", "i8")
TABLE = "CREATE TABLE IF NOT EXISTS numbers (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"


def folder() -> Path | None:
    """Where the files are; null when the user switched the cache off."""
    told = os.environ.get(WHERE, "")
    if told.lower() in ("off", "0", "no"):
        return None
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(told) if told else home / "simpatico"


@dataclass(frozen=True)
class Cache:
    """The numbers of one kind of work."""

    path: Path

    @classmethod
    def of(cls, kind: str) -> Cache | None:
        """The cache of this kind; null when it is switched off or no folder can be had."""
        place = folder()
        if place is None:
            return None
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise BadValue(
                f"{place} cannot hold the cache ({error.strerror}); "
                f"set {WHERE} to another folder, or to off"
            ) from None
        return cls(place / f"{hashlib.sha256(kind.encode()).hexdigest()[:32]}.sqlite")

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Numbers]:
        """The numbers of those keys that are known."""
        found: dict[bytes, Numbers] = {}
        if not self.path.exists():
            return found
        with suppress(sqlite3.DatabaseError, ValueError), self._open() as base:
            for start in range(0, len(keys), AT_ONCE):
                some = keys[start : start + AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value FROM numbers WHERE key IN ({marks})"  # noqa: S608
                found |= {key: unpacked(value) for key, value in base.execute(query, some)}
        return found

    def put(self, values: Mapping[bytes, Numbers]) -> None:
        """Keep these numbers; where they cannot be kept, the work goes on without."""
        rows = [(key, packed(value)) for key, value in values.items()]
        for _ in range(2):
            try:
                with self._open() as base:
                    base.executemany("INSERT OR REPLACE INTO numbers VALUES (?, ?)", rows)
                return
            except sqlite3.OperationalError:  # locked for too long, or the disk is full
                return
            except sqlite3.DatabaseError:  # not a database: begin anew
                self.drop()

    def drop(self) -> None:
        """Remove the file and what SQLite keeps beside it."""
        for path in self.path.parent.glob(f"{self.path.name}*"):
            path.unlink(missing_ok=True)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        if not self.path.exists():
            make_room(self.path.parent)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(self.path, timeout=SECONDS)) as base:
            base.execute("PRAGMA journal_mode=WAL")
            base.execute("PRAGMA synchronous=NORMAL")
            base.execute(TABLE)
            with base:
                yield base
        with suppress(OSError):
            os.utime(self.path)


def files() -> list[Path]:
    """The files of the cache, the one not used for longest first."""
    place = folder()
    found = place.glob("*.sqlite") if place and place.is_dir() else ()
    return sorted(found, key=lambda path: path.stat().st_mtime)


def make_room(place: Path, largest: int = LARGEST) -> None:
    """Drop what was not used for longest until there is room for more."""
    kept = sorted(place.glob("*.sqlite"), key=lambda path: path.stat().st_mtime)
    size = sum(path.stat().st_size for path in kept)
    for path in kept:
        if size <= largest:
            return
        size -= path.stat().st_size
        Cache(path).drop()


def key_of(parts: str | tuple[str, ...]) -> bytes:
    """The hash by which a text, or texts that belong together, are known."""
    digest = hashlib.sha256()
    for part in (parts,) if isinstance(parts, str) else parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


def packed(numbers: Numbers) -> bytes:
    """Type, shape and numbers as bytes."""
    kind = TYPES.index(numbers.dtype.str[1:])
    head = struct.pack(f"<BB{numbers.ndim}I", kind, numbers.ndim, *numbers.shape)
    return head + np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<")).tobytes()


def unpacked(data: bytes) -> Numbers:
    """What `packed` was given."""
    kind, size = data[0], data[1]
    shape = struct.unpack_from(f"<{size}I", data, 2)
    return np.frombuffer(data, f"<{TYPES[kind]}", offset=2 + 4 * size).reshape(shape)
