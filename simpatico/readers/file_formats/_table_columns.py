"""Rows of a table many at once, as columns.

Only rows that need no second look: whatever is odd is `None` here, and is left to the reader of
single rows, which knows what to say of it.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import polars as pl

from simpatico.readers.file_formats._chat import SKIPPED_ROLES, system_of
from simpatico.readers.file_formats._table_fields import (
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

VALUES: dict[str, Any] = {"time": float | str | None, "references": None}
"""The types of fields that are not text."""
TEXT = r'"(?:[^"\\]|\\(?:[^u]|u(?:[^dD]|[dD](?:[0-7]|[89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]))))*"'
"""A JSON string; none with half of a surrogate pair, which Polars would read as a null byte."""
VALUE = rf"(?:{TEXT}|[-+.0-9A-Za-z]+)"
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
        frame = frame.with_columns(systems_of(frame["speaker"], system).alias("system"))
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
    own = {name: key for name, key in fields.keys.items() if key in order}
    texts = {name: key for name, key in own.items() if name not in VALUES}
    values = dict.fromkeys(order, VALUE) | dict.fromkeys(texts.values(), f"(?:{TEXT}|null)")
    try:
        # as bytes: a string of Python takes four a character where there is one emoji
        lines = pl.Series([data], dtype=pl.Binary).cast(pl.String).str
        if not lines.contains(record_lines({key: values[key] for key in order})).item():
            return None
        table = pl.read_ndjson(data, schema=dict.fromkeys(texts.values(), pl.String))
        columns: Columns = {name: table.get_column(key) for name, key in texts.items()}
        for name in own.keys() & VALUES.keys():
            columns[name] = json_values(data, own[name], VALUES[name])
        if others := [key for key in order if key not in fields.own_columns]:
            columns["extras"] = raw_objects(data, others)
    except (*DECODE_ERRORS, pl.exceptions.PolarsError):
        return None
    if any(name not in columns or columns[name].null_count() for name in NEEDED):
        return None
    if "system" in columns and (nulls := columns["system"].null_count()):
        explicit = lines.count_matches(rf'"{pl.escape_regex(own["system"])}" ?: ?null').item()
        if 0 < explicit < nulls:  # null says context, but what is absent does not
            return None
        if not explicit:
            names = systems_of(columns["speaker"], system)
            columns["system"] = columns["system"].fill_null(names)
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


def record_lines(values: Mapping[str, str]) -> str:
    """A pattern of JSON lines that have these fields in this order, each at most once.

    It need not refuse what is no JSON, which the decoder does.
    """
    pairs = (
        rf'(?:"{pl.escape_regex(key)}" ?: ?{value} ?(?:, ?|\}}(?:\r?\n|$)))?'
        for key, value in values.items()
    )
    return rf"^(?:\{{{''.join(pairs)})+$"


def json_values(data: bytes, key: str, kind: Any) -> list[Any]:
    """The values of one field of each line, which are of this kind; null where it is absent."""
    row = msgspec.defstruct("Row", [("value", kind, None)], rename={"value": key}, gc=False)
    rows = msgspec.json.Decoder(row).decode_lines(data)
    return [msgspec.structs.astuple(row)[0] for row in rows]


def systems_of(speakers: pl.Series, system: str | None) -> pl.Series:
    """The system of each speaker, where the input does not say."""
    names = speakers.unique()
    systems = [system_of(name, system) for name in names]
    return speakers.replace_strict(names, systems, return_dtype=pl.String)


def raw_objects(data: bytes, names: Sequence[str]) -> pl.Series:
    """The fields of these names of each line as a JSON object, their values as they stand there."""
    keys = {f"other_{n}": name for n, name in enumerate(names)}
    fields = [(key, msgspec.Raw | msgspec.UnsetType, msgspec.UNSET) for key in keys]
    row = msgspec.defstruct("Row", fields, rename=keys, gc=False)
    rows = msgspec.json.Decoder(row).decode_lines(data)
    objects = msgspec.json.Encoder().encode_lines(rows).decode()
    return pl.Series(objects.split("\n")[:-1], dtype=pl.String).replace("{}", None)
