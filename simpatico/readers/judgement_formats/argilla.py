"""Argilla: the records as `dataset.records.to_list(flatten=True)` gives them, in JSON.

[{"id": "r1", "dialog": "d1", "turn": 3, "warmth.responses": [4, 2],
  "warmth.responses.users": ["u1", "u2"], "warmth.responses.status": ["submitted", "draft"]}]
"""

from __future__ import annotations

from collections.abc import Iterator

from simpatico.errors import DataError
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger
from simpatico.readers.input.source import Source
from simpatico.readers.judgement_formats._answers import AnnotationTool, Answer, export_rows

SUFFIX = ".responses"
NESTED = {"fields", "responses", "suggestions"}
"""Keys of `records.to_json`, which does not keep the status of a response."""


class Argilla(AnnotationTool):
    """Only submitted responses count."""

    name = "argilla"
    title = "Argilla"

    def matches(self, head: Head) -> bool:
        flat = any(name.endswith(f"{SUFFIX}.users") for name in head.columns)
        return flat or head.keys >= NESTED

    def answers(self, source: Source, ledger: Ledger) -> Iterator[Answer]:
        if source.head.keys >= NESTED:
            raise DataError(
                f"{source.name}:1: this Argilla export does not say which responses are drafts or "
                "discarded; save dataset.records.to_list(flatten=True) as JSON"
            )
        for place, record in export_rows(source, ledger):
            for key in [key for key in record if key.endswith(SUFFIX)]:
                lists = [record.get(f"{key}{part}") or [] for part in ("", ".users", ".status")]
                if not all(isinstance(one, list) and len(one) == len(lists[0]) for one in lists):
                    reason = f"{key!r}, its users and its status must be lists of one length"
                    ledger.reject(place, "responses", reason)
                    continue
                for value, user, status in zip(*lists, strict=True):
                    if status == "submitted":
                        question = key.removesuffix(SUFFIX)
                        yield Answer(place, record.get("id"), record, question, user, value)
                    elif status in ("draft", "discarded"):
                        ledger.skip(f"{status} response")
                    else:
                        ledger.skip("unsubmitted response")
