"""Rows of Parquet as JSON, after a look at how much the file says that it unpacks to.

A few kilobytes may hold gigabytes: packed pages, or one value for very many rows. The sizes stand
in the footer, which is Thrift's compact protocol; Polars reads it but does not show them.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from simpatico import limits
from simpatico.readers.input.raw_bytes import bomb_problem, long_record
from simpatico.readers.input.record import Ledger, Place

ROWS = 8192
"""Rows that are held at a time."""
ROW_GROUPS, COLUMNS, META_DATA, NUM_VALUES, UNCOMPRESSED = 4, 1, 3, 5, 6
"""Numbers of the fields, as parquet.thrift has them."""
DAMAGED = "the Parquet file is damaged"
BOMB = "parquet_bomb", bomb_problem("Parquet", "write it as JSON lines")
# what Polars raises on bad bytes, and what a bad footer leads to
DAMAGE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
BAD_FOOTER = (IndexError, KeyError, TypeError, AttributeError, ValueError, RecursionError)


def parquet_rows(
    file: Path | io.BytesIO, packed: BinaryIO, name: str, ledger: Ledger
) -> Iterator[tuple[Place, bytes]]:
    """The rows as JSON, and where they stand: the row counted from 1, the byte of the JSON.

    `packed` is the same file, opened.
    """
    number, byte, unpacked = 0, 0, 0
    try:
        limit = limits.unpacked_limit(packed.seek(0, io.SEEK_END))
        if footer_sizes(packed) > limit:
            ledger.reject(Place(name, 1, 0), *BOMB)
            return
        table = pl.scan_parquet(file, glob=False)
        for start in range(0, table.select(pl.len()).collect().item(), ROWS):
            # a text that many rows share stands in memory once, until it is written out
            rows = table.slice(start, ROWS).collect()
            unpacked += int(rows.estimated_size())
            if unpacked > limit:
                ledger.reject(Place(name, number + 1, byte), *BOMB)
                return
            for part in split_rows(rows):
                if part.estimated_size() > limits.RECORD:
                    number += 1
                    ledger.reject(Place(name, number, byte), *long_record("row"))
                    continue
                buffer = io.BytesIO()
                part.write_ndjson(buffer)
                for line in buffer.getvalue().splitlines():
                    number += 1
                    yield Place(name, number, byte), line
                    byte += len(line)
    except DAMAGE:
        ledger.reject(Place(name, number + 1, byte), "parquet", DAMAGED)


def split_rows(rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The rows in parts of at most the size of one long record, or of one row."""
    if rows.height < 2 or rows.estimated_size() <= limits.RECORD:
        yield rows
        return
    half = rows.height // 2
    yield from split_rows(rows.head(half))
    yield from split_rows(rows.tail(-half))


def footer_sizes(file: BinaryIO) -> int:
    """Bytes that the pages unpack to, or the number of values if that is more.

    A footer that cannot be read has none: Polars says what is wrong with the file.
    """
    size = file.seek(-8, io.SEEK_END)
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(size - length, 0))
    try:
        groups = CompactReader(file.read(length)).struct()[ROW_GROUPS]
        columns = [column[META_DATA] for group in groups for column in group[COLUMNS]]
        return sum(max(column[UNCOMPRESSED], column[NUM_VALUES]) for column in columns)
    except BAD_FOOTER:
        return 0


class CompactReader:
    """Values of Thrift's compact protocol: numbers and what holds them; texts are passed over."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        """A number of seven bits a byte, at most ten of them."""
        number = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise ValueError

    def integer(self) -> int:
        """A signed number, zigzag."""
        number = self.varint()
        return (number >> 1) ^ -(number & 1)

    def skip(self, length: int) -> None:
        self.at += length
        if self.at > len(self.data):
            raise IndexError

    def struct(self) -> dict[int, Any]:
        """Values by the number of their field."""
        fields, number = dict[int, Any](), 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.integer()
            kind = head & 15
            # the kind of a truth value is the value
            fields[number] = None if kind in (1, 2) else self.value(kind)
        return fields

    def value(self, kind: int) -> Any:
        """A value of this kind, as the protocol numbers them."""
        match kind:
            case 1 | 2 | 3:
                return self.skip(1)
            case 4 | 5 | 6:
                return self.integer()
            case 7:
                return self.skip(8)
            case 8:
                return self.skip(self.varint())
            case 9 | 10:
                head = self.byte()
                length = head >> 4 if head >> 4 < 15 else self.varint()
                return [self.value(head & 15) for _ in range(length)]
            case 12:
                return self.struct()
        raise ValueError  # maps: parquet.thrift has none
