"""Bots that follow a script: for tests, for lower bounds, and for answers that exist already."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from simpatico.bots.bot import Message, Reply
from simpatico.errors import BadValue, NoAnswer, UnknownName
from simpatico.readers.input.record import Ledger
from simpatico.readers.input.source import Source

GENERIC = (
    "I see.",
    "That is interesting.",
    "Tell me more about that.",
    "I don't know.",
    "That makes sense.",
    "What do you think?",
)
"""Answers that fit everything and say nothing."""


class Pair(msgspec.Struct):
    """A line of a script: what was said, and what is to be answered."""

    prompt: str
    answer: str


@dataclass(frozen=True)
class Script:
    """A bot whose answer is a function of the dialog."""

    name: str
    answer: Callable[[Sequence[Message]], str] = field(repr=False)
    description: Mapping[str, Any] = field(default_factory=dict)
    max_parallel: int | None = None

    def __call__(self, dialog: Sequence[Message]) -> Reply:
        return Reply(self.answer(dialog), stop_reason="stop")

    def close(self) -> None:
        """Nothing is held."""


def last_text(dialog: Sequence[Message]) -> str:
    """What is to be answered."""
    if not dialog:
        raise BadValue("the dialog is empty; a bot needs at least one turn to answer")
    return dialog[-1].text


def generic_answer(dialog: Sequence[Message]) -> str:
    """One of a few empty answers, by a hash: always the same for the same text."""
    digest = hashlib.sha256(last_text(dialog).encode(errors="replace")).digest()
    return GENERIC[digest[0] % len(GENERIC)]


# both are lower bounds: a metric that does not tell them from a real bot measures little
SCRIPTS: dict[str, Callable[[Sequence[Message]], str]] = {
    "echo": last_text,
    "generic": generic_answer,
}


def load_script(what: str) -> Script:
    """The script of this name, or the answers in this file, by the text they reply to."""
    if what in SCRIPTS:
        return Script(what, SCRIPTS[what], {"kind": "script", "script": what})
    if Path(what).suffix not in (".jsonl", ".ndjson", ".json", ".parquet"):
        names = " or ".join(repr(f"script:{name}") for name in SCRIPTS)
        raise UnknownName(f"no script {what!r}; write {names}, or a file script:ANSWERS.jsonl")
    source = Source.of(what)
    facts = {"kind": "script", "script": Path(what).name, "sha256": source.sha256()}
    source.is_rejected(Ledger())
    answers: dict[str, str] = {}
    for _, pair in source.values(Pair, Ledger()):
        answers.setdefault(pair.prompt, pair.answer)  # of two answers to one text, the first

    def answer(dialog: Sequence[Message]) -> str:
        text = last_text(dialog)
        if text not in answers:
            raise NoAnswer(f"{source.name} has no answer to this prompt", why="not in the script")
        return answers[text]

    return Script(source.stem, answer, facts)
