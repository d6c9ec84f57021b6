"""Rows of judgements, cell by cell: which column is which field, and what a cell means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from simpatico.judgements import (
    CHOICES,
    NOT_RATED,
    SIDES,
    Judgement,
    Preference,
    judgement_problem,
    parse_rating,
    preference_problem,
)
from simpatico.readers.file_formats._table_csv import named_rows, repeated_column
from simpatico.readers.file_formats._table_fields import ALIASES, NamedColumns, check_mapping
from simpatico.readers.input.decode import InvalidValue
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source
from simpatico.readers.wide_ratings import Cells

REQUIRED = ("dialog", "quality", "value")
ADVICE = "keep one of the two, or name every judge in the column 'judge'"
MISSING = "there is no {!r}; a judgement needs dialog, quality and value"
PREFERRED = "preferred"
UNNAMED_QUALITY = "preference"
"""The quality of preferences whose file names none."""

CellKind = tuple[Callable[[object], object], str]
"""How a cell is read, and what it must be, in words."""
AnyJudgement = TypeVar("AnyJudgement", Judgement, Preference)


def rename_columns(head: Head, columns: Mapping[str, str]) -> dict[str, str]:
    """Our name of each column of a table that has another: as the user says, else a known one."""
    fields = Judgement._fields
    table = NamedColumns(head.name, head.columns, head.kind != "text")
    check_mapping(columns, fields, table, " of ratings")
    names = {column: field for field, column in columns.items()}
    if "dialog" not in {*columns, *head.columns}:
        alias = next((name for name in ALIASES["dialog"] if name in head.columns), None)
        names |= {alias: "dialog"} if alias else {}
    return names


def source_cells(
    source: Source,
    ledger: Ledger,
    names: Mapping[str, str],
    problem: Callable[[list[str]], str | None],
) -> Iterator[tuple[Place, Cells]]:
    """The cells of each row by our names of the columns."""

    def header_problem(header: list[str]) -> str | None:
        return problem([names.get(name, name) for name in header])

    for place, cells in table_cells(source, ledger, header_problem):
        yield place, {names.get(name, name): cell for name, cell in cells.items()}


def table_cells(
    source: Source, ledger: Ledger, header_problem: Callable[[list[str]], str | None]
) -> Iterator[tuple[Place, Cells]]:
    """The cells of each row of a table by column name."""
    if source.head.kind == "text":
        return named_rows(source, ledger, header_problem)
    return source.values(dict[str, Any], ledger)


def header_problem(names: list[str]) -> str | None:
    """What is wrong with the header of a CSV or TSV file."""
    if missing := [name for name in REQUIRED if name not in names]:
        return MISSING.format(missing[0])
    return repeated_column(names, Judgement._fields)


def preference_header_problem(names: Iterable[str]) -> str | None:
    """What is wrong with the columns of preferences, such as one that is missing."""
    columns = list(names)
    of_systems = not {"dialog_a", "dialog_b"} & {*columns} and {"system_a", "system_b"} & {*columns}
    sides = ("system_a", "system_b", "prompt") if of_systems else ("dialog_a", "dialog_b")
    if missing := [name for name in (PREFERRED, *sides) if name not in columns]:
        return f"there is no {missing[0]!r}; a preference needs {PREFERRED}, and {SIDES}"
    return repeated_column(columns, Preference._fields)


def usable_rows(
    rows: Iterable[tuple[Place, Cells]], ledger: Ledger, parse: Callable[[Cells], AnyJudgement]
) -> Iterator[AnyJudgement]:
    """The judgements that can be used, each judge once for a quality of the same units."""
    # by key, the line of each judgement: the complaint about a second one names the first
    lines: dict[tuple[object, ...], int] = {}
    for place, cells in rows:
        try:
            judgement = parse(cells)
        except InvalidValue as error:
            ledger.reject(place, error.code, error.reason)
            continue
        unnamed = isinstance(judgement, Judgement) and judgement.judge is None
        if unnamed or judgement.key not in lines:
            lines[judgement.key] = place.line
            yield judgement
        else:
            what = "unit" if isinstance(judgement, Judgement) else "two sides"
            line = f"the {what}, quality and judge are those of line {lines[judgement.key]}"
            ledger.reject(place, "repeated", f"{line}; {ADVICE}")


def parse_judgement(cells: Cells, turns_from: int = 0) -> Judgement:
    """The judgement in a row."""
    if missing := [name for name in REQUIRED if name not in cells]:
        raise InvalidValue("missing", MISSING.format(missing[0]))
    judgement = Judgement(**parse_cells(cells, KINDS, turns_from))
    if reason := judgement_problem(judgement):
        raise InvalidValue("judgement", reason)
    return judgement


def parse_preference(cells: Cells, turns_from: int = 0) -> Preference:
    """The preference in a row."""
    if reason := preference_header_problem(cells):
        raise InvalidValue("missing", reason)
    values = parse_cells(cells, PREFERENCE_KINDS, turns_from)
    preference = Preference(**{**values, "quality": values["quality"] or UNNAMED_QUALITY})
    if reason := preference_problem(preference):
        raise InvalidValue("preference", reason)
    return preference


def parse_cells(cells: Cells, kinds: Mapping[str, CellKind], turns_from: int) -> dict[str, Any]:
    """The value of each field of a row; the first turn, number `turns_from` there, is ours 0."""
    values: dict[str, Any] = {}
    for name, (convert, what) in kinds.items():
        try:
            values[name] = convert(cells.get(name))
        except ValueError:
            raise InvalidValue("cell", f"{name!r} must be {what}") from None
        if convert is parse_turn and values[name] is not None:
            values[name] -= turns_from
            if values[name] < 0:
                reason = f"{name!r} is below {turns_from}, the first turn's number (--turns-from)"
                raise InvalidValue("cell", reason)
    return values


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


def parse_choice(cell: object) -> str | None:
    """Which of two is preferred; null for "not rated"."""
    words = "" if cell is None else str(cell).strip().lower()
    if words in NOT_RATED:
        return None
    if words not in CHOICES:
        raise ValueError("not a choice")
    return words


NAME: CellKind = (parse_name, "text")
NUMBER: CellKind = (parse_rating, "a number, or empty for 'not rated'")
TURN: CellKind = (
    parse_turn,
    "the number of a turn, counted from 0, or empty for a whole dialog",
)
KINDS: dict[str, CellKind] = {
    **dict.fromkeys(Judgement._fields, NAME),
    "turn": TURN,
    **dict.fromkeys(("value", "scale_min", "scale_max"), NUMBER),
}
PREFERENCE_KINDS: dict[str, CellKind] = {
    **dict.fromkeys(Preference._fields, NAME),
    **dict.fromkeys(("turn_a", "turn_b"), TURN),
    PREFERRED: (parse_choice, "a, b or tie, or empty for 'not rated'"),
}
