"""The open data that the shipped trait models are trained on, as people with texts and answers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from simpatico.errors import DataError, MissingResource
from simpatico.read.record import Ledger
from simpatico.read.source import Source
from simpatico.train.people import Columns, People, Row, read_people
from simpatico.train.trait import Training
from simpatico.train.trait_folder import About

SPLITS = ("casino_train.json", "casino_valid.json", "casino_test.json")
BUTTONS = {"Submit-Deal", "Accept-Deal", "Reject-Deal", "Walk-Away"}
"""Messages that a click writes, not a person."""


@dataclass(frozen=True)
class Known:
    """Data we know: how to read them, what to say of them, how the shipped model was made."""

    people: Callable[[Path], People]
    about: About
    training: Training


class Participant(msgspec.Struct):
    value2reason: dict[str, str]
    demographics: dict[str, Any]
    personality: dict[str, Any]


class Message(msgspec.Struct):
    text: str
    id: str


class Negotiation(msgspec.Struct):
    chat_logs: list[Message]
    participant_info: dict[str, Participant]


def casino_people(folder: Path, trait: str = "agreeableness") -> People:
    """CaSiNo's negotiators with all they wrote: messages, and their reasons for wanting things.

    The data give no ids; equal demographics and equal personality are taken to be one person.
    """
    rows: list[Row] = []
    digest = hashlib.sha256()
    for name in SPLITS:
        path = present(folder, name)
        data = Source.of(path).document(Ledger())
        digest.update(data)
        try:
            negotiations = msgspec.json.decode(data, type=list[Negotiation])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataError(f"{path}: not the negotiations of CaSiNo ({error})") from None
        for negotiation in negotiations:
            rows += negotiators(negotiation, trait)
    return People.of(rows, digest.hexdigest())


def negotiators(negotiation: Negotiation, trait: str) -> Iterator[Row]:
    """Both people of a negotiation, one row per text."""
    for agent, told in negotiation.participant_info.items():
        who = msgspec.json.encode([told.demographics, told.personality], order="sorted").decode()
        answer = float(told.personality["big-five"][trait])
        said = [m.text for m in negotiation.chat_logs if m.id == agent and m.text not in BUTTONS]
        for text in (*said, *told.value2reason.values()):
            yield Row(who, text, answer)


def empathic_reactions_people(folder: Path) -> People:
    """The writers of Empathic Reactions: five essays, and how moved they were by each story."""
    name = "data/messages.csv" if (folder / "data").is_dir() else "messages.csv"
    return read_people(present(folder, name), Columns("essay", "empathy", "response_id"))


def present(folder: Path, name: str) -> Path:
    """A file of the data, or where to get it."""
    if not (folder / name).is_file():
        raise MissingResource(
            f"no {name} in {str(folder)!r}; get it from github.com/kushalchawla/CaSiNo (casino) "
            "or github.com/wwbp/empathic_reactions (empathic-reactions)"
        )
    return folder / name


SOURCES: dict[str, Known] = {
    "casino": Known(
        casino_people,
        About(
            measures="Big Five agreeableness of people negotiating in chat, by two questions",
            data="CaSiNo (Chawla et al. 2021), github.com/kushalchawla/CaSiNo",
            licence="CC BY 4.0",
            scale=(1.0, 7.0),
        ),
        Training(search=True, repeats=3),
    ),
    "empathic-reactions": Known(
        empathic_reactions_people,
        About(
            measures="state empathy of people writing about news stories, as they rated their own",
            data="Empathic Reactions (Buechel et al. 2018), github.com/wwbp/empathic_reactions",
            licence="CC BY 4.0",
            scale=(1.0, 7.0),
        ),
        Training(search=True, repeats=3),
    ),
}
