"""Outputs of models, cached on disk: a text that was encoded once is not encoded again.

A file holds the arrays of one kind of work: one model, one set of parameters, one version of the
procedure. No text is stored. A secret of this machine and the kind give a key; with it the text is
hashed to the name of its row and to a seed, which is stored nowhere. The array is masked with a
stream of the seed and carries a tag keyed with it, so that

* without the secret nobody can check a guessed text, or see that two files hold the same one,
* with the secret, but without the text, nobody can read an array,
* a row that was damaged, planted, or moved from another text or kind is not believed.

SQLite takes care of processes that write at the same time or are killed. Written here because
caches such as diskcache pickle their values and store their keys in the clear.
"""

from __future__ import annotations

import os
import sqlite3
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import blake2b, shake_128
from pathlib import Path
from time import monotonic
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from simpatico.errors import BadValue
from simpatico.files import create_private
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
SECRET_BYTES = 32
TAG_BYTES = 16
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


def machine_secret() -> bytes | None:
    """The secret that keys the cache, made when there is none; null where none can be kept.

    Not in the cache's folder, so that a copy of the cache is of no use by itself.
    """
    try:
        home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state")
        path = home / "simpatico" / "cache.key"
        damaged = path.exists()
        if damaged and len(secret := path.read_bytes()) == SECRET_BYTES:
            return secret
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # readable by its owner only, and complete before it gets its name
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(os.urandom(SECRET_BYTES))
            if damaged:
                os.replace(temporary, path)
            else:
                with suppress(FileExistsError):  # of processes that start together, one is first
                    os.link(temporary, path)
        finally:
            Path(temporary).unlink(missing_ok=True)
        secret = path.read_bytes()
        return secret if len(secret) == SECRET_BYTES else None
    except (OSError, RuntimeError):  # no home, no room, or a file system without links
        return None


@dataclass(frozen=True)
class Cache:
    """The arrays of one kind of work, in one SQLite file; `key` is the kind's own."""

    path: Path
    key: bytes = field(repr=False)

    @classmethod
    def of(cls, kind: str) -> Cache | None:
        """The cache of this kind; null when caching is switched off, or no secret can be kept."""
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
        if (secret := machine_secret()) is None:
            return None
        digest = blake2b(kind.encode(), key=secret).digest()
        return cls(folder / f"{digest[:16].hex()}.sqlite", digest[16:])

    def get(self, keys: Sequence[Key]) -> dict[Key, Array]:
        """The arrays of those keys that are cached; a row that is not ours counts as not cached."""
        arrays: dict[Key, Array] = {}
        if not self.path.exists():
            return arrays
        rows = {}
        for key in keys:
            name, seed = self.row(key)
            rows[name] = key, seed
        names = list(rows)
        with suppress(sqlite3.DatabaseError, OSError), self._open() as base:
            for start in range(0, len(names), KEYS_PER_QUERY):
                part = names[start : start + KEYS_PER_QUERY]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, value FROM numbers WHERE key IN ({marks})"  # noqa: S608
                for name, value in base.execute(query, part):
                    key, seed = rows[name]
                    if (array := unpack_array(value, seed)) is not None:
                        arrays[key] = array
        return arrays

    def save(self, arrays: Mapping[Key, Array]) -> None:
        """Store these arrays; where that fails, the work goes on without a cache."""
        rows = []
        for key, array in arrays.items():
            name, seed = self.row(key)
            rows.append((name, pack_array(array, seed)))
        for _ in range(2):
            try:
                evict_oldest(self.path.parent)
                with self._open() as base:
                    base.executemany("INSERT OR REPLACE INTO numbers VALUES (?, ?)", rows)
                return
            except (sqlite3.OperationalError, OSError):  # locked for too long, disk full, read-only
                return
            except sqlite3.DatabaseError:  # not a database: start a new file
                delete_cache_file(self.path)

    def row(self, key: Key) -> tuple[bytes, bytes]:
        """The name of a key's row, and the seed that masks it and is never stored."""
        parts = [key] if isinstance(key, str) else key
        texts = [part.encode("utf-8", "surrogatepass") for part in parts]
        # lengths first, so that ("ab", "c") and ("a", "bc") differ
        data = b"".join([len(text).to_bytes(8, "little") + text for text in texts])
        both = blake2b(data, key=self.key).digest()
        return both[:32], both[32:]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        create_private(self.path)
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
        delete_cache_file(path)
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
        delete_cache_file(path)


def delete_cache_file(path: Path) -> None:
    """Remove a file of the cache and those that SQLite keeps beside it (-wal, -shm)."""
    for one in path.parent.glob(f"{path.name}*"):
        one.unlink(missing_ok=True)


def mask_bytes(data: bytes, seed: bytes, tag: bytes) -> bytes:
    """The bytes xor the stream of seed and tag; applied twice, they are as before."""
    stream = shake_128(seed + tag).digest(len(data))
    return (np.frombuffer(data, np.uint8) ^ np.frombuffer(stream, np.uint8)).tobytes()


def pack_array(array: Array, seed: bytes) -> bytes:
    """Type, shape and numbers as bytes, masked, behind a tag that only the seed gives.

    The stream depends on the tag, and so on the numbers (as in SIV, RFC 5297): if a text's array
    should ever change, the two masks do not cancel each other out.
    """
    dtype = DTYPES.index(array.dtype.str[1:])
    head = struct.pack(f"<BB{array.ndim}I", dtype, array.ndim, *array.shape)
    data = head + np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
    tag = blake2b(data, key=seed, digest_size=TAG_BYTES).digest()
    return tag + mask_bytes(data, seed, tag)


def unpack_array(value: object, seed: bytes) -> Array | None:
    """The inverse of `pack_array`; null where the bytes were not made by it with this seed."""
    if not isinstance(value, bytes) or len(value) < TAG_BYTES + 2:
        return None
    tag = value[:TAG_BYTES]
    data = mask_bytes(value[TAG_BYTES:], seed, tag)
    if tag != blake2b(data, key=seed, digest_size=TAG_BYTES).digest():
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
