"""JSON bytes to typed values; what cannot be read becomes a sentence without its content.

Inputs are conversations of people, so that messages never quote them: msgspec's messages name types
and paths, which are kept, and nothing else.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import msgspec

from simpatico import limits
from simpatico.readers.input.raw_bytes import long_record
from simpatico.readers.input.record import Ledger, Place

Value = TypeVar("Value")

WHERE = re.compile(r" - at `(?P<path>[^`]*)`$")
EXPECTED = re.compile(r"^Expected `(?P<want>[^`]*)`, got `(?P<have>[^`]*)`")
MISSING = re.compile(r"^Object missing required field `(?P<field>[^`]*)`")
SURROGATE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|"
    rb"(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]"
)
NOT_A_NUMBER = re.compile(rb"[:\[,]\s*-?(?:NaN|Infinity)\b")
PLAIN = {"str": "text", "int": "a whole number", "float": "a number", "bool": "true or false"}
PLAIN |= {"null": "null", "array": "a list", "object": "an object"}
# ValueError: InvalidValue, and numbers that Python does not turn into integers
DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)


class InvalidValue(ValueError):
    """A value that cannot be used: a code, and a sentence without the value."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


def decode(raw: bytes | msgspec.Raw, kind: Any, place: Place, ledger: Ledger) -> Any:
    """The value of type `kind` in these bytes; None if there is none, which the ledger notes."""
    decoder = kind if isinstance(kind, msgspec.json.Decoder) else msgspec.json.Decoder(kind)
    try:
        return decoder.decode(raw)
    except DECODE_ERRORS as error:
        ledger.reject(place, *decode_problem(bytes(raw), error))
        return None


def json_items(document: bytes, name: str, ledger: Ledger) -> Iterator[tuple[Place, bytes]]:
    """The items of a JSON list, or the one value that is no list, each with its place."""
    blank = len(document) - len(document.lstrip())
    start = Place(name, document.count(b"\n", 0, blank) + 1, blank)
    if document[blank : blank + 1] != b"[":
        if document.strip():
            yield start, document.strip()
        return
    items = decode(document, list[msgspec.Raw], start, ledger)
    for place, item in locate_parts(document, items or [], start):
        if len(item) > limits.RECORD:
            ledger.reject(place, *long_record("record"))
        else:
            yield place, item


def locate_parts(
    document: bytes, parts: Iterable[msgspec.Raw], start: Place
) -> Iterator[tuple[Place, bytes]]:
    """Parts of a document in their order, each with its place; the first is after `start`."""
    line, at, byte = start.line, start.byte, start.byte
    for part in map(bytes, parts):
        byte = document.find(part, byte)
        line, at = line + document.count(b"\n", at, byte), byte
        yield Place(start.file, line, byte), part
        byte += len(part)


def decode_problem(raw: bytes, error: Exception) -> tuple[str, str]:
    """Code and sentence for a JSON value that cannot be read."""
    if isinstance(error, InvalidValue):
        return error.code, error.reason
    if isinstance(error, msgspec.ValidationError):
        return shape_problem(str(error))
    surrogate = "an unpaired surrogate (\\ud800 to \\udfff) is not valid text"
    # the decoder says only that the JSON is invalid: the usual causes, most telling first
    causes: tuple[tuple[object, str, str], ...] = (
        (isinstance(error, UnicodeDecodeError), "utf8", "the text is not valid UTF-8"),
        (isinstance(error, RecursionError), "nesting", "the JSON is nested too deeply"),
        (b"\0" in raw, "nul", "there is a NUL byte in the JSON"),
        (SURROGATE.search(raw), "surrogate", surrogate),
        (NOT_A_NUMBER.search(raw), "number", "NaN and Infinity are not JSON; write null"),
        ("truncated" in str(error), "truncated", "the JSON is truncated"),
    )
    for holds, code, reason in causes:
        if holds:
            return code, reason
    at = re.search(r"\(byte \d+\)$", str(error))
    return "json", f"this is not JSON {at.group() if at else ''}".rstrip()


def shape_problem(message: str) -> tuple[str, str]:
    """Code and sentence for valid JSON of another shape, from msgspec's message."""
    where = WHERE.search(message)
    path = where["path"].removeprefix("$").removeprefix(".") if where else ""
    if missing := MISSING.match(message):
        inside = f" in {path!r}" if path else ""
        return "missing", f"there is no {missing['field']!r}{inside}"
    if types := EXPECTED.match(message):
        want = " or ".join(PLAIN.get(w, w) for w in types["want"].split(" | "))
        have = PLAIN.get(types["have"], types["have"])
        return "type", f"{repr(path) if path else 'the record'} must be {want}, not {have}"
    if "out of range" in message:
        return "number", f"{path!r} is a number too large to read"
    return "type", f"{repr(path) if path else 'the record'} has a wrong value"


def repeated_fields(raw: bytes) -> set[str]:
    """The fields that stand more than once in the top level of a JSON object."""
    last: Counter[str] = Counter()

    def count(fields: list[tuple[str, Any]]) -> None:
        # objects are closed from the inside out, so that the last call is for the top level
        last.clear()
        last.update(name for name, _ in fields)

    try:
        json.loads(raw, object_pairs_hook=count, parse_int=str)
    except (ValueError, RecursionError):
        return set()
    return {name for name, n in last.items() if n > 1}


def decode_records(
    records: Iterable[tuple[Place, bytes]], read: Callable[[bytes], Value], ledger: Ledger
) -> Iterator[tuple[Place, Value]]:
    """The records that can be read, with their places; the others are rejected."""
    for place, record in records:
        try:
            value = read(record)
        except DECODE_ERRORS as error:
            ledger.reject(place, *decode_problem(record, error))
        else:
            yield place, value


def unique_records(
    records: Iterable[tuple[Place, Value]], attribute: str, field: str, ledger: Ledger
) -> Iterator[tuple[Place, Value]]:
    """The records with a new id, called `field` in the file; one that comes again is rejected."""
    ids: set[object] = set()
    for place, record in records:
        if (name := getattr(record, attribute)) in ids:
            reason = f"an earlier record has the same {field!r}"
            ledger.reject(place, "duplicate_id", reason)
        else:
            ids.add(name)
            yield place, record


def rows_by_header(
    rows: Iterable[tuple[Place, list[str]]], header: list[str], ledger: Ledger
) -> Iterator[tuple[Place, dict[str, str]]]:
    """Rows of cells by the names in the header; one of another length is rejected."""
    for place, cells in rows:
        if len(cells) == len(header):
            yield place, dict(zip(header, cells, strict=True))
        else:
            reason = f"the row has {len(cells)} cells but the header has {len(header)}"
            ledger.reject(place, "cells", reason)
