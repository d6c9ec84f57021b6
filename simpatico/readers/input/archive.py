"""Members of a ZIP archive, also those packed with Zstandard, which Python reads from 3.14 on.

Polars unpacks Zstandard. What a member says of its size may be forged, so the blocks are counted
first: each unpacks to 128 KiB at most (RFC 8878, 3.1.1.2.4).
"""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import BinaryIO

import polars as pl

from simpatico import limits

ZSTANDARD, MAGIC, BLOCK = 93, b"\x28\xb5\x2f\xfd", 128 * 1024
LOCAL_HEADER = 30
DAMAGED = "zip", "the archive is damaged; get the file again"
BOMB = "zip_bomb", limits.bomb_problem("ZIP", "unpack it yourself")
DAMAGE: tuple[type[Exception], ...] = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, IndexError),
    *(NotImplementedError, RuntimeError, pl.exceptions.PolarsError),
)


class ArchiveBomb(zipfile.BadZipFile):
    """A few packed bytes that unpack to very many."""


def last_members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The members by name; of one that was written again, the last counts."""
    return {member.filename: member for member in archive.infolist()}


def unpack_member(file: BinaryIO, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """The bytes of a member; raises one of `DAMAGE`."""
    limit = limits.unpacked_limit(member.compress_size)
    if member.file_size > min(limit, limits.DOCUMENT):
        raise ArchiveBomb
    if member.compress_type != ZSTANDARD:
        return archive.read(member)
    file.seek(member.header_offset)
    header = file.read(LOCAL_HEADER)
    lengths = (int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
    file.seek(sum(lengths), io.SEEK_CUR)
    packed = file.read(member.compress_size)
    if count_blocks(packed) * BLOCK > limit + BLOCK:
        raise ArchiveBomb
    lines = pl.scan_lines(io.BytesIO(packed)).collect().to_series()
    text = "\n".join(lines).encode()
    # the line end at the end of the file, if there is one, is in no line
    if zlib.crc32(text) != member.CRC and zlib.crc32(text + b"\n") != member.CRC:
        raise zipfile.BadZipFile
    return text


def count_blocks(packed: bytes) -> int:
    """The blocks of a Zstandard frame, of which there has to be one; ValueError otherwise."""
    if not packed.startswith(MAGIC):
        raise ValueError("not Zstandard")
    flags = packed[4]
    is_single = flags >> 5 & 1
    size_bytes = (is_single, 2, 4, 8)[flags >> 6]
    at, n = 5 + (1 - is_single) + (0, 1, 2, 4)[flags & 3] + size_bytes, 0
    while True:
        header = int.from_bytes(packed[at : at + 3], "little")
        n, at = n + 1, at + 3 + (1 if header >> 1 & 3 == 1 else header >> 3)
        if at > len(packed):
            raise ValueError("a block goes beyond the end")
        if header & 1:
            break
    if len(packed) - at not in (0, 4):  # a checksum; another frame would not be counted
        raise ValueError("more than one frame")
    return n
