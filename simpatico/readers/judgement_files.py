"""Files of judgements: a table, a benchmark that holds some, or an export of an annotation tool.

A table with a column `preferred` holds preferences: one row per choice between two units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

from simpatico.errors import BadValue, DataError, UnknownName, suggest_names
from simpatico.judge_answers import merge_orders
from simpatico.judgements import (
    CHOICES,
    NOT_RATED,
    SIDES,
    Judgement,
    Judgements,
    Preference,
    Preferences,
    judgement_problem,
    parse_rating,
    preference_problem,
)
from simpatico.readers import judgement_formats
from simpatico.readers.detect import all_readers
from simpatico.readers.file_formats._table_csv import named_rows, repeated_column
from simpatico.readers.file_formats._table_fields import ALIASES, NamedColumns, check_mapping
from simpatico.readers.input.decode import InvalidValue
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source
from simpatico.readers.judgement_formats._answers import AnnotationTool, read_answers
from simpatico.readers.judgement_formats.label_studio import are_pairwise, pairwise_rows
from simpatico.readers.wide_ratings import long_rows, number_unnamed_judges
from simpatico.wording import format_count

REQUIRED = ("dialog", "quality", "value")
TABLES = ("csv", "tsv", "jsonl", "parquet")

ADVICE = "keep one of the two, or name every judge in the column 'judge'"
MISSING = "there is no {!r}; a judgement needs dialog, quality and value"
PREFERRED = "preferred"
NO_QUALITY = (
    "no column of ratings; give columns dialog, quality and value, or dialog and one column of "
    "numbers for each quality"
)
UNNAMED_QUALITY = "preference"
"""The quality of preferences whose file names none."""

Cells = Mapping[str, object]
CellKind = tuple[Callable[[object], object], str]
"""How a cell is read, and what it must be, in words."""
AnyJudgement = TypeVar("AnyJudgement", Judgement, Preference)


@runtime_checkable
class JudgementReader(Protocol):
    """A reader whose files hold judgements too."""

    name: ClassVar[str]

    def matches(self, head: Head) -> bool: ...
    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]: ...


@runtime_checkable
class PreferenceReader(Protocol):
    """A reader whose files say which of two dialogs a judge preferred; rows are as in a table."""

    def matches(self, head: Head) -> bool: ...
    def preferences(self, source: Source, ledger: Ledger) -> Iterator[tuple[Place, Cells]]: ...


def read_judgements(
    path: str | Path,
    *,
    format: str | None = None,
    turns_from: int = 0,
    ledger: Ledger | None = None,
    columns: Mapping[str, str] | None = None,
) -> Judgements:
    """The judgements in a file: CSV, TSV, JSONL or Parquet, a benchmark, or an annotation tool's.

    A table needs the columns dialog, quality and value, or dialog and a column a quality, and may
    have turn, speaker, judge, judge_kind, scale_min and scale_max. An empty value, NA or "not
    rated" is null. `turns_from`: the number that a table gives to the first turn of a dialog;
    `columns`: which of our fields has another name in it.
    """
    # that module reads cells as this one does
    from simpatico.readers import judge_answer_files as answers

    source, ledger = Source.of(path), ledger or Ledger()
    if source.is_rejected(ledger):
        return Judgements.of(())
    benchmarks = {r.name: r for r in all_readers() if isinstance(r, JudgementReader)}
    tools = {tool.name: tool for tool in annotation_tools()}
    # a long table may have columns of a tool too, and --columns may make one of an export
    is_long = {*source.head.columns, *(columns or {})} >= set(REQUIRED)
    name = format or detect_format(source.head, {**benchmarks, **({} if is_long else tools)})
    if name in benchmarks:
        if turns_from:
            raise BadValue(f"turns of {name} files are counted from 0, not from {turns_from}")
        return Judgements.of(benchmarks[name].judgements(source, ledger))
    if name in TABLES:
        if are_preferences(source.head):
            raise DataError(f"{source.name}:1: preferences, not ratings; use read_preferences")
        if answers.has_single_answers(source.head):
            return answers.read_judge_answers(path, ledger=ledger, columns=columns).judgements()
        return read_table(source, ledger, dict(columns or {}), turns_from)
    if name in tools:
        rows, notes = read_answers(tools[name], source, ledger, dict(columns or {}))
        return collect_ratings(rows, notes, ledger, turns_from)
    raise UnknownName(f"no format {name!r}; {suggest_names(name, [*TABLES, *benchmarks, *tools])}")


def read_table(
    source: Source, ledger: Ledger, columns: Mapping[str, str], turns_from: int
) -> Judgements:
    """The ratings of a table in long form, or of one with a column a quality, and which it was."""
    names = rename_columns(source.head, columns)
    renamed = {names.get(name, name) for name in source.head.columns}
    if is_wide := "dialog" in renamed and not {"quality", "value"} & renamed:
        rows: Iterable[tuple[Place, Cells]] = source_cells(source, ledger, names, wide_problem)
        rows, notes = long_rows(list(rows))
    else:
        rows, notes = source_cells(source, ledger, names, header_problem), []
    ratings = collect_ratings(rows, notes, ledger, turns_from)
    if is_wide and not len(ratings) and not ledger.errors:
        raise DataError(f"{source.name}:1: {NO_QUALITY}")
    return ratings


def collect_ratings(
    rows: Iterable[tuple[Place, Cells]], notes: list[str], ledger: Ledger, turns_from: int
) -> Judgements:
    """The ratings of rows in long form; judges without a name are numbered, which the notes say."""
    parse = partial(parse_judgement, turns_from=turns_from)
    numbered, n = number_unnamed_judges(list(usable_rows(rows, ledger, parse)))
    if n:
        notes = [
            *notes,
            f"{format_count(n, 'rating')} of the same unit without a judge's name: taken as those "
            "of several judges, in the order of the file; a number is not one person "
            "throughout, so that ICC(2,1) and figures per judge mean little",
        ]
    return replace(Judgements.of(numbered), notes=tuple(notes))


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


def wide_problem(names: list[str]) -> str | None:
    """What is wrong with the header of a table with a column a quality."""
    return repeated_column(names, names)


def read_preferences(
    path: str | Path, *, turns_from: int = 0, ledger: Ledger | None = None
) -> Preferences:
    """The preferences in a table (CSV, TSV, JSONL, Parquet), an arena's or Label Studio's file.

    It needs the column preferred (a, b, tie; empty for "not rated"), and dialog_a and dialog_b (of
    single turns also turn_a and turn_b) or system_a, system_b and prompt; it may have speaker_a,
    speaker_b, quality, judge and judge_kind.
    """
    from simpatico.readers import judge_answer_files as answers

    source, ledger = Source.of(path), ledger or Ledger()
    if source.is_rejected(ledger):
        return Preferences.of(())
    if answers.has_single_answers(source.head):
        return merge_orders(answers.read_pairs(source, ledger))
    if benchmark := preference_reader(source.head):
        rows = benchmark.preferences(source, ledger)
    elif are_pairwise(source.head):
        rows = pairwise_rows(source, ledger)
    else:
        rows = table_cells(source, ledger, preference_header_problem)
    parse = partial(parse_preference, turns_from=turns_from)
    return Preferences.of(usable_rows(rows, ledger, parse))


def has_preferences(path: str | Path) -> bool:
    """Whether a file holds preferences, by its columns or the type of its answers."""
    source = Source.of(path)
    return not source.is_rejected(Ledger(on_error="skip")) and are_preferences(source.head)


def are_preferences(head: Head) -> bool:
    """Whether the columns are those of preferences; ratings may have a column of that name too."""
    in_table = PREFERRED in head.columns and not set(REQUIRED) <= set(head.columns)
    return in_table or are_pairwise(head) or preference_reader(head) is not None


def preference_reader(head: Head) -> PreferenceReader | None:
    """The reader of a benchmark of preferences that a file is of."""
    readers = (r for r in all_readers() if isinstance(r, PreferenceReader) and r.matches(head))
    return next(readers, None)


def table_cells(
    source: Source, ledger: Ledger, header_problem: Callable[[list[str]], str | None]
) -> Iterator[tuple[Place, Cells]]:
    """The cells of each row of a table by column name."""
    if source.head.kind == "text":
        return named_rows(source, ledger, header_problem)
    return source.values(dict[str, Any], ledger)


def annotation_tools() -> Iterator[AnnotationTool]:
    """A reader of each annotation tool: the folder is the registry, one module a tool."""
    for module in iter_modules(judgement_formats.__path__):
        if not module.name.startswith("_"):
            classes = vars(import_module(f"{judgement_formats.__name__}.{module.name}")).values()
            name = module.name.replace("_", "-")
            yield next(cls for cls in classes if getattr(cls, "name", None) == name)()


def detect_format(head: Head, readers: Mapping[str, JudgementReader | AnnotationTool]) -> str:
    """The format, by shape or else by suffix."""
    # before tables: theirs are .json, .jsonl and .csv files too
    for name, reader in readers.items():
        if reader.matches(head):
            return name
    if set(REQUIRED) <= head.keys or (head.kind == "lines" and "dialog" in head.keys):
        return "jsonl"
    if (suffix := head.suffix.removeprefix(".")) in TABLES:
        return suffix
    raise DataError(
        f"{head.name}:1: this is neither a table of judgements ({', '.join(TABLES)}) "
        f"nor a benchmark or an annotation tool's export ({', '.join(readers)}); save it as one "
        "of these"
    )


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
