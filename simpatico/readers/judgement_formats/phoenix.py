"""Phoenix: annotations of spans, traces or sessions, as a table or as the API gives them.

span_id,annotation_name,annotator_kind,identifier,result.score
s1,warmth,HUMAN,ann,4
"""

from __future__ import annotations

from collections.abc import Iterator

from simpatico.judgements import JudgeKind
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger
from simpatico.readers.input.source import Source
from simpatico.readers.judgement_formats._answers import (
    AnnotationTool,
    Answer,
    as_object,
    export_rows,
)

ITEMS = ("span_id", "trace_id", "session_id")


class Phoenix(AnnotationTool):
    """A judge is the annotation's identifier, or else the user who gave it."""

    name = "phoenix"
    title = "Phoenix"
    unnamed = (
        "some annotations by people have no identifier: Phoenix then keeps one per name and span, "
        "so that judges may have overwritten each other's"
    )

    def matches(self, head: Head) -> bool:
        names = head.columns.keys()
        return "annotator_kind" in names and bool({"annotation_name", "name"} & names)

    def answers(self, source: Source, ledger: Ledger) -> Iterator[Answer]:
        for place, row in export_rows(source, ledger):
            result = as_object(row.get("result"))
            values = [row.get(key) for key in ("result.score", "score", "result.label", "label")]
            values[1:1], values[3:3] = [result.get("score")], [result.get("label")]
            kind: JudgeKind | None = "outsider" if row.get("source") == "APP" else None
            yield Answer(
                place,
                next((row[name] for name in ITEMS if row.get(name)), None),
                {**row, **as_object(row.get("metadata"))},
                row.get("annotation_name") or row.get("name") or "",
                row.get("identifier") or row.get("user_id") or None,
                next((value for value in values if value not in (None, "")), None),
                kind if row.get("annotator_kind") == "HUMAN" else "model",
                row.get("updated_at"),
            )
