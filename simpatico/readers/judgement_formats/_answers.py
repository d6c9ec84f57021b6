"""What the readers of annotation tools share: answers of judges to questions about items.

An item is what a tool shows and stores: a task, a record, a trace. Which dialog, turn and speaker
it is stands in its fields; without such a field the item's id is taken for the dialog's.
"""

from __future__ import annotations

from ast import literal_eval
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from simpatico.errors import DataError
from simpatico.judgements import JudgeKind, Judgement
from simpatico.readers.file_formats._table_csv import named_rows, repeated_column
from simpatico.readers.file_formats._table_fields import (
    ALIASES,
    NamedColumns,
    check_mapping,
    parse_time,
)
from simpatico.readers.input.decode import InvalidValue
from simpatico.readers.input.head import Head, json_or_none
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source
from simpatico.readers.wide_ratings import Cells, is_rating_column, thumb_value
from simpatico.wording import format_count, join_with_and

# "dialogue" and "conversation" are left out: in these tools they mostly hold the text
FIELD_NAMES = {
    "dialog": ("dialog", *(name for name in ALIASES["dialog"] if name.endswith("_id"))),
    **{name: (name,) for name in ("turn", "speaker")},
}
"""What the field of an item that says the dialog, turn or speaker may be called."""
UNIT_FIELDS = tuple(FIELD_NAMES)
MAX_ID = 200
"""Characters of an id; a longer text in a field called dialog is the dialog itself."""


MAX_TEXT = 10_000
"""Characters of a cell that holds an object as text; deeper nesting could exhaust the parser."""


class Answer(NamedTuple):
    """One judge's answer to one question about one item; `fields` is what is known of the item."""

    place: Place
    item: str | int | None
    fields: Mapping[str, object]
    question: str
    judge: str | int | None
    value: object
    judge_kind: JudgeKind | None = "outsider"
    time: object = None


class AnnotationTool(Protocol):
    """A tool whose exports hold judgements; `title` is its name for people."""

    name: ClassVar[str]
    title: ClassVar[str]
    unnamed: ClassVar[str] = ""
    """What to know where the file does not name a judge."""

    def matches(self, head: Head) -> bool:
        """Whether the first bytes of a file, or a folder, are an export of this tool."""
        ...

    def answers(self, source: Source, ledger: Ledger) -> Iterator[Answer]:
        """The answers that count; others are counted by why in the ledger."""
        ...


def read_answers(
    tool: AnnotationTool, source: Source, ledger: Ledger, columns: Mapping[str, str]
) -> tuple[list[tuple[Place, Cells]], list[str]]:
    """A row per rating of an export, as in a long table, and how the file was understood."""
    before, where = Counter(ledger.skip_counts), f"{source.name}:1: "
    answers = list(named_answers(tool, source, ledger))
    names = unit_names(answers, source.name, columns)
    # a column that somebody joined to a table, to say the unit, holds no answers
    answers = [a for a in answers if a.question not in columns.values()]
    skipped = [format_count(n, why) for why, n in (ledger.skip_counts - before).items()]
    left_out = f"left out: {join_with_and(skipped)}" if skipped else ""
    if not answers and not ledger.errors:
        because = f" ({left_out})" if skipped else ""
        raise DataError(f"{where}no answers of judges in this {tool.title} export{because}")
    last = last_answers(answers)
    questions = list(dict.fromkeys(a.question for a in last))
    rated = [q for q in questions if is_rating_column(a.value for a in last if a.question == q)]
    others = join_with_and([repr(q) for q in questions if q not in rated] or [""])
    if others and not rated:
        raise DataError(
            f"{where}the answers to {others} are neither numbers nor yes and no; name the choices "
            "by numbers, or write a table with the columns dialog, quality and value"
        )
    ratings = [a for a in last if a.question in rated]
    notes = [f"read as {tool.title} export: {describe_units(ratings, names)}", left_out]
    if n := len(answers) - len(last):
        again = format_count(n, "answer was", "answers were")
        notes.append(f"{again} given again by the same judge: the last one counts")
    if others:
        notes.append(
            f"not read as ratings, since the answers are neither numbers nor yes and no: {others}; "
            "name the choices by numbers to use them"
        )
    notes.extend(describe_judges(tool, ratings))
    check_units(ratings, names)
    return [(a.place, answer_cells(a, names)) for a in ratings], [*filter(None, notes)]


def named_answers(tool: AnnotationTool, source: Source, ledger: Ledger) -> Iterator[Answer]:
    """The answers whose question, item and judge are names; others are rejected."""
    for answer in tool.answers(source, ledger):
        names = (answer.question, answer.item, answer.judge)
        if answer.question and all(name is None or is_id(name) for name in names):
            yield answer
        else:
            reason = "the names of the question, the item and the judge must be text or numbers"
            ledger.reject(answer.place, "name", reason)


