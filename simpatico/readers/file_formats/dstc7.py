"""DSTC7, task 2: a folder of tables with passages, responses of systems, references and ratings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from simpatico.judgements import Judgement
from simpatico.readers.file_formats._benchmark import Judged, Line, person, unit, usable, utterances
from simpatico.readers.input.decode import by_header
from simpatico.readers.input.record import Ledger, Place, Utterance
from simpatico.readers.input.source import Head, Source

START = "dstc7-task2-"
CONTEXTS, RESPONSES = f"{START}context.tsv", f"{START}system_responses.tsv"
REFERENCES, RATINGS = f"{START}gold_responses.tsv", f"{START}human-eval-per-judge.tsv"

QUALITIES = ("Relevance", "Informativeness")
SAME = {"TeamEC": "TeamCE"}
"""Ratings of TeamEC are a second round for TeamCE: only so do the published means come out."""

Cells = tuple[Place, dict[str, str]]


@dataclass(frozen=True)
class DSTC7:
    """Each response is a dialog of two turns: the passage that was talked about, and the response.

    What people said before the response is not in the folder. Judges are outsiders with ids; the
    few responses that a judge rated twice keep the first rating.
    """

    name: ClassVar[str] = "dstc7"
    about: ClassVar[str] = "DSTC7 task 2: folder with contexts, responses and ratings per judge"
    suffixes: ClassVar[tuple[str, ...]] = ("",)

    system: str | None = None

    def matches(self, head: Head) -> bool:
        folder = head.folder
        return folder is not None and all((folder / n).is_file() for n in (CONTEXTS, RESPONSES))

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        return map(utterances, rows(source, ledger))

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        about = {row.dialog: unit(row) for row in rows(source, ledger)}
        seen: set[tuple[str, str]] = set()
        for place, cells in table(source.file(RATINGS), COLUMNS[RATINGS], ledger):
            system = SAME.get(cells["SystemID"], cells["SystemID"])
            dialog, judge = named(cells["InstanceID"], system), cells["JudgeID"]
            if dialog not in about:
                ledger.reject(place, "unknown", "there is no response that this rating is about")
            elif (dialog, judge) in seen:
                ledger.set_aside("second rating of a response by one judge")
            else:
                seen.add((dialog, judge))
                rated = about[dialog]._replace(judge=judge, scale_min=1.0, scale_max=5.0)
                yield from given(rated, place, cells, ledger)


def given(
    rated: Judgement, place: Place, cells: dict[str, str], ledger: Ledger
) -> Iterator[Judgement]:
    """One judge's ratings of a response."""
    for quality in QUALITIES:
        named = rated._replace(quality=quality.lower())
        if judgement := usable(named, cells[quality], place, ledger):
            yield judgement


def rows(source: Source, ledger: Ledger) -> Iterator[Judged]:
    """The responses that can be read, in the order of the file."""
    contexts = {c["InstanceID"]: c["Context"] for _, c in read(source, CONTEXTS, ledger)}
    references = dict(gold(source, ledger))
    seen: set[str] = set()
    for place, cells in read(source, RESPONSES, ledger):
        instance, system = cells["InstanceID"], person(cells["SystemID"])
        dialog = named(instance, cells["SystemID"])
        if instance not in contexts:
            ledger.reject(place, "unknown", "no context has this InstanceID")
        elif dialog in seen:
            ledger.reject(place, "duplicate_id", "the system answered this context in a row before")
        else:
            seen.add(dialog)
            lines = [Line("context-a", contexts[instance]), Line(system, cells["Response"])]
            known = references.get(instance)
            yield Judged(dialog, place, lines, system, {}, references=known)


def gold(source: Source, ledger: Ledger) -> Iterator[tuple[str, list[str]]]:
    """The references of each context, if the folder has that file."""
    if source.folder and (source.folder / REFERENCES).is_file():
        for _, (instance, *texts) in lines(source.file(REFERENCES), ledger):
            yield instance, [text for text in texts if text.strip()]


def read(source: Source, name: str, ledger: Ledger) -> Iterator[Cells]:
    return table(source.file(name), COLUMNS[name], ledger)


def table(source: Source, needed: tuple[str, ...], ledger: Ledger) -> Iterator[Cells]:
    """The rows of a table with a header."""
    found = lines(source, ledger)
    place, header = next(found, (Place(source.name, 1, 0), []))
    if missing := [name for name in needed if name not in header]:
        ledger.reject(place, "header", f"there is no column {missing[0]!r}")
        return
    yield from by_header(found, header, ledger)


def lines(source: Source, ledger: Ledger) -> Iterator[tuple[Place, list[str]]]:
    """Cells between tabs; a quotation mark in these files is part of the text."""
    for place, raw in source.scan(ledger):
        try:
            text = raw.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            ledger.reject(place, "utf8", "the text is not valid UTF-8")
            continue
        if text:
            yield place, text.split("\t")


def named(instance: str, system: str) -> str:
    """The id of a dialog: which context, and who answered."""
    return f"{instance}:{system}"


COLUMNS = {
    CONTEXTS: ("InstanceID", "Context"),
    RESPONSES: ("SystemID", "InstanceID", "Response"),
    RATINGS: ("JudgeID", "InstanceID", "SystemID", *QUALITIES),
}
