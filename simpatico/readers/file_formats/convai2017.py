"""ConvAI 2017: people talking with a bot or a person about a passage, rated by who they talk to.

[{"dialogId": 1, "users": [{"id": "Alice", "userType": "Human"}, {"id": "Bob", …}],
  "thread": [{"userId": "Alice", "text": "Hi", "evaluation": 2}, …],
  "evaluation": [{"userId": "Bob", "quality": 4, "breadth": 3, "engagement": 5}]}]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats._benchmark import as_json_object, rate, turn_numbers
from simpatico.readers.input.decode import unique_records
from simpatico.readers.input.record import Dialog, Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source

QUALITIES = ("quality", "breadth", "engagement")
LIKED = "liked"
"""The thumbs of single utterances: 1 is down, 2 is up; a turn gets the mean of its utterances."""


class User(msgspec.Struct, rename="camel"):
    """A side of the conversation; ids are Alice and Bob throughout, so they identify nobody."""

    id: str
    user_type: Literal["Human", "Bot"]


class ConvAIMessage(msgspec.Struct, rename="camel"):
    """One utterance; `time` is left out, as the file keeps only the fraction of a second."""

    user_id: str
    text: str
    evaluation: int = 0


class SideRatings(msgspec.Struct, rename="camel"):
    """The ratings of one side, given by the other."""

    user_id: str
    quality: int
    breadth: int
    engagement: int


class ConvAIDialog(msgspec.Struct, rename="camel"):
    """One record of the file."""

    dialog_id: int | str
    users: list[User]
    thread: list[ConvAIMessage]
    evaluation: list[SideRatings]
    context: str | None = None


@dataclass(frozen=True)
class ConvAI2017(Reader):
    """Both sides are under evaluation, as system human or bot; each is judged by the other.

    The userId of an evaluation is who is rated, not who rates. With a bot, only the entry under
    the bot's id is ever filled (1 to 5), and only the person can have filled it; between people,
    the rating under an id goes with the thumbs on that side's utterances (r = .49; .22 with those
    of the other side), as it does for bots (.48). A zero is no rating: bots give none, and an
    utterance without a thumb is 0. `zero="rating"` takes it as the value 0, as the engagement
    paper did.
    """

    name = "convai2017"
    about = "ConvAI 2017: conversations with ratings by the interlocutor"
    suffixes = (".json",)
    zero: Literal["not_rated", "rating"] = "not_rated"

    def matches(self, head: Head) -> bool:
        return {"dialogId", "users", "thread", "evaluation"} <= head.keys

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for place, talk in unique_dialogs(source, ledger):
            if not talk.thread:
                ledger.skip("dialog without utterances")
                continue
            names = {"Human": "human", "Bot": self.system or "bot"}
            system = {user.id: names[user.user_type] for user in talk.users}
            utterances = [
                Utterance(str(talk.dialog_id), m.user_id, m.text, system[m.user_id])
                for m in talk.thread
            ]
            extras = as_json_object({"passage": talk.context} if talk.context else {})
            utterances[0] = utterances[0]._replace(extras=extras)
            yield Dialog(utterances, [place])

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        for place, talk in unique_dialogs(source, ledger):
            for unit, value in [*dialog_ratings(talk), *turn_ratings(talk, self.zero)]:
                low = 0.0 if self.zero == "rating" else 1.0
                unit = unit._replace(scale_min=low, scale_max=2.0 if unit.quality == LIKED else 5.0)
                missing = value == 0 and self.zero == "not_rated"
                if judgement := rate(unit, None if missing else value, place, ledger):
                    yield judgement


def unique_dialogs(source: Source, ledger: Ledger) -> Iterator[tuple[Place, ConvAIDialog]]:
    """The records that can be read and are consistent, each dialogId once."""
    return unique_records(consistent_dialogs(source, ledger), "dialog_id", "dialogId", ledger)


def consistent_dialogs(source: Source, ledger: Ledger) -> Iterator[tuple[Place, ConvAIDialog]]:
    """The records whose ids match each other."""
    for place, talk in source.values(ConvAIDialog, ledger):
        ids = {user.id for user in talk.users}
        raters = {e.user_id for e in talk.evaluation}
        if len(ids) != 2 or len(talk.users) != 2:
            ledger.reject(place, "users", "a conversation needs two users with different ids")
        elif not raters | {m.user_id for m in talk.thread} <= ids:
            ledger.reject(place, "users", "a userId is not one of the conversation's users")
        elif len(raters) < len(talk.evaluation):
            ledger.reject(place, "users", "a userId is rated twice")
        else:
            yield place, talk


def dialog_ratings(talk: ConvAIDialog) -> Iterator[tuple[Judgement, float]]:
    """What each side got for the whole conversation, as it is written."""
    for entry in talk.evaluation:
        for quality in QUALITIES:
            yield dialog_unit(talk, entry.user_id, None, quality=quality), getattr(entry, quality)


def turn_ratings(
    talk: ConvAIDialog, zero: Literal["not_rated", "rating"]
) -> Iterator[tuple[Judgement, float]]:
    """The mean thumb of each turn, over its rated utterances; 0 where there is none."""
    thumbs: dict[tuple[int, str], list[int]] = {}
    numbers = turn_numbers([m.user_id for m in talk.thread])
    for number, message in zip(numbers, talk.thread, strict=True):
        values = thumbs.setdefault((number, message.user_id), [])
        values += [message.evaluation] if message.evaluation or zero == "rating" else []
    for (number, speaker), values in thumbs.items():
        unit = dialog_unit(talk, speaker, number, quality=LIKED)
        yield unit, sum(values) / max(len(values), 1)


def dialog_unit(talk: ConvAIDialog, speaker: str, turn: int | None, *, quality: str) -> Judgement:
    """A judgement still without value; the judge is the other side, named within the dialog."""
    (judge,) = (user.id for user in talk.users if user.id != speaker)
    dialog = str(talk.dialog_id)
    return Judgement(dialog, turn, speaker, quality, f"{dialog}:{judge}", "interlocutor", None)
