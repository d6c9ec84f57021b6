"""Samples of Inspect's logs, in whichever form they are kept."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any

import msgspec

from simpatico.readers.file_formats._chat import ChatMessage
from simpatico.readers.input import archive
from simpatico.readers.input.decode import decode, decode_records, locate_parts
from simpatico.readers.input.head import without_nan
from simpatico.readers.input.raw_bytes import EVAL_LOG
from simpatico.readers.input.record import Ledger, Place
from simpatico.readers.input.source import Source

HEADERS = ("header.json", "_journal/start.json")
"""Members that say what was evaluated; a run that was broken off has no header."""


class InspectEval(msgspec.Struct):
    """What was evaluated."""

    model: str | None = None
    task: str = ""


class InspectFile(msgspec.Struct):
    """The file, or the header of an archive."""

    samples: list[msgspec.Raw] | None = None
    eval: InspectEval = msgspec.field(default_factory=InspectEval)


class InspectSample(msgspec.Struct):
    """One conversation; long texts of its messages stand in `attachments`."""

    id: str | int
    messages: list[ChatMessage]
    epoch: int = 1
    attachments: dict[str, str] = {}
    scores: dict[str, Any] | None = None
    invalidation: Any = None


class ScoutTranscript(msgspec.Struct):
    """A row of Scout's database; its messages are JSON."""

    transcript_id: str
    messages: str | None = None
    task_set: str | None = None
    task_id: str | int | None = None
    model: str | None = None


Sample = tuple[Place, str, InspectSample, InspectEval]
"""Its place, its name as a dialog, what was said, and what was evaluated."""


def samples(source: Source, ledger: Ledger) -> Iterator[Sample]:
    """The samples of a log in any of its forms, with what was evaluated."""
    if source.head.kind == "parquet":
        return scout_samples(source, ledger)
    if EVAL_LOG.match(source.head.data):
        return archive_samples(source, ledger)
    return json_samples(source, ledger)


def json_samples(source: Source, ledger: Ledger) -> Iterator[Sample]:
    """The samples of a log in JSON."""
    # samples stay raw bytes at first, so that one that is broken costs no other
    document = without_nan(source.document(ledger))
    if not (log := decode(document, InspectFile, Place(source.name, 1, 0), ledger)):
        return
    start = max(document.find(b'"samples"'), 0)
    first = Place(source.name, document.count(b"\n", 0, start) + 1, start)
    raws = locate_parts(document, log.samples or [], first)
    read = msgspec.json.Decoder(InspectSample).decode
    for place, sample in decode_records(raws, read, ledger):
        yield place, f"{sample.id}:{sample.epoch}", sample, log.eval


def archive_samples(source: Source, ledger: Ledger) -> Iterator[Sample]:
    """The samples of an archive, one at a time; the place of a member is its number."""
    place, read = Place(source.name, 1, 0), msgspec.json.Decoder(InspectSample).decode
    with source.open_packed() as file:
        try:
            opened = zipfile.ZipFile(file)  # which does not own the file
            members = archive.last_members(opened)
            about = next((members[name] for name in HEADERS if name in members), None)
            header = archive.unpack_member(file, opened, about) if about else b"{}"
        except archive.DAMAGE as error:
            ledger.reject(place, *archive_problem(error))
            return
        log: InspectFile | None = decode(without_nan(header), InspectFile, place, ledger)
        for number, (name, member) in enumerate(members.items(), start=1):
            if log is None or not name.startswith("samples/"):
                continue
            place = Place(source.name, number, member.header_offset)
            try:
                record = without_nan(archive.unpack_member(file, opened, member))
            except archive.DAMAGE as error:
                ledger.reject(place, *archive_problem(error))
                continue
            for _, sample in decode_records([(place, record)], read, ledger):
                yield place, f"{sample.id}:{sample.epoch}", sample, log.eval


def archive_problem(error: Exception) -> tuple[str, str]:
    """Code and sentence for an archive that cannot be read."""
    return archive.BOMB if isinstance(error, archive.ArchiveBomb) else archive.DAMAGED


def scout_samples(source: Source, ledger: Ledger) -> Iterator[Sample]:
    """The transcripts of Scout's database."""
    for place, row in source.values(ScoutTranscript, ledger):
        messages = decode((row.messages or "[]").encode(), list[ChatMessage], place, ledger)
        if messages is not None:
            sample = InspectSample(row.task_id or "", messages)
            about = InspectEval(row.model, row.task_set or "")
            yield place, row.transcript_id, sample, about
