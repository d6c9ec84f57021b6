"""Bytes of an input before any format: opening, unpacking, refusing what is not text.

`limits` says how much is read at most.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from typing import BinaryIO, cast

from simpatico import limits
from simpatico.errors import DataError

GZIP = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
EVAL_LOG = re.compile(rb"PK\x03\x04.{26}(?:_journal/|samples/|header\.json)", re.DOTALL)
"""The start of an Inspect log, the one kind of ZIP archive that is read."""
UNPACKING = (EOFError, gzip.BadGzipFile, zlib.error)


class GzipBomb(EOFError):
    """A few packed bytes that unpack to very many."""


class GzipStream(io.RawIOBase):
    """The unpacked bytes of a gzip file, given up when they grow out of all proportion."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._gzip = gzip.GzipFile(fileobj=file)
        self._unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        # measured as it goes: the size in the gzip trailer is modulo 4 GiB and may be forged
        n = self._gzip.readinto(cast(bytearray, buffer))
        self._unpacked += n
        if self._unpacked > limits.unpacked_limit(self._file.tell()):
            raise GzipBomb
        return n

    def close(self) -> None:
        if not self.closed:
            self._gzip.close()
            self._file.close()
        super().close()


def unpack(file: BinaryIO) -> BinaryIO:
    """The file itself, or what is in it if it is gzip, whatever its name says."""
    start = file.read(2)
    file.seek(0)
    if start != GZIP:
        return file
    return cast(BinaryIO, io.BufferedReader(GzipStream(file), limits.HEAD))


def unpacking_problem(error: Exception) -> tuple[str, str]:
    """Code and sentence for a gzip file that breaks off."""
    if isinstance(error, GzipBomb):
        return "gzip_bomb", limits.bomb_problem("gzip", "unpack it yourself")
    if isinstance(error, EOFError):
        return "gzip_truncated", "the gzip file is truncated; get the whole file again"
    return "gzip_corrupt", "the gzip file is damaged; get the file again"


def long_record(what: str, limit: int | None = None) -> tuple[str, str]:
    """Code and sentence for a line, row or dialog that is longer than a limit."""
    limit = limits.RECORD if limit is None else limit
    return f"long_{what}", f"the {what} is longer than {limit >> 20} MiB; split it"


def path_problem(name: str, error: OSError) -> DataError:
    """Why a file cannot be opened, as one sentence."""
    folder = "this is a folder; give a file, or a ConvoKit folder with utterances.jsonl"
    problems: dict[type[OSError], str] = {
        FileNotFoundError: "no such file; check the path",
        PermissionError: "no permission to read the file; check its owner and mode",
        IsADirectoryError: folder,
    }
    other = f"the file cannot be read ({error.strerror or 'unknown reason'})"
    return DataError(f"{name}: {problems.get(type(error), other)}")


def content_problem(head: bytes) -> tuple[str, str] | None:
    """Code and sentence if these first bytes cannot be a file of ours, else nothing."""
    if EVAL_LOG.match(head):
        return None
    wide = re.match(rb"\xff\xfe\x00\x00|\x00\x00\xfe\xff|\xff\xfe|\xfe\xff", head)
    if wide or re.match(rb"[^\x00]\x00{3}|\x00{3}[^\x00]|[^\x00]\x00[^\x00]\x00|\x00[^\x00]", head):
        bits = "32" if re.match(rb"\xff\xfe\x00\x00|\x00\x00|.\x00{3}", head) else "16"
        return "encoding", (
            f"the file is UTF-{bits} but only UTF-8 is read; "
            f"convert it with: iconv -f UTF-{bits} -t UTF-8"
        )
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip", "this is a zip archive; unpack it and give the file inside"
    if not head.removeprefix(BOM).strip():
        return "empty", "the file is empty; name another one"
    return None
