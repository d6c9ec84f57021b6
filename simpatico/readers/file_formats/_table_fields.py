"""Which column of a table is which of our fields, and values written in several ways."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import msgspec

from simpatico.readers.input.decode import Wrong, repeated
from simpatico.readers.input.head import Head, value

ALIASES: dict[str, tuple[str, ...]] = {
    "dialog": (
        *("dialogue", "conversation_id", "dialog_id", "dialogue_id", "session_id", "thread_id"),
        *("conv_id", "conversation"),
    ),
    "speaker": ("speaker_id", "role", "user", "user_id", "speaker_idx", "author"),
    "text": ("message", "utterance", "content"),
    "system": (),
    "id": ("utterance_id", "message_id"),
    "reply_to": ("reply-to",),
    "time": ("timestamp", "created_at"),
    "references": ("reference",),
    "interlocutor": ("interlocutor_id",),
    "profile": (),
    "prompt": (),
}
NEEDED = ("dialog", "speaker", "text")
FIRST, LAST = -62_135_596_800.0, 253_402_300_799.0
SECONDS_LIMIT = 1e11
NO_TIME = Wrong("time", "'time' must be seconds since 1970 or an ISO 8601 time")


@dataclass(frozen=True)
class Fields:
    """The name each of our fields has in one file."""

    keys: dict[str, str]
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, head: Head) -> Fields:
        """Our own names where the file has them, else the first alias that it has."""
        names = columns(head)
        keys = {
            field: next((n for n in (field, *aliases) if n in names), field)
            for field, aliases in ALIASES.items()
        }
        used = set(keys.values())
        return cls(keys, tuple(n for n in names if n not in used))

    def enough(self, head: Head) -> bool:
        """Whether these are rows of utterances: two of dialog, speaker and text, not nested.

        Rows of role and content alone are the messages of one dialog, and those of what two sides
        said are Hazumi's exchanges: neither is for us.
        """
        names = columns(head)
        if head.kind == "text":
            return any(self.keys[f] in names for f in NEEDED)
        message = self.keys["dialog"] not in names and {"role", "content"} <= names.keys()
        flat = [self.keys[f] in names and names[self.keys[f]] for f in NEEDED]
        convokit = "meta" in names and bool({"reply-to", "reply_to"} & names.keys())
        exchange = {"sys", "user", "outsiders"} <= names.keys()
        return sum(flat) >= 2 and not (convokit or message or exchange)

    @cached_property
    def used(self) -> frozenset[str]:
        """The columns that are fields of ours."""
        return frozenset(self.keys.values())

    @property
    def renamed(self) -> dict[str, str]:
        """Fields that have another name in the file."""
        return {field: name for field, name in self.keys.items() if name != field}

    def once(self, row: bytes, distinct: int, names: int) -> None:
        """Nothing if the names of the row's fields are distinct, else the error `Wrong`."""
        if names > distinct and (twice := repeated(row) & self.used):
            raise Wrong("duplicate_key", f"{min(twice)!r} stands in the record twice")

    def extras(self, row: Mapping[str, Any]) -> str | None:
        """Everything that is none of our fields, as a JSON object."""
        rest = {name: cell for name, cell in row.items() if name not in self.used}
        return msgspec.json.encode(rest).decode() if rest else None


def columns(head: Head) -> dict[str, bool]:
    """The names of the first rows' columns, and whether they hold plain values."""
    if head.kind == "text":
        return dict.fromkeys(split(head), True)
    rows = head.json if isinstance(head.json, list) else [head.json]
    if head.kind == "lines":
        rows = [*rows, *map(value, head.lines[:50])]
    found: dict[str, bool] = {}
    for row in rows[:50]:
        for name, cell in row.items() if isinstance(row, dict) else ():
            plain = not isinstance(cell, list | dict)
            found[name] = found.get(name, True) and plain
    return found


def delimiter(head: Head) -> str:
    """What stands between the cells of the header line most often."""
    if head.suffix == ".tsv":
        return "\t"
    line = head.lines[0] if head.lines else b""
    return max(",;\t", key=lambda mark: line.count(mark.encode()))


def split(head: Head) -> list[str]:
    """The column names in the header line."""
    line = head.lines[0].decode(errors="replace") if head.lines else ""
    try:
        return [name.strip() for name in next(csv.reader([line], delimiter=delimiter(head)), [])]
    except csv.Error:
        return []


def seconds(time: float | str | None) -> float | None:
    """Seconds since 1970 from a number (also of milli-, micro-, nanoseconds) or an ISO time."""
    if time is None or time == "":
        return None
    if isinstance(time, str):
        time = parsed(time)
    while math.isfinite(time) and abs(time) > SECONDS_LIMIT and abs(time) < SECONDS_LIMIT * 1e9:
        time /= 1000
    if not FIRST <= time <= LAST:
        raise NO_TIME
    return float(time)


def parsed(time: str) -> float:
    """The time in text; without a zone it is UTC, whatever the zone of this machine."""
    try:
        return float(time)
    except ValueError:
        pass
    try:
        at = datetime.fromisoformat(time.strip().removesuffix(" UTC"))
    except ValueError:
        raise NO_TIME from None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def references(written: Sequence[str] | str | None) -> Sequence[str] | None:
    """A list of reference answers: as it is, from a JSON list in text, or of one text."""
    if not isinstance(written, str):
        return written
    listed = value(written.encode()) if written.lstrip().startswith("[") else None
    if isinstance(listed, list) and all(isinstance(item, str) for item in listed):
        return listed
    return [written] if written else None
