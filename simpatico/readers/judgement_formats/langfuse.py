"""Langfuse: the scores of a blob storage export, one file or the folder of all, or of the API.

{"id": "s1", "name": "warmth", "value": 4, "data_type": "NUMERIC", "source": "ANNOTATION",
 "session_id": "d1", "author_user_id": "u1"}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from simpatico.judgements import JudgeKind
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source
from simpatico.readers.judgement_formats._answers import (
    AnnotationTool,
    Answer,
    as_object,
    export_rows,
)

COLUMNS = {"id", "name", "value", "source", "data_type"}
KINDS: dict[str, JudgeKind] = {"ANNOTATION": "outsider", "EVAL": "model"}
"""Scores sent through the API may be of anybody."""


class Langfuse(AnnotationTool):
    """A score counts once, as the windows of an export overlap; those of whole runs do not."""

    name = "langfuse"
    title = "Langfuse"

    def matches(self, head: Head) -> bool:
        heads = [part.head for part in score_files(head)[:1]] if head.folder else [head]
        return any({snake_case(name) for name in one.columns} >= COLUMNS for one in heads)

    def answers(self, source: Source, ledger: Ledger) -> Iterator[Answer]:
        parts = score_files(source.head) if source.folder else [source]
        rows: dict[str, tuple[Place, dict[str, Any]]] = {}
        for part in parts:
            for place, cells in export_rows(part, ledger):
                row = {**cells, **{snake_case(name): cell for name, cell in cells.items()}}
                if subject := as_object(row.get("subject")):
                    row[f"{subject.get('kind')}_id"] = subject.get("id")
                if (score := str(row.get("id") or place)) in rows:
                    ledger.skip("duplicate score")
                rows[score] = place, row
        for place, row in rows.values():
            item = row.get("observation_id") or row.get("trace_id") or row.get("session_id")
            if not item:
                ledger.skip("dataset-run score")
                continue
            yield Answer(
                *(place, item, {**row, **as_object(row.get("metadata"))}, row.get("name") or ""),
                row.get("author_user_id") or row.get("evaluator_id") or None,
                score_value(row),
                KINDS.get(str(row.get("source"))),
                row.get("updated_at"),
            )


def score_files(head: Head) -> list[Source]:
    """The files of a folder of scores, in the order of their windows."""
    paths = sorted(head.folder.glob("[!.]*.*")) if head.folder else []
    return [Source.of(path) for path in paths if path.is_file()]


def score_value(row: dict[str, Any]) -> object:
    """The number of a score; a category has one only by its score config, else it is 0 always."""
    has_config = row.get("config_id") or row.get("source") == "ANNOTATION"
    if row.get("data_type") in ("NUMERIC", "BOOLEAN", None) or has_config:
        return row.get("value")
    return row.get("string_value", row.get("value"))


@lru_cache(1024)
def snake_case(name: str) -> str:
    """The name of a column of an export, which in answers of the API is dataType."""
    return re.sub("([A-Z])", r"_\1", name).lower()
