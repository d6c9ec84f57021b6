"""What a file says besides our fields: columns and metadata, kept as text to group dialogs by.

{"segment": "new", "visits": 3, "metadata": {"app": "ios"}}  ->  segment, visits, app
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from simpatico.readers.input.head import json_or_none

NESTED = ("metadata", "meta")
"""Objects whose fields count as columns of their own."""
LONGEST = 200
"""Characters of a value at most; what is longer is text, by which nothing can be grouped."""


def extra_values(extras: str | None) -> dict[str, str]:
    """The values by column, as text; lists, objects and long texts are left out."""
    record = json_or_none(extras.encode()) if extras else None
    if not isinstance(record, dict):
        return {}
    nested = [record[name] for name in NESTED if isinstance(record.get(name), dict)]
    values: dict[str, str] = {}
    for name, value in [item for part in (record, *nested) for item in part.items()]:
        text = value if isinstance(value, str) else plain_text(value)
        if text and name.strip() and len(text) <= LONGEST:
            values.setdefault(name.strip(), text)
    return values


def plain_text(value: object) -> str:
    """A number or truth value as JSON writes it; empty for anything else."""
    return msgspec.json.encode(value).decode() if isinstance(value, int | float) else ""


def record_extras(record: Mapping[str, Any], known: Collection[str]) -> str | None:
    """All plain values and metadata of a record but these fields, as a JSON object."""
    rest = {
        name: value
        for name, value in record.items()
        if name not in known and (name in NESTED or not isinstance(value, list | dict))
    }
    return msgspec.json.encode(rest).decode() if rest else None
