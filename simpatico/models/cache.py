"""What models said of texts, kept on disk: a text that was encoded once is not encoded again.

A file holds the numbers of one kind of work: one model, one set of parameters, one version of the
procedure. No text is stored: a text is known by its SHA-256, and its numbers are masked with a
stream that only the text itself gives, so that nobody can read anything out of the file about texts
that they do not have. SQLite takes care of processes that write at the same time or are killed.
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
from zlib import crc32

import numpy as np
import numpy.typing as npt

from simpatico.errors import BadValue

Numbers = npt.NDArray[np.generic]
Key = str | tuple[str, ...]
"""A text, or texts that belong together."""

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
        """The cache of this kind; null when it is switched off."""
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

    def get(self, keys: Sequence[Key]) -> dict[Key, Numbers]:
        """The numbers of those keys that are known; a damaged row is not."""
        found: dict[Key, Numbers] = {}
        if not self.path.exists():
            return found
        wanted = {digest(key): key for key in keys}
        hashes = list(wanted)
        with suppress(sqlite3.DatabaseError, OSError), self._open() as base:
            for start in range(0, len(hashes), AT_ONCE):
                some = hashes[start : start + AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value FROM numbers WHERE key IN ({marks})"  # noqa: S608
                for name, value in base.execute(query, some):
                    numbers = unpacked(value, wanted[name])
                    if numbers is not None:
                        found[wanted[name]] = numbers
        return found

    def put(self, values: Mapping[Key, Numbers]) -> None:
        """Keep these numbers; where they cannot be kept, the work goes on without."""
        rows = [(digest(key), packed(value, key)) for key, value in values.items()]
        for _ in range(2):
            try:
                make_room(self.path.parent)
                with self._open() as base:
                    base.executemany("INSERT OR REPLACE INTO numbers VALUES (?, ?)", rows)
                return
            except (sqlite3.OperationalError, OSError):  # locked for too long, no room or right
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
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(self.path, timeout=SECONDS)) as base:
            base.execute("PRAGMA journal_mode=WAL")
            base.execute("PRAGMA synchronous=NORMAL")
            base.execute(TABLE)
            with base:
                yield base
        with suppress(OSError):
            os.utime(self.path)


def files(place: Path | None = None) -> dict[Path, int]:
    """The files of the cache with their sizes, the one not used for longest first."""
    place = place or folder()
    found = []
    for path in place.glob("*.sqlite") if place and place.is_dir() else ():
        with suppress(FileNotFoundError):  # another process has just dropped it
            now = path.stat()
            found.append((now.st_mtime, path, now.st_size))
    return {path: size for _, path, size in sorted(found)}


def make_room(place: Path, largest: int = LARGEST) -> None:
    """Drop what was not used for longest until there is room for more."""
    kept = files(place)
    size = sum(kept.values())
    for path, bytes_held in kept.items():
        if size <= largest:
            return
        size -= bytes_held
        Cache(path).drop()


def digest(key: Key, role: bytes = b"name") -> bytes:
    """The hash by which texts are known, or by another role the one that masks their numbers."""
    hashed = hashlib.sha256(role)
    for part in (key,) if isinstance(key, str) else key:
        data = part.encode("utf-8", "surrogatepass")
        hashed.update(len(data).to_bytes(8, "little"))
        hashed.update(data)
    return hashed.digest()


def masked(data: bytes, key: Key) -> bytes:
    """The bytes with the text's own stream laid over them; done twice, they are as before."""
    stream = hashlib.shake_128(digest(key, b"mask")).digest(len(data))
    return (np.frombuffer(data, np.uint8) ^ np.frombuffer(stream, np.uint8)).tobytes()


def packed(numbers: Numbers, key: Key) -> bytes:
    """Type, shape, numbers and a checksum as bytes, masked by the text."""
    kind = TYPES.index(numbers.dtype.str[1:])
    head = struct.pack(f"<BB{numbers.ndim}I", kind, numbers.ndim, *numbers.shape)
    data = head + np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<")).tobytes()
    return masked(data + crc32(data).to_bytes(4, "little"), key)


def unpacked(value: object, key: Key) -> Numbers | None:
    """What `packed` was given; null where the bytes are damaged."""
    if not isinstance(value, bytes) or len(value) < 6:
        return None
    whole = masked(value, key)
    data, told = whole[:-4], whole[-4:]
    if crc32(data).to_bytes(4, "little") != told:
        return None
    kind, size = data[0], data[1]
    shape = struct.unpack_from(f"<{size}I", data, 2)
    return np.frombuffer(data, f"<{TYPES[kind]}", offset=2 + 4 * size).reshape(shape)
