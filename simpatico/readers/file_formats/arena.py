"""Chatbot Arena and MT-Bench: two systems' answers to one user, and which a judge preferred.

{"question_id": 81, "model_a": "m", "model_b": "n", "winner": "model_a", "judge": "author_1",
 "conversation_a": [{"role": "user", "content": "Hi"}, …], "conversation_b": […], "turn": 1}

Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from simpatico.judgements import JudgeKind
from simpatico.readers.file_formats._chat import ChatMessage, chat_utterances
from simpatico.readers.input.decode import DECODE_ERRORS, decode_problem
from simpatico.readers.input.record import Dialog, Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source

CONVERSATION = msgspec.json.Decoder(list[ChatMessage])
WINNERS = {"model_a": "a", "model_b": "b", "tie": "tie", "tie (bothbad)": "tie"}
KINDS: dict[str, JudgeKind] = {"expert": "expert", "author": "outsider", "gpt": "model"}
"""Of MT-Bench, how the names of judges begin; in the arena, the judge is who talked."""


class Battle(msgspec.Struct):
    """A row; MT-Bench judges each turn, the arena the whole and counts its turns instead."""

    question_id: str | int
    model_a: str
    model_b: str
    conversation_a: list[ChatMessage] | str
    conversation_b: list[ChatMessage] | str
    winner: str | None = None
    judge: str | int | list[str] | None = None
    judge_hash: str | None = None
    turn: int | None = None
    tstamp: float | str | None = None

    @property
    def names(self) -> tuple[str, str]:
        """The two dialogs, which are the same wherever the same answers were judged."""
        if self.model_a == self.model_b:
            return f"{self.question_id}:a", f"{self.question_id}:b"
        return f"{self.question_id}:{self.model_a}", f"{self.question_id}:{self.model_b}"

    @property
    def who(self) -> str | None:
        """The judge."""
        who = self.judge[0] if isinstance(self.judge, list) and self.judge else self.judge
        return self.judge_hash or (str(who) if isinstance(who, str | int) else None)

    @property
    def is_arena(self) -> bool:
        """Whether the judge is the user."""
        return self.tstamp is not None or self.judge_hash is not None


class Arena(Reader):
    """Each side is a dialog of its model, and the question is what both were asked."""

    name = "arena"
    about = "Chatbot Arena, MT-Bench: two conversations and which was preferred"
    suffixes = (".parquet", ".jsonl", ".ndjson", ".json")

    def matches(self, head: Head) -> bool:
        return {"conversation_a", "conversation_b", "model_a", "winner"} <= head.keys

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        texts: dict[str, int] = {}
        for place, battle in source.values(Battle, ledger):
            sides = (battle.conversation_a, battle.conversation_b)
            models = (battle.model_a, battle.model_b)
            person = battle.who if battle.is_arena else None
            for name, model, side in zip(battle.names, models, sides, strict=True):
                messages = read_side(side, place, ledger)
                if messages is None:
                    continue
                rows = chat_utterances(messages, name, ledger, system=model, interlocutor=person)
                text = hash(tuple(row.text for row in rows))
                if name not in texts and rows:
                    texts[name], prompt = text, str(battle.question_id)
                    yield Dialog([row._replace(prompt=prompt) for row in rows], [place])
                elif texts.get(name, text) == text:
                    ledger.skip("repeated conversation")
                else:
                    reason = "an earlier record has another answer of this model to the question"
                    ledger.reject(place, "duplicate_id", reason)

    def preferences(
        self, source: Source, ledger: Ledger
    ) -> Iterator[tuple[Place, dict[str, object]]]:
        """Which side each judge preferred, as a row of a table of preferences."""
        for place, battle in source.values(Battle, ledger):
            if battle.winner not in WINNERS:
                ledger.skip("battle without a winner")
                continue
            kind: JudgeKind | None = "interlocutor" if battle.is_arena else None
            who = battle.who or ""
            for start, own in KINDS.items():
                kind = own if kind is None and who.startswith(start) else kind
            turn = None if battle.is_arena or not battle.turn else 2 * battle.turn - 1
            a, b = battle.names
            choice = {"preferred": WINNERS[battle.winner], "judge": battle.who, "judge_kind": kind}
            sides: dict[str, object] = {"dialog_a": a, "dialog_b": b}
            if turn:
                sides |= {"turn_a": turn, "turn_b": turn}
                sides |= dict.fromkeys(("speaker_a", "speaker_b"), "assistant")
            yield place, choice | sides


def read_side(
    side: list[ChatMessage] | str, place: Place, ledger: Ledger
) -> list[ChatMessage] | None:
    """The messages of one side, which some sets hold as JSON; null where they cannot be read."""
    if not isinstance(side, str):
        return side
    try:
        return CONVERSATION.decode(side)
    except DECODE_ERRORS as error:
        ledger.reject(place, *decode_problem(side.encode(), error))
        return None
