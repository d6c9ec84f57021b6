"""Potato: its folder of annotations, a table that it exports, or annotations of sessions.

annotation_output/ann/user_state.json     instance_id,user_id,warmth.4,warmth.5
{"user_id": "ann", …}                     d1,ann,4,
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from simpatico.judgements import JudgeKind
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source
from simpatico.readers.judgement_formats._answers import (
    FIELD_NAMES,
    AnnotationTool,
    Answer,
    as_object,
    export_rows,
)
from simpatico.readers.wide_ratings import is_rating_column

STATE, STATE_KEY = "user_state.json", "instance_id_to_label_to_value"
ROW, SESSION = {"instance_id", "user_id"}, {"session", "annotator", "schema", "value"}
NO_SCHEMA = {
    *("annotator_origin", "annotator_origin_detail", "engine_purpose", "engine_request"),
    *(name for names in FIELD_NAMES.values() for name in names),
}
"""Columns of a table that hold no answers."""
DETAILS = ("._spans", "._room", "._room_id", ".free_response")
"""Ends of columns that stand beside an answer."""
MARKERS = ("true", "on")
"""Values that say that the label is the answer."""


class PotatoState(msgspec.Struct):
    """What one person answered, as Potato keeps it."""

    user_id: str
    instance_id_to_label_to_value: dict[str, list[tuple[dict[str, Any], Any]]]
    origin: dict[str, Any] | None = None


class PotatoRecord(NamedTuple):
    """The answers of one person about one item: by schema, the value of each label."""

    place: Place
    item: str | int | None
    fields: Mapping[str, object]
    judge: str | int | None
    kind: JudgeKind
    labels: dict[str, dict[str, object]]


class Potato(AnnotationTool):
    """The answer of a choice is its label, that of a slider or a grid its value."""

    name = "potato"
    title = "Potato"

    def matches(self, head: Head) -> bool:
        if head.folder:
            return any(head.folder.glob(f"*/{STATE}"))
        names = head.columns.keys()
        is_table = names >= ROW and ("labels" in names or any("." in name for name in names))
        return is_table or names >= SESSION or STATE_KEY in names

    def answers(self, source: Source, ledger: Ledger) -> Iterator[Answer]:
        if source.head.columns.keys() >= SESSION:
            yield from session_answers(source, ledger)
            return
        records = list(potato_records(source, ledger))
        scalars = [(s, scalar_labels(v)) for record in records for s, v in record.labels.items()]
        grids = {schema for schema, labels in scalars if len(labels) > 1}
        for record in records:
            about = (record.place, record.item, record.fields)
            for schema, labels in record.labels.items():
                own = {label: labels[label] for label in scalar_labels(labels)}
                chosen = [label for label in labels if label not in own]
                if len(chosen) > 1 and is_rating_column(chosen):
                    # one click too many, as versions before the repair of its issue 167 kept them
                    ledger.skip("ambiguous answer")
                elif chosen:
                    choice = chosen[0] if len(chosen) == 1 else chosen
                    yield Answer(*about, schema, record.judge, choice, record.kind)
                for label, value in own.items():
                    question = f"{schema}.{label}" if schema in grids and label else schema
                    yield Answer(*about, question, record.judge, value, record.kind)


def session_answers(source: Source, ledger: Ledger) -> Iterator[Answer]:
    """The answers about whole sessions; several chosen values are a list, which is no rating."""
    for place, row in export_rows(source, ledger):
        value = as_object(row.get("value"))
        about = (place, row.get("session"), row, row.get("schema") or "", row.get("annotator"))
        yield Answer(*about, value.get("value", value.get("values")), time=row.get("updated_at"))


def potato_records(source: Source, ledger: Ledger) -> Iterator[PotatoRecord]:
    """The answers in a folder, in the state of one person, or in a table."""
    if source.folder:
        for path in sorted(source.folder.glob(f"*/{STATE}")):
            yield from potato_records(Source.of(path), ledger)
    elif STATE_KEY in source.head.keys:
        if state := source.value(PotatoState, ledger):
            place, kind = Place(source.name, 1, 0), judge_kind(state.origin)
            for item, pairs in state.instance_id_to_label_to_value.items():
                named = ((f"{key.get('schema')}.{key.get('name')}", value) for key, value in pairs)
                yield PotatoRecord(place, item, {}, state.user_id, kind, by_schema(named))
    else:
        for place, row in export_rows(source, ledger):
            kind = judge_kind(as_object(row.get("annotator_origin")) or row.get("annotator_origin"))
            if "labels" in row:
                labels = {
                    s: as_object(own) or {"": own} for s, own in as_object(row["labels"]).items()
                }
                cells = {f"{s}.{n}": v for s, own in labels.items() for n, v in own.items()}
            else:
                cells = {name: v for name, v in row.items() if name not in {*ROW, *NO_SCHEMA}}
            person = (row.get("user_id"), kind, by_schema(cells.items()))
            yield PotatoRecord(place, row.get("instance_id"), row, *person)


def by_schema(cells: Iterable[tuple[str, object]]) -> dict[str, dict[str, object]]:
    """The value of each label by schema; where the schema itself has one, it is the answer."""
    labels: dict[str, dict[str, object]] = {}
    for name, value in cells:
        # a slider may stand at 0, which is false to Python
        if value is not None and value != "" and value is not False and not name.endswith(DETAILS):
            schema, _, label = name.partition(".")
            labels.setdefault(schema, {})[label] = value
    return {schema: {"": own[""]} if "" in own else own for schema, own in labels.items()}


def scalar_labels(labels: Mapping[str, object]) -> list[str]:
    """The labels whose value is the answer, and not the label itself."""
    names = [label for label in labels if not is_rating_column([label])]
    return [name for name in names if str(labels[name]).lower() not in (name.lower(), *MARKERS)]


def judge_kind(origin: object) -> JudgeKind:
    """A person who annotates, or a program that Potato knows as one."""
    kind = origin.get("kind") if isinstance(origin, dict) else origin
    return "model" if kind not in (None, "", "human") else "outsider"
