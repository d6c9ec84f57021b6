"""Files of judgements: a table, a benchmark that holds some, or an export of an annotation tool.

A table with a column `preferred` holds preferences: one row per choice between two units.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import ClassVar, Protocol, runtime_checkable

from simpatico.errors import BadValue, DataError, UnknownName, suggest_names
from simpatico.judge_answers import merge_orders
from simpatico.judgements import Judgement, Judgements, Preferences
from simpatico.readers import judgement_formats
from simpatico.readers.detect import all_readers
from simpatico.readers.file_formats._table_csv import repeated_column
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source
from simpatico.readers.judgement_formats._answers import AnnotationTool, read_answers
from simpatico.readers.judgement_formats.label_studio import are_pairwise, pairwise_rows
from simpatico.readers.judgement_rows import (
    PREFERRED,
    REQUIRED,
    header_problem,
    parse_judgement,
    parse_preference,
    preference_header_problem,
    rename_columns,
    source_cells,
    table_cells,
    usable_rows,
)
from simpatico.readers.wide_ratings import Cells, long_rows, number_unnamed_judges
from simpatico.wording import format_count

TABLES = ("csv", "tsv", "jsonl", "parquet")
NO_QUALITY = (
    "no column of ratings; give columns dialog, quality and value, or dialog and one column of "
    "numbers for each quality"
)


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
