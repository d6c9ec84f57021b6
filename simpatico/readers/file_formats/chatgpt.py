"""The export of ChatGPT: conversations.json, where each chat is a tree of messages.

    [{"id": "c1", "current_node": "n2", "mapping": {
        "n1": {"parent": null, "message": {"author": {"role": "user"}, "content": …}},
        "n2": {"parent": "n1", "message": {"author": {"role": "assistant"}, …}}}}]

Editing a message or asking for another answer makes a second child: only one branch was read last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from simpatico.readers.file_formats._chat import (
    ChatMessage,
    ContentPart,
    chat_utterances,
    non_empty_dialog,
)
from simpatico.readers.input.decode import InvalidValue, decode_records
from simpatico.readers.input.record import Ledger, Reader, Utterance
from simpatico.readers.input.source import Head, Source

TYPES = ("text", "multimodal_text")


class Author(msgspec.Struct):
    """Who wrote a node."""

    role: str
    name: str | None = None


class NodeContent(msgspec.Struct):
    """What a node holds; parts are texts, or objects such as images."""

    content_type: str = "text"
    parts: list[Any] | None = None


class NodeMetadata(msgspec.Struct):
    """What is known of a node's message."""

    model_slug: str | None = None
    is_visually_hidden_from_conversation: bool | None = None


class Node(msgspec.Struct):
    """A message of the tree."""

    author: Author
    content: NodeContent = msgspec.field(default_factory=NodeContent)
    id: str | None = None
    create_time: float | None = None
    weight: float | None = None
    recipient: str | None = None
    metadata: NodeMetadata = msgspec.field(default_factory=NodeMetadata)


class TreeNode(msgspec.Struct):
    """A place in the tree."""

    message: Node | None = None
    parent: str | None = None


class ChatGPTRecord(msgspec.Struct):
    """One chat."""

    mapping: dict[str, TreeNode]
    current_node: str
    id: str | None = None
    conversation_id: str | None = None
    default_model_slug: str | None = None


class ChatGPT(Reader):
    """Only the branch that ends in `current_node` is read: what the user last saw."""

    name = "chatgpt"
    about = "ChatGPT export, conversations.json: the branch last seen of each chat"
    suffixes = (".json",)

    def matches(self, head: Head) -> bool:
        return isinstance(head.item, dict) and isinstance(head.item.get("mapping"), dict)

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for place, (record, nodes) in decode_records(source.records(ledger), read_branch, ledger):
            dialog = record.id or record.conversation_id or f"{source.stem}:{place.line}"
            messages = [m for node in nodes if (m := visible_message(node, ledger))]
            model = record.default_model_slug
            rows = chat_utterances(messages, dialog, ledger, system=self.system, default=model)
            yield from non_empty_dialog(rows, place, ledger)


def read_branch(item: bytes) -> tuple[ChatGPTRecord, list[Node]]:
    """A chat, and its messages from the root to the current node."""
    record = msgspec.json.decode(item, type=ChatGPTRecord)
    messages: list[Node] = []
    nodes, at = set[str](), record.current_node
    while at in record.mapping and at not in nodes:
        nodes.add(at)
        here = record.mapping[at]
        if here.message is not None:
            messages.append(here.message)
        at = here.parent or ""
    if at:
        raise InvalidValue("tree", "the chain of 'parent' from 'current_node' is broken")
    return record, messages[::-1]


def visible_message(node: Node, ledger: Ledger) -> ChatMessage | None:
    """The message a user saw, or nothing if it was hidden, replaced, or for a tool."""
    is_text = node.content.content_type in TYPES or node.author.role not in ("user", "assistant")
    reasons = {
        "hidden message": node.metadata.is_visually_hidden_from_conversation,
        "message of weight 0": node.weight == 0,
        "tool call": node.recipient not in (None, "all"),
        "message that is not text": not is_text,
    }
    if reason := next((reason for reason, holds in reasons.items() if holds), None):
        ledger.skip(reason)
        return None
    parts: list[ContentPart | str] = [
        part if isinstance(part, str) else ContentPart("other") for part in node.content.parts or []
    ]
    author, model = node.author, node.metadata.model_slug
    return ChatMessage(author.role, parts, author.name, model, node.id, timestamp=node.create_time)
