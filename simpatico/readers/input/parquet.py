"""Rows of Parquet as JSON, after a look at how much the file says that it unpacks to."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import polars as pl

from simpatico import limits
from simpatico.parquet import BOMB, DAMAGED, read_pages, row_spans
from simpatico.readers.input.raw_bytes import long_record
from simpatico.readers.input.record import Ledger, Place

ROWS = 8192
"""Rows that are held at a time, if they are short."""
# what Polars raises on bad bytes
DAMAGE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


def parquet_slices(
    file: Path | io.BytesIO, packed: BinaryIO, name: str, ledger: Ledger
) -> Iterator[pl.DataFrame]:
    """The rows in tables that can be held; raises one of `DAMAGE` where there are none to be had.

    `packed` is the same file, opened.
    """
    unpacked, limit = 0, limits.unpacked_limit(packed.seek(0, io.SEEK_END))
    columns = read_pages(packed)
    if columns is None or sum(sum(pages.sizes) for pages in columns) > limit:
        problem = ("parquet", DAMAGED) if columns is None else ("parquet_bomb", BOMB)
        ledger.reject(Place(name, 1, 0), *problem)
        return
    table = pl.scan_parquet(file, glob=False)
    for start, stop in row_spans(columns, n_rows=ROWS, n_bytes=limits.RECORD):
        # a text that many rows share stands in memory once, until it is written out
        rows = table.slice(start, stop - start).collect()
        unpacked += int(rows.estimated_size())
        if unpacked > limit:
            ledger.reject(Place(name, start + 1, start), "parquet_bomb", BOMB)
            return
        yield rows


def parquet_rows(
    slices: Iterable[pl.DataFrame], name: str, ledger: Ledger, start: int = 0
) -> Iterator[tuple[Place, bytes]]:
    """The rows as JSON, and where they stand: the row counted from 1, `start` rows before them.

    Rows have no bytes of their own: a place has how many rows stand before it instead.
    """
    number = start
    try:
        for rows in slices:
            for part in split_rows(rows):
                if part.estimated_size() > limits.RECORD:
                    number += 1
                    ledger.reject(Place(name, number, number - 1), *long_record("row"))
                    continue
                buffer = io.BytesIO()
                part.write_ndjson(buffer)
                for line in buffer.getvalue().splitlines():
                    number += 1
                    yield Place(name, number, number - 1), line
    except DAMAGE:
        ledger.reject(Place(name, number + 1, number), "parquet", DAMAGED)


def split_rows(rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The rows in parts of at most the size of one long record, or of one row."""
    if rows.height < 2 or rows.estimated_size() <= limits.RECORD:
        yield rows
        return
    half = rows.height // 2
    yield from split_rows(rows.head(half))
    yield from split_rows(rows.tail(-half))
