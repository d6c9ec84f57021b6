"""LangSmith: runs as the client or a bulk export gives them, in JSON lines or Parquet.

{"id": "r1", "trace_id": "r1", "parent_run_id": null, "dotted_order": "…", "inputs": {…},
 "outputs": {…}, "extra": {"metadata": {"thread_id": "c1"}}}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simpatico.readers.file_formats._calls import Call, is_tool
from simpatico.readers.file_formats._payloads import read_messages
from simpatico.readers.file_formats._traces import TraceReader, row_time
from simpatico.readers.input.head import json_or_none
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Head, Source

THREADS = ("thread_id", "session_id", "conversation_id")
"""Names of the thread in the metadata of a run; its column `session_id` is the project."""


class LangSmith(TraceReader):
    """A thread is a dialog, or a trace without one; the system is --system, else the model."""

    name = "langsmith"
    about = "LangSmith runs (list_runs, bulk export); also a folder of them"

    def is_trace(self, head: Head) -> bool:
        return {"inputs", "run_type", "trace_id"} <= head.columns.keys()

    def calls(self, source: Source, ledger: Ledger) -> Iterator[tuple[Place, Call]]:
        for place, row in source.values(dict[str, Any], ledger):
            if not row.get("id"):
                ledger.reject(place, "missing", "there is no 'id'")
                continue
            metadata = as_fields(as_fields(row.get("extra")).get("metadata"))
            call = Call(str(row["id"]), str(row.get("trace_id") or ""), parent_id(row))
            thread = next((metadata[name] for name in THREADS if metadata.get(name)), None)
            call.conversation = None if thread is None else str(thread)
            user, model = metadata.get("user_id"), metadata.get("ls_model_name")
            call.user = None if user is None else str(user)
            call.model = model if isinstance(model, str) else None
            call.start, call.end = row_time(row.get("start_time")), row_time(row.get("end_time"))
            call.is_tool = is_tool(row.get("run_type"))
            call.sent = read_messages(row.get("inputs"), "user", ledger)
            call.answered = read_messages(row.get("outputs"), "assistant", ledger)
            yield place, call.if_both()


def parent_id(row: dict[str, Any]) -> str:
    """The id of the run around a run, which may stand in its dotted order alone."""
    parents, order = row.get("parent_run_ids"), str(row.get("dotted_order") or "").split(".")
    above = parents[-1:] if isinstance(parents, list) else []
    return str(next(filter(None, (row.get("parent_run_id"), *above)), "".join(order[-2:-1])[-36:]))


def as_fields(cell: object) -> dict[str, Any]:
    """An object, also one that Parquet holds as text; empty if there is none."""
    value = json_or_none(cell.encode()) if isinstance(cell, str) else cell
    return value if isinstance(value, dict) else {}
