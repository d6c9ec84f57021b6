"""What a file says besides our fields: columns and metadata, kept as text to group dialogs by.

{"segment": "new", "visits": 3, "metadata": {"app": "ios"}}  ->  segment, visits, app
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

import msgspec
import polars as pl

from simpatico.readers.input.head import json_or_none

NESTED = ("metadata", "meta")
"""Objects whose fields count as columns of their own."""
SOURCE_ID = "source_id"
"""What readers of traces call the span or trace of an answer; nothing is grouped by it."""
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


def count_columns(extras: pl.Series) -> dict[str, int]:
    """How many rows have a value in each column, which are the keys of `extra_values`."""
    rows, groups, counts = extras.drop_nulls().value_counts(), Counter[Any](), Counter[str]()
    texts = rows.to_series(0).to_list()
    records = json_or_none(f"[{','.join(texts)}]".encode()) or [None] * len(texts)
    for text, record, n in zip(texts, records, rows["count"].to_list(), strict=True):
        if record is None or not record.keys().isdisjoint(NESTED):
            groups[tuple(extra_values(text))] += n
        else:
            groups[tuple([name for name, value in record.items() if is_short(value)])] += n
    for names, n in groups.items():
        counts.update(dict.fromkeys(filter(None, map(str.strip, names)), n))
    return dict(counts)


def is_short(value: Any) -> bool:
    """Whether this is a number, a truth value or a text, and not too long."""
    kind = value.__class__  # cheaper than `isinstance`, as every cell gets a look
    if kind is str:
        return 0 < len(value) <= LONGEST
    return kind is float or kind is bool or (kind is int and len(str(value)) <= LONGEST)


def replace_values(
    extras: str | None, columns: Collection[str], new_value: Callable[[str], str]
) -> str | None:
    """The object with other values in these columns, whatever they hold."""
    if extras is None or not any(name in extras for name in columns):
        return extras
    record = msgspec.json.decode(extras)
    for part in (record, *(record[n] for n in NESTED if isinstance(record.get(n), dict))):
        for name in [n for n in part if n.strip() in columns and part[n] is not None]:
            value = part[name]
            text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            part[name] = new_value(text)
    return msgspec.json.encode(record).decode()


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
