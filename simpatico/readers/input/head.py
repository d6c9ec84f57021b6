"""The first bytes of a file, from which its format is told."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

Kind = Literal["folder", "parquet", "lines", "document", "text"]

TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[\[\]{},]|[^\[\]{},"]+', re.DOTALL)
CLOSER = {b"[": b"]", b"{": b"}"}


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
        """How records stand in the file: one JSON value a line, one document, rows, or text."""
        if self.folder:
            return "folder"
        if self.data.startswith(b"PAR1"):
            return "parquet"
        if self.data.lstrip()[:1] not in (b"{", b"["):
            return "text"
        return "document" if self._is_document() else "lines"

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
            return value(self.row or b"")
        if self.kind == "document":
            return value(self.data) or value(closed(self.data))
        whole = (value(line) for line in self.lines[:50])
        found = next((v for v in whole if isinstance(v, dict | list)), None)
        return value(closed(self.lines[0])) if found is None and self.lines else found

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

    def _is_document(self) -> bool:
        first, more = self.lines[0], len(self.lines) > 1
        if first.startswith(b"["):
            return not (more and isinstance(value(first), list))
        if self.suffix in (".jsonl", ".ndjson"):
            return False
        return value(first) is None and any(value(line) is None for line in self.lines[1:2])


def value(data: bytes) -> Any:
    """The JSON value in these bytes, or None."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def closed(data: bytes) -> bytes:
    """A JSON text that is cut off, ended after its last whole value."""
    stack: list[bytes] = []
    cut = 0
    for token in TOKEN.finditer(data):
        mark = token.group()
        if mark in CLOSER:
            stack.append(CLOSER[mark])
            cut = token.end()
        elif stack and mark == stack[-1]:
            stack.pop()
            cut = token.end()
        elif mark == b",":
            cut = token.start()
    return data[:cut] + b"".join(reversed(stack))
