"""LangSmith: feedback as `client.list_feedback` gives it, in JSON lines.

{"run_id": "r1", "key": "warmth", "score": 4, "extra": {"thread_id": "d1"},
 "feedback_source": {"type": "app", "user_id": "u1"}}
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

KINDS: dict[str, JudgeKind] = {"app": "outsider", "model": "model", "auto_eval": "model"}
"""Feedback sent through the API may be of anybody."""


class LangSmith(AnnotationTool):
    """The thread is in `extra`; `session_id` is LangSmith's name of the project."""

    name = "langsmith"
    title = "LangSmith"

    def matches(self, head: Head) -> bool:
        return head.columns.keys() >= {"key", "score", "run_id"}

    def answers(self, source: Source, ledger: Ledger) -> Iterator[Answer]:
        for place, row in export_rows(source, ledger):
            if row.get("comparative_experiment_id"):
                ledger.skip("pairwise choice")
                continue
            by = as_object(row.get("feedback_source"))
            by |= {
                k.partition(".")[2]: v for k, v in row.items() if k.startswith("feedback_source.")
            }
            if row.get("feedback_source") and not by:
                reason = "'feedback_source' must be a JSON object; write the feedback as JSON lines"
                ledger.reject(place, "source", reason)
                continue
            extra = as_object(row.get("extra"))
            fields = {name: cell for name, cell in row.items() if name != "session_id"}
            score = row.get("score")
            yield Answer(
                place,
                row.get("run_id") or row.get("trace_id"),
                {**fields, **extra, **as_object(extra.get("metadata"))},
                row.get("key") or "",
                by.get("user_id") or by.get("user_name"),
                row.get("value") if score in (None, "") else score,
                KINDS.get(str(by.get("type"))),
                row.get("modified_at") or row.get("created_at"),
            )
