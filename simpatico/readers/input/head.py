"""The first bytes of a file, from which its format is detected.

64 KiB may end in the middle of a value: `close_json` drops what is cut off and closes the brackets.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

Kind = Literal["folder", "parquet", "lines", "document", "text"]

NOT_A_NUMBER = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b')
"""What some programs write into JSON; texts are matched so that they are passed over."""
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[\[\]{},]|[^\[\]{},"]+', re.DOTALL)
FIRST_LINES = 50
"""Lines, or rows, that are looked at to tell a format."""


@dataclass(frozen=True)
class Head:
    """The first 64 KiB of an input, unpacked and without byte order mark."""

    name: str
    suffix: str
    data: bytes
    folder: Path | None = None
    row: bytes | None = field(default=None, repr=False)

    @cached_property
    def kind(self) -> Kind:
        """How records stand in the file: one JSON value a line, one document, rows, or text.

        A list, or an object, that ends on its line and is followed by others is one of several.
        """
        if self.folder:
            return "folder"
        if self.data.startswith(b"PAR1"):
            return "parquet"
        if self.data.lstrip()[:1] not in (b"{", b"["):
            return "text"
        first, value = self.lines[0], json_or_none(self.lines[0])
        if first.startswith(b"["):
            is_lines = len(self.lines) > 1 and isinstance(value, list)
        else:
            second = self.lines[1:2]
            is_value = value is not None or all(json_or_none(one) is not None for one in second)
            is_lines = is_value or self.suffix in (".jsonl", ".ndjson")
        return "lines" if is_lines else "document"

    @cached_property
    def lines(self) -> list[bytes]:
        """The first lines that are not blank; the last may be cut off."""
        return [line for line in (part.strip() for part in self.data.split(b"\n")) if line]

    @cached_property
    def json(self) -> Any:
        """The first JSON value, as far as the head goes; a list holds its first items. Or None.

        In a file of lines it is the first line that can be read.
        """
        if self.kind == "parquet":
            return json_or_none(self.row or b"")
        if self.kind == "document":
            return json_or_none(self.data) or json_or_none(close_json(self.data))
        values = (json_or_none(line) for line in self.lines[:FIRST_LINES])
        first = next((v for v in values if isinstance(v, dict | list)), None)
        return json_or_none(close_json(self.lines[0])) if first is None and self.lines else first

    @cached_property
    def item(self) -> Any:
        """The first record: `json` itself, or the first item if it is a list."""
        if isinstance(self.json, list):
            return self.json[0] if self.json else None
        return self.json

    @cached_property
    def keys(self) -> frozenset[str]:
        """The field names of the first record."""
        return frozenset(self.item) if isinstance(self.item, dict) else frozenset()

    @cached_property
    def delimiter(self) -> str:
        """What stands between the cells of the header line most often."""
        if self.suffix == ".tsv":
            return "\t"
        line = self.lines[0] if self.lines else b""
        return max(",;\t", key=lambda character: line.count(character.encode()))

    @cached_property
    def header(self) -> list[str]:
        """The cells of the first line of a file of text; none if it is no line of CSV."""
        line = self.lines[0].decode(errors="replace") if self.lines else ""
        try:
            header = next(csv.reader([line], delimiter=self.delimiter), [])
        except csv.Error:
            return []
        return [name.strip() for name in header]

    @cached_property
    def columns(self) -> dict[str, bool]:
        """The names of the first rows' columns, and whether they hold plain values."""
        if self.kind == "text":
            return dict.fromkeys(self.header, True)
        plain: dict[str, bool] = {}
        for row in self.rows:
            for name, cell in row.items():
                plain[name] = plain.get(name, True) and not isinstance(cell, list | dict)
        return plain

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The first records that are objects; of lines, the first one comes twice."""
        rows = self.json if isinstance(self.json, list) else [self.json]
        if self.kind == "lines":
            rows = [*rows, *map(json_or_none, self.lines[:FIRST_LINES])]
        return [row for row in rows[:FIRST_LINES] if isinstance(row, dict)]

    @cached_property
    def field_order(self) -> list[str]:
        """The names of the first records' fields in their order, also of those that few have."""
        names: list[str] = []
        for row in self.rows:
            at = 0
            for name in row:
                if name not in names:
                    names.insert(at, name)
                at = names.index(name) + 1
        return names


def json_or_none(data: bytes) -> Any:
    """The JSON value in these bytes, or None."""
    try:
        return msgspec.json.decode(without_nan(data))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def without_nan(document: bytes) -> bytes:
    """The JSON with an empty list for each NaN, which no score is; as long, so that places stay."""
    if b"NaN" not in document and b"Infinity" not in document:
        return document
    return NOT_A_NUMBER.sub(
        lambda m: m[0] if m[0].startswith(b'"') else b"[]".ljust(len(m[0])), document
    )


def close_json(data: bytes) -> bytes:
    """A JSON text that is cut off, ended after its last whole value and its brackets closed."""
    stack, end = list[bytes](), 0
    for token in TOKEN.finditer(data):
        match token.group():
            case b"[" | b"{" as opening:
                stack.append(b"]" if opening == b"[" else b"}")
                end = token.end()
            case b"]" | b"}" as closing if stack and closing == stack[-1]:
                stack.pop()
                end = token.end()
            case b",":
                end = token.start()
    return data[:end] + b"".join(reversed(stack))
