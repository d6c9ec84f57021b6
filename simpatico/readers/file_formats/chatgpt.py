"""The export of ChatGPT: conversations.json, where each chat is a tree of messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from simpatico.readers.file_formats._chat import Message, Part, spoken
from simpatico.readers.input.decode import FAILURES, Wrong, problem
from simpatico.readers.input.record import Dialog, Ledger, Utterance
from simpatico.readers.input.source import Head, Source

TYPES = ("text", "multimodal_text")


class Author(msgspec.Struct):
    """Who wrote a node."""

    role: str
    name: str | None = None


class Content(msgspec.Struct):
    """What a node holds; parts are texts, or objects such as images."""

    content_type: str = "text"
    parts: list[Any] | None = None


class Facts(msgspec.Struct):
    """What is known of a node's message."""

    model_slug: str | None = None
    is_visually_hidden_from_conversation: bool | None = None


class Node(msgspec.Struct):
    """A message of the tree."""

    author: Author
    content: Content = msgspec.field(default_factory=Content)
    id: str | None = None
    create_time: float | None = None
    weight: float | None = None
    recipient: str | None = None
    metadata: Facts = msgspec.field(default_factory=Facts)


class Branch(msgspec.Struct):
    """A place in the tree."""

    message: Node | None = None
    parent: str | None = None


class Record(msgspec.Struct):
    """One chat."""

    mapping: dict[str, Branch]
    current_node: str
    id: str | None = None
    conversation_id: str | None = None
    default_model_slug: str | None = None


RECORD = msgspec.json.Decoder(Record)


@dataclass(frozen=True)
class ChatGPT:
    """Only the branch that ends in `current_node` is read: what the person last saw."""

    name: ClassVar[str] = "chatgpt"
    about: ClassVar[str] = "ChatGPT export, conversations.json: the branch last seen of each chat"
    suffixes: ClassVar[tuple[str, ...]] = (".json",)
    system: str | None = None

    def matches(self, head: Head) -> bool:
        return isinstance(head.item, dict) and isinstance(head.item.get("mapping"), dict)

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for place, item in source.records(ledger):
            try:
                record = RECORD.decode(item)
                nodes = branch(record)
            except FAILURES as error:
                ledger.reject(place, *problem(item, error))
                continue
            dialog = record.id or record.conversation_id or f"{source.stem}:{place.line}"
            shown = [message for node in nodes if (message := shown_as(node, ledger))]
            for message in shown:
                message.model = self.system or message.model or record.default_model_slug
            if rows := spoken(shown, dialog, ledger, system=None):
                yield Dialog(rows, [place])
            else:
                ledger.set_aside("dialog without text")


def branch(record: Record) -> list[Node]:
    """The messages from the root to the current node."""
    found: list[Node] = []
    met, at = set[str](), record.current_node
    while at in record.mapping and at not in met:
        met.add(at)
        here = record.mapping[at]
        if here.message is not None:
            found.append(here.message)
        at = here.parent or ""
    if at:
        raise Wrong("tree", "the chain of 'parent' from 'current_node' is broken")
    return found[::-1]


def shown_as(node: Node, ledger: Ledger) -> Message | None:
    """The message a person saw, or nothing if it was hidden, replaced, or for a tool."""
    aside = None
    if node.metadata.is_visually_hidden_from_conversation:
        aside = "hidden message"
    elif node.weight == 0:
        aside = "message of weight 0"
    elif node.recipient not in (None, "all"):
        aside = "tool call"
    elif node.author.role in ("user", "assistant") and node.content.content_type not in TYPES:
        aside = "message that is not text"
    if aside:
        ledger.set_aside(aside)
        return None
    parts: list[Part | str] = [
        part if isinstance(part, str) else Part("other") for part in node.content.parts or []
    ]
    message = Message(node.author.role, parts, node.author.name, node.metadata.model_slug, node.id)
    message.timestamp = node.create_time
    return message
