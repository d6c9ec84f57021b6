"""ShareGPT: records with `conversations` of `from` and `value`.

{"id": "c1", "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "…"}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from simpatico.readers.extra_columns import record_extras
from simpatico.readers.file_formats._chat import ChatMessage, chat_utterances, non_empty_dialog
from simpatico.readers.input.decode import decode
from simpatico.readers.input.record import Ledger, Reader, Utterance
from simpatico.readers.input.source import Head, Source


class ShareGPTMessage(msgspec.Struct, rename={"role": "from"}):
    """One message."""

    role: str
    value: str | None = None
    name: str | None = None


class ShareGPTRecord(msgspec.Struct):
    """One chat."""

    conversations: list[ShareGPTMessage]
    id: str | int | None = None
    model: str | None = None
    system: str | None = None


RECORD = msgspec.json.Decoder(ShareGPTRecord)
FIELDS = msgspec.json.Decoder(dict[str, Any])


class ShareGPT(Reader):
    """`human` and `user` are people; `gpt`, `chatgpt`, `bing` and the like are the system."""

    name = "sharegpt"
    about = "one chat a record: conversations of from and value"
    suffixes = (".json", ".jsonl", ".ndjson", ".parquet")
    divisible = True

    def matches(self, head: Head) -> bool:
        messages = head.item.get("conversations") if isinstance(head.item, dict) else None
        first = messages[0] if isinstance(messages, list) and messages else None
        return isinstance(first, dict) and {"from", "value"} <= first.keys()

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for place, line in source.records(ledger):
            record = decode(line, RECORD, place, ledger)
            # a field that the record does not name is not looked at until here
            fields = None if record is None else decode(line, FIELDS, place, ledger)
            if record is None or fields is None:
                continue
            if record.system:
                ledger.skip("system message")
            name = f"{source.stem}:{place.line}" if record.id in (None, "") else str(record.id)
            messages = (ChatMessage(m.role, m.value, m.name) for m in record.conversations)
            extras = record_extras(fields, ShareGPTRecord.__struct_fields__)
            system = self.system or record.model
            rows = chat_utterances(messages, name, ledger, system=system, extras=extras)
            yield from non_empty_dialog(rows, place, ledger)
