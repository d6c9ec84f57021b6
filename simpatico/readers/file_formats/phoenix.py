"""Phoenix: spans as `client.spans.get_spans_dataframe` or the API gives them, by OpenInference.

{"context": {"trace_id": "t1", "span_id": "s1"}, "parent_id": null, "start_time": "…",
 "attributes": {"session.id": "c1", "llm.input_messages.0.message.content": "Hi", …}}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simpatico.readers.file_formats._calls import Call
from simpatico.readers.file_formats._payloads import flatten
from simpatico.readers.file_formats._span_attributes import fill_call
from simpatico.readers.file_formats._traces import TraceReader, row_time
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Head, Source

PREFIX = "attributes."
MESSAGES = {"llm.input_messages", "llm.output_messages"}


class Phoenix(TraceReader):
    """A session is a dialog, or a trace without one; the system is --system, else the model."""

    name = "phoenix"
    about = "Phoenix spans (get_spans_dataframe, or its API); also a folder of them"

    def is_trace(self, head: Head) -> bool:
        """Rows of spans; the API gives them inside of `data`."""
        item = head.item if isinstance(head.item, dict) else {}
        data = item.get("data")
        spans = data if isinstance(data, list) and data else [item]
        keys = {*spans[0]} if isinstance(spans[0], dict) else set()
        return "context.span_id" in keys or {"context", "span_kind", "attributes"} <= keys

    def calls(self, source: Source, ledger: Ledger) -> Iterator[tuple[Place, Call]]:
        for place, record in source.values(dict[str, Any], ledger):
            data = record.get("data")
            for row in data if isinstance(data, list) else [record]:
                call = read_call(row, ledger) if isinstance(row, dict) else None
                if call and call.id:
                    yield place, call
                else:
                    ledger.reject(
                        place, "missing", "there is no 'span_id' in the context of a span"
                    )


def read_call(row: dict[str, Any], ledger: Ledger) -> Call:
    """A span as a call."""
    context = row.get("context")
    context = context if isinstance(context, dict) else {}
    span, trace = (context.get(n) or row.get(f"context.{n}") for n in ("span_id", "trace_id"))
    call = Call(str(span or ""), str(trace or ""), str(row.get("parent_id") or ""))
    call.start, call.end = row_time(row.get("start_time")), row_time(row.get("end_time"))
    nested = row.get("attributes")
    own = {**nested} if isinstance(nested, dict) else {}
    own |= {name.removeprefix(PREFIX): cell for name, cell in row.items() if PREFIX in name}
    # the table has lists of messages in one column
    for name in MESSAGES & own.keys():
        own |= flatten(own.pop(name), name)
    fill_call(call, {"openinference.span.kind": row.get("span_kind") or ""} | own, ledger)
    return call
