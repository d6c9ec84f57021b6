"""Hazumi: a Wizard in the part of a dialog system, each exchange rated by who talked with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar
from xml.etree import ElementTree

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats._benchmark import usable
from simpatico.readers.input.decode import decoded
from simpatico.readers.input.record import Dialog, Ledger, Place, Utterance
from simpatico.readers.input.source import Head, Source

WIZARD, PARTICIPANT = "Wizard", "Participant"
QUALITY, LOW, HIGH = "impression", 1.0, 7.0
ELAN = ".eaf"
SPOKEN, HEARD, RATED, OWN = "sys_utterance", "user_utterance", "UI_", "UI_self"
MARK = re.compile(r"\([A-Z?]+ ?([^()]*)\)")
PAUSE = "|"


class Exchange(msgspec.Struct):
    """What the Wizard says, what the participant answers, and how all felt about it."""

    dialog: str
    start: int
    end: int
    sys: str
    user: str
    own: str = msgspec.field(name="self")
    outsiders: dict[str, str]


Found = tuple[Place, Exchange]


@dataclass(frozen=True)
class Hazumi:
    """The Wizard is under evaluation; its interlocutor is the participant, who has the dialog's id.

    Every exchange is two turns, the second of them empty where the participant said nothing, so
    that each rated turn stands alone. A score that is no number is not rated. Of the transcript's
    marks, that of a filler, fragment or guess goes and its word stays, and that of a pause goes.
    With all six scores there are 2,480 exchanges of Hazumi1902 and 2,828 of Hazumi1911; the paper
    on the interlocutor's eye has 2,477 and 2,824.
    """

    name: ClassVar[str] = "hazumi"
    about: ClassVar[str] = "Hazumi: ELAN files (one or a folder of them) or a list of exchanges"
    suffixes: ClassVar[tuple[str, ...]] = (ELAN, ".json", "")

    system: str | None = None

    def matches(self, head: Head) -> bool:
        if head.folder:
            return any(head.folder.glob(f"*{ELAN}"))
        listed = {"dialog", "sys", "user", "self", "outsiders"} <= head.keys
        return listed or b"<ANNOTATION_DOCUMENT" in head.data

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for found in by_dialog(source, ledger):
            said = [one for _, exchange in found for one in self.utterances(exchange)]
            yield Dialog(said, list(dict.fromkeys(place for place, _ in found)))

    def utterances(self, exchange: Exchange) -> tuple[Utterance, Utterance]:
        """What both sides say in an exchange."""
        dialog, times = exchange.dialog, {"start": exchange.start, "end": exchange.end}
        seconds = {name: time / 1000 for name, time in times.items()}
        return (
            Utterance(
                dialog,
                WIZARD,
                exchange.sys.strip(),
                self.system or WIZARD,
                interlocutor=dialog,
                extras=msgspec.json.encode(seconds).decode(),
            ),
            Utterance(dialog, PARTICIPANT, plain(exchange.user)),
        )

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        for found in by_dialog(source, ledger):
            for number, (place, exchange) in enumerate(found):
                for unit, written in rated(exchange, 2 * number):
                    if not written.strip().isdecimal():
                        ledger.set_aside("score that is no number")
                        yield unit
                    elif judgement := usable(unit, written, place, ledger):
                        yield judgement


def rated(exchange: Exchange, turn: int) -> Iterator[tuple[Judgement, str]]:
    """The six judgements of a turn, still without value, and what stands there.

    Onlookers are named with the corpus before, as F1 of one need not be F1 of another.
    """
    dialog = exchange.dialog
    unit = Judgement(dialog, turn, WIZARD, QUALITY, dialog, "interlocutor", None, LOW, HIGH)
    yield unit, exchange.own
    for name, written in exchange.outsiders.items():
        judge = f"{dialog[:4]}-{name.removeprefix(RATED)}"
        yield unit._replace(judge=judge, judge_kind="outsider"), written


def plain(transcript: str) -> str:
    """What was said, without the marks of who wrote it down."""
    before = ""
    while before != transcript:
        before, transcript = transcript, MARK.sub(r"\1", transcript)
    return transcript.replace(PAUSE, "").strip()


def by_dialog(source: Source, ledger: Ledger) -> Iterator[list[Found]]:
    """The exchanges of one dialog after another."""
    for _, group in groupby(exchanges(source, ledger), key=lambda found: found[1].dialog):
        yield list(group)


def exchanges(source: Source, ledger: Ledger) -> Iterator[Found]:
    """The exchanges in their order, of a list, an ELAN file or a folder of those."""
    if source.folder:
        for path in sorted(source.folder.glob(f"*{ELAN}")):
            yield from annotated(source.file(path.name), ledger)
    elif source.head.kind == "text":
        yield from annotated(source, ledger)
    else:
        yield from decoded(source.records(ledger), EXCHANGE.decode, ledger)


def annotated(source: Source, ledger: Ledger) -> Iterator[Found]:
    """The exchanges of an ELAN file: what all tiers hold while the Wizard's tier holds one."""
    place = Place(source.name, 1, 0)
    tiers = read_tiers(source.document(ledger), place, ledger)
    if missing := [name for name in (SPOKEN, HEARD, OWN) if name not in tiers]:
        if tiers:
            ledger.reject(place, "tier", f"there is no tier {missing[0]!r}")
        return
    onlookers = [name for name in tiers if name.startswith(RATED) and name != OWN]
    for start, end, text in tiers[SPOKEN]:
        own, user, *others = (
            PAUSE.join(value for at, _, value in tiers[name] if start <= at < end)
            for name in (OWN, HEARD, *onlookers)
        )
        scores = dict(zip(onlookers, others, strict=True))
        yield place, Exchange(source.stem, start, end, text, user, own, scores)


def read_tiers(
    document: bytes, place: Place, ledger: Ledger
) -> dict[str, list[tuple[int, int, str]]]:
    """Start, end and value of every annotation of every tier; times are milliseconds."""
    try:
        if b"<!DOCTYPE" in document or b"<!ENTITY" in document:
            raise ValueError
        root = ElementTree.fromstring(document)  # noqa: S314 - no entity can be declared
        slots = {
            slot.get("TIME_SLOT_ID"): slot.get("TIME_VALUE") for slot in root.iter("TIME_SLOT")
        }
        return {
            tier.get("TIER_ID", ""): sorted(
                (
                    int(slots[one.get("TIME_SLOT_REF1")] or ""),
                    int(slots[one.get("TIME_SLOT_REF2")] or ""),
                    one.findtext("ANNOTATION_VALUE") or "",
                )
                for one in tier.iter("ALIGNABLE_ANNOTATION")
            )
            for tier in root.iter("TIER")
        }
    except (ElementTree.ParseError, KeyError, ValueError):
        ledger.reject(place, "elan", "this is no ELAN file, or an annotation in it has no time")
        return {}


EXCHANGE = msgspec.json.Decoder(Exchange)
