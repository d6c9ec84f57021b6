"""Parquet files that grow by row groups, so that those of another file are copied as they are.

    "PAR1" · row groups · column indexes · offset indexes · footer · length of the footer · "PAR1"

Polars encodes each row group as a file of its own. The pages of its columns go into the larger file
as they are; only what says where they are is written anew: behind the pages of each column, in the
offset indexes and in the footer. The bytes are those of Polars when it writes all rows at once.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import polars as pl

from simpatico.parquet import (
    DATA_OFFSET,
    DICTIONARY_OFFSET,
    GROUP_COLUMNS,
    GROUP_ROWS,
    MAGIC,
    META_DATA,
    NUM_ROWS,
    PACKED,
    ROW_GROUPS,
    CompactReader,
)

ROWS_PER_GROUP = 65_536
"""Rows of a Parquet row group: what a reader of few columns or dialogs has to unpack at least."""
ZSTD_LEVEL = 1
"""Half the work of the usual level 3, for files that are only a few percent larger."""
# numbers of the fields, as parquet.thrift has them: of a row group, a column, an offset index
GROUP_OFFSET, ORDINAL = 5, 7
CHUNK_OFFSET, OFFSET_INDEX, OFFSET_LENGTH, COLUMN_INDEX, COLUMN_LENGTH = 2, 4, 5, 6, 7
PAGES, PAGE_OFFSET = 1, 1
TRUTH, TEXT, STRUCT = (1, 2), 8, 12
"""Kinds of values: of a truth value the kind is the value."""
COPIED = 2**20
"""Bytes that are copied at a time."""
Fields = dict[int, tuple[int, Any]]
"""Kind and value by the number of the field; a list is the kind of its values, and these."""


class Group(NamedTuple):
    """A row group within the new file: its fields, and the indexes that are still to be written."""

    fields: bytes
    column_indexes: list[bytes]
    offset_indexes: list[bytes]


class TableFile:
    """A Parquet file under way, to which rows and row groups are added."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.at = file, file.write(MAGIC)
        self.groups, self.footer = list[Group](), Fields()
        self.pending, self.n_pending = list[pl.DataFrame](), 0

    def add_rows(self, frame: pl.DataFrame) -> None:
        """Add rows, which are written as soon as they fill a row group."""
        self.pending.append(frame)
        self.n_pending += frame.height
        while self.n_pending >= ROWS_PER_GROUP:
            self.write_pending()

    def write_pending(self) -> None:
        """Write a row group of rows that wait."""
        rows = pl.concat(self.pending)
        group, rest = rows[:ROWS_PER_GROUP].rechunk(), rows[ROWS_PER_GROUP:]
        self.pending, self.n_pending = [rest], rest.height
        encoded = io.BytesIO()
        group.write_parquet(encoded, compression_level=ZSTD_LEVEL, row_group_size=ROWS_PER_GROUP)
        self.copy_groups(encoded, 1)

    def copy_groups(self, source: BinaryIO, n: int) -> None:
        """Add the first row groups of another file, which has the same columns."""
        self.footer = read_footer(source)
        for fields in values(self.footer, ROW_GROUPS)[:n]:
            start, column_indexes, offset_indexes = self.at, list[bytes](), list[bytes]()
            for column in values(fields, GROUP_COLUMNS):
                column_indexes.append(read_span(source, column, COLUMN_INDEX, COLUMN_LENGTH))
                offsets = read_span(source, column, OFFSET_INDEX, OFFSET_LENGTH)
                index, moved = Compact(offsets).struct(), self.copy_column(source, column)
                for page in values(index, PAGES):
                    move(page, PAGE_OFFSET, moved)
                offset_indexes.append(encode(index))
            replace(fields, GROUP_OFFSET, start)
            replace(fields, ORDINAL, len(self.groups))
            self.groups.append(Group(encode(fields), column_indexes, offset_indexes))

    def copy_column(self, source: BinaryIO, column: Fields) -> int:
        """Copy the pages of a column within a row group; how many bytes further back they are."""
        about: Fields = column[META_DATA][1]
        length: int = about[PACKED][1]
        offsets = [number for number in (DICTIONARY_OFFSET, DATA_OFFSET) if number in about]
        start: int = min(about[number][1] for number in offsets)
        moved = self.at - start
        source.seek(start)
        for done in range(0, length, COPIED):
            self.write(source.read(min(COPIED, length - done)))
        for number in offsets:
            move(about, number, moved)
        move(column, CHUNK_OFFSET, moved)
        self.write(encode(about))
        return moved

    def write(self, data: bytes) -> int:
        """Write bytes; where they begin."""
        start = self.at
        self.at += self.file.write(data)
        return start

    def finish(self) -> None:
        """Write what waits, the indexes and the footer."""
        if self.n_pending or not self.groups:
            self.write_pending()
        column_places = [list(map(self.write, group.column_indexes)) for group in self.groups]
        offset_places = [list(map(self.write, group.offset_indexes)) for group in self.groups]
        groups, rows = list[bytes](), 0
        for group, *places in zip(self.groups, column_places, offset_places, strict=True):
            fields = Compact(group.fields).struct()
            rows += fields[GROUP_ROWS][1]
            columns = values(fields, GROUP_COLUMNS)
            for column, column_place, offset_place in zip(columns, *places, strict=True):
                replace(column, COLUMN_INDEX, column_place)
                replace(column, OFFSET_INDEX, offset_place)
            for column, index in zip(columns, group.offset_indexes, strict=True):
                replace(column, OFFSET_LENGTH, len(index))  # grows with the offsets in it
            groups.append(encode(fields))
        replace(self.footer, NUM_ROWS, rows)
        replace(self.footer, ROW_GROUPS, (STRUCT, groups))
        footer = encode(self.footer)
        self.write(footer + len(footer).to_bytes(4, "little") + MAGIC)


