"""Rows of a table many at once, as columns.

Only rows that need no second look: whatever is odd is `None` here, and is left to the reader of
single rows, which knows what to say of it.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import msgspec
import polars as pl

from simpatico.readers.file_formats._chat import SKIPPED_ROLES, system_of
from simpatico.readers.file_formats._table_fields import (
    ALIASES,
    NEEDED,
    SPEAKER_ROLES,
    Fields,
    parse_time,
)
from simpatico.readers.input.decode import DECODE_ERRORS, InvalidValue
from simpatico.readers.input.record import utterance_frame
from simpatico.readers.input.source import Source

Columns = dict[str, Any]
"""Values by field: a list or a column of Polars."""

TYPES: dict[str, Any] = dict.fromkeys(ALIASES, str | None | msgspec.UnsetType) | {
    "dialog": str,
    "speaker": str,
    "text": str,
    "time": float | str | None | msgspec.UnsetType,
    "references": None | msgspec.UnsetType,
}
VALUE = r'(?:"(?:[^"\\]|\\.)*"|[-+.0-9A-Za-z]+)'
"""Of a JSON record, neither list nor object."""


def table_frame(columns: Columns, fields: Fields, system: str | None) -> pl.DataFrame | None:
    """The utterances of columns by field, or null where one of them has to be looked at by itself.

    Fields of `NEEDED` are there and not null; a file that does not say the `system` lacks it.
    """
    try:
        if "time" in columns:
            columns["time"] = list(map(parse_time, columns["time"]))
    except InvalidValue:
        return None
    frame = utterance_frame(columns)
    if frame.is_empty():
        return None
    speakers = frame["speaker"].unique().to_list()
    has_roles = fields.keys["speaker"] in SPEAKER_ROLES
    if "" in speakers or (has_roles and any(s.lower() in SKIPPED_ROLES for s in speakers)):
        return None
    if "system" not in columns:
        systems = [system_of(speaker, system) for speaker in speakers]
        known = pl.col("speaker").replace_strict(speakers, systems, return_dtype=pl.String)
        frame = frame.with_columns(known.alias("system"))
    if (frame["dialog"] == "").any():
        return None
    if "id" in columns and not frame.select("dialog", "id").drop_nulls().is_unique().all():
        return None
    return frame


def json_columns(
    data: bytes, fields: Fields, order: Sequence[str], system: str | None
) -> Columns | None:
    """The values of all lines by field; null unless each is a record of plain values.

    `order`: the fields of records as they stand in lines, of which each may be absent.
    """
    try:
        if not pl.Series([data.decode()]).str.contains(record_lines(order)).item():
            return None
        own = [name for name, key in fields.keys.items() if key in order]
        if not set(NEEDED) <= set(own):
            return None
        rows = msgspec.json.Decoder(row_type({n: fields.keys[n] for n in own})).decode_lines(data)
        columns: Columns = {name: list(map(attrgetter(name), rows)) for name in own}
        if others := [key for key in order if key not in fields.own_columns]:
            columns["extras"] = raw_objects(data, others)
    except (*DECODE_ERRORS, pl.exceptions.PolarsError):
        return None
    for name in own:
        if msgspec.UNSET in (column := columns[name]):
            pairs = zip(column, columns["speaker"], strict=True)
            absent = (lambda who: system_of(who, system)) if name == "system" else lambda who: None
            columns[name] = [absent(who) if v is msgspec.UNSET else v for v, who in pairs]
    return columns


def csv_columns(part: Source, fields: Fields) -> Columns | None:
    """The cells of rows by field; null unless each row has as many as the header."""
    rows, header = [row for row in part.cells.rows if row], part.head.header
    if not (part.span and part.span.start):
        first = rows.pop(0) if rows else []
        header = header if header == [name.strip() for name in first] else []
    twice = any(header.count(key) > 1 for key in fields.own_columns)
    if not part.cells.whole or twice or {*map(len, rows)} != {len(header)}:
        return None
    table = pl.DataFrame(dict(zip(header, zip(*rows, strict=True), strict=True)))
    own = {key: field for field, key in fields.keys.items() if key in table.columns}
    optional = [key for key, field in own.items() if field not in NEEDED]
    return own_columns(table.with_columns(pl.col(optional).replace("", None)), own)


def parquet_columns(table: pl.DataFrame, fields: Fields) -> Columns | None:
    """The columns by field; null unless they are of text, or names are whole numbers."""
    own = {key: field for field, key in fields.keys.items() if key in table.columns}
    for key, field in own.items():
        kind = table.schema[key]
        is_name = kind.is_integer() and field not in ("text", "profile")
        if field != "time" and not (is_name or kind in (pl.String, pl.Categorical, pl.Null)):
            return None
    try:
        names = [key for key, field in own.items() if field != "time"]
        return own_columns(table.with_columns(pl.col(names).cast(pl.String)), own)
    except (*DECODE_ERRORS, pl.exceptions.PolarsError):  # a kind of value that we do not read
        return None


def own_columns(table: pl.DataFrame, own: Mapping[str, str]) -> Columns | None:
    """The columns of a table by field, of which `own` has the names, and all others as extras."""
    columns: Columns = {field: table[key] for key, field in own.items()}
    if any(f not in columns or columns[f].null_count() for f in NEEDED):
        return None
    if "references" in columns and columns.pop("references").null_count() < table.height:
        return None
    if "time" in columns:
        rows = "\n".join(json_lines(columns["time"].to_frame("time")))
        times = msgspec.json.Decoder(dict[str, float | str | None]).decode_lines(rows)
        columns["time"] = [row["time"] for row in times]
    if others := [name for name in table.columns if name not in own]:
        columns["extras"] = json_lines(table.select(others))
    return columns


def json_lines(table: pl.DataFrame) -> list[str]:
    """Each row as a JSON object."""
    lines = io.BytesIO()
    table.write_ndjson(lines)
    return lines.getvalue().decode().split("\n")[:-1]


def record_lines(order: Sequence[str]) -> str:
    """A pattern of JSON lines that have these fields in this order, each at most once.

    It need not refuse what is no JSON, which the decoder does.
    """
    pairs = (rf'(?:"{pl.escape_regex(key)}" ?: ?{VALUE} ?(?:, ?|\}}(?:\r?\n|$)))?' for key in order)
    return rf"^(?:\{{{''.join(pairs)})+$"


def row_type(keys: Mapping[str, str]) -> type[msgspec.Struct]:
    """The type of rows with these of our fields, by the names that they have in the file."""
    optional = {name: msgspec.UNSET for name in keys if name not in NEEDED}
    return msgspec.defstruct(
        "Row",
        [(n, TYPES[n], optional[n]) if n in optional else (n, TYPES[n]) for n in keys],
        rename=dict(keys),
        gc=False,  # no cycles, and the collector need not walk millions of rows
    )


def raw_objects(data: bytes, names: Sequence[str]) -> pl.Series:
    """The fields of these names of each line as a JSON object, their values as they stand there."""
    keys = {f"other_{n}": name for n, name in enumerate(names)}
    fields = [(key, msgspec.Raw | msgspec.UnsetType, msgspec.UNSET) for key in keys]
    row = msgspec.defstruct("Row", fields, rename=keys, gc=False)
    rows = msgspec.json.Decoder(row).decode_lines(data)
    objects = msgspec.json.Encoder().encode_lines(rows).decode()
    return pl.Series(objects.split("\n")[:-1], dtype=pl.String).replace("{}", None)
