"""Files of answers by model judges, as `simpatico judge` writes them, or any table of ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from simpatico.errors import DataError
from simpatico.judge_answers import (
    ANSWER_SCHEMA,
    MORE,
    ORDERS,
    PAIR_ANSWER_SCHEMA,
    JudgeAnswers,
    pair_answers,
    stack_answers,
)
from simpatico.judgements import Judgement, Preference, judgement_problem, preference_problem
from simpatico.readers.input.decode import InvalidValue
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source
from simpatico.readers.judgement_files import are_preferences
from simpatico.readers.judgement_rows import (
    KINDS,
    NAME,
    NUMBER,
    PREFERENCE_KINDS,
    UNNAMED_QUALITY,
    CellKind,
    header_problem,
    parse_cells,
    preference_header_problem,
    rename_columns,
    source_cells,
    table_cells,
)
from simpatico.readers.wide_ratings import Cells, long_rows

SINGLE = ("repeat", "null_reason")
"""Fields by which, beside `judge`, a file is known as one of a judge's single answers."""


def parse_repeat(cell: object) -> int:
    """The number of a repeat; the first where there is none."""
    number = NUMBER[0](cell)
    if number is None:
        return 1
    if not isinstance(number, float) or number != int(number) or not 1 <= number < 2**31:
        raise ValueError("not the number of a repeat")
    return int(number)


def parse_order(cell: object) -> object:
    """Which side was shown first."""
    if cell not in (None, "", *ORDERS):
        raise ValueError("not an order")
    return cell or None


EXTRA: dict[str, CellKind] = {
    "repeat": (parse_repeat, "the number of a repeat, counted from 1"),
    "order": (parse_order, "ab or ba"),
    "expected": NUMBER,
    "null_reason": NAME,
}


def has_single_answers(head: Head) -> bool:
    """Whether a file holds a judge's answers one by one, repeats and failures included."""
    return "judge" in head.columns and any(name in head.columns for name in SINGLE)


def read_judges(paths: Sequence[str | Path]) -> JudgeAnswers:
    """The answers in several files together."""
    return stack_answers([read_judge_answers(path) for path in paths])


def read_judge_answers(
    path: str | Path, *, ledger: Ledger | None = None, columns: Mapping[str, str] | None = None
) -> JudgeAnswers:
    """The answers in a file: JSON lines of `simpatico judge`, or a table of ratings or preferences.

    A judge without a name is called as the file is. Turns are counted from 0.
    """
    source, ledger = Source.of(path), ledger or Ledger()
    if source.is_rejected(ledger):
        return JudgeAnswers(pl.DataFrame(schema=ANSWER_SCHEMA))
    named = [pl.col("judge").fill_null(source.stem), pl.col("judge_kind").fill_null("model")]
    if are_preferences(source.head):
        pairs = read_pairs(source, ledger).with_columns(named)
        return pair_answers(pairs)
    names, notes = rename_columns(source.head, columns or {}), list[str]()
    renamed = {names.get(column, column) for column in source.head.columns}
    is_wide = "dialog" in renamed and not {"quality", "value"} & renamed
    problem = (lambda _: None) if is_wide else header_problem
    rows: Iterable[tuple[Place, Cells]] = source_cells(source, ledger, names, problem)
    if is_wide:
        rows, notes = long_rows(list(rows))
    frame = pl.DataFrame(list(usable_answers(rows, ledger)), schema=ANSWER_SCHEMA, orient="row")
    if frame.is_empty() and not ledger.errors:
        raise DataError(
            f"{source.name}:1: no answers of a judge; give dialog, quality, value and judge, as "
            "`simpatico judge` writes them"
        )
    answers = JudgeAnswers.of(frame.with_columns(named))
    return JudgeAnswers(answers.frame, tuple(notes))


def usable_answers(
    rows: Iterable[tuple[Place, Cells]], ledger: Ledger
) -> Iterator[tuple[Any, ...]]:
    """The answers that can be used, as rows of `ANSWER_SCHEMA`."""
    kinds = KINDS | EXTRA
    fields = Judgement._fields
    for place, cells in rows:
        try:
            values = parse_cells(cells, kinds, 0)
            row = tuple(values.values())
            # the mean of repeats is no better than its parts: each answer must be on the scale
            if reason := judgement_problem(Judgement(*row[: len(fields)])):
                raise InvalidValue("judgement", reason)
        except InvalidValue as error:
            ledger.reject(place, error.code, error.reason)
            continue
        yield row


def read_pairs(source: Source, ledger: Ledger) -> pl.DataFrame:
    """The choices of a file between two units, with columns of `PAIR_ANSWER_SCHEMA`."""
    rows = []
    for place, cells in table_cells(source, ledger, preference_header_problem):
        try:
            values = parse_cells(cells, PREFERENCE_KINDS | EXTRA, 0)
            values["quality"] = values["quality"] or UNNAMED_QUALITY
            preference = Preference(**{name: values[name] for name in Preference._fields})
            if reason := preference_problem(preference):
                raise InvalidValue("preference", reason)
        except InvalidValue as error:
            ledger.reject(place, error.code, error.reason)
            continue
        rows.append((*preference, *(values[name] for name in MORE)))
    return pl.DataFrame(rows, schema=PAIR_ANSWER_SCHEMA, orient="row")
