"""Label Studio: the export called JSON, a task with all its annotations.

[{"id": 1, "data": {"dialog": "d1", "turn": 3, "messages": […]}, "annotations": [
    {"completed_by": 2, "was_cancelled": false, "result": [
        {"from_name": "warmth", "type": "rating", "value": {"rating": 4}}]}]}]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from simpatico.errors import DataError
from simpatico.judgements import Preference
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source
from simpatico.readers.judgement_formats._answers import AnnotationTool, Answer
from simpatico.readers.wide_ratings import Cells

FLAT = {"annotator", "annotation_id", "lead_time"}
"""Columns of JSON_MIN, CSV and TSV, which hold the answers among the fields of the task."""
PLACES = {"start", "startOffset", "x", "ranges"}
"""What a value holds that is about a part of a task, such as a highlighted text."""


SIDES = {"left": "a", "right": "b"}


class LabelStudioResult(msgspec.Struct):
    """One answer."""

    type: str = ""
    value: dict[str, Any] = {}
    from_name: str = ""
    item_index: int | None = None

    @property
    def is_partial(self) -> bool:
        """Whether it is about a part of the task."""
        return self.item_index is not None or not PLACES.isdisjoint(self.value)

    @property
    def answer(self) -> object:
        """The value itself; stars start at one, so that a rating of 0 is none."""
        answer = self.value.get(self.type)
        if isinstance(answer, list) and len(answer) == 1:
            return answer[0]
        return None if self.type == "rating" and answer == 0 else answer


class LabelStudioAnnotation(msgspec.Struct):
    """What one person answered about a task."""

    result: list[LabelStudioResult] | None = None
    completed_by: int | str | dict[str, Any] | None = None
    was_cancelled: bool | None = False
    updated_at: str | None = None
    created_at: str | None = None

    @property
    def judge(self) -> str | int | None:
        """The id of the person, of whom some exports hold the name too."""
        who = self.completed_by
        return who.get("id") or who.get("email") if isinstance(who, dict) else who


class LabelStudioTask(msgspec.Struct):
    """What was shown."""

    id: int | str
    data: dict[str, Any]
    annotations: list[LabelStudioAnnotation]
    meta: dict[str, Any] | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """What is known of the task."""
        return {**(self.meta or {}), **self.data}


class LabelStudio(AnnotationTool):
    """Cancelled annotations (skipped tasks) and answers about parts of a task do not count."""

    name = "label-studio"
    title = "Label Studio"

    def matches(self, head: Head) -> bool:
        # the data, which stand last, may be beyond the first bytes
        return head.keys >= {"id", "annotations"} or head.columns.keys() >= FLAT

    def answers(self, source: Source, ledger: Ledger) -> Iterator[Answer]:
        if source.head.columns.keys() >= FLAT:
            raise DataError(
                f"{source.name}:1: a JSON_MIN, CSV or TSV export of Label Studio mixes the answers "
                "with the fields of the task; export it as JSON"
            )
        for place, task, annotation, one in task_results(source, ledger):
            time = annotation.updated_at or annotation.created_at
            about = (place, task.id, task.fields, one.from_name)
            yield Answer(*about, annotation.judge, one.answer, time=time)


def task_results(
    source: Source, ledger: Ledger
) -> Iterator[tuple[Place, LabelStudioTask, LabelStudioAnnotation, LabelStudioResult]]:
    """Every answer about a whole task, with the annotation and the task it belongs to."""
    for place, task in source.values(LabelStudioTask, ledger):
        for annotation in task.annotations:
            if annotation.was_cancelled:
                ledger.skip("cancelled annotation")
                continue
            # what has no name is no answer, but a relation between two highlights
            for one in (one for one in annotation.result or [] if one.from_name):
                if one.is_partial:
                    ledger.skip("region-level answer")
                else:
                    yield place, task, annotation, one


def are_pairwise(head: Head) -> bool:
    """Whether the first tasks are choices between two."""
    return "annotations" in head.keys and b'"type":"pairwise"' in msgspec.json.encode(head.json)


def pairwise_rows(source: Source, ledger: Ledger) -> Iterator[tuple[Place, Cells]]:
    """A row per choice, as in a table of preferences; what is left and right, the task says."""
    for place, task, annotation, one in task_results(source, ledger):
        if one.type == "pairwise":
            sides = {name: task.fields[name] for name in Preference._fields if name in task.fields}
            chosen = SIDES.get(one.value.get("selected", ""))
            judge = {"judge": annotation.judge, "judge_kind": "outsider", "preferred": chosen}
            yield place, {**sides, "quality": one.from_name, **judge}