def unit_names(
    answers: Sequence[Answer], file: str, columns: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """What the field that says the dialog, the turn or the speaker is called in this file."""
    plain = dict.fromkeys(n for a in answers for n, cell in a.fields.items() if is_id(cell))
    check_mapping(columns, UNIT_FIELDS, NamedColumns(file, list(plain)), " of a rated item")
    return {**FIELD_NAMES, **{field: (name,) for field, name in columns.items()}}


def is_id(cell: object) -> bool:
    """Whether a cell may be an id or a number of a turn, and not a text or a list of messages."""
    if isinstance(cell, str):
        return 0 < len(cell) <= MAX_ID and "\n" not in cell
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def last_answers(answers: Sequence[Answer]) -> list[Answer]:
    """Each named judge's last answer to a question about an item, by time or else in file order."""
    last: dict[object, Answer] = {}
    for number, a in enumerate(answers):
        key = (a.item, a.question, a.judge, a.judge_kind) if a.judge is not None else number
        if key not in last or seconds(a) >= seconds(last[key]):
            last[key] = a
    return list(last.values())


def seconds(answer: Answer) -> float:
    """When an answer was given; 0 where nothing says it, so that the order of the file decides."""
    try:
        time = answer.time if isinstance(answer.time, str | int | float) else None
        return parse_time(time) or 0.0
    except InvalidValue:
        return 0.0


def check_units(answers: Sequence[Answer], names: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse a judge who answers a question for two items that are one unit."""
    items: dict[object, object] = {}
    for a in answers:
        cells = answer_cells(a, names)
        key = (*(cells[f] for f in UNIT_FIELDS), a.question, a.judge, a.judge_kind)
        if a.judge is not None and items.setdefault(key, a.item) != a.item:
            raise DataError(
                f"{a.place}: one judge answers {a.question!r} for several items of dialog "
                f"{cells['dialog']!r}, and no field says which turn each is; name the field with "
                "--columns turn=FIELD"
            )


def answer_cells(answer: Answer, names: Mapping[str, tuple[str, ...]]) -> dict[str, object]:
    """An answer as a row of a long table."""
    cells: dict[str, object] = dict.fromkeys(Judgement._fields)
    for field, own in names.items():
        cells[field] = next((answer.fields[n] for n in own if is_id(answer.fields.get(n))), None)
    if cells["dialog"] is None and names["dialog"] == FIELD_NAMES["dialog"]:
        cells["dialog"] = answer.item
    # apart from what people say, which every command takes ratings for
    quality = f"{answer.question} (model)" if answer.judge_kind == "model" else answer.question
    judge = {"quality": quality, "judge": answer.judge, "judge_kind": answer.judge_kind}
    return {**cells, **judge, "value": thumb_value(answer.value)}


def describe_units(answers: Sequence[Answer], names: Mapping[str, tuple[str, ...]]) -> str:
    """From which fields dialog, turn and speaker are read, in words."""
    words = []
    for field, own in names.items():
        used = [repr(n) for n in own if any(is_id(a.fields.get(n)) for a in answers)]
        if used:
            words.append(f"{field} from {' or '.join(used)}")
        elif field == "dialog":
            words.append("dialog from the id of the rated item (or --columns dialog=FIELD)")
    return ", ".join(words)


def describe_judges(tool: AnnotationTool, answers: Sequence[Answer]) -> Iterator[str]:
    """What to know of judges that are no people, of an unknown kind, or without a name."""
    models = [a for a in answers if a.judge_kind == "model"]
    if models:
        qualities = join_with_and(list(dict.fromkeys(f"{a.question} (model)" for a in models)))
        count = format_count(len(models), "rating is", "ratings are")
        yield f"{count} by models or programs, and kept apart: {qualities}"
    if n := sum(a.judge_kind is None for a in answers):
        yield (
            f"{format_count(n, 'rating')} sent through the API: what kind of judge gave it is not "
            "known (judge_kind is empty)"
        )
    if tool.unnamed and any(a.judge is None and a.judge_kind != "model" for a in answers):
        yield tool.unnamed


def export_rows(source: Source, ledger: Ledger) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The rows of an export that is a table: CSV, TSV, JSON, JSON lines or Parquet."""
    if source.head.kind == "text":
        return named_rows(source, ledger, lambda names: repeated_column(names, names))
    return source.values(dict[str, Any], ledger)


def as_object(cell: object) -> dict[str, Any]:
    """An object, also one that a table holds as text, of JSON or Python; empty if there is none."""
    if isinstance(cell, str) and cell.startswith("{") and len(cell) <= MAX_TEXT:
        cell = json_or_none(cell.encode()) or python_or_none(cell)
    return cell if isinstance(cell, dict) else {}


def python_or_none(text: str) -> object:
    """The value that pandas writes into a cell of CSV as Python does, or None; nothing is run."""
    try:
        return literal_eval(text)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
