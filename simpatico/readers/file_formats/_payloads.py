"""What tools log as input and output of a model: any of the usual shapes, as messages.

A text is one message. Lists and objects are those of OpenAI, Anthropic, Google, LangChain and
OpenTelemetry; what is neither, such as the arguments of a function, holds no message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from simpatico.readers.file_formats._chat import SKIPPED_ROLES, SPEAKERS, TEXT_PARTS
from simpatico.readers.input.head import json_or_none
from simpatico.readers.input.record import Ledger

LISTS = ("messages", "contents", "choices", "generations", "candidates", "input", "output")
"""Fields that hold messages, or objects with one each."""
WRAPPERS = ("message", "kwargs", "data")
"""Fields that hold the message itself."""
TEXTS = ("content", "text", "answer", "question", "query", "prompt", "response", "result")
"""Fields that hold what was said, where nothing says who."""
TOOL_PARTS = re.compile("tool|function")
LANGCHAIN = re.compile("message(chunk)?$", re.IGNORECASE)
MAX_DEPTH = 8


class Message(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Who said what; who is `user` or `assistant` wherever one of their names stands."""

    role: str
    text: str
    name: str | None = None


class TextPart(msgspec.Struct, forbid_unknown_fields=True, tag_field="type", tag="text", gc=False):
    """A part of a message that is nothing but text."""

    content: str


