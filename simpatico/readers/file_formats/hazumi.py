"""Hazumi: a Wizard in the part of a dialog system, each exchange rated by who talked with it.

    [{"dialog": "1902F2001", "start": 1200, "end": 5300, "sys": "…", "user": "…",
      "self": "5", "outsiders": {"UI_F1": "4", …}}]

Komatani & Okada (2021). The corpus itself is ELAN files, in which every speaker and every judge has
a tier of annotations with start and end in milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from xml.etree import ElementTree

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats._benchmark import as_json_object, rate
from simpatico.readers.input.record import Dialog, Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source

WIZARD, PARTICIPANT = "Wizard", "Participant"
QUALITY, LOW, HIGH = "impression", 1.0, 7.0
ELAN = ".eaf"
WIZARD_TIER, USER_TIER = "sys_utterance", "user_utterance"
RATING_TIER, OWN_RATING_TIER = "UI_", "UI_self"
ANNOTATION = re.compile(r"\([A-Z?]+ ?([^()]*)\)")
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


PlacedExchange = tuple[Place, Exchange]


class Hazumi(Reader):
    """The Wizard is under evaluation; its interlocutor is the participant, who has the dialog's id.

    Every exchange is two turns, the second of them empty where the participant said nothing, so
    that each rated turn stands alone. A score that is no number is not rated. Of the transcript's
    marks, that of a filler, fragment or guess goes and its word stays, and that of a pause goes.
    With all six scores there are 2,480 exchanges of Hazumi1902 and 2,828 of Hazumi1911; the paper
    on the interlocutor's eye has 2,477 and 2,824.
    """

    name = "hazumi"
    about = "Hazumi: ELAN files (one or a folder of them) or a list of exchanges"
    suffixes = (ELAN, ".json", "")

    def matches(self, head: Head) -> bool:
        if head.folder:
            return any(head.folder.glob(f"*{ELAN}"))
        is_list = {"dialog", "sys", "user", "self", "outsiders"} <= head.keys
        return is_list or b"<ANNOTATION_DOCUMENT" in head.data

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for exchanges in exchanges_by_dialog(source, ledger):
            utterances = [u for _, exchange in exchanges for u in self.utterances(exchange)]
            yield Dialog(utterances, list(dict.fromkeys(place for place, _ in exchanges)))

    def utterances(self, exchange: Exchange) -> tuple[Utterance, Utterance]:
        """What both sides say in an exchange."""
        dialog = exchange.dialog
        wizard = Utterance(dialog, WIZARD, exchange.sys.strip(), self.system or WIZARD)
        extras = as_json_object({"start": exchange.start / 1000, "end": exchange.end / 1000})
        return (
            wizard._replace(interlocutor=dialog, extras=extras),
            Utterance(dialog, PARTICIPANT, strip_annotations(exchange.user)),
        )

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        for exchanges in exchanges_by_dialog(source, ledger):
            for number, (place, exchange) in enumerate(exchanges):
                for unit, rating in turn_ratings(exchange, 2 * number):
                    if not rating.strip().isdecimal():
                        ledger.skip("score that is no number")
                        yield unit
                    elif judgement := rate(unit, rating, place, ledger):
                        yield judgement


def turn_ratings(exchange: Exchange, turn: int) -> Iterator[tuple[Judgement, str]]:
    """The six judgements of a turn, still without value, and what stands there.

    Outsiders are named with the corpus before, as F1 of one need not be F1 of another.
    """
    dialog = exchange.dialog
    unit = Judgement(dialog, turn, WIZARD, QUALITY, dialog, "interlocutor", None, LOW, HIGH)
    yield unit, exchange.own
    for name, rating in exchange.outsiders.items():
        judge = f"{dialog[:4]}-{name.removeprefix(RATING_TIER)}"
        yield unit._replace(judge=judge, judge_kind="outsider"), rating


def strip_annotations(transcript: str) -> str:
    """What was said, without the marks of who wrote it down."""
    before = ""  # annotations may be nested, so that it takes as many passes as they are deep
    while before != transcript:
        before, transcript = transcript, ANNOTATION.sub(r"\1", transcript)
    return transcript.replace(PAUSE, "").strip()


def exchanges_by_dialog(source: Source, ledger: Ledger) -> Iterator[list[PlacedExchange]]:
    """The exchanges of one dialog after another."""
    for _, group in groupby(read_exchanges(source, ledger), key=lambda pair: pair[1].dialog):
        yield list(group)


def read_exchanges(source: Source, ledger: Ledger) -> Iterator[PlacedExchange]:
    """The exchanges in their order, of a list, an ELAN file or a folder of those."""
    if source.folder:
        for path in sorted(source.folder.glob(f"*{ELAN}")):
            yield from elan_exchanges(source.file(path.name), ledger)
    elif source.head.kind == "text":
        yield from elan_exchanges(source, ledger)
    else:
        yield from source.values(Exchange, ledger)


def elan_exchanges(source: Source, ledger: Ledger) -> Iterator[PlacedExchange]:
    """The exchanges of an ELAN file: what all tiers hold while the Wizard's tier holds one."""
    place = Place(source.name, 1, 0)
    tiers = read_tiers(source.document(ledger), place, ledger)
    if missing := [name for name in (WIZARD_TIER, USER_TIER, OWN_RATING_TIER) if name not in tiers]:
        if tiers:
            ledger.reject(place, "tier", f"there is no tier {missing[0]!r}")
        return
    outsiders = [name for name in tiers if name.startswith(RATING_TIER) and name != OWN_RATING_TIER]
    for start, end, text in tiers[WIZARD_TIER]:
        own, user, *others = (
            PAUSE.join(value for at, _, value in tiers[name] if start <= at < end)
            for name in (OWN_RATING_TIER, USER_TIER, *outsiders)
        )
        scores = dict(zip(outsiders, others, strict=True))
        yield place, Exchange(source.stem, start, end, text, user, own, scores)


def read_tiers(
    document: bytes, place: Place, ledger: Ledger
) -> dict[str, list[tuple[int, int, str]]]:
    """Start, end and value of every annotation of every tier; times are milliseconds."""
    try:
        # entities could blow a small file up to gigabytes ("billion laughs"); ELAN writes none
        if b"<!DOCTYPE" in document or b"<!ENTITY" in document:
            raise ValueError
        root = ElementTree.fromstring(document)  # noqa: S314 - no entity can be declared
        times = {
            slot.get("TIME_SLOT_ID"): slot.get("TIME_VALUE") for slot in root.iter("TIME_SLOT")
        }
        tiers: dict[str, list[tuple[int, int, str]]] = {}
        for tier in root.iter("TIER"):
            annotations = []
            for one in tier.iter("ALIGNABLE_ANNOTATION"):
                ends = (times[one.get(f"TIME_SLOT_REF{n}")] for n in (1, 2))
                start, end = (int(end or "") for end in ends)
                annotations.append((start, end, one.findtext("ANNOTATION_VALUE") or ""))
            tiers[tier.get("TIER_ID", "")] = sorted(annotations)
        return tiers
    except (ElementTree.ParseError, KeyError, ValueError):
        ledger.reject(place, "elan", "not an ELAN file, or an annotation in it has no time")
        return {}
