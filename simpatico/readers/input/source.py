"""One input: a file, a .gz of it, a folder or standard input, as lines, records or a document."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import sys
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, BinaryIO

import polars as pl

from simpatico.errors import DataError
from simpatico.readers.input import raw_bytes as raw
from simpatico.readers.input.decode import decode, json_items
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger, Place

__all__ = ["Head", "Source", "decode", "json_items"]

ROWS = 8192
NEW_TUPLE = tuple.__new__
"""Makes a named tuple in half the time of its own constructor; there is one for every line."""


@dataclass(frozen=True)
class Source:
    """One input that can be read several times; make it with `Source.of`."""

    name: str
    path: Path | None
    spool: BinaryIO | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, path: str | Path) -> Source:
        """The input at a path, or standard input for "-"; pipes are copied to a private file."""
        if str(path) == "-":
            return cls.from_stream("<stdin>", None, sys.stdin.buffer)
        name, path = str(path), Path(path)
        try:
            mode = path.stat().st_mode
            if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
                return cls(name, path)
            with path.open("rb") as pipe:
                return cls.from_stream(name, path, pipe)
        except OSError as error:
            raise raw.path_problem(name, error) from None
        except ValueError:
            raise DataError(f"{name!r}:0: this is no file name; check the path") from None

    @classmethod
    def from_stream(cls, name: str, path: Path | None, stream: IO[bytes]) -> Source:
        """A stream copied to a private nameless file, which goes when its source does."""
        spool = raw.spool(stream)
        source = cls(name, path, spool)
        weakref.finalize(source, spool.close)
        return source

    @property
    def stem(self) -> str:
        """A short name for ids: the file name without suffixes."""
        return raw.stem(self.path) if self.path else "stdin"

    @property
    def folder(self) -> Path | None:
        """The path if the input is a folder."""
        return self.path if self.path and not self.spool and self.path.is_dir() else None

    def file(self, name: str) -> Source:
        """A file within this folder."""
        return Source.of(Path(self.name) / name)

    def open_packed(self) -> BinaryIO:
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

    def sha256(self) -> str:
        """Hash of the bytes as they are on disk."""
        digest = hashlib.sha256()
        with self.open_packed() as file:
            while block := file.read(1 << 20):
                digest.update(block)
        return digest.hexdigest()

    @cached_property
    def head(self) -> Head:
        """The first bytes, unpacked, and what they look like."""
        if self.folder:
            return Head(self.name, "", b"", folder=self.folder)
        data, _ = self._start
        suffix = raw.suffix(self.path) if self.path else ""
        first = next(self.rows(Ledger("skip")), None) if data.startswith(b"PAR1") else None
        return Head(self.name, suffix, data.removeprefix(raw.BOM), row=first and first[1])

    @cached_property
    def _start(self) -> tuple[bytes, tuple[str, str] | None]:
        """The first bytes, unpacked, and why they cannot be read; the file is opened once."""
        try:
            with self.open() as file:
                data = file.read(raw.HEAD)
        except raw.UNPACKING as error:
            return b"", raw.unpacking_problem(error)
        return data, raw.content_problem(data)

    def is_rejected(self, ledger: Ledger) -> bool:
        """Whether the input is no text at all (empty, UTF-16, zip, …), which the ledger notes."""
        if self.folder:
            return False
        _, problem = self._start
        if problem:
            ledger.reject(Place(self.name, 1, 0), *problem)
        return problem is not None

    def scan(self, ledger: Ledger) -> Iterator[tuple[Place, bytes]]:
        """Every line with its line end and without a byte order mark."""
        line, byte, name, limit = 0, 0, self.name, raw.LINE_LIMIT
        with self.open() as file:
            try:
                while text := file.readline(limit):
                    line += 1
                    start, byte = byte, byte + len(text)
                    place = NEW_TUPLE(Place, (name, line, start))
                    if byte - start == limit and not text.endswith(b"\n"):
                        byte += skip_line(file)
                        limit_mib = raw.LINE_LIMIT >> 20
                        reason = f"the line is longer than {limit_mib} MiB; split it"
                        ledger.reject(place, "long_line", reason)
                    else:
                        yield place, text.removeprefix(raw.BOM) if line == 1 else text
            except raw.UNPACKING as error:
                ledger.reject(Place(name, line + 1, byte), *raw.unpacking_problem(error))

    def lines(self, ledger: Ledger | None = None) -> Iterator[tuple[Place, bytes]]:
        """Every line that is not blank, without its line end."""
        for place, text in self.scan(ledger or Ledger()):
            if stripped := text.strip():
                yield place, stripped

    def document(self, ledger: Ledger | None = None) -> bytes:
        """The whole file, unpacked; empty if it cannot be had and the ledger goes on."""
        ledger, place = ledger or Ledger(), Place(self.name, 1, 0)
        with self.open() as file:
            try:
                data = file.read(raw.DOCUMENT_LIMIT + 1)
            except raw.UNPACKING as error:
                ledger.reject(place, *raw.unpacking_problem(error))
                return b""
        if len(data) > raw.DOCUMENT_LIMIT:
            limit = f"{raw.DOCUMENT_LIMIT >> 30} GiB"
            reason = f"the file is larger than {limit}; write it as JSON lines"
            ledger.reject(place, "long_document", reason)
            return b""
        return data.removeprefix(raw.BOM)

    def text(self, ledger: Ledger | None = None) -> str:
        """The whole file as text; empty if it is not UTF-8 and the ledger goes on."""
        data = self.document(ledger)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            place = Place(self.name, line, error.start)
            (ledger or Ledger()).reject(place, "utf8", "the text is not valid UTF-8")
            return ""

    def records(self, ledger: Ledger | None = None) -> Iterator[tuple[Place, bytes]]:
        """One JSON value each: lines of JSONL, items of a JSON list, or rows of Parquet."""
        ledger = ledger or Ledger()
        match self.head.kind:
            case "parquet":
                return self.rows(ledger)
            case "document":
                return json_items(self.document(ledger), self.name, ledger)
            case _:
                return self.lines(ledger)

    def rows(self, ledger: Ledger | None = None) -> Iterator[tuple[Place, bytes]]:
        """The rows of a Parquet file as JSON; the line is the row number, counted from 1."""
        number = 0
        try:
            for frame in parquet_batches(self):
                buffer = io.BytesIO()
                frame.write_ndjson(buffer)
                for line in buffer.getvalue().splitlines():
                    number += 1
                    yield Place(self.name, number, 0), line
        except (pl.exceptions.PolarsError, OSError, pl.exceptions.PanicException):
            place = Place(self.name, number + 1, 0)
            (ledger or Ledger()).reject(place, "parquet", "the Parquet file is damaged")


def parquet_batches(source: Source) -> Iterator[pl.DataFrame]:
    """The rows of a Parquet file, a few thousand at a time."""
    file = source.path if source.path and not source.spool else io.BytesIO(source.document())
    table = pl.scan_parquet(file, glob=False)
    n = table.select(pl.len()).collect().item()
    for start in range(0, n, ROWS):
        yield table.slice(start, ROWS).collect()


def skip_line(file: BinaryIO) -> int:
    """Read to the end of the line and say how many bytes that were."""
    n = 0
    while text := file.readline(raw.LINE_LIMIT):
        n += len(text)
        if text.endswith(b"\n"):
            break
    return n