class TextMessage(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A message as most are: texts of the user and the assistant, and instructions."""

    role: Literal["user", "assistant", "system"]
    content: str | None = None
    parts: list[TextPart] = []
    name: str | None = None
    finish_reason: str | None = None


TEXT_MESSAGES = msgspec.json.Decoder(list[TextMessage] | TextMessage)


def text_messages(payload: str) -> list[Message] | None:
    """The messages of a payload in which all are as most are; null otherwise.

    It reads several times faster than `read_messages`, with the same result.
    """
    try:
        value = TEXT_MESSAGES.decode(payload)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    messages = []
    for own in value if isinstance(value, list) else [value]:
        text = own.content
        if not text and own.parts:
            text = "\n".join([part.content for part in own.parts])
        if text is None:
            return None
        if own.role != "system":
            messages.append(Message(own.role, text, own.name))
    return messages


def read_messages(value: object, role: str, ledger: Ledger, depth: int = 0) -> list[Message]:
    """The messages of a payload; `role` is of those that do not say.

    Instructions, tools, and messages that only call one are left out.
    """
    if isinstance(value, str):
        nested = None
        if value.lstrip()[:1] in ("{", "["):
            if (messages := text_messages(value)) is not None:
                return messages
            nested = json_or_none(value.encode())
        if not isinstance(nested, dict | list):
            return [Message(role, value)] if value.strip() else []
        value = nested
    if depth > MAX_DEPTH:
        return []
    if isinstance(value, list):
        if value and all(is_part(part) for part in value):
            value = {"role": role, "content": value}
        else:
            return [m for item in value for m in read_messages(item, role, ledger, depth + 1)]
    if not isinstance(value, dict):
        return []
    if any(isinstance(value.get(name), str) for name in ("role", "type")) and has_content(value):
        return read_message(value, role, ledger)
    for name in (*WRAPPERS, *LISTS):
        if isinstance(value.get(name), dict | list):
            return read_messages(value[name], speaker_of(value, role), ledger, depth + 1)
    texts = [value[name] for name in (*TEXTS, *LISTS) if isinstance(value.get(name), str)]
    texts = texts or [text for text in value.values() if len(value) == 1 and isinstance(text, str)]
    return [Message(role, texts[0])] if texts and texts[0].strip() else []


def is_part(value: object) -> bool:
    """Whether this is a piece of a message rather than a message."""
    return (
        isinstance(value, dict)
        and "type" in value
        and not {"role", "content", *WRAPPERS} & {*value}
    )


def has_content(value: Mapping[str, Any]) -> bool:
    """Whether this is a message itself, and not one inside of another object."""
    return bool({"content", "parts", "contents", "text", "tool_calls"} & value.keys())


def speaker_of(value: Mapping[str, Any], role: str) -> str:
    """The role that a message, or the object around it, gives; LangChain's are names of classes."""
    kind = value.get("role") or value.get("type")
    if kind == "constructor" and isinstance(value.get("id"), list) and value["id"]:
        kind = value["id"][-1]
    name = LANGCHAIN.sub("", kind).lower() if isinstance(kind, str) else ""
    return SPEAKERS.get(name) or (name if name in SKIPPED_ROLES else role)


def read_message(value: Mapping[str, Any], role: str, ledger: Ledger) -> list[Message]:
    """One message, or none where there is nothing that was said to the other side."""
    speaker, name = speaker_of(value, role), value.get("name")
    if speaker in SKIPPED_ROLES:
        return []
    parts = next((value[n] for n in ("content", "parts", "contents", "text") if value.get(n)), None)
    if isinstance(parts, str):
        return [Message(speaker, parts, name if isinstance(name, str) else None)]
    own = parts if isinstance(parts, list) else [parts] if parts else []
    texts, kinds = list[str](), list[str]()
    for part in own:
        kind = str(part.get("type") or "text") if isinstance(part, dict) else "text"
        text = part_text(part, kind)
        if text is None:
            kinds.append(kind)
        else:
            texts.append(text)
    for kind in kinds:
        ledger.skip("history summary" if kind == "compaction" else "part that is not text")
    spoken = [k for k in kinds if k not in ("compaction", "reasoning") and not TOOL_PARTS.search(k)]
    if not texts and not spoken and (kinds or value.get("tool_calls")):
        return []
    return [Message(speaker, "\n".join(texts), name if isinstance(name, str) else None)]


def part_text(part: object, kind: str) -> str | None:
    """The text of a part; of audio its transcript, wherever it is held; null for all else."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return None
    fields = (part, *(part[n] for n in ("audio", "input_audio") if isinstance(part.get(n), dict)))
    spoken = next((f["transcript"] for f in fields if isinstance(f.get("transcript"), str)), None)
    if spoken is None and kind in TEXT_PARTS:
        spoken = next((part[n] for n in ("text", "content") if isinstance(part.get(n), str)), None)
    return spoken


def flatten(value: object, name: str, depth: int = 0) -> dict[str, Any]:
    """Lists and objects as attributes of plain values, spelled as `name.0.role`."""
    if isinstance(value, list):
        value = {str(number): item for number, item in enumerate(value)}
    if not isinstance(value, dict) or depth > MAX_DEPTH:
        return {} if value is None else {name: value}
    parts = (flatten(item, f"{name}.{key}", depth + 1) for key, item in value.items())
    return {key: item for part in parts for key, item in part.items()}


def unflatten(attributes: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """A list whose items are spelled as `prefix.0.message.role`, in the order of its numbers."""
    tree: dict[str, Any] = {}
    for name, value in attributes.items():
        if name.startswith(f"{prefix}."):
            *path, last = name[len(prefix) + 1 :].split(".", MAX_DEPTH)
            at = tree
            for step in path:
                inner = at.setdefault(step, {})
                at = inner if isinstance(inner, dict) else {}
            at[last] = value
    items = as_lists(tree)
    return [own for own in items if isinstance(own, dict)] if isinstance(items, list) else []


def as_lists(tree: object) -> object:
    """The tree with objects whose keys are numbers as lists, and wrapped messages unwrapped."""
    if not isinstance(tree, dict):
        return tree
    values = {name: as_lists(value) for name, value in tree.items()}
    if values and all(name.isdecimal() and len(name) < 9 for name in values):
        return [values[name] for name in sorted(values, key=int)]
    inner = [values.get(name) for name in ("message", "message_content")]
    return next((one for one in inner if isinstance(one, dict)), values)
