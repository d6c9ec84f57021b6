"""Tables of training data: CSV, TSV or JSONL files, read row by row by column name."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from simpatico.errors import DataError
from simpatico.readers.file_formats._table_csv import csv_rows
from simpatico.readers.input.decode import decode
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source

OBJECT = msgspec.json.Decoder(dict[str, Any])


def named_rows(
    source: Source, columns: Sequence[str]
) -> Iterator[tuple[Place, Mapping[str, object]]]:
    """Every row by column name; a file's header, or each row of a JSONL file, has these columns."""
    ledger = Ledger()
    source.is_rejected(ledger)
    if source.head.kind != "text":
        for place, data in source.records(ledger):
            row = decode(data, OBJECT, place, ledger)
            if missing := [column for column in columns if column not in row]:
                needs = f"{', '.join(columns[:-1])} and {columns[-1]}"
                raise DataError(f"{place}: no {missing[0]!r}; every row needs {needs}")
            yield place, row
        return
    rows = csv_rows(source, ledger)
    place, header = next(rows, (Place(source.name, 1, 0), []))
    names = [name.strip() for name in header]
    for column in columns:
        if names.count(column) != 1:
            how = "no" if column not in names else "more than one"
            raise DataError(
                f"{place}: {how} column {column!r} among the {len(names)} of the header"
            )
    for place, cells in rows:
        if len(cells) != len(names):
            raise DataError(f"{place}: {len(cells)} cells where the header has {len(names)}")
        yield place, dict(zip(names, cells, strict=True))


def parse_number(place: Place, cell: object, column: str, *, leave_out: str) -> float:
    """A finite number; the complaint says which rows to leave out, not what is in the cell."""
    try:
        value = float(cell) if isinstance(cell, str | int | float) else math.nan
    except (ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise DataError(f"{place}: {column!r} is not a finite number; leave out {leave_out}")
    return value
