"""OpenTelemetry: spans and log records of generative AI as OTLP JSON, a file or a folder of them.

    {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "…", "spanId": "…", "attributes": [
        {"key": "gen_ai.conversation.id", "value": {"stringValue": "c1"}},
        {"key": "gen_ai.input.messages", "value": {"stringValue": "[…]"}}, …]}]}]}]}

Messages stand in attributes of spans or of `gen_ai.client.inference.operation.details` records, in
records of their own (`gen_ai.user.message`, until 2025), in OpenInference's attributes or in those
of OpenLLMetry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec

from simpatico.readers.file_formats._calls import Call
from simpatico.readers.file_formats._payloads import read_messages
from simpatico.readers.file_formats._span_attributes import fill_call
from simpatico.readers.file_formats._traces import TraceReader, unix_time
from simpatico.readers.input.decode import decode, locate_parts
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Head, Source

KEYS = {"resourceSpans", "resourceLogs"}
DETAILS = ("gen_ai.client.inference.operation.details", "gen_ai.content.")
"""Events of a span that hold what newer spans have as attributes begin with these."""
MESSAGE_EVENT = re.compile(r"gen_ai\.(?:(?P<role>user|assistant|system|tool)\.message|choice)$")


class Value(msgspec.Struct, rename="camel", gc=False):
    """A value, under the name of its type."""

    string_value: str | None = None
    bool_value: bool | None = None
    int_value: int | str | None = None
    double_value: float | str | None = None
    array_value: Values | None = None
    kvlist_value: Pairs | None = None

    @property
    def plain(self) -> Any:
        """The value itself."""
        if self.string_value is not None:
            return self.string_value
        if self.array_value is not None:
            return [value.plain for value in self.array_value.values]
        if self.kvlist_value is not None:
            return as_dict(self.kvlist_value.values)
        scalars = (self.bool_value, self.int_value, self.double_value)
        return next((one for one in scalars if one is not None), None)


class Values(msgspec.Struct):
    """A list."""

    values: list[Value] = []


class KeyValue(msgspec.Struct, gc=False):
    """An attribute."""

    key: str
    value: Value | None = None


class Pairs(msgspec.Struct):
    """An object."""

    values: list[KeyValue] = []


class Event(msgspec.Struct, rename="camel"):
    """Something within a span, or a log record; records before 2025 have their name elsewhere."""

    name: str = ""
    event_name: str = ""
    attributes: list[KeyValue] = []
    body: Value | None = None


class Record(Event, rename="camel"):
    """A span or a log record."""

    trace_id: str = ""
    span_id: str = ""
    parent_span_id: str = ""
    start_time_unix_nano: int | str | None = None
    end_time_unix_nano: int | str | None = None
    time_unix_nano: int | str | None = None
    observed_time_unix_nano: int | str | None = None
    events: list[Event] = []


class Scope(msgspec.Struct, rename="camel"):
    """What one library recorded."""

    spans: list[msgspec.Raw] = []
    log_records: list[msgspec.Raw] = []


class Resource(msgspec.Struct, rename="camel"):
    """What one service recorded."""

    scope_spans: list[Scope] = []
    scope_logs: list[Scope] = []


class Batch(msgspec.Struct, rename="camel"):
    """A line of the file."""

    resource_spans: list[Resource] | None = None
    resource_logs: list[Resource] | None = None
    resource_metrics: Any = None


BATCH, RECORD = msgspec.json.Decoder(Batch), msgspec.json.Decoder(Record)


class OTLP(TraceReader):
    """The assistant's system is --system, else the agent or the model that the span names."""

    name = "otlp"
    about = "OpenTelemetry spans and logs of generative AI, OTLP JSON; also a folder of them"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", ".json")

    def is_trace(self, head: Head) -> bool:
        return bool(head.keys & KEYS)

    def calls(self, source: Source, ledger: Ledger) -> Iterator[tuple[Place, Call]]:
        for place, line in source.records(ledger):
            batch: Batch | None = decode(line, BATCH, place, ledger)
            if batch is None:
                continue
            resources = [*(batch.resource_spans or []), *(batch.resource_logs or [])]
            if batch.resource_spans is batch.resource_logs is None:
                if batch.resource_metrics is None:
                    ledger.reject(place, "missing", "there is no 'resourceSpans' or 'resourceLogs'")
                else:
                    ledger.skip("batch of metrics")
            scopes = [s for r in resources for s in (*r.scope_spans, *r.scope_logs)]
            raws = [raw for scope in scopes for raw in (*scope.spans, *scope.log_records)]
            for where, raw in locate_parts(line, raws, Place(place.file, place.line, 0)):
                at = Place(place.file, where.line, place.byte + where.byte)
                record: Record | None = decode(raw, RECORD, at, ledger)
                if record is not None:
                    yield at, read_call(record, ledger)


def read_call(record: Record, ledger: Ledger) -> Call:
    """A span or a record as a call, which has no messages where it is of something else."""
    own = as_dict(record.attributes)
    call = Call(record.span_id, record.trace_id, record.parent_span_id)
    call.start = unix_time(record.start_time_unix_nano or record.time_unix_nano)
    call.start = call.start or unix_time(record.observed_time_unix_nano)
    call.end = unix_time(record.end_time_unix_nano)
    body = record.body.plain if record.body else None
    name = record.event_name or str(own.get("event.name") or "")
    if MESSAGE_EVENT.match(name):
        call.is_part = True
        add_event(call, name, body or own, ledger)
        return call
    for event in record.events:
        own |= as_dict(event.attributes) if event.name.startswith(DETAILS) else {}
    fill_call(call, own | (body if isinstance(body, dict) else {}), ledger)
    for event in [] if call.sent or call.answered else record.events:
        add_event(call, event.name, as_dict(event.attributes), ledger)
    return call


def add_event(call: Call, name: str, value: object, ledger: Ledger) -> None:
    """Add the message of an event of the older kind."""
    if not (event := MESSAGE_EVENT.match(name)) or not isinstance(value, dict):
        return
    role = event["role"] or "assistant"
    inner = value.get("message") or value
    inner = {"role": role, **inner} if isinstance(inner, dict) else inner
    messages = read_messages(inner, role, ledger)
    if event["role"]:
        call.sent = call.sent + messages
    else:
        call.answered = call.answered + messages


def as_dict(pairs: list[KeyValue]) -> dict[str, Any]:
    """Attributes by name."""
    return {pair.key: pair.value.plain if pair.value else None for pair in pairs}
