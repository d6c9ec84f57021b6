"""CSV and TSV as rows of our fields.

Python's csv module in strict mode: Polars' reader is faster, but cannot say in which line a row is
broken, nor go on after it.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from simpatico import limits
from simpatico.readers.file_formats._table_fields import ALIASES, NEEDED, Fields
from simpatico.readers.input.cells import has_many_cells
from simpatico.readers.input.decode import rows_by_header
from simpatico.readers.input.raw_bytes import long_record
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source

Row = tuple[Place, tuple[Any, ...], str | None]


def csv_rows(source: Source, ledger: Ledger) -> Iterator[tuple[Place, list[str]]]:
    """Every row of cells that can be read; the first one is the header."""
    csv.field_size_limit(limits.RECORD)  # of the csv module it is 128 KiB
    # of the row that is being read, which may go over several lines
    start: Place | None = None
    problem: tuple[str, str] | None = None

    def lines() -> Iterator[str]:
        nonlocal start, problem
        for place, line in source.scan(ledger):
            start = start or place
            if place.byte - start.byte > limits.RECORD:
                ledger.reject(start, *long_record("row"))
                return  # where the row would end, nobody knows
            if has_many_cells(line, source.head.delimiter):
                most = f"the line has more than {limits.CELLS:,} cells; leave some out"
                ledger.reject(start, "long_row", most)
                if start is not place:
                    return  # within a cell: where the row would end, nobody knows
                start = None
                continue
            if b"\0" in line:
                problem = ("nul", "there is a NUL byte in the row")
            try:
                yield line.decode()
            except UnicodeDecodeError:
                problem = ("utf8", "the text is not valid UTF-8")
                yield line.decode(errors="replace")

    reader = csv.reader(lines(), delimiter=source.head.delimiter, strict=True)
    while True:
        row: list[str] = []
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = "a quote is not closed or not doubled"
            if "new-line" in str(error):
                reason = "there is a carriage return without a line feed; convert the line ends"
            problem = problem or ("csv", reason)
        place, start = start or Place("", 1, 0), None
        if problem:
            ledger.reject(place, *problem)
            problem = None
        elif row:
            yield place, row


def named_rows(
    source: Source, ledger: Ledger, header_problem: Callable[[list[str]], str | None]
) -> Iterator[tuple[Place, dict[str, str]]]:
    """Every row by column name; a header with a problem is rejected, and the file with it."""
    rows, is_start = csv_rows(source, ledger), not (source.span and source.span.start)
    place, header = Place(source.name, 1, 0), source.head.header
    if is_start:
        place, header = next(rows, (place, []))
    names = [name.strip() for name in header]
    if reason := header_problem(names):
        if is_start:
            ledger.reject(place, "header", reason)
    else:
        yield from rows_by_header(rows, names, ledger)


def table_rows(source: Source, fields: Fields, ledger: Ledger) -> Iterator[Row]:
    """Place, values in the order of our fields, and extras of every row after the header."""
    others, keys = set[str](), list(fields.keys.values())

    def header_problem(names: list[str]) -> str | None:
        others.update(set(names) - fields.own_columns)
        for field in NEEDED if names else ():
            if fields.keys[field] not in names:
                aliases = ", ".join(ALIASES[field])
                return (
                    f"there is no column {field!r}; it may also be called {aliases}, or say which "
                    f"it is with --columns {field}=NAME"
                )
        return repeated_column(names, fields.keys.values())

    for place, cells in named_rows(source, ledger, header_problem):
        values: list[Any] = [cells.get(key) or None for key in keys]
        values[:3] = [value or "" for value in values[:3]]
        if "system" not in cells:  # absent is not the same as empty: see `Table.with_system`
            values[3] = msgspec.UNSET
        yield place, tuple(values), fields.extras(cells) if others else None


def repeated_column(names: list[str], columns: Iterable[str]) -> str | None:
    """The sentence for a column that stands in the header twice; null if none does."""
    twice = [name for name in columns if names.count(name) > 1]
    return f"the column {twice[0]!r} is there twice; keep one" if twice else None
