"""What the chat formats share: messages with a role, whose content may be text or parts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from simpatico.readers.file_formats import _chat__roles as roles
from simpatico.readers.file_formats._table_fields import seconds
from simpatico.readers.input.record import Ledger, Utterance

TEXT_PARTS = (None, "text", "input_text", "output_text")


class Part(msgspec.Struct):
    """A piece of a message; only text is read."""

    type: str | None = None
    text: str | None = None


Content = str | list[Part | str] | None


class Message(msgspec.Struct):
    """One message of a chat."""

    role: str
    content: Content = None
    name: str | None = None
    model: str | None = None
    id: str | int | None = None
    tool_calls: Any = None
    timestamp: float | str | None = None
    hashed_ip: str | None = None


def text_of(content: Content, ledger: Ledger) -> str | None:
    """The text of a message, its text parts joined by a line break; None if it has none."""
    if content is None or isinstance(content, str):
        return content
    found = [part if isinstance(part, str) else text_part(part) for part in content]
    texts = [text for text in found if text is not None]
    if len(texts) < len(found):
        ledger.set_aside("part that is not text", len(found) - len(texts))
    return "\n".join(texts) if texts else None


def text_part(part: Part) -> str | None:
    return part.text if part.type in TEXT_PARTS else None


def spoken(
    messages: Iterable[Message],
    dialog: str,
    ledger: Ledger,
    *,
    system: str | None,
    interlocutor: str | None = None,
) -> list[Utterance]:
    """The messages that somebody said; instructions, tools and calls of tools are set aside.

    A message without text, such as a picture, stays as an empty one: it was answered all the same.
    """
    found = []
    for message in messages:
        role = message.role.lower()
        if role in roles.ASIDE:
            ledger.set_aside(f"{role} message")
            continue
        text = text_of(message.content, ledger)
        if message.tool_calls and not (text or "").strip():
            ledger.set_aside("tool call")
            continue
        machine = role in roles.MACHINE
        found.append(
            Utterance(
                dialog,
                message.name or roles.SPEAKER.get(role) or message.role,
                text or "",
                system=roles.system_of(message.role, system or message.model or "assistant"),
                id=None if message.id is None else str(message.id),
                time=seconds(message.timestamp),
                interlocutor=interlocutor if machine else None,
            )
        )
    return found


def unique_ids(dialog: list[Utterance]) -> list[Utterance]:
    """The utterances, without ids if two have the same: they then name nothing."""
    ids = [row.id for row in dialog if row.id is not None]
    same = len(set(ids)) < len(ids)
    return [row._replace(id=None) for row in dialog] if same else dialog
