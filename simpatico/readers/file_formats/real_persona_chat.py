"""RealPersonaChat: Japanese small talk of people who described themselves and rated each other.

    {"dialogue_id": 1, "interlocutors": ["AA", "BB"],
     "utterances": [{"interlocutor_id": "AA", "text": "…", "timestamp": "…"}],
     "evaluations": [{"interlocutor_id": "AA", "informativeness": 5, …}]}

Yamashita et al. (2023), RealPersonaChat.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats._benchmark import Rating, as_json_object, rate
from simpatico.readers.file_formats.convokit import time_or_none
from simpatico.readers.input.decode import decode_records
from simpatico.readers.input.record import Dialog, Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source

PEOPLE = "interlocutors.json"
LOW, HIGH = 1.0, 5.0
BIG_FIVE = "BigFive_"
USER, SYSTEM = "user", "system"


class PersonaUtterance(msgspec.Struct):
    """One utterance; with a system its `interlocutor` is the side, and there is no time."""

    text: str
    interlocutor_id: str = ""
    interlocutor: str = ""
    timestamp: str = ""


class PersonaDialog(msgspec.Struct):
    """One record of the file: of two people, or of somebody with a system."""

    dialogue_id: int | str
    utterances: list[PersonaUtterance]
    interlocutors: list[str] = []
    evaluations: list[dict[str, Rating]] = []
    system_id: str | None = None
    interlocutor_id: str | None = None
    evaluation: dict[str, Rating] = {}


class Person(msgspec.Struct):
    """A speaker's description of themselves, and answers to a personality questionnaire."""

    persona: list[str] = []
    personality: dict[str, float] = {}


class RealPersonaChat(Reader):
    """Both sides are people under evaluation; each is judged by the other, whose id lasts.

    The interlocutor_id of an evaluation is who rates, not who is rated: ratings go with that id
    (satisfaction: 51% of the variance lies between those ids, 7% between the others). The profile
    of an utterance is its interlocutor's, from `interlocutors.json` beside the file; the first
    utterance of each speaker has the speaker's Big Five as extras. Times are local, taken as UTC.

    In dialogs with a system (`llm/*.json`) the interlocutor_id is whose part the system plays,
    which its first utterance has as extras; who talks with it and rates it has no id.
    """

    name = "real-persona-chat"
    about = "RealPersonaChat: Japanese, with profiles and ratings by interlocutors"
    suffixes = (".jsonl", ".json")

    def matches(self, head: Head) -> bool:
        people = {"dialogue_id", "interlocutors", "utterances", "evaluations"} <= head.keys
        return people or {"dialogue_id", "system_id", "utterances", "evaluation"} <= head.keys

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        people = read_people(source, ledger)
        for place, talk in valid_dialogs(source, ledger):
            if not talk.utterances:
                ledger.skip("dialog without utterances")
            elif talk.system_id is None:
                yield Dialog(human_dialog(talk, people, ledger), [place])
            else:
                yield Dialog(system_dialog(talk), [place])

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        for place, talk in valid_dialogs(source, ledger):
            for unit, ratings in dialog_ratings(talk):
                for quality, rating in ratings.items():
                    if judgement := rate(unit._replace(quality=quality), rating, place, ledger):
                        yield judgement


def valid_dialogs(source: Source, ledger: Ledger) -> Iterator[tuple[Place, PersonaDialog]]:
    """The records that can be read and are consistent; an identical one is skipped."""
    hashes: dict[int | str, int] = {}
    decode = msgspec.json.Decoder(PersonaDialog).decode
    # a hash is enough to tell a repeated record from another one with the same id
    records = decode_records(source.records(ledger), lambda raw: (hash(raw), decode(raw)), ledger)
    for place, (code, talk) in records:
        if hashes.get(talk.dialogue_id) == code:
            ledger.skip("dialog that stands in the file twice")
        elif talk.dialogue_id in hashes:
            reason = "an earlier record has the same 'dialogue_id'"
            ledger.reject(place, "duplicate_id", reason)
        elif problem := id_problem(talk):
            ledger.reject(place, "interlocutors", problem)
        else:
            hashes[talk.dialogue_id] = code
            yield place, talk


