"""Chats as lists of messages with role and content: OpenAI, TRL, WildChat, LMSYS.

    {"id": "c1", "model": "m", "messages": [{"role": "user", "content": "Hi"}, …]}

Also read: a bare list of messages, `conversation`, `prompt` with `completion`, and the requests of
OpenAI's batch files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from simpatico.readers.extra_columns import record_extras
from simpatico.readers.file_formats._chat import ChatMessage, chat_utterances, non_empty_dialog
from simpatico.readers.input.decode import DECODE_ERRORS, InvalidValue, decode_problem
from simpatico.readers.input.record import Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source

LISTS = ("messages", "conversation", "conversations")
Messages = list[ChatMessage]
Name = str | int | None


class Body(msgspec.Struct):
    """The request inside a line of a batch file."""

    messages: Messages
    model: str | None = None


class OpenAIRecord(msgspec.Struct):
    """One chat; formats differ in what they call its messages and its id."""

    messages: Messages | None = None
    conversation: Messages | None = None
    conversations: Messages | None = None
    prompt: Messages | str | None = None
    completion: Messages | str | None = None
    body: Body | None = None
    model: str | None = None
    id: Name = None
    conversation_id: Name = None
    custom_id: Name = None
    conversation_hash: Name = None
    user: Name = None


KNOWN = frozenset(OpenAIRecord.__struct_fields__) - {"user"}
"""Fields that are no metadata; the user may be grouped by as well."""
RECORD = msgspec.json.Decoder(OpenAIRecord | Messages)


class OpenAI(Reader):
    """The assistant's system is --system, else the model that the file names."""

    name = "openai"
    about = "one chat a record: messages of role and content (also TRL, WildChat)"
    suffixes = (".jsonl", ".ndjson", ".json", ".parquet")
    divisible = True

    def matches(self, head: Head) -> bool:
        """A list of messages, alone or under one of the names that data sets give it."""
        item = head.item
        if isinstance(item, list) or is_message_list(head):
            return starts_with_message(item[:1] if isinstance(item, list) else [item])
        if not isinstance(item, dict):
            return False
        body = item.get("body")
        lists = [item.get(name) for name in LISTS]
        lists.append(body.get("messages") if isinstance(body, dict) else None)
        return any(map(starts_with_message, lists)) or {"prompt", "completion"} <= item.keys()

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        records = source.records(ledger)
        if source.head.kind == "document" and is_message_list(source.head):
            records = iter([(Place(source.name, 1, 0), source.document(ledger))])
        for place, line in records:
            try:
                record, name = RECORD.decode(line), f"{source.stem}:{place.line}"
                extras = None
                if not isinstance(record, list):
                    extras = record_extras(msgspec.json.decode(line), KNOWN)
                rows = self.chat(record, name, ledger, extras)
            except DECODE_ERRORS as error:
                ledger.reject(place, *decode_problem(line, error))
                continue
            yield from non_empty_dialog(rows, place, ledger)

    def chat(
        self, record: OpenAIRecord | Messages, name: str, ledger: Ledger, extras: str | None
    ) -> list[Utterance]:
        """The utterances of one record, whose dialog is called `name` if it has no id."""
        if isinstance(record, list):
            return chat_utterances(record, name, ledger, system=self.system)
        messages, same_texts = record_messages(record), record.conversation_hash
        turn = next((m.turn_identifier for m in messages if m.turn_identifier is not None), None)
        if same_texts and turn is not None:  # WildChat's hash is of the texts, which may come again
            same_texts = f"{same_texts}:{turn}"
        ids = (record.id, record.conversation_id, record.custom_id, same_texts)
        people = (record.user, *(message.hashed_ip for message in messages))
        return chat_utterances(
            messages,
            next((str(i) for i in ids if i not in (None, "")), name),
            ledger,
            system=self.system or record.model or (record.body.model if record.body else None),
            interlocutor=next((str(p) for p in people if p is not None), None),
            extras=extras,
        )


def record_messages(record: OpenAIRecord) -> Messages:
    """The messages of a record, whatever it calls them."""
    for messages in (record.messages, record.conversation, record.conversations):
        if messages is not None:
            return messages
    if record.body is not None:
        return record.body.messages
    if record.prompt is None and record.completion is None:
        raise InvalidValue("missing", "there is no 'messages'")
    sides = (("user", record.prompt), ("assistant", record.completion))
    return [
        message
        for role, content in sides
        for message in ([ChatMessage(role, content)] if isinstance(content, str) else content or [])
    ]


def starts_with_message(value: Any) -> bool:
    """Whether this is a list that starts with a message."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and "role" in first


def is_message_list(head: Head) -> bool:
    """Whether the file is one list of messages, without a record around it.

    Messages with the id of a dialog are rows of our table instead.
    """
    ids = {"dialog", "conversation_id", "dialog_id", "dialogue_id", "session_id"}
    is_message = {"role", "content"} <= head.keys and not head.keys & {*LISTS, *ids}
    return isinstance(head.json, list) and is_message
