"""MLflow: traces as `Trace.to_json` gives them, a line each, or the table of `search_traces`.

{"info": {"trace_id": "tr-1", "trace_metadata": {"mlflow.trace.session": "c1"}},
 "data": {"spans": [{"span_id": "s1", "parent_span_id": null, "attributes": {
    "mlflow.spanInputs": "{…}", "mlflow.spanOutputs": "…"}}]}}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from simpatico.readers.file_formats._calls import Call, is_tool
from simpatico.readers.file_formats._payloads import read_messages
from simpatico.readers.file_formats._traces import TraceReader, unix_time
from simpatico.readers.input.head import json_or_none
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Head, Source

SESSION, USER = "mlflow.trace.session", "mlflow.trace.user"
SENT, ANSWERED, KIND = "mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.spanType"


class Span(msgspec.Struct):
    """A step of a trace; values of its attributes are JSON."""

    span_id: str
    parent_span_id: str | None = None
    start_time_unix_nano: int | None = None
    end_time_unix_nano: int | None = None
    attributes: dict[str, Any] = {}


class Info(msgspec.Struct):
    """What is known of a trace."""

    trace_id: str
    trace_metadata: dict[str, str | None] = {}


class Data(msgspec.Struct):
    """The steps of a trace."""

    spans: list[Span] = []


class Trace(msgspec.Struct):
    """A trace, in two objects or as a row of a table."""

    info: Info | None = None
    data: Data | None = None
    trace_id: str = ""
    trace_metadata: dict[str, str | None] | None = None
    spans: list[Span] | None = None


class MLflow(TraceReader):
    """A session is a dialog, or a trace without one; ids of answers are those of their traces."""

    name = "mlflow"
    about = "MLflow traces (Trace.to_json, search_traces); also a folder of them"

    def is_trace(self, head: Head) -> bool:
        info = head.item.get("info") if isinstance(head.item, dict) else None
        is_object = isinstance(info, dict) and "trace_id" in info and "data" in head.keys
        return is_object or {"trace_id", "trace_metadata", "spans"} <= head.keys

    def calls(self, source: Source, ledger: Ledger) -> Iterator[tuple[Place, Call]]:
        for place, trace in source.values(Trace, ledger):
            info = trace.info or Info(trace.trace_id, trace.trace_metadata or {})
            if not info.trace_id:
                ledger.reject(place, "missing", "there is no 'info' and no 'trace_id'")
            spans = trace.data.spans if trace.data else trace.spans or []
            roots = {span.span_id: info.trace_id for span in spans if not span.parent_span_id}
            for span in spans:
                parent = span.parent_span_id or ""
                call = Call(
                    *(roots.get(span.span_id, span.span_id), info.trace_id),
                    roots.get(parent, parent),
                    info.trace_metadata.get(SESSION),
                    user=info.trace_metadata.get(USER),
                )
                call.start = unix_time(span.start_time_unix_nano)
                call.end = unix_time(span.end_time_unix_nano)
                call.is_tool = is_tool(span.attributes.get(KIND))
                payloads = [as_value(span.attributes.get(name)) for name in (SENT, ANSWERED)]
                call.sent = read_messages(payloads[0], "user", ledger)
                call.answered = read_messages(payloads[1], "assistant", ledger)
                yield place, call.if_both()


def as_value(cell: object) -> object:
    """The value that an attribute holds as JSON."""
    return json_or_none(cell.encode()) if isinstance(cell, str) else cell
