"""People with what they wrote and what they answered: the input of a trait model's training."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.errors import DataError
from simpatico.readers.file_formats._table_csv import csv_rows
from simpatico.readers.input.decode import decode
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source

OBJECT = msgspec.json.Decoder(dict[str, Any])


class Columns(NamedTuple):
    """Which columns of a table hold what."""

    text: str
    target: str
    person: str


class Row(NamedTuple):
    """One text of a person, and the answer that stands beside it."""

    person: str
    text: str
    target: float


@dataclass(frozen=True)
class People:
    """Texts, whose they are (`owner`, a place in `names`), and one answer a person."""

    names: list[str]
    texts: pl.Series
    owner: npt.NDArray[np.int64]
    target: npt.NDArray[np.float64]
    sha256: str

    @classmethod
    def of(cls, found: Iterable[Row], sha256: str) -> People:
        """People sorted by name; the answers of a person with several texts are averaged."""
        gathered = list(found)
        answers: dict[str, list[float]] = {}
        for row in gathered:
            answers.setdefault(row.person, []).append(row.target)
        names = sorted(answers)
        place = {name: i for i, name in enumerate(names)}
        return cls(
            names,
            pl.Series("text", [row.text for row in gathered], pl.String),
            np.array([place[row.person] for row in gathered], np.int64),
            np.array([fsum(answers[name]) / len(answers[name]) for name in names]),
            sha256,
        )

    def __len__(self) -> int:
        return len(self.names)


def read_people(path: Path | str, columns: Columns) -> People:
    """The people in a CSV, TSV or JSONL file with one text a row."""
    source, ledger = Source.of(path), Ledger()
    source.refused(ledger)
    found = (
        table(source, columns, ledger) if source.head.kind == "text" else objects(source, ledger)
    )
    return People.of((row(place, cells, columns) for place, cells in found), source.sha256())


def table(
    source: Source, columns: Sequence[str], ledger: Ledger
) -> Iterator[tuple[Place, Mapping[str, object]]]:
    """The rows of a CSV or TSV file by the names in its header."""
    found = csv_rows(source, ledger)
    place, header = next(found, (Place(source.name, 1, 0), []))
    names = [name.strip() for name in header]
    for column in columns:
        if names.count(column) != 1:
            how = "no" if column not in names else "more than one"
            raise DataError(
                f"{place}: {how} column {column!r} among the {len(names)} of the header"
            )
    for place, cells in found:
        if len(cells) != len(names):
            raise DataError(f"{place}: {len(cells)} cells where the header has {len(names)}")
        yield place, dict(zip(names, cells, strict=True))


def objects(source: Source, ledger: Ledger) -> Iterator[tuple[Place, Mapping[str, object]]]:
    """The objects of a JSONL file."""
    for place, data in source.records(ledger):
        yield place, decode(data, OBJECT, place, ledger)


def row(place: Place, cells: Mapping[str, object], columns: Columns) -> Row:
    """A row, checked; a complaint names the column and never shows what is in it."""
    for column in columns:
        if column not in cells:
            raise DataError(f"{place}: no {column!r}; every row needs {', '.join(columns)}")
    person, text = cells[columns.person], cells[columns.text]
    if not isinstance(person, str | int) or person == "":
        raise DataError(f"{place}: {columns.person!r} does not say whose text it is")
    if not isinstance(text, str):
        raise DataError(f"{place}: {columns.text!r} is not text")
    return Row(str(person), text, number(place, cells[columns.target], columns.target))


def number(
    place: Place, cell: object, column: str, without: str = "people without an answer"
) -> float:
    """A finite number, or the sentence that says where it is none."""
    try:
        value = float(cell) if isinstance(cell, str | int | float) else math.nan
    except (ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise DataError(f"{place}: {column!r} is not a finite number; leave out {without}")
    return value