def id_problem(talk: PersonaDialog) -> str | None:
    """Why the ids of a record do not fit each other; null if they do."""
    if talk.system_id is not None:
        sides = {row.interlocutor for row in talk.utterances}
        return None if sides <= {USER, SYSTEM} else "an interlocutor must be 'user' or 'system'"
    ids = set(talk.interlocutors)
    if len(ids) != 2 or len(talk.interlocutors) != 2:
        return "a conversation needs two interlocutors with different ids"
    raters = [ratings.get("interlocutor_id") for ratings in talk.evaluations]
    if not {row.interlocutor_id for row in talk.utterances} | set(raters) <= ids:
        return "an interlocutor_id is not one of the conversation's interlocutors"
    return "an interlocutor_id rates twice" if len(set(raters)) < len(raters) else None


def human_dialog(talk: PersonaDialog, people: dict[str, Person], ledger: Ledger) -> list[Utterance]:
    """A dialog of two people, each with the other as interlocutor."""
    utterances: list[Utterance] = []
    for row in talk.utterances:
        speaker, other = row.interlocutor_id, other_person(talk, row.interlocutor_id)
        about, first = people.get(other), all(speaker != one.speaker for one in utterances)
        utterances.append(
            Utterance(
                str(talk.dialogue_id),
                speaker,
                row.text,
                "human",
                time=time_or_none(row.timestamp, ledger),
                interlocutor=other,
                profile="\n".join(about.persona) if about and about.persona else None,
                extras=big_five(people.get(speaker)) if first else None,
            )
        )
    return utterances


def system_dialog(talk: PersonaDialog) -> list[Utterance]:
    """A dialog of somebody, who has no id, with a system."""
    extras = as_json_object({"plays": talk.interlocutor_id} if talk.interlocutor_id else {})
    utterances: list[Utterance] = []
    for row in talk.utterances:
        system = talk.system_id if row.interlocutor == SYSTEM else None
        utterance = Utterance(str(talk.dialogue_id), row.interlocutor, row.text, system)
        first = system is not None and all(before.system is None for before in utterances)
        utterances.append(utterance._replace(extras=extras) if first else utterance)
    return utterances


def dialog_ratings(talk: PersonaDialog) -> Iterator[tuple[Judgement, dict[str, Rating]]]:
    """What is judged by whom, still without quality and value, and the ratings given."""
    dialog = str(talk.dialogue_id)
    unit = Judgement(dialog, None, SYSTEM, "", f"{dialog}:{USER}", "interlocutor", None, LOW, HIGH)
    if talk.system_id is not None:
        yield unit, talk.evaluation
        return
    for evaluation in talk.evaluations:
        rater = str(evaluation["interlocutor_id"])
        ratings = {k: v for k, v in evaluation.items() if k != "interlocutor_id"}
        yield unit._replace(speaker=other_person(talk, rater), judge=rater), ratings


def other_person(talk: PersonaDialog, speaker: str) -> str:
    """Who talks with a speaker."""
    (other,) = (one for one in talk.interlocutors if one != speaker)
    return other


def read_people(source: Source, ledger: Ledger) -> dict[str, Person]:
    """The speakers' descriptions of themselves, from the file beside this one if it is there."""
    path = source.path and not source.spool and source.path.parent / PEOPLE
    if not path or not path.is_file():
        return {}
    return Source.of(path).value(dict[str, Person], ledger) or {}


def big_five(person: Person | None) -> str | None:
    """A speaker's Big Five as a JSON object."""
    traits = {
        name.removeprefix(BIG_FIVE).lower(): value
        for name, value in (person.personality if person else {}).items()
        if name.startswith(BIG_FIVE)
    }
    return as_json_object({"big_five": traits} if traits else {})
