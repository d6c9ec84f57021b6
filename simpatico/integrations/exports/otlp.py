"""OpenTelemetry: log records of the event gen_ai.evaluation.result, as OTLP JSON lines.

One `LogsData` object a line, as the specification of the file exporter has it, for the receiver
`otlpjsonfile` of a collector. The conventions say what an evaluation is called and what it gave,
and nothing of how it was made: signature, level and unit are attributes of ours, `simpatico.*`. A
score that is null has no value but `error.type` and a reason.

https://github.com/open-telemetry/semantic-conventions-genai (gen_ai.evaluation.result, Development)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from simpatico.integrations.exports import Export, null_words
from simpatico.metric import package_version

EVENT = "gen_ai.evaluation.result"
RECORDS_PER_LINE = 1_000
"""A reader holds one line at a time."""
INFO = 9
"""The severity number of INFO."""
UNDEFINED = "undefined"


def write(export: Export, path: Path) -> None:
    """The records of all units and scores, a thousand a line."""
    version = package_version()
    resource = {"attributes": attributes({"service.name": "simpatico"})}
    scope = {"name": "simpatico", "version": version}
    with path.open("w", encoding="utf-8") as file:
        records = (log_record(export, row) for row in export.rows())
        while some := list(islice(records, RECORDS_PER_LINE)):
            logs = [{"scope": scope, "logRecords": some}]
            line = {"resourceLogs": [{"resource": resource, "scopeLogs": logs}]}
            file.write(json.dumps(line, ensure_ascii=True, allow_nan=False) + "\n")


def log_record(export: Export, row: Mapping[str, Any]) -> dict[str, Any]:
    """One score of one unit; its time is that of the turn, or of the dialog's first, if known."""
    value, reason, time = row["value"], row["reason"], row.get("time")
    facts = {
        "gen_ai.evaluation.name": row["score"],
        "gen_ai.evaluation.score.value": value,
        "gen_ai.evaluation.explanation": null_words(reason) if reason else None,
        "gen_ai.conversation.id": row["dialog"],
        "error.type": UNDEFINED if value is None else None,
        "simpatico.signature": export.signatures[row["score"]],
        "simpatico.level": export.level,
        "simpatico.null_reason": reason,
        "simpatico.turn": row.get("turn"),
        "simpatico.speaker": row["speaker"],
        "simpatico.system": row["system"],
    }
    record = {"severityNumber": INFO, "eventName": EVENT, "attributes": attributes(facts)}
    if isinstance(time, datetime):
        nanoseconds = int(time.timestamp()) * 10**9 + time.microsecond * 1_000
        record = {"timeUnixNano": str(nanoseconds), **record}
    return record


def attributes(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Values with their types as in OTLP: integers are strings, null is left out."""
    kinds = {str: "stringValue", float: "doubleValue", int: "intValue"}
    return [
        {"key": key, "value": {kinds[type(v)]: str(v) if isinstance(v, int) else v}}
        for key, v in facts.items()
        if v is not None
    ]
