"""DSTC10 track 5, development sets: a list of responses or dialogs with one rating per judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats import fed
from simpatico.readers.file_formats._benchmark import (
    Judged,
    Line,
    Rating,
    Scale,
    alternating,
    judgements,
    person,
    utterances,
)
from simpatico.readers.input.decode import decoded, once_each
from simpatico.readers.input.record import Ledger, Place, Utterance
from simpatico.readers.input.source import Head, Source

FIVE: dict[str, Scale] = {"*": (1.0, 5.0)}
USR: dict[str, Scale] = {
    "Understandable": (0.0, 1.0),
    "Uses Knowledge": (0.0, 1.0),
    "Overall": (1.0, 5.0),
    "*": (1.0, 3.0),
}
SCALES: dict[str, dict[str, Scale]] = {
    "dailydialog-zhao": FIVE,
    "persona-zhao": FIVE,
    "dailydialog-gupta": FIVE,
    "persona-usr": USR,
    "topical-usr": USR,
    "fed-turn": fed.SCALES,
    "fed-dial": fed.SCALES,
}
"""By data set, which is the dialogue_id up to its last underscore; other sets have no scale."""

MEANS = frozenset({"dailydialog-gupta"})
"""Data sets whose lists hold one number, the mean over judges."""

SYSTEM, USER = ("model", "system"), ("human", "user")
"""What the two sides of a dialog-level row are called."""


class Said(msgspec.Struct):
    """A line of a dialog-level row."""

    speaker: str
    text: str


class Row(msgspec.Struct):
    """A response to a context, or a whole dialog."""

    dialogue_id: str
    annotations: dict[str, list[Rating]]
    model: str | None = None
    context: str | None = None
    response: str | None = None
    reference: list[str] | None = None
    fact: str | None = None
    dialog: list[Said] | None = None
    dialogue: list[Said] | None = None


@dataclass(frozen=True)
class DSTC10Dev:
    """A row is a dialog: with `context` and `response` one turn is judged, else all of the model's.

    Judges are outsiders, and numbered by position. The fact or persona of the USR sets is in the
    response's extras.
    """

    name: ClassVar[str] = "dstc10-dev"
    about: ClassVar[str] = "DSTC10 track 5 development sets: rows with ratings of several judges"
    suffixes: ClassVar[tuple[str, ...]] = (".json",)

    system: str | None = None

    def matches(self, head: Head) -> bool:
        turn, dialog = {"context", "response"}, ({"dialog"}, {"dialogue"})
        return {"dialogue_id", "annotations"} <= head.keys and any(
            fields <= head.keys for fields in (turn, *dialog)
        )

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        return map(utterances, self.rows(source, ledger))

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        for row in self.rows(source, ledger):
            name = row.dialog.rpartition("_")[0]
            for judgement in judgements(row, SCALES.get(name, {}), ledger):
                yield judgement._replace(judge=None) if name in MEANS else judgement

    def rows(self, source: Source, ledger: Ledger) -> Iterator[Judged]:
        """The rows that can be read; a dialogue_id that comes again is refused."""
        found = decoded(source.records(ledger), ROW.decode, ledger)
        for place, row in once_each(found, lambda row: row.dialogue_id, ledger):
            if judged := self.judged(row, place, ledger):
                yield judged

    def judged(self, row: Row, place: Place, ledger: Ledger) -> Judged | None:
        """The row in the words of this package."""
        system = person(row.model or self.system or "system")
        said = row.dialogue if row.dialog is None else row.dialog
        if said is not None:
            lines = [Line(side(line.speaker, system), line.text) for line in said]
            return Judged(row.dialogue_id, place, lines, system, row.annotations, whole=True)
        if row.context is None or row.response is None:
            reason = "a row needs 'context' and 'response', or 'dialogue'"
            ledger.reject(place, "missing", reason)
            return None
        lines = responded(row.context, row.response, system)
        extras = None if row.fact is None else msgspec.json.encode({"fact": row.fact}).decode()
        return Judged(
            row.dialogue_id,
            place,
            lines,
            system,
            row.annotations,
            references=row.reference,
            extras=extras,
        )


def side(speaker: str, system: str) -> str:
    """The speaker's name here; a person who talks with the system called human is the user."""
    if speaker.lower() in SYSTEM:
        return system
    return "user" if speaker.lower() in USER else speaker


def responded(context: str, response: str, system: str) -> list[Line]:
    """The lines of the context, told apart by their labels or by turns, and the response."""
    if fed.labelled(context):
        return fed.spoken(context, response, system)
    texts = [line.strip() for line in context.split("\n") if line.strip()]
    return [*alternating(texts), Line(system, response)]


ROW = msgspec.json.Decoder(Row)
