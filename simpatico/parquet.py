"""What a Parquet file says of its own sizes, checked before Polars believes it.

A few kilobytes may hold gigabytes: packed pages, or one value for very many rows. The sizes stand
in the footer and before every page, in Thrift's compact protocol. Polars reserves memory as they
say, and a number below zero or beyond the file ends the process in a way nobody can catch.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from simpatico import limits
from simpatico.errors import DataError

DAMAGED = "the Parquet file is damaged"
BOMB = limits.bomb_problem("Parquet", "write it as JSON lines")

MAGIC = b"PAR1"
# numbers of the fields, as parquet.thrift has them: of the footer, a row group, a column,
NUM_ROWS, ROW_GROUPS, GROUP_COLUMNS, GROUP_ROWS, META_DATA = 3, 4, 1, 3, 3
NUM_VALUES, PACKED, DATA_OFFSET, DICTIONARY_OFFSET = 5, 7, 9, 11
# and of the head of a page: its sizes, and the kinds of pages, each with its number of values
PAGE_UNPACKED, PAGE_PACKED, DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_2 = 2, 3, 5, 7, 8
ENCODINGS = {DATA_PAGE: (2, 3, 4), DICTIONARY_PAGE: (2,), DATA_PAGE_2: (4,)}
"""Fields that name the encoding of values and levels; Polars panics at a number that names none."""
KNOWN_ENCODINGS = {0, *range(2, 10)}
LEVEL_BYTES = (5, 6)
"""Of a data page of the second version: bytes of its levels, which are part of the page."""
BAD_NUMBERS = (IndexError, KeyError, TypeError, AttributeError, ValueError, RecursionError, OSError)


def check_parquet(path: Path) -> None:
    """Refuse a file that unpacks to much more than its size, or whose numbers contradict."""
    with path.open("rb") as file:
        size, limit = unpacked_size(file), limits.unpacked_limit(path.stat().st_size)
    if size is None or size > limit:
        raise DataError(f"{path}: {DAMAGED if size is None else BOMB}")


class Pages(NamedTuple):
    """The pages of a column within a row group, which begins after so many rows."""

    start: int
    rows: int
    values: list[int]
    sizes: list[int]
    """Bytes that each unpacks to, or its number of values if that is more."""


def unpacked_size(file: BinaryIO) -> int | None:
    """Bytes that all pages unpack to; None if the numbers contradict each other."""
    columns = read_pages(file)
    return None if columns is None else sum(sum(pages.sizes) for pages in columns)


def read_pages(file: BinaryIO) -> list[Pages] | None:
    """The pages of every column and row group; rows, values and pages have to add up, else None."""
    try:
        size = file.seek(-8, io.SEEK_END)
        length = int.from_bytes(file.read(4), "little")
        if file.read(4) != MAGIC or file.seek(size - length) < len(MAGIC):
            return None
        footer = CompactReader(file.read(length)).struct()
        columns, start = list[Pages](), 0
        for group in footer[ROW_GROUPS]:
            metadata = (column[META_DATA] for column in group[GROUP_COLUMNS])
            columns += [column_pages(file, data, start, group[GROUP_ROWS]) for data in metadata]
            start += group[GROUP_ROWS]
        return columns if footer[NUM_ROWS] == start else None
    except BAD_NUMBERS:
        return None


def column_pages(file: BinaryIO, column: dict[int, Any], first: int, rows: int) -> Pages:
    """The pages of a column of so many rows; ValueError if they are not what it says."""
    start = min(column[DATA_OFFSET], column.get(DICTIONARY_OFFSET) or column[DATA_OFFSET])
    stop, pages = start + column[PACKED], Pages(first, rows, [], [])
    while start < stop:
        page, length = page_head(file, start, stop)
        start += length + page[PAGE_PACKED]
        data = page.get(DATA_PAGE) or page.get(DATA_PAGE_2)
        n_values = (data or page.get(DICTIONARY_PAGE) or {1: 0})[1]
        levels = [page[DATA_PAGE_2].get(field, 0) for field in LEVEL_BYTES if DATA_PAGE_2 in page]
        numbers = (page[PAGE_PACKED], page[PAGE_UNPACKED] - sum(levels), n_values, *levels)
        encodings = {page[k][f] for k, fields in ENCODINGS.items() if k in page for f in fields}
        if min(numbers) < 0 or start > stop or not encodings <= KNOWN_ENCODINGS:
            raise ValueError
        pages.values.append(n_values if data else 0)
        pages.sizes.append(max(page[PAGE_UNPACKED], n_values))
    # a row of a list has a value at least, even where the list is empty
    values = sum(pages.values)
    if start != stop or values != column[NUM_VALUES] or not 0 <= rows <= values:
        raise ValueError
    return pages


def row_spans(columns: list[Pages], *, n_rows: int, n_bytes: int) -> Iterator[tuple[int, int]]:
    """Where to cut a file so that a part has at most so many rows, and about so many bytes.

    Rows of a page count as equally long, so that a part is longer by a page of each column at most.
    """
    starts, stops, slopes = list[float](), list[float](), list[float]()
    for first, rows, values, sizes in columns:
        total, before = sum(values), 0
        for n, size in zip(values, sizes, strict=True):
            if n and rows:  # else it is the dictionary, of which every part needs all
                starts.append(first + before * rows / total)
                stops.append(first + (before + n) * rows / total)
                slopes.append(size * total / (n * rows))
            before += n
    if not starts:
        return
    bounds, changes = np.array([*starts, *stops]), np.array([slopes, np.negative(slopes)]).ravel()
    order = bounds.argsort()
    row = bounds[order]
    size_before = np.append(0, np.cumsum(np.cumsum(changes[order])[:-1] * np.diff(row)))
    start, end = 0, round(row[-1])
    while start < end:
        full = np.interp(np.interp(start, row, size_before) + n_bytes, size_before, row)
        stop = min(start + n_rows, max(start + 1, int(full)))
        yield start, stop
        start = stop


def page_head(file: BinaryIO, start: int, stop: int) -> tuple[dict[int, Any], int]:
    """The head of the page that begins at a byte, and its length."""
    for window in (1024, limits.RECORD):  # few heads have long statistics
        file.seek(start)
        reader = CompactReader(file.read(min(window, stop - start)))
        try:
            return reader.struct(), reader.at
        except IndexError:
            continue
    raise ValueError


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
