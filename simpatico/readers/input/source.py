"""One input: a file, a .gz of it, a folder or standard input, as lines, records or a document."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import sys
import weakref
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, cast

import msgspec
import polars as pl

from simpatico import limits
from simpatico.errors import DataError
from simpatico.parquet import MAGIC
from simpatico.readers.input import raw_bytes as raw
from simpatico.readers.input.cells import Cells
from simpatico.readers.input.decode import Value, decode_records, json_items
from simpatico.readers.input.head import Head
from simpatico.readers.input.object_store import copy_object, is_remote
from simpatico.readers.input.parquet import parquet_rows, parquet_slices
from simpatico.readers.input.record import Ledger, Place, Span

__all__ = ["Head", "Source"]

NEW_TUPLE = tuple.__new__
"""Makes a named tuple in half the time of its own constructor; there is one for every line."""


@dataclass(frozen=True)
class Source:
    """One input that can be read several times; make it with `Source.of`."""

    name: str
    path: Path | None
    spool: BinaryIO | None = field(default=None, repr=False, compare=False)
    span: Span | None = None
    """The part of the file that is read, where that is not all of it; of Parquet in rows."""
    held: bytes | pl.DataFrame | None = field(default=None, repr=False, compare=False)
    """The bytes of the part, or the rows of Parquet, if they are in memory."""

    @classmethod
    def of(cls, path: str | Path) -> Source:
        """The input at a path, or standard input for "-"; pipes are copied to a private file."""
        if str(path) == "-":
            if sys.stdin is None:
                raise DataError("<stdin>: standard input is closed; name a file")
            return cls.from_stream("<stdin>", None, sys.stdin.buffer)
        if is_remote(path):
            return fetch_object(cls, str(path))
        name, path = str(path), Path(path)
        if name.encode(errors="ignore").decode() != name:  # results could not name it
            raise DataError(
                f"{name!r}: the name of this file is not UTF-8; rename it, or set PYTHONUTF8=1 if "
                "only the locale is not"
            )
        try:
            mode = path.stat().st_mode
            if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
                return cls(name, path)
            with path.open("rb") as pipe:
                return cls.from_stream(name, path, pipe)
        except OSError as error:
            raise raw.path_problem(name, error) from None
        except ValueError:
            raise DataError(f"{name!r}: not a valid file name; check the path") from None

    @classmethod
    def from_stream(cls, name: str, path: Path | None, stream: IO[bytes]) -> Source:
        """A stream copied to a nameless file, so that it can be read more than once.

        The file is private, and goes when its source does.
        """
        with ExitStack() as stack:
            spool = cast(BinaryIO, stack.enter_context(TemporaryFile()))
            while block := stream.read(1 << 20):
                if is_device(stream):
                    raise DataError(f"{name}: this is a device without end; give a file")
                if spool.tell() + len(block) > limits.STREAM:
                    limit = f"{limits.STREAM >> 30} GiB"
                    raise DataError(
                        f"{name}: the stream is longer than {limit}; write it to a file"
                    )
                spool.write(block)
            stack.pop_all()  # it lives as long as its source
        spool.flush()
        source = cls(name, path, spool)
        weakref.finalize(source, spool.close)
        return source

    @property
    def stem(self) -> str:
        """A short name for ids: the file name without its suffix, and without .gz before that."""
        if self.path is None:
            return self.name.strip("<>")
        return Path(self.path.name.removesuffix(".gz")).stem

    @property
    def folder(self) -> Path | None:
        """The path if the input is a folder."""
        return self.path if self.path and not self.spool and self.path.is_dir() else None

    def file(self, name: str) -> Source:
        """A file within this folder."""
        return Source.of(Path(self.name) / name)

    def open_packed(self) -> io.BufferedReader:
        """The bytes as they are on disk."""
        try:
            if self.spool is None:
                return open(self.path or self.name, "rb")
            file = os.fdopen(os.dup(self.spool.fileno()), "rb")
            file.seek(0)
            return file
        except OSError as error:
            raise raw.path_problem(self.name, error) from None

    def open(self) -> BinaryIO:
        """The bytes, unpacked."""
        return raw.unpack(self.open_packed())

    def open_part(self) -> BinaryIO:
        """The bytes from the start of the part on."""
        if isinstance(self.held, bytes):
            return io.BytesIO(self.held)
        file, start = self.open(), self.span.start if self.span else 0
        if file.seekable():
            file.seek(start)
        while start > 0 and not file.seekable():
            start -= len(file.read(min(start, limits.HEAD)))
        return file

    def sha256(self) -> str:
        """Hash of the bytes as they are on disk."""
        with self.open_packed() as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @cached_property
    def head(self) -> Head:
        """The first bytes, unpacked, and what they look like."""
        if self.folder:
            return Head(self.name, "", b"", folder=self.folder)
        data, _ = self._start
        suffix = Path(self.path.name.lower().removesuffix(".gz")).suffix if self.path else ""
        first = next(self.rows(Ledger("skip")), None) if data.startswith(MAGIC) else None
        return Head(self.name, suffix, data.removeprefix(raw.BOM), row=first and first[1])

    @cached_property
    def _start(self) -> tuple[bytes, tuple[str, str] | None]:
        """The first bytes, unpacked, and why they cannot be read; the file is opened once."""
        try:
            with self.open() as file:
                data = file.read(limits.HEAD)
        except raw.UNPACKING as error:
            return b"", raw.unpacking_problem(error)
        return data, raw.content_problem(data)

    def is_rejected(self, ledger: Ledger) -> bool:
        """Whether the input is no text at all (empty, UTF-16, zip, …), which the ledger notes."""
        problem = None if self.folder else self._start[1]
        if problem:
            ledger.reject(Place(self.name, 1, 0), *problem)
        return problem is not None

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs to read the same file, without what was read of it."""
        return {**vars(Source(self.name, self.path, span=self.span))}

    @property
    def has_plain_lines(self) -> bool:
        """Whether this is an unpacked file of JSON lines, which can be read from any line on."""
        if self.folder or self.spool or self._start[1] or self.head.kind != "lines":
            return False
        return not self.is_packed

    @property
    def is_packed(self) -> bool:
        """Whether this is gzip or Parquet, which may hold far more than its size."""
        with self.open_packed() as file:
            return file.read(4).startswith((raw.GZIP, MAGIC))

    def part(self, span: Span, held: bytes | pl.DataFrame | None = None) -> Source:
        """A part of this file of lines or rows; what its first bytes look like stays known."""
        part = replace(self, span=span, held=held)
        part.__dict__.update(head=self.head, _start=self._start)
        return part

    def data(self) -> bytes:
        """All bytes of the part, without a byte order mark."""
        with self.open_part() as file:
            data = file.read(self.size)
        return data if self.span and self.span.start else data.removeprefix(raw.BOM)

    @cached_property
    def cells(self) -> Cells:
        """The cells of a part of CSV."""
        return Cells.of(self.data(), self.head.delimiter)

    @property
    def size(self) -> int:
        """Bytes on disk, or of the part; of a folder none."""
        if isinstance(self.held, pl.DataFrame):
            return int(self.held.estimated_size())
        if self.span:
            return self.span.stop - self.span.start
        if self.spool:
            return os.fstat(self.spool.fileno()).st_size
        return 0 if self.path is None or self.folder else self.path.stat().st_size

    def scan(self, ledger: Ledger) -> Iterator[tuple[Place, bytes]]:
        """Every line with its line end and without a byte order mark."""
        name, limit = self.name, limits.RECORD
        byte, stop, line = self.span or (0, sys.maxsize, 0)
        with self.open_part() as file:
            try:
                while byte < stop and (text := file.readline(limit)):
                    line += 1
                    start, byte = byte, byte + len(text)
                    place = NEW_TUPLE(Place, (name, line, start))
                    if byte - start < limit or text.endswith(b"\n"):
                        yield place, text.removeprefix(raw.BOM) if line == 1 else text
                        continue
                    while text and not text.endswith(b"\n"):  # the rest of a line that is too long
                        text = file.readline(limit)
                        byte += len(text)
                    ledger.reject(place, *raw.long_record("line"))
            except raw.UNPACKING as error:
                ledger.reject(Place(name, line + 1, byte), *raw.unpacking_problem(error))

    def lines(self, ledger: Ledger) -> Iterator[tuple[Place, bytes]]:
        """Every line that is not blank, without its line end."""
        return ((place, text) for place, line in self.scan(ledger) if (text := line.strip()))

    def document(self, ledger: Ledger) -> bytes:
        """The whole file, unpacked; empty if it cannot be had and the ledger goes on."""
        place = Place(self.name, 1, 0)
        with self.open() as file:
            try:
                data = file.read(limits.DOCUMENT + 1)
            except raw.UNPACKING as error:
                ledger.reject(place, *raw.unpacking_problem(error))
                return b""
        if len(data) > limits.DOCUMENT:
            limit = f"{limits.DOCUMENT >> 30} GiB"
            reason = f"the file is larger than {limit}; write it as JSON lines"
            ledger.reject(place, "long_document", reason)
            return b""
        return data.removeprefix(raw.BOM)

    def records(self, ledger: Ledger) -> Iterator[tuple[Place, bytes]]:
        """One JSON value each: lines of JSONL, items of a JSON list, or rows of Parquet."""
        match self.head.kind:
            case "parquet":
                return self.rows(ledger)
            case "document":
                return json_items(self.document(ledger), self.name, ledger)
            case _:
                return self.lines(ledger)

    def values(self, kind: type[Value], ledger: Ledger) -> Iterator[tuple[Place, Value]]:
        """The records as values of this type; those that are of another are rejected."""
        return decode_records(self.records(ledger), msgspec.json.Decoder(kind).decode, ledger)

    def value(self, kind: type[Value], ledger: Ledger) -> Value | None:
        """The whole document as one value; null, and rejected, if it is of another type."""
        record = Place(self.name, 1, 0), self.document(ledger)
        decode = msgspec.json.Decoder(kind).decode
        return next((value for _, value in decode_records([record], decode, ledger)), None)

    def rows(self, ledger: Ledger) -> Iterator[tuple[Place, bytes]]:
        """The rows of a Parquet file as JSON; the line is the row number, counted from 1."""
        start = self.span.start if self.span else 0
        return parquet_rows(self.slices(ledger), self.name, ledger, start)

    def slices(self, ledger: Ledger) -> Iterator[pl.DataFrame]:
        """The rows of a Parquet file, or of the part, in tables."""
        if isinstance(self.held, pl.DataFrame):
            yield self.held
            return
        skip = self.span.start if self.span else 0
        with self.open_packed() as packed:
            path = None if self.spool else self.path
            file = path or io.BytesIO(self.document(ledger))
            for rows in parquet_slices(file, packed, self.name, ledger):
                if skip < rows.height:
                    yield rows.slice(skip)
                skip = max(skip - rows.height, 0)


def fetch_object(kind: type[Source], address: str) -> Source:
    """An object of a store, copied to a nameless file as a stream is."""
    with TemporaryFile() as copy:
        copy_object(address, copy)
        copy.seek(0)
        return kind.from_stream(address, Path(address), copy)


def is_device(stream: IO[bytes]) -> bool:
    """Whether this is a device, such as /dev/zero, other than a terminal."""
    try:
        return stat.S_ISCHR(os.fstat(stream.fileno()).st_mode) and not stream.isatty()
    except OSError:  # a stream that is no file at all
        return False
