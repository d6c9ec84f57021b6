"""CSV and TSV as rows of our fields.

Python's csv module in strict mode: Polars' reader is faster, but cannot say in which line a row is
broken, nor go on after it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

import msgspec

from simpatico.readers.file_formats._table_fields import ALIASES, NEEDED, Fields
from simpatico.readers.input import raw_bytes as raw
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source

Row = tuple[Place, tuple[Any, ...], str | None]


class CsvLines:
    """The lines of a CSV file as text, and what is known of the row being read."""

    def __init__(self, source: Source, ledger: Ledger) -> None:
        self._scan = source.scan(ledger)
        self.place: Place | None = None
        self.problem: tuple[str, str] | None = None

    def __iter__(self) -> Iterator[str]:
        for place, line in self._scan:
            self.place = self.place or place
            if b"\0" in line:
                self.problem = ("nul", "there is a NUL byte in the row")
            try:
                yield line.decode()
            except UnicodeDecodeError:
                self.problem = ("utf8", "the text is not valid UTF-8")
                yield line.decode(errors="replace")

    def end_row(self) -> tuple[Place, tuple[str, str] | None]:
        """Place and problem of the row that was just read; the next row starts anew."""
        row = self.place or Place("", 1, 0), self.problem
        self.place = self.problem = None
        return row


def csv_rows(source: Source, ledger: Ledger) -> Iterator[tuple[Place, list[str]]]:
    """Every row of cells that can be read; the first one is the header."""
    csv.field_size_limit(raw.LINE_LIMIT)
    lines = CsvLines(source, ledger)
    reader = csv.reader(lines, delimiter=source.head.delimiter, strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            place, problem = lines.end_row()
            ledger.reject(place, *(problem or ("csv", syntax_problem(error))))
            continue
        place, problem = lines.end_row()
        if problem:
            ledger.reject(place, *problem)
        elif row:
            yield place, row


def syntax_problem(error: csv.Error) -> str:
    """Why a row is no CSV."""
    if "new-line" in str(error):
        return "there is a carriage return without a line feed; save the file with other line ends"
    return "a quote is not closed or not doubled"


def header_problem(names: list[str], fields: Fields) -> str | None:
    """What is wrong with a header: it must name all we need, and nothing of ours twice."""
    for field in NEEDED:
        if fields.keys[field] not in names:
            aliases = ", ".join(ALIASES[field])
            return f"there is no column {field!r}; it may also be called {aliases}"
    twice = [name for name in fields.keys.values() if names.count(name) > 1]
    return f"the column {twice[0]!r} stands there twice" if twice else None


def table_rows(source: Source, fields: Fields, ledger: Ledger) -> Iterator[Row]:
    """Place, values in the order of our fields, and extras of every row after the header."""
    rows = csv_rows(source, ledger)
    place, names = next(rows, (None, []))
    names = [name.strip() for name in names]
    if place is None:
        return
    if reason := header_problem(names, fields):
        ledger.reject(place, "header", reason)
        return
    indices = [names.index(key) if key in names else -1 for key in fields.keys.values()]
    defaults = [msgspec.UNSET if field == "system" else None for field in fields.keys]
    more = bool(set(names) - set(fields.keys.values()))
    for place, row in rows:
        if len(row) != len(names):
            reason = f"the row has {len(row)} cells but the header has {len(names)}"
            ledger.reject(place, "cells", reason)
            continue
        pairs = zip(indices, defaults, strict=True)
        values = [row[i] or None if i >= 0 else default for i, default in pairs]
        for needed in range(3):
            values[needed] = values[needed] or ""
        extras = fields.extras(dict(zip(names, row, strict=True))) if more else None
        yield place, tuple(values), extras
