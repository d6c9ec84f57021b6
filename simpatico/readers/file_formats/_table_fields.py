"""Which column of a table is which of our fields, and values written in several ways.

Field names are those of `turns.SCHEMA`. A file may use an alias, so that logs as they are exported
need no renaming; which alias was taken is said in the alignment.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from simpatico.errors import UnknownName, suggest_names
from simpatico.readers.input.decode import InvalidValue
from simpatico.readers.input.head import Head, json_or_none

ALIASES: dict[str, tuple[str, ...]] = {
    "dialog": (
        *("dialogue", "conversation_id", "dialog_id", "dialogue_id", "session_id", "thread_id"),
        *("conv_id", "conversation"),
    ),
    "speaker": (
        *("speaker_id", "role", "sender", "from", "user", "user_id", "speaker_idx", "author"),
    ),
    "text": ("message", "utterance", "content"),
    "system": (),
    "id": ("utterance_id", "message_id"),
    "reply_to": ("reply-to",),
    "time": ("timestamp", "created_at", "created"),
    "references": ("reference",),
    "interlocutor": ("interlocutor_id",),
    "profile": (),
    "prompt": (),
}
NEEDED = ("dialog", "speaker", "text")
ROLE = ("role", "speaker_role", "sender_role", "author_role", "speaker_type", "sender_type")
"""Columns that say whether a person or a bot speaks, beside the one that says who."""
SPEAKER_ROLES = ("role", "sender", "from")
"""Columns of speakers that may hold roles instead of names."""
FIRST, LAST = -62_135_596_800.0, 253_402_300_799.0
"""The years 1 to 9999, which is what dates can hold."""
SECONDS_LIMIT = 1e11
"""The year 5138; a larger number of seconds is one of milli-, micro- or nanoseconds."""
NO_TIME = InvalidValue("time", "'time' must be seconds since 1970 or an ISO 8601 time")


@dataclass(frozen=True)
class Fields:
    """The name each of our fields has in one file."""

    keys: dict[str, str]
    others: tuple[str, ...] = ()
    role: str | None = None
    """The column that says who is a person and who a bot, where nothing else does."""

    @classmethod
    def of(cls, head: Head, mapping: Mapping[str, str] | None = None) -> Fields:
        """Our own names where the file has them, else the first alias that it has.

        `mapping` says of some fields which column they are; no other field is read from those.
        """
        names, mapping = head.columns, dict(mapping or {})
        check_mapping(
            mapping, [*ALIASES, "role"], NamedColumns(head.name, names, head.kind != "text")
        )
        free = [name for name in names if name not in mapping.values()]
        keys = {
            field: mapping.get(field) or next((n for n in (field, *aliases) if n in free), field)
            for field, aliases in ALIASES.items()
        }
        others = tuple(n for n in names if n not in keys.values())
        role = mapping.get("role") or next((n for n in ROLE if n in others), None)
        return cls(keys, others, None if keys["system"] in names else role)

    def missing(self, head: Head) -> list[str]:
        """The fields that every utterance needs and that the file has no column for."""
        return [field for field in NEEDED if self.keys[field] not in head.columns]

    def are_utterances(self, head: Head) -> bool:
        """Whether these are rows of utterances: two of dialog, speaker and text, not nested.

        Rows of role and content alone are the messages of one dialog, and those of what two sides
        said are Hazumi's exchanges: neither is for us.
        """
        names = head.columns
        # dialogs and users are columns of Langfuse's observations and of PRISM too
        if {"id", "input", "output"} <= names.keys() or "conversation_history" in names:
            return False
        if head.kind == "text":
            return any(self.keys[f] in names for f in NEEDED)
        message = self.keys["dialog"] not in names and {"role", "content"} <= names.keys()
        plain = [self.keys[f] in names and names[self.keys[f]] for f in NEEDED]
        convokit = "meta" in names and bool({"reply-to", "reply_to"} & names.keys())
        exchange = {"sys", "user", "outsiders"} <= names.keys()
        return sum(plain) >= 2 and not (convokit or message or exchange)

    @cached_property
    def own_columns(self) -> frozenset[str]:
        """The columns that are fields of ours."""
        return frozenset(self.keys.values())

    @property
    def aliases(self) -> dict[str, str]:
        """Fields that have another name in the file."""
        return {field: name for field, name in self.keys.items() if name != field}

    def extras(self, row: Mapping[str, Any]) -> str | None:
        """Everything that is none of our fields, as a JSON object."""
        rest = {name: cell for name, cell in row.items() if name not in self.own_columns}
        return msgspec.json.encode(rest).decode() if rest else None


class NamedColumns(NamedTuple):
    """The columns of a file; `has_keys` if each row names them: then none can be a text."""

    file: str
    columns: Collection[str]
    has_keys: bool = True


def check_mapping(
    mapping: Mapping[str, str], fields: Sequence[str], table: NamedColumns, kind: str = ""
) -> None:
    """Refuse a mapping that names none of the fields, or a column that the file does not have."""
    for field, column in mapping.items():
        if field not in fields:
            raise UnknownName(
                f"--columns {field}={column}: no field {field!r}{kind}; "
                f"{suggest_names(field, fields)}"
            )
        if table.columns and column not in table.columns:
            # a first line that names no field of ours may be what somebody said
            names = {*fields, *(alias for own in fields for alias in ALIASES.get(own, ()))}
            is_header = table.has_keys or not names.isdisjoint(table.columns)
            near = get_close_matches(column, table.columns, n=1)
            way_out = "check its first line"
            if is_header or near:
                way_out = suggest_names(column, table.columns if is_header else near)
            raise UnknownName(
                f"--columns {field}={column}: {table.file} has no column {column!r}; {way_out}"
            )


def parse_time(time: float | str | None) -> float | None:
    """Seconds since 1970 from a number (also of milli-, micro-, nanoseconds) or an ISO time."""
    if time is None or time == "":
        return None
    try:
        seconds = float(time)
    except ValueError:
        try:
            moment = datetime.fromisoformat(str(time).strip().removesuffix(" UTC"))
        except ValueError:
            raise NO_TIME from None
        # without a zone it is UTC, whatever this machine's zone
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    while SECONDS_LIMIT < abs(seconds) < SECONDS_LIMIT * 1e9:
        seconds /= 1000
    if not FIRST <= seconds <= LAST:
        raise NO_TIME
    return seconds


def parse_references(raw: Sequence[str] | str | None) -> Sequence[str] | None:
    """A list of reference answers: as it is, from a JSON list in text, or of one text."""
    if not isinstance(raw, str):
        return raw
    items = json_or_none(raw.encode()) if raw.lstrip().startswith("[") else None
    if isinstance(items, list) and all(isinstance(item, str) for item in items):
        return items
    return [raw] if raw else None
