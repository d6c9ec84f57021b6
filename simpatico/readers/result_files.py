"""Results of test tools: what each system scored on each test, a score a column.

Files of promptfoo, DeepEval and Inspect, or a table (CSV, TSV, JSONL, Parquet) with a column that
says the system, one that says the test, and columns of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple, Protocol, runtime_checkable

import polars as pl

from simpatico.errors import DataError
from simpatico.judgements import parse_rating
from simpatico.readers.detect import all_readers
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger
from simpatico.readers.input.source import Source
from simpatico.readers.judgement_formats._answers import export_rows
from simpatico.readers.wide_ratings import is_rating_column, thumb_value

SYSTEM = ("system", "model", "provider", "variant")
TEST = ("test", "test_id", "prompt", "item", "sample_id", "question_id", "case", "id", "name")
DIALOG = ("dialog", "conversation_id", "session_id")
KEYS = ("dialog", "system", "prompt", "speaker", "turn", "dialogs")
"""Names that a score cannot have, as columns of a run have them."""


Direction = Literal["higher", "lower"]
"""Which values of a score are the better ones."""


class ScoredTest(NamedTuple):
    """What a system scored on one test; null where there is no score, whatever the tool says.

    `better` has the scores whose better direction this test tells.
    """

    dialog: str
    system: str
    test: str | None
    scores: Mapping[str, float | None]
    better: Mapping[str, Direction]


@runtime_checkable
class ResultReader(Protocol):
    """A reader whose files hold scores too."""

    name: ClassVar[str]

    def matches(self, head: Head) -> bool: ...
    def results(self, source: Source, ledger: Ledger) -> Iterator[ScoredTest]: ...


class Results(NamedTuple):
    """A row per test and system, and what the file was read as; a dialog is a test once.

    `scores` has the better direction of each score, null where the file does not tell one.
    """

    frame: pl.DataFrame
    format: str
    scores: dict[str, Direction | None]


def read_results(path: str | Path) -> Results:
    """The results in a file of a test tool, or in a table."""
    source, ledger = Source.of(path), Ledger()
    if source.is_rejected(ledger):
        raise DataError(f"{source.name}: there are no results in this file")
    tools = (r for r in all_readers() if isinstance(r, ResultReader) and r.matches(source.head))
    tool = next(tools, None)
    rows = list(tool.results(source, ledger) if tool else table_results(source, ledger))
    names = dict.fromkeys(name for row in rows for name in row.scores)
    scores = {name: column_name(name) for name in names}
    if not rows or not scores:
        raise DataError(f"{source.name}:1: there are no scores of tests in this file")
    columns: dict[str, list[object]] = {
        "dialog": [row.dialog for row in rows],
        "speaker": ["assistant"] * len(rows),
        "system": [row.system for row in rows],
        "prompt": [row.test for row in rows],
    }
    columns |= {own: [row.scores.get(name) for row in rows] for name, own in scores.items()}
    types = {name: pl.String() if name in KEYS else pl.Float64() for name in columns}
    frame = pl.DataFrame(columns, schema=types)
    if n := int(frame.select("dialog", "system").is_duplicated().sum()):
        raise DataError(
            f"{source.name}: {n} rows repeat the test and system of another one; give each row a "
            "'dialog' of its own"
        )
    directions = {own: better_direction(rows, name) for name, own in scores.items()}
    return Results(frame, tool.name if tool else "table", directions)


def better_direction(rows: Iterable[ScoredTest], score: str) -> Direction | None:
    """The better direction of a score by its tests; null where none says so, or two disagree."""
    directions = {row.better[score] for row in rows if score in row.better}
    return directions.pop() if len(directions) == 1 else None


def column_name(score: str) -> str:
    """The name of a score as a column."""
    name = re.sub(r"\W+", "_", score).strip("_") or "score"
    return f"{name}_score" if name in KEYS or name[0].isdecimal() else name


def table_results(source: Source, ledger: Ledger) -> Iterator[ScoredTest]:
    """The rows of a table; a column of scores holds nothing but numbers, yes and no."""
    rows = [cells for _, cells in export_rows(source, ledger)]
    names = list(dict.fromkeys(name for cells in rows for name in cells))
    system, test, dialog = (first(own, names) for own in (SYSTEM, TEST, DIALOG))
    rest = [name for name in names if name and name not in (system, test, dialog)]
    scores = [name for name in rest if is_rating_column(cells.get(name) for cells in rows)]
    seen: dict[tuple[str, str], int] = {}
    for number, cells in enumerate(rows):
        who = str(cells.get(system) or source.stem) if system else source.stem
        what = str(cells[test]) if test and cells.get(test) not in (None, "") else None
        name = str(cells[dialog]) if dialog and cells.get(dialog) else f"{who}:{what or number}"
        if not dialog and what:  # repeated runs of a test are dialogs on one prompt
            seen[who, what] = seen.get((who, what), 0) + 1
            name += f":{seen[who, what]}"
        values = {name: parse_rating(thumb_value(cells.get(name))) for name in scores}
        yield ScoredTest(name, who, what, values, {})


def first(names: Iterable[str], columns: list[str]) -> str | None:
    """The first of these names that is a column."""
    return next((name for name in names if name in columns), None)
