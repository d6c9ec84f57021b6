"""Outputs of models, cached on disk: a text that was encoded once is not encoded again.

A file holds the arrays of one kind of work: one model, one set of parameters, one version of the
procedure. No text is stored: a text is known by its SHA-256, and its array is masked with a
stream that only the text itself gives, so that nobody can read anything out of the file about texts
that they do not have. SQLite takes care of processes that write at the same time or are killed.
Written here because caches such as diskcache pickle their values and store their keys in the clear.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TypeVar
from zlib import crc32

import numpy as np
import numpy.typing as npt

from simpatico.errors import BadValue
from simpatico.progress import track

Array = npt.NDArray[np.generic]
Key = str | tuple[str, ...]
"""A text, or texts that belong together."""
SomeKey = TypeVar("SomeKey", str, tuple[str, ...])
Compute = Callable[[list[SomeKey]], Iterable[tuple[int, Array]]]

VARIABLE = "SIMPATICO_CACHE"
MAX_BYTES = 4 * 1024**3
"""Of all files together; the least recently used one goes first."""
KEYS_PER_QUERY = 500
"""SQLite takes 999 variables in a query by default."""
LOCK_SECONDS = 30.0
"""For which a process waits while another one writes, before it goes on without the cache."""
SECONDS_BETWEEN_WRITES = 10.0
"""What a killed run may lose; writing after every text would cost more than a small model."""
DTYPES = ("f4", "f8", "i8")
"""Position in this tuple is what a file stores: append only."""
TABLE = "CREATE TABLE IF NOT EXISTS numbers (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"


def cache_folder() -> Path | None:
    """Where the files are; null when the user switched the cache off."""
    setting = os.environ.get(VARIABLE, "")
    if setting.lower() in ("off", "0", "no"):
        return None
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(setting) if setting else home / "simpatico"


@dataclass(frozen=True)
class Cache:
    """The arrays of one kind of work, in one SQLite file."""

    path: Path

    @classmethod
    def of(cls, kind: str) -> Cache | None:
        """The cache of this kind; null when caching is switched off."""
        folder = cache_folder()
        if folder is None:
            return None
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise BadValue(
                f"{folder} cannot hold the cache ({error.strerror}); "
                f"set {VARIABLE} to another folder, or to off"
            ) from None
        return cls(folder / f"{hashlib.sha256(kind.encode()).hexdigest()[:32]}.sqlite")

    def get(self, keys: Sequence[Key]) -> dict[Key, Array]:
        """The arrays of those keys that are cached; a damaged row counts as not cached."""
        arrays: dict[Key, Array] = {}
        if not self.path.exists():
            return arrays
        key_of = {key_digest(key): key for key in keys}
        digests = list(key_of)
        with suppress(sqlite3.DatabaseError, OSError), self._open() as base:
            for start in range(0, len(digests), KEYS_PER_QUERY):
                part = digests[start : start + KEYS_PER_QUERY]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, value FROM numbers WHERE key IN ({marks})"  # noqa: S608
                for digest, value in base.execute(query, part):
                    array = unpack_array(value, key_of[digest])
                    if array is not None:
                        arrays[key_of[digest]] = array
        return arrays

    def save(self, arrays: Mapping[Key, Array]) -> None:
        """Store these arrays; where that fails, the work goes on without a cache."""
        rows = [(key_digest(key), pack_array(array, key)) for key, array in arrays.items()]
        for _ in range(2):
            try:
                evict_oldest(self.path.parent)
                with self._open() as base:
                    base.executemany("INSERT OR REPLACE INTO numbers VALUES (?, ?)", rows)
                return
            except (sqlite3.OperationalError, OSError):  # locked for too long, disk full, read-only
                return
            except sqlite3.DatabaseError:  # not a database: start a new file
                self.delete()

    def delete(self) -> None:
        """Remove the file and those that SQLite keeps beside it (-wal, -shm)."""
        for path in self.path.parent.glob(f"{self.path.name}*"):
            path.unlink(missing_ok=True)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        if not self.path.exists():
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(self.path, timeout=LOCK_SECONDS)) as base:
            base.execute("PRAGMA journal_mode=WAL")
            base.execute("PRAGMA synchronous=NORMAL")
            base.execute(TABLE)
            with base:
                yield base
        with suppress(OSError):
            os.utime(self.path)  # reading counts as use, too


def cache_files(folder: Path | None = None) -> dict[Path, int]:
    """The files of the cache with their sizes, the least recently used first."""
    folder = folder or cache_folder()
    entries = []
    for path in folder.glob("*.sqlite") if folder and folder.is_dir() else ():
        with suppress(FileNotFoundError):  # another process has just deleted it
            now = path.stat()
            entries.append((now.st_mtime, path, now.st_size))
    return {path: size for _, path, size in sorted(entries)}


def clear_cache() -> int:
    """Delete all files of the cache; returns how many bytes they had."""
    sizes = cache_files()
    for path in sizes:
        Cache(path).delete()
    return sum(sizes.values())


def evict_oldest(folder: Path, max_bytes: int = MAX_BYTES) -> None:
    """Delete the least recently used files until there is room for more.

    Whole files: a file is one model and one procedure, and of an old one mostly nothing is used.
    """
    sizes = cache_files(folder)
    total = sum(sizes.values())
    for path, size in sizes.items():
        if total <= max_bytes:
            return
        total -= size
        Cache(path).delete()


def key_digest(key: Key, role: bytes = b"name") -> bytes:
    """The hash that names a key's row or, by another role, seeds the stream that masks it."""
    digest = hashlib.sha256(role)
    for part in (key,) if isinstance(key, str) else key:
        data = part.encode("utf-8", "surrogatepass")
        # lengths first, so that ("ab", "c") and ("a", "bc") differ
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


