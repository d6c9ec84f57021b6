"""The open data that the shipped trait models are trained on, as people with texts and answers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from simpatico.errors import DataError, MissingResource
from simpatico.readers.input.record import Ledger
from simpatico.readers.input.source import Source
from simpatico.training.traits.data import People, TraitColumns, TraitRow, read_people
from simpatico.training.traits.folder import AboutTrait
from simpatico.training.traits.train import TraitSettings

SPLITS = ("casino_train.json", "casino_valid.json", "casino_test.json")
BUTTONS = {"Submit-Deal", "Accept-Deal", "Reject-Deal", "Walk-Away"}
"""Messages that a click writes, not a person."""


NEGOTIATION = (
    "Trained on negotiation chat; transfer to essays was not detectable: r = .055 (-.040, .149), "
    "n = 426 (WASSA-2022, agreeableness).",
    "Five traits were tried on these data. Only for agreeableness did the interval exclude 0 with "
    "each of three seeds, also at the 99% that five tests call for; so no other is shipped.",
    "The texts are all that a person wrote. When the folds also chose between messages, reasons "
    "and both, r was .127, .107 and .099 with the same seeds.",
    "The data give no ids: two people of equal demographics and personality count as one.",
    "Low accuracy: it explains 1 to 2% of the variance between people.",
)
STATE = (
    "It measures a state, how moved writers were by what they had just read, not the trait. "
    "On 54 other people of WASSA-2022, r = .132 (-.141, .386) with the trait, empathic concern of "
    "the Interpersonal Reactivity Index: not detectable at this n. On the 372 people of the "
    "training, cross-validated: .139 (.038, .238).",
    "The state's own ratings correlate .390 (.300, .473) with that trait (n = 372), an upper limit "
    "for any prediction of the state. Giorgi et al. (2023) report .26 with 2,805 people who had "
    "answered the trait's questionnaire; such labels under an open licence would get there.",
    "It correlates with agreeableness as closely as with empathic concern: r = .151 (.057, .242) "
    "and .138 (.043, .230), n = 426. It does not discriminate between the two.",
)
"""What was measured once on data that are not shipped; a test repeats the cross-validation."""
SHIPPED = TraitSettings(search=True, repeats=3)
SCALE = (1.0, 7.0)
"""Of the questionnaires of both data sets."""


@dataclass(frozen=True)
class TraitSource:
    """Data we know: how to read them, the card's facts, and the settings of the shipped model."""

    people: Callable[[Path], People]
    about: AboutTrait
    settings: TraitSettings = SHIPPED


class Participant(msgspec.Struct):
    value2reason: dict[str, str]
    demographics: dict[str, Any]
    personality: dict[str, Any]


class ChatMessage(msgspec.Struct):
    text: str
    id: str


class Negotiation(msgspec.Struct):
    chat_logs: list[ChatMessage]
    participant_info: dict[str, Participant]


def casino_people(folder: Path, trait: str = "agreeableness") -> People:
    """CaSiNo's negotiators with all they wrote: messages, and their reasons for wanting things.

    The data give no ids; equal demographics and equal personality are taken to be one person. All
    five traits can be read, though only one of them could be predicted.
    """
    rows: list[TraitRow] = []
    digest = hashlib.sha256()
    for name in SPLITS:
        path = data_file(folder, name)
        data = Source.of(path).document(Ledger())
        digest.update(data)
        try:
            negotiations = msgspec.json.decode(data, type=list[Negotiation])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataError(f"{path}: not the negotiations of CaSiNo ({error})") from None
        for negotiation in negotiations:
            for agent, info in negotiation.participant_info.items():
                facts = [info.demographics, info.personality]
                person = msgspec.json.encode(facts, order="sorted").decode()
                answer = float(info.personality["big-five"][trait])
                logs = (m.text for m in negotiation.chat_logs if m.id == agent)
                messages = [text for text in logs if text not in BUTTONS]
                texts = (*messages, *info.value2reason.values())
                rows += [TraitRow(person, text, answer) for text in texts]
    return People.of(rows, digest.hexdigest())


def empathic_reactions_people(folder: Path) -> People:
    """The writers of Empathic Reactions: five essays, and how moved they were by each story.

    The ratings of a writer are averaged: what differs between stories is not the writer's.
    """
    name = "data/messages.csv" if (folder / "data").is_dir() else "messages.csv"
    return read_people(data_file(folder, name), TraitColumns("essay", "empathy", "response_id"))


def data_file(folder: Path, name: str) -> Path:
    """A file of the data, or where to get it."""
    if not (folder / name).is_file():
        raise MissingResource(
            f"no {name} in {str(folder)!r}; get it from github.com/kushalchawla/CaSiNo (casino) "
            "or github.com/wwbp/empathic_reactions (empathic-reactions)"
        )
    return folder / name


open_data = partial(AboutTrait, licence="CC BY 4.0", scale=SCALE)
SOURCES = {
    "casino": TraitSource(
        casino_people,
        open_data(
            "CaSiNo (Chawla et al. 2021), github.com/kushalchawla/CaSiNo",
            measures="Big Five agreeableness of people negotiating in chat, by two questions",
            limits=NEGOTIATION,
        ),
    ),
    "empathic-reactions": TraitSource(
        empathic_reactions_people,
        open_data(
            "Empathic Reactions (Buechel et al. 2018), github.com/wwbp/empathic_reactions",
            measures="state empathy of people writing about news stories, as they rated their own",
            limits=STATE,
        ),
    ),
}
