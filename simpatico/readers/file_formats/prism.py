"""PRISM: people talked with language models and gave each reply a score from 1 to 100.

{"conversation_id": "c1", "user_id": "u1", "conversation_history": [
    {"role": "user", "content": "Hi"},
    {"role": "model", "content": "…", "model_name": "m", "score": 80, "if_chosen": true}]}

Kirk et al. (2024), The PRISM Alignment Dataset.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats._benchmark import rate
from simpatico.readers.file_formats._chat import ChatMessage, chat_utterances, non_empty_dialog
from simpatico.readers.input.record import Ledger, Reader, Utterance
from simpatico.readers.input.source import Head, Source


class PrismMessage(msgspec.Struct):
    """What the person wrote, or one of several replies, of which one was chosen."""

    role: str
    content: str | None = None
    model_name: str | None = None
    score: float | None = None
    if_chosen: bool | None = None


class PrismRecord(msgspec.Struct):
    """One conversation."""

    conversation_id: str | int
    conversation_history: list[PrismMessage]
    user_id: str | int | None = None

    @property
    def path(self) -> list[PrismMessage]:
        """The conversation that went on: each message of the person, and the reply they chose."""
        return [m for m in self.conversation_history if m.role == "user" or m.if_chosen]

    @property
    def user(self) -> str | None:
        """The id of the person."""
        return None if self.user_id is None else str(self.user_id)


class Prism(Reader):
    """The system is --system, else the model; replies that were not chosen are left out."""

    name = "prism"
    about = "PRISM: conversations.jsonl, with the scores that people gave to replies"
    suffixes = (".jsonl", ".ndjson", ".parquet")

    def matches(self, head: Head) -> bool:
        return {"conversation_id", "conversation_history"} <= head.keys

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for place, record in source.values(PrismRecord, ledger):
            if n := len(record.conversation_history) - len(record.path):
                ledger.skip("reply that was not chosen", n)
            chat = [ChatMessage(m.role, m.content, model=m.model_name) for m in record.path]
            name, system = str(record.conversation_id), self.system
            rows = chat_utterances(chat, name, ledger, system=system, interlocutor=record.user)
            yield from non_empty_dialog(rows, place, ledger)

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        """The score of each reply that was chosen, by who talked."""
        for place, record in source.values(PrismRecord, ledger):
            for turn, message in enumerate(record.path):
                if message.score is None or message.role == "user":
                    continue
                unit = Judgement(
                    *(str(record.conversation_id), turn, "assistant", "score"),
                    *(record.user, "interlocutor", None),
                )
                rated = unit._replace(scale_min=1.0, scale_max=100.0)
                if judgement := rate(rated, message.score, place, ledger):
                    yield judgement
