"""Files of judgements: a long table with one row per judgement, or a benchmark that holds some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import msgspec

from simpatico.errors import DataError, UnknownName
from simpatico.judgements import (
    JUDGEMENT_KEY,
    Judgement,
    Judgements,
    judgement_problem,
    parse_rating,
)
from simpatico.readers.detect import all_readers
from simpatico.readers.file_formats._table_csv import csv_rows
from simpatico.readers.input.decode import InvalidValue, decode, rows_by_header
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source

REQUIRED = ("dialog", "quality", "value")
TABLES = ("csv", "tsv", "jsonl", "parquet")

MISSING = "there is no {!r}; a judgement needs dialog, quality and value"
REPEATED = (
    "the unit, quality and judge are those of line {}; keep one of the two, "
    "or name every judge in the column 'judge'"
)

Cells = Mapping[str, object]


@runtime_checkable
class JudgementReader(Protocol):
    """A reader whose files hold judgements too."""

    name: ClassVar[str]

    def matches(self, head: Head) -> bool: ...
    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]: ...


def read_judgements(
    path: str | Path, *, format: str | None = None, ledger: Ledger | None = None
) -> Judgements:
    """The judgements in a file: CSV, TSV, JSONL or Parquet in long form, or a benchmark.

    A table needs the columns dialog, quality and value, and may have turn, speaker, judge,
    judge_kind, scale_min and scale_max. An empty value, NA or "not rated" is null.
    """
    source, ledger = Source.of(path), ledger or Ledger()
    if source.is_rejected(ledger):
        return Judgements.of(())
    benchmarks = {r.name: r for r in all_readers() if isinstance(r, JudgementReader)}
    name = format or detect_format(source, benchmarks)
    if name in benchmarks:
        return Judgements.of(benchmarks[name].judgements(source, ledger))
    if name in TABLES:
        rows = (
            cell_rows(source, ledger) if source.head.kind == "text" else json_rows(source, ledger)
        )
        return Judgements.of(usable_judgements(rows, ledger))
    names = [*TABLES, *benchmarks]
    near = get_close_matches(name, names, n=3) or names
    raise UnknownName(f"no format {name!r}; did you mean {' or '.join(map(repr, near))}?")


def detect_format(source: Source, benchmarks: Mapping[str, JudgementReader]) -> str:
    """The format, by shape or else by suffix."""
    for name, benchmark in benchmarks.items():
        if benchmark.matches(source.head):
            return name
    if set(REQUIRED) <= source.head.keys:
        return "jsonl"
    if (suffix := source.head.suffix.removeprefix(".")) in TABLES:
        return suffix
    raise DataError(
        f"{source.name}:1: this is neither a table of judgements ({', '.join(TABLES)}) "
        f"nor a benchmark that holds some ({', '.join(benchmarks)}); name its format"
    )


def cell_rows(source: Source, ledger: Ledger) -> Iterator[tuple[Place, Cells]]:
    """The rows of a CSV or TSV file."""
    rows = csv_rows(source, ledger)
    place, header = next(rows, (Place(source.name, 1, 0), []))
    names = [name.strip() for name in header]
    if missing := [name for name in REQUIRED if name not in names]:
        ledger.reject(place, "header", MISSING.format(missing[0]))
        return
    if twice := [name for name in Judgement._fields if names.count(name) > 1]:
        ledger.reject(place, "header", f"the column {twice[0]!r} stands there twice; keep one")
        return
    yield from rows_by_header(rows, names, ledger)


def json_rows(source: Source, ledger: Ledger) -> Iterator[tuple[Place, Cells]]:
    """The rows of a JSONL or Parquet file."""
    for place, raw in source.records(ledger):
        cells: dict[str, Any] | None = decode(raw, OBJECT, place, ledger)
        if cells is not None:
            yield place, cells


def usable_judgements(rows: Iterable[tuple[Place, Cells]], ledger: Ledger) -> Iterator[Judgement]:
    """The judgements that can be used, each judge once for a quality of a unit."""
    lines: dict[tuple[object, ...], int] = {}
    for place, cells in rows:
        try:
            judgement = parse_judgement(cells)
            key = tuple(getattr(judgement, name) for name in JUDGEMENT_KEY)
            if key in lines:
                raise InvalidValue("repeated", REPEATED.format(lines[key]))
        except InvalidValue as error:
            ledger.reject(place, error.code, error.reason)
            continue
        lines[key] = place.line
        yield judgement


def parse_judgement(cells: Cells) -> Judgement:
    """The judgement in a row."""
    if missing := [name for name in REQUIRED if name not in cells]:
        raise InvalidValue("missing", MISSING.format(missing[0]))
    values: dict[str, Any] = {}
    for name in Judgement._fields:
        convert, what = KINDS[name]
        try:
            values[name] = convert(cells.get(name))
        except ValueError:
            raise InvalidValue("cell", f"{name!r} must be {what}") from None
    judgement = Judgement(**values)
    if reason := judgement_problem(judgement):
        raise InvalidValue("judgement", reason)
    return judgement


def parse_name(cell: object) -> str | None:
    """A name; a whole number is one too, and an empty cell is none."""
    if cell is None or cell == "":
        return None
    if isinstance(cell, bool) or not isinstance(cell, str | int):
        raise ValueError("not a name")
    return str(cell)


def parse_turn(cell: object) -> int | None:
    """The number of a turn."""
    number = parse_rating(cell)
    if number is None:
        return None
    if number != int(number) or not 0 <= number < 2**31:
        raise ValueError("not the number of a turn")
    return int(number)


NAME: tuple[Callable[[object], object], str] = (parse_name, "text")
NUMBER: tuple[Callable[[object], object], str] = (
    parse_rating,
    "a number, or empty for 'not rated'",
)
KINDS = dict.fromkeys(("dialog", "speaker", "quality", "judge", "judge_kind"), NAME)
KINDS |= dict.fromkeys(("value", "scale_min", "scale_max"), NUMBER)
KINDS |= {"turn": (parse_turn, "the number of a turn, counted from 0, or empty for a whole dialog")}
OBJECT = msgspec.json.Decoder(dict[str, Any])
