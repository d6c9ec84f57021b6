"""Bots that follow a script: for tests, for lower bounds, and for answers that exist already."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec

from simpatico.bots.bot import Reply, Said, last
from simpatico.errors import NoAnswer, UnknownName
from simpatico.readers.input.decode import decoded
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
    answer: Callable[[Sequence[Said]], str] = field(repr=False)
    told: Mapping[str, Any] = field(default_factory=dict)
    most: int | None = None

    def __call__(self, dialog: Sequence[Said]) -> Reply:
        return Reply(self.answer(dialog), ended="stop")

    def close(self) -> None:
        """Nothing is held."""


def generic(dialog: Sequence[Said]) -> str:
    """One of a few empty answers, always the same for the same text."""
    digest = hashlib.sha256(last(dialog).encode(errors="replace")).digest()
    return GENERIC[digest[0] % len(GENERIC)]


NAMED: dict[str, Callable[[Sequence[Said]], str]] = {"echo": last, "generic": generic}


def script(what: str) -> Script:
    """The script of this name, or the answers in this file."""
    if what in NAMED:
        return Script(what, NAMED[what], {"kind": "script", "script": what})
    if Path(what).suffix not in (".jsonl", ".ndjson", ".json", ".parquet"):
        near = get_close_matches(what, NAMED, n=2) or list(NAMED)
        choice = " or ".join(repr(f"script:{name}") for name in near)
        raise UnknownName(
            f"no script {what!r}; did you mean {choice}, or a file script:ANSWERS.jsonl?"
        )
    source = Source.of(what)
    told = {"kind": "script", "script": Path(what).name, "sha256": source.sha256()}
    return Script(source.stem, lookup(source), told)


def lookup(source: Source) -> Callable[[Sequence[Said]], str]:
    """Answers by what was said last; where a text stands there twice, the first is taken."""
    ledger = Ledger()
    source.refused(ledger)
    read = msgspec.json.Decoder(Pair).decode
    answers: dict[str, str] = {}
    for _, pair in decoded(source.records(ledger), read, ledger):
        answers.setdefault(pair.prompt, pair.answer)

    def found(dialog: Sequence[Said]) -> str:
        text = last(dialog)
        if text not in answers:
            raise NoAnswer(f"{source.name} has no answer to this prompt", why="not in the script")
        return answers[text]

    return found
