"""ConvAI 2017: people talking with a bot or a person about a passage, rated by who they talk to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats._benchmark import Scale, turn_numbers, usable
from simpatico.readers.input.record import Dialog, Ledger, Place, Utterance
from simpatico.readers.input.source import Head, Source, decode

QUALITIES = ("quality", "breadth", "engagement")
LIKED = "liked"
"""The thumbs of single utterances: 1 is down, 2 is up; a turn gets the mean of its utterances."""


class User(msgspec.Struct, rename="camel"):
    """A side of the conversation; ids are Alice and Bob throughout, so they are no persons."""

    id: str
    user_type: Literal["Human", "Bot"]


class Message(msgspec.Struct, rename="camel"):
    """One utterance; `time` is left out, as the file keeps only the fraction of a second."""

    user_id: str
    text: str
    evaluation: int = 0


class Evaluation(msgspec.Struct, rename="camel"):
    """The ratings of one side, given by the other."""

    user_id: str
    quality: int
    breadth: int
    engagement: int


class Conversation(msgspec.Struct, rename="camel"):
    """One record of the file."""

    dialog_id: int | str
    users: list[User]
    thread: list[Message]
    evaluation: list[Evaluation]
    context: str | None = None


@dataclass(frozen=True)
class ConvAI2017:
    """Both sides are under evaluation, as system human or bot; each is judged by the other.

    The userId of an evaluation is who is rated, not who rates. With a bot, only the entry under
    the bot's id is ever filled (1 to 5), and only the person can have filled it; between people,
    the rating under an id goes with the thumbs on that side's utterances (r = .49; .22 with those
    of the other side), as it does for bots (.48). A zero is no rating: bots give none, and an
    utterance without a thumb is 0. `zero="rating"` takes it as the value 0, as the engagement
    paper did.
    """

    name: ClassVar[str] = "convai2017"
    about: ClassVar[str] = "ConvAI 2017: conversations with ratings by the interlocutor"
    suffixes: ClassVar[tuple[str, ...]] = (".json",)

    system: str | None = None
    zero: Literal["not_rated", "rating"] = "not_rated"

    def matches(self, head: Head) -> bool:
        return {"dialogId", "users", "thread", "evaluation"} <= head.keys

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for place, talk in conversations(source, ledger):
            if not talk.thread:
                ledger.set_aside("dialog without utterances")
                continue
            names = {"Human": "human", "Bot": self.system or "bot"}
            system = {user.id: names[user.user_type] for user in talk.users}
            passage = msgspec.json.encode({"passage": talk.context}).decode()
            first, *others = (
                Utterance(str(talk.dialog_id), said.user_id, said.text, system[said.user_id])
                for said in talk.thread
            )
            first = first._replace(extras=passage if talk.context else None)
            yield Dialog([first, *others], [place])

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        for place, talk in conversations(source, ledger):
            for unit, value in [*rated_dialogs(talk), *rated_turns(talk, self.zero)]:
                low, high = self.scale(unit.quality)
                missing = value == 0 and self.zero == "not_rated"
                scaled = unit._replace(scale_min=low, scale_max=high)
                if judgement := usable(scaled, None if missing else value, place, ledger):
                    yield judgement

    def scale(self, quality: str) -> Scale:
        """From 0 only if zero is a rating."""
        return 0.0 if self.zero == "rating" else 1.0, 2.0 if quality == LIKED else 5.0


def conversations(source: Source, ledger: Ledger) -> Iterator[tuple[Place, Conversation]]:
    """The records that can be read and hold together."""
    seen: set[int | str] = set()
    for place, raw in source.records(ledger):
        talk: Conversation | None = decode(raw, CONVERSATION, place, ledger)
        if talk is None:
            continue
        ids = {user.id for user in talk.users}
        named = {e.user_id for e in talk.evaluation} | {said.user_id for said in talk.thread}
        if len(ids) != 2 or len(talk.users) != 2:
            ledger.reject(place, "users", "a conversation needs two users with different ids")
        elif not named <= ids:
            ledger.reject(place, "users", "a userId is none of the conversation's users")
        elif len({e.user_id for e in talk.evaluation}) < len(talk.evaluation):
            ledger.reject(place, "users", "a userId is rated twice")
        elif talk.dialog_id in seen:
            ledger.reject(place, "duplicate_id", "the dialogId stands in an earlier record too")
        else:
            seen.add(talk.dialog_id)
            yield place, talk


def rated_dialogs(talk: Conversation) -> Iterator[tuple[Judgement, float]]:
    """What each side got for the whole conversation, as it is written."""
    for entry in talk.evaluation:
        for quality in QUALITIES:
            yield unit(talk, entry.user_id, None, quality), getattr(entry, quality)


def rated_turns(
    talk: Conversation, zero: Literal["not_rated", "rating"]
) -> Iterator[tuple[Judgement, float]]:
    """The mean thumb of each turn, over its rated utterances; 0 where there is none."""
    thumbs: dict[tuple[int, str], list[int]] = {}
    numbers = turn_numbers([said.user_id for said in talk.thread])
    for number, said in zip(numbers, talk.thread, strict=True):
        given = thumbs.setdefault((number, said.user_id), [])
        given += [said.evaluation] if said.evaluation or zero == "rating" else []
    for (number, speaker), given in thumbs.items():
        yield unit(talk, speaker, number, LIKED), sum(given) / max(len(given), 1)


def unit(talk: Conversation, rated: str, turn: int | None, quality: str) -> Judgement:
    """A judgement still without value; the judge is the other side, named within the dialog."""
    (judge,) = (user.id for user in talk.users if user.id != rated)
    dialog = str(talk.dialog_id)
    return Judgement(dialog, turn, rated, quality, f"{dialog}:{judge}", "interlocutor", None)


CONVERSATION = msgspec.json.Decoder(Conversation)
