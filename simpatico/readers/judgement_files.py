"""Files of judgements: a long table with one row per judgement, or a benchmark that holds some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

from simpatico.errors import DataError, UnknownName, suggest_names
from simpatico.judgements import (
    JUDGEMENT_KEY,
    Judgement,
    Judgements,
    judgement_problem,
    parse_rating,
)
from simpatico.readers.detect import all_readers
from simpatico.readers.file_formats._table_csv import named_rows, repeated_column
from simpatico.readers.input.decode import InvalidValue
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source

REQUIRED = ("dialog", "quality", "value")
TABLES = ("csv", "tsv", "jsonl", "parquet")

ADVICE = "keep one of the two, or name every judge in the column 'judge'"
MISSING = "there is no {!r}; a judgement needs dialog, quality and value"

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
    name = format or detect_format(source.head, benchmarks)
    if name in benchmarks:
        return Judgements.of(benchmarks[name].judgements(source, ledger))
    if name in TABLES:
        rows: Iterator[tuple[Place, Cells]] = (
            named_rows(source, ledger, header_problem)
            if source.head.kind == "text"
            else source.values(dict[str, Any], ledger)
        )
        return Judgements.of(usable_judgements(rows, ledger))
    raise UnknownName(f"no format {name!r}; {suggest_names(name, [*TABLES, *benchmarks])}")


def detect_format(head: Head, benchmarks: Mapping[str, JudgementReader]) -> str:
    """The format, by shape or else by suffix."""
    # benchmarks first: theirs are .json and .jsonl files too
    for name, benchmark in benchmarks.items():
        if benchmark.matches(head):
            return name
    if set(REQUIRED) <= head.keys:
        return "jsonl"
    if (suffix := head.suffix.removeprefix(".")) in TABLES:
        return suffix
    raise DataError(
        f"{head.name}:1: this is neither a table of judgements ({', '.join(TABLES)}) "
        f"nor a benchmark that holds some ({', '.join(benchmarks)}); name its format"
    )


def header_problem(names: list[str]) -> str | None:
    """What is wrong with the header of a CSV or TSV file."""
    if missing := [name for name in REQUIRED if name not in names]:
        return MISSING.format(missing[0])
    return repeated_column(names, Judgement._fields)


def usable_judgements(rows: Iterable[tuple[Place, Cells]], ledger: Ledger) -> Iterator[Judgement]:
    """The judgements that can be used, each judge once for a quality of a unit."""
    # by key, the line of each judgement: the complaint about a second one names the first
    lines: dict[tuple[object, ...], int] = {}
    for place, cells in rows:
        try:
            judgement = parse_judgement(cells)
        except InvalidValue as error:
            ledger.reject(place, error.code, error.reason)
            continue
        key = tuple(getattr(judgement, name) for name in JUDGEMENT_KEY)
        if key not in lines:
            lines[key] = place.line
            yield judgement
        else:
            reason = f"the unit, quality and judge are those of line {lines[key]}; {ADVICE}"
            ledger.reject(place, "repeated", reason)


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
    # true and false are whole numbers to Python
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


KINDS: dict[str, tuple[Callable[[object], object], str]] = {
    **dict.fromkeys(("dialog", "speaker", "quality", "judge", "judge_kind"), (parse_name, "text")),
    **dict.fromkeys(
        ("value", "scale_min", "scale_max"), (parse_rating, "a number, or empty for 'not rated'")
    ),
}
KINDS |= {"turn": (parse_turn, "the number of a turn, counted from 0, or empty for a whole dialog")}