def write_table(
    frames: Iterable[pl.DataFrame], out: Path, *, copied: tuple[Path, int] | None = None
) -> None:
    """Write all rows as one Parquet file, behind the first row groups of another, so many of them.

    Memory does not grow with the number of frames.
    """
    with out.open("wb") as file:
        table = TableFile(file)
        if copied:
            with copied[0].open("rb") as source:
                table.copy_groups(source, copied[1])
        for frame in frames:
            table.add_rows(frame)
        table.finish()


def read_footer(file: BinaryIO) -> Fields:
    """The footer of a Parquet file."""
    end = file.seek(-len(MAGIC) - 4, io.SEEK_END)
    length = int.from_bytes(file.read(4), "little")
    file.seek(end - length)
    return Compact(file.read(length)).struct()


def read_span(file: BinaryIO, fields: Fields, offset: int, length: int) -> bytes:
    """The bytes of a file that two fields tell of."""
    file.seek(fields[offset][1])
    return file.read(fields[length][1])


def values(fields: Fields, number: int) -> list[Any]:
    """The values of a field that is a list."""
    own: list[Any] = fields[number][1][1]
    return own


def replace(fields: Fields, number: int, value: object) -> None:
    """Give a field another value of its kind."""
    fields[number] = fields[number][0], value


def move(fields: Fields, number: int, n_bytes: int) -> None:
    """Let a field that is a place in the file say one so much further on."""
    replace(fields, number, fields[number][1] + n_bytes)


class Compact(CompactReader):
    """Values of Thrift's compact protocol with their kinds, so that they can be written again."""

    def struct(self) -> Fields:
        """Kind and value by the number of the field."""
        fields, number = Fields(), 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.integer()
            kind = head & 15
            fields[number] = kind, None if kind in TRUTH else self.value(kind)
        return fields

    def value(self, kind: int) -> Any:
        match kind:
            case 7:
                return self.take(8)
            case 8:
                return self.take(self.varint())
            case 9 | 10:
                head = self.byte()
                length = head >> 4 if head >> 4 < 15 else self.varint()
                return head & 15, [self.value(head & 15) for _ in range(length)]
            case 1 | 2 | 3:
                return self.take(1)
        return super().value(kind)

    def take(self, length: int) -> bytes:
        start = self.at
        self.skip(length)
        return self.data[start : self.at]


def encode(fields: Fields) -> bytes:
    """A struct in the compact protocol."""
    out, last = bytearray(), 0
    for number, (kind, value) in fields.items():
        if 0 < number - last < 16:
            out.append((number - last) << 4 | kind)
        else:
            out.append(kind)
            out += varint(zigzag(number))
        last = number
        if kind not in TRUTH:
            out += encode_value(kind, value)
    out.append(0)
    return bytes(out)


def encode_value(kind: int, value: Any) -> bytes:
    """A value of this kind; a struct may be encoded already."""
    if isinstance(value, bytes):
        return varint(len(value)) + value if kind == TEXT else value
    if isinstance(value, int):
        return varint(zigzag(value))
    if isinstance(value, dict):
        return encode(value)
    own, items = value
    n = len(items)
    head = bytes([n << 4 | own]) if n < 15 else bytes([240 | own]) + varint(n)
    return head + b"".join(encode_value(own, item) for item in items)


def zigzag(number: int) -> int:
    """Small numbers of either sign as small ones above zero."""
    return number << 1 if number >= 0 else (-number << 1) - 1


def varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])
