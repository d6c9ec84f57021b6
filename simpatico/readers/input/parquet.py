"""Rows of Parquet as JSON, after a look at how much the file says that it unpacks to."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import polars as pl

from simpatico import limits
from simpatico.parquet import BOMB, DAMAGED, unpacked_size
from simpatico.readers.input.raw_bytes import long_record
from simpatico.readers.input.record import Ledger, Place

ROWS = 8192
"""Rows that are held at a time."""
# what Polars raises on bad bytes
DAMAGE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


def parquet_rows(
    file: Path | io.BytesIO, packed: BinaryIO, name: str, ledger: Ledger
) -> Iterator[tuple[Place, bytes]]:
    """The rows as JSON, and where they stand: the row counted from 1, the byte of the JSON.

    `packed` is the same file, opened.
    """
    number, byte, unpacked = 0, 0, 0
    try:
        limit = limits.unpacked_limit(packed.seek(0, io.SEEK_END))
        if (size := unpacked_size(packed)) is None or size > limit:
            problem = ("parquet", DAMAGED) if size is None else ("parquet_bomb", BOMB)
            ledger.reject(Place(name, 1, 0), *problem)
            return
        table = pl.scan_parquet(file, glob=False)
        for start in range(0, table.select(pl.len()).collect().item(), ROWS):
            # a text that many rows share stands in memory once, until it is written out
            rows = table.slice(start, ROWS).collect()
            unpacked += int(rows.estimated_size())
            if unpacked > limit:
                ledger.reject(Place(name, number + 1, byte), "parquet_bomb", BOMB)
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