def mask_bytes(data: bytes, key: Key) -> bytes:
    """The bytes xor the key's own stream; applied twice, they are as before."""
    stream = hashlib.shake_128(key_digest(key, b"mask")).digest(len(data))
    return (np.frombuffer(data, np.uint8) ^ np.frombuffer(stream, np.uint8)).tobytes()


def pack_array(array: Array, key: Key) -> bytes:
    """Type, shape, numbers and a checksum as bytes, masked by the key."""
    dtype = DTYPES.index(array.dtype.str[1:])
    head = struct.pack(f"<BB{array.ndim}I", dtype, array.ndim, *array.shape)
    data = head + np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
    return mask_bytes(data + crc32(data).to_bytes(4, "little"), key)


def unpack_array(value: object, key: Key) -> Array | None:
    """The inverse of `pack_array`; null where the bytes are damaged."""
    if not isinstance(value, bytes) or len(value) < 6:
        return None
    clear = mask_bytes(value, key)
    data, checksum = clear[:-4], clear[-4:]
    if crc32(data).to_bytes(4, "little") != checksum:
        return None
    dtype, ndim = data[0], data[1]
    shape = struct.unpack_from(f"<{ndim}I", data, 2)
    return np.frombuffer(data, f"<{DTYPES[dtype]}", offset=2 + 4 * ndim).reshape(shape)


def compute_once(
    kind: str, keys: Sequence[SomeKey], compute: Compute[SomeKey], *, memo: dict[SomeKey, Array]
) -> list[Array]:
    """The array of every key, in order, from `memo`, from disk, or else from `compute`.

    `kind` names all that the arrays depend on besides the key: the procedure and its version, its
    parameters, the model's hash. `compute` gets the distinct unknown keys and yields, in any order,
    the index of each among them with its array; a key's array must not depend on the other keys.
    """
    missing = [key for key in dict.fromkeys(keys) if key not in memo]
    cache = Cache.of(kind) if missing else None
    if cache:
        arrays = cache.get(missing)
        memo.update({key: arrays[key] for key in missing if key in arrays})
        missing = [key for key in missing if key not in memo]
    # written every few seconds: a run that is killed loses seconds, not hours, of a slow model
    pending, last_write = dict[Key, Array](), monotonic()
    if missing:
        with track(kind.partition("|")[0], len(missing)) as tick:
            for index, array in compute(missing):
                memo[missing[index]] = pending[missing[index]] = array
                tick(1)
                if cache and monotonic() - last_write > SECONDS_BETWEEN_WRITES:
                    cache.save(pending)
                    pending, last_write = {}, monotonic()
    if cache and pending:
        cache.save(pending)
    return [memo[key] for key in keys]
