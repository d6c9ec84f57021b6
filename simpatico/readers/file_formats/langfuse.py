"""Langfuse: observations or traces of a blob storage export, one file or the folder of all.

{"id": "o1", "trace_id": "t1", "parent_observation_id": null, "type": "GENERATION",
 "session_id": "c1", "user_id": "u1", "start_time": "…", "input": "[…]", "output": "…"}
"""

from __future__ import annotations

from collections.abc import Iterator

from simpatico.readers.file_formats._calls import Call, is_tool
from simpatico.readers.file_formats._payloads import read_messages
from simpatico.readers.file_formats._traces import TraceReader, row_time
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Head, Source
from simpatico.readers.judgement_formats._answers import export_rows
from simpatico.readers.judgement_formats.langfuse import snake_case

COLUMNS = {"id", "input", "output"}
OWN = "langfuse"
"""Environments that begin with this are Langfuse's own, such as its evaluators."""


class Langfuse(TraceReader):
    """A session is a dialog, or a trace without one; the user is the interlocutor.

    A row counts once, as the windows of an export overlap. The system is --system, else the model.
    """

    name = "langfuse"
    about = "Langfuse observations or traces as exported; also the folder of all windows"
    suffixes = (*TraceReader.suffixes, ".csv")

    def is_trace(self, head: Head) -> bool:
        names = {snake_case(name) for name in head.columns}
        is_trace = {"timestamp", "session_id"} <= names
        return names >= COLUMNS and (is_trace or {"trace_id", "start_time"} <= names)

    def calls(self, source: Source, ledger: Ledger) -> Iterator[tuple[Place, Call]]:
        for place, cells in export_rows(source, ledger):
            row = {snake_case(name): cell for name, cell in cells.items() if cell != ""}
            if str(row.get("environment") or "").startswith(OWN):
                ledger.skip("observation of Langfuse itself")
                continue
            if not row.get("id"):
                ledger.reject(place, "missing", "there is no 'id'")
                continue
            names = ("trace_id", "parent_observation_id", "session_id", "user_id")
            trace, parent, session, user = (row.get(name) for name in names)
            call = Call(str(row["id"]), str(trace or row["id"]))
            call.parent = "" if parent is None else str(parent)
            call.conversation = None if session is None else str(session)
            call.user = None if user is None else str(user)
            call.start = row_time(row.get("start_time") or row.get("timestamp"))
            call.end = row_time(row.get("end_time"))
            model = row.get("provided_model_name") or row.get("model")
            call.model = model if isinstance(model, str) else None
            call.is_tool = is_tool(row.get("type"))
            call.sent = read_messages(row.get("input"), "user", ledger)
            call.answered = read_messages(row.get("output"), "assistant", ledger)
            yield place, call.if_both()
