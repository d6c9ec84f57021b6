"""Utterances whose texts hold placeholders in place of e-mail addresses, phone numbers and so on.

All that people wrote is redacted: texts, references, prompts, profiles and the other columns of a
file. Ids and names of speakers stay, as two of them must not become one; `pseudonyms` is for those.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import polars as pl

from simpatico.privacy.patterns import CANDIDATE, redact_text
from simpatico.readers.input.head import json_or_none

WRITTEN = ("text", "prompt", "profile")


def redact_utterances(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, int]]:
    """The utterances with placeholders, and how many of each kind there are."""
    counts = Counter[str]()

    def redact(value: Any) -> Any:
        """The value of a field; in a list or object, every text and number of it."""
        if isinstance(value, str):
            return redact_text(value, lambda kind: counts.update([kind]))
        if isinstance(value, list):
            return [redact(part) for part in value]
        if isinstance(value, dict):
            return {name: redact(part) for name, part in value.items()}
        if isinstance(value, int | float) and not isinstance(value, bool):
            text = redact(str(value))
            return value if text == str(value) else text
        return value

    def redact_object(extras: str) -> str:
        return msgspec.json.encode(redact(json_or_none(extras.encode()))).decode()

    columns = []
    for name in (*WRITTEN, "references", "extras"):
        column = frame[name]
        texts = column.list.join("\n") if name == "references" else column
        work = redact_object if name == "extras" else redact
        if len(rows := texts.str.contains(CANDIDATE).fill_null(False).arg_true()):
            values = column.to_list()
            for row in rows:
                values[row] = work(values[row])
            columns.append(pl.Series(name, values, column.dtype))
    return frame.with_columns(columns), dict(counts)
