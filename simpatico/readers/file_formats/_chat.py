"""What the chat formats share: messages with a role, whose content may be text or parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from simpatico.readers.extra_columns import extra_values
from simpatico.readers.file_formats._table_fields import ALIASES, parse_time
from simpatico.readers.input.decode import InvalidValue
from simpatico.readers.input.record import Dialog, Ledger, Place, Utterance

USER_ROLES = frozenset({"user", "human", "prompter", "customer", "customer_user"})
MACHINE_ROLES = frozenset(
    {"assistant", "gpt", "ai", "bot", "model", "chatbot", "chatgpt", "bing", "bard", "claude"}
)
SKIPPED_ROLES = frozenset(
    {"system", "developer", "tool", "function", "observation", "function_call"}
)
"""Instructions and tools: no part of what was said."""
# one name a side, as a turn ends where the speaker's name changes
SPEAKERS = dict.fromkeys(USER_ROLES, "user") | dict.fromkeys(MACHINE_ROLES, "assistant")

TEXT_PARTS = (None, "text", "input_text", "output_text")
"""Types of parts that hold text: of chat completions, and of OpenAI's responses."""


class ContentPart(msgspec.Struct):
    """A piece of a message; only text is read."""

    type: str | None = None
    text: str | None = None


Content = str | list[ContentPart | str] | None


class ChatMessage(msgspec.Struct):
    """One message of a chat."""

    role: str
    content: Content = None
    name: str | None = None
    model: str | None = None
    id: str | int | None = None
    tool_calls: Any = None
    timestamp: float | str | None = None
    hashed_ip: str | None = None
    turn_identifier: int | str | None = None


def message_text(content: Content, ledger: Ledger) -> str | None:
    """The text of a message, its text parts joined by a line break; None if it has none."""
    if content is None or isinstance(content, str):
        return content
    parts = [ContentPart(text=part) if isinstance(part, str) else part for part in content]
    texts = [part.text for part in parts if part.type in TEXT_PARTS and part.text is not None]
    if len(texts) < len(content):
        ledger.skip("part that is not text", len(content) - len(texts))
    return "\n".join(texts) if texts else None


def system_of(speaker: str, name: str | None) -> str:
    """The system a speaker stands for in a file that does not say: people are `human`."""
    role = speaker.lower()
    if role in USER_ROLES:
        return "human"
    return name or speaker if role in MACHINE_ROLES else speaker


def chat_utterances(
    messages: Iterable[ChatMessage],
    dialog: str,
    ledger: Ledger,
    *,
    system: str | None,
    default: str | None = None,
    interlocutor: str | None = None,
    extras: str | None = None,
) -> list[Utterance]:
    """The messages that somebody said; instructions, tools and calls of tools are skipped.

    The assistant is `system`, else the model of the message, else `default`. A message without
    text, such as a picture, stays as an empty one: it was answered all the same. A message without
    a time has that of the record, if `extras` say when it was created.
    """
    created = record_time(extras)
    utterances: list[Utterance] = []
    for message in messages:
        role = message.role.lower()
        if role in SKIPPED_ROLES:
            ledger.skip(f"{role} message")
            continue
        text = message_text(message.content, ledger)
        if message.tool_calls and not (text or "").strip():
            ledger.skip("tool call")
            continue
        utterances.append(
            Utterance(
                dialog,
                message.name or SPEAKERS.get(role) or message.role,
                text or "",
                system=system_of(message.role, system or message.model or default or "assistant"),
                id=None if message.id is None else str(message.id),
                time=created if message.timestamp is None else parse_time(message.timestamp),
                interlocutor=interlocutor if role in MACHINE_ROLES else None,
                extras=extras,
            )
        )
    ids = [row.id for row in utterances if row.id is not None]
    if len(set(ids)) < len(ids):  # ids that two messages share name neither
        return [row._replace(id=None) for row in utterances]
    return utterances


def record_time(extras: str | None) -> float | None:
    """When a record was created, if it says so in a way that can be read."""
    values = extra_values(extras)
    time = next((values[name] for name in ALIASES["time"] if name in values), None)
    try:
        return parse_time(time)
    except InvalidValue:  # of a field that we did not ask for: no reason to refuse the record
        return None


def non_empty_dialog(
    rows: list[Utterance], place: Place, ledger: Ledger
) -> Iterator[list[Utterance]]:
    """The utterances as a dialog, or nothing and a count where nobody said anything."""
    if rows:
        yield Dialog(rows, [place])
    else:
        ledger.skip("dialog without text")
