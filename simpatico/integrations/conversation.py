"""One conversation as a host has it, scored: what the adapters of hosts have in common.

Messages are those of chat APIs. The turns are those that the readers make of the same messages, so
that a host shows the numbers of `simpatico score`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import msgspec

from simpatico.api import load_metrics
from simpatico.errors import BadValue, DataError
from simpatico.metric import Metric, signature
from simpatico.readers.chunk_builder import ChunkBuilder
from simpatico.readers.file_formats._chat import ChatMessage, chat_utterances
from simpatico.readers.input.record import Ledger
from simpatico.scoring import evidence_words, score
from simpatico.system_metric import is_system_metric
from simpatico.table import ScoreTable
from simpatico.turns import Turns

ASSISTANT = "assistant"
FIELDS = ("role", "content", "tool_calls", "timestamp")
"""Of a message; names and models of the host would split one side into several."""
NO_REPLY = "no_reply"
"""Why nothing of a conversation is scored in which the assistant says nothing."""
MOST_WORDS = 5
"""Stretches of text shown as evidence of one score, those that moved it most."""


@dataclass(frozen=True)
class ConversationScore:
    """A score of the assistant's side of one conversation, null with its reason.

    `turns` has the value of each of its turns by the index of the turn's first message, `evidence`
    the words that moved it most, as index, words and weight.
    """

    name: str
    value: float | None
    reason: str | None
    signature: str
    turns: tuple[tuple[int, float | None], ...]
    evidence: tuple[tuple[int, str, float], ...] = ()

    @property
    def sentence(self) -> str:
        """The value, or why there is none."""
        if self.value is not None:
            return f"{self.name} = {self.value:.3f}"
        return f"{self.name} is not scored: {(self.reason or 'undefined').replace('_', ' ')}"


@dataclass(frozen=True)
class Conversation:
    """The turns of one conversation, and the index of the message that each begins with."""

    turns: Turns
    first: tuple[int, ...]

    @classmethod
    def of(cls, messages: Sequence[Mapping[str, Any]]) -> Conversation:
        """Messages with a role and a content, as a list of chat messages has them."""
        plain = [{**{f: m[f] for f in FIELDS if f in m}, "id": n} for n, m in enumerate(messages)]
        try:
            chats = msgspec.convert(plain, list[ChatMessage])
        except msgspec.ValidationError as error:
            raise DataError(f"messages need a role and a content: {error}") from None
        rows = chat_utterances(chats, "conversation", Ledger(), system=ASSISTANT)
        if not rows:
            raise DataError("the conversation has no message of a user or an assistant")
        builder = ChunkBuilder()
        builder.add(rows, 0, "", frozenset())
        starts = [rows[0], *(b for a, b in pairwise(rows) if a.speaker != b.speaker)]
        first = tuple(int(row.id or 0) for row in starts)
        return cls(Turns.from_utterances(builder.frame()), first)

    def scores(
        self, metrics: str | Metric | Sequence[str | Metric] | None, *, evidence: bool = False
    ) -> list[ConversationScore]:
        """The scores of the assistant: of each metric its own, else its components."""
        loaded = load_metrics(metrics)
        if name := next((m.name for m in loaded if is_system_metric(m)), None):
            raise BadValue(f"{name} describes a system as a whole and not one conversation")
        table = score(self.turns, loaded)
        words = self.words(loaded) if evidence else {}
        return [
            self.score_of(table, metric, name, words.get(metric.name, ()))
            for metric in loaded
            for name in score_names(metric)
        ]

    def score_of(
        self,
        table: ScoreTable,
        metric: Metric,
        name: str,
        words: tuple[tuple[int, str, float], ...],
    ) -> ConversationScore:
        """One score off the table, with the values of turns where the metric has any."""
        rows = table.at("dialog").filter(system=ASSISTANT).to_dicts()
        value, reason = (rows[0][name], rows[0][f"{metric.name}_null"]) if rows else (None, None)
        turns = table.at("turn").filter(system=ASSISTANT)
        values = turns.select("turn", name).iter_rows() if name in turns.columns else ()
        return ConversationScore(
            name,
            value,
            None if value is not None else reason or (NO_REPLY if not rows else "undefined"),
            signature(metric),
            tuple((self.first[turn], value) for turn, value in values),
            words,
        )

    def words(self, metrics: Sequence[Metric]) -> dict[str, tuple[tuple[int, str, float], ...]]:
        """The stretches of the assistant's text that moved each metric most, strongest first."""
        frame = evidence_words(self.turns, metrics).filter(system=ASSISTANT)
        found: dict[str, list[tuple[int, str, float]]] = {}
        for turn, metric, words, weight in frame.select(
            "turn", "metric", "words", "weight"
        ).iter_rows():
            found.setdefault(metric, []).append((self.first[turn], words, weight))
        strongest = {m: sorted(rows, key=lambda r: -abs(r[2])) for m, rows in found.items()}
        return {metric: tuple(rows[:MOST_WORDS]) for metric, rows in strongest.items()}


def score_names(metric: Metric) -> list[str]:
    """The score that has the metric's name, or all of a metric without one."""
    names = [score.name for score in metric.scores]
    return [metric.name] if metric.name in names else names
