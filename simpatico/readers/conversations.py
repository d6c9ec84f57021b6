"""Inputs as chunks of whole dialogs, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from simpatico.errors import DataError
from simpatico.readers.alignment import Alignment
from simpatico.readers.detect import Reader, pick
from simpatico.readers.input.dialog_ids import Seen
from simpatico.readers.input.record import Dialog, Ledger, OnError, Place, Reject, Utterance
from simpatico.readers.input.source import Source
from simpatico.turns import SCHEMA, Turns

USED_TWICE = "an earlier dialog of this file has the same id; give every dialog an id of its own"
COMES_BACK = (
    "a dialog that ended earlier in the file goes on here; "
    "sort the file by dialog, or pass --gather to collect it first"
)


class Chunk(NamedTuple):
    """Some whole dialogs, and what happened while they were read."""

    turns: Turns
    alignment: Alignment
    rejects: list[Reject]
    format: str


@dataclass(frozen=True)
class Conversations:
    """One or more inputs of conversations; "-" is standard input.

    Where several are given, every dialog id gets the file's stem before it (`stem/id`), and files
    of one stem are numbered (`stem-2/id`), so that ids never clash.
    """

    paths: tuple[str | Path, ...]
    format: str | None = None
    system: str | None = None
    merge: bool = True
    gather: bool = False
    on_error: OnError = "fail"
    max_errors: int | None = None

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The inputs, opened once; each may be given once."""
        if not self.paths:
            raise DataError("no input; give one or more files, or - for standard input")
        sources = tuple(Source.of(path) for path in self.paths)
        known = set[Path | None]()
        for source in sources:
            where = source.path and source.path.resolve()
            if where in known:
                raise DataError(f"{source.name}:0: the same input is given twice; give it once")
            known.add(where)
        return sources

    def chunks(self, size: int = 32_768) -> Iterator[Chunk]:
        """Parts of about `size` utterances; a dialog is never cut in two."""
        ledger = Ledger(self.on_error, self.max_errors)
        part = Part()
        for source, prefix in zip(self.sources, prefixes(self.sources), strict=True):
            if source.refused(ledger):
                continue
            reader = pick(source, format=self.format, system=self.system)
            if len(part) and reader.name != part.format:
                yield self.chunk(part, ledger)
                part = Part()
            part.format = reader.name
            part.formats[prefix or Path(source.name).name] = described(reader, source)
            for dialog in self.dialogs(reader, source, ledger):
                part.add(dialog, prefix)
                if len(part) >= size:
                    yield self.chunk(part, ledger)
                    part = Part(reader.name)
        if len(part) or ledger.rejects or ledger.aside or part.formats:
            yield self.chunk(part, ledger)

    def dialogs(self, reader: Reader, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        """The dialogs of one input, each once."""
        found = reader.dialogs(source, ledger)
        scattered = getattr(reader, "scattered", False)
        if self.gather and scattered:
            return collected(found)
        told = ("dialog_comes_back", COMES_BACK) if scattered else ("id_used_twice", USED_TWICE)
        return only_new(found, ledger, Place(source.name, 0, 0), told)

    def chunk(self, part: Part, ledger: Ledger) -> Chunk:
        """The chunk of these utterances; takes over what the ledger noted since the last one."""
        turns = Turns.from_utterances(part.frame(), merge=self.merge)
        rejects, aside = ledger.take()
        alignment = replace(
            Alignment.of(turns, utterances=len(part)),
            aside=aside,
            rejected=dict(Counter(reject.code for reject in rejects)),
            formats=part.formats,
        )
        return Chunk(turns, alignment, rejects, part.format)


class Part:
    """Utterances on their way into a chunk, as columns: lists of text burden nobody."""

    def __init__(self, format: str = "") -> None:
        self.format = format
        self.formats: dict[str, str] = {}
        self._columns: list[list[Any]] = [[] for _ in SCHEMA]

    def __len__(self) -> int:
        return len(self._columns[0])

    def add(self, dialog: list[Utterance], prefix: str) -> None:
        """Append a dialog, with the prefix before its id."""
        for column, values in zip(self._columns, zip(*dialog, strict=True), strict=True):
            column.extend(values)
        if prefix:
            self._columns[0][-len(dialog) :] = [f"{prefix}/{dialog[0].dialog}"] * len(dialog)

    def frame(self) -> pl.DataFrame:
        """The utterances as a table."""
        columns = zip(SCHEMA.items(), self._columns, strict=True)
        return pl.DataFrame([series(name, kind, values) for (name, kind), values in columns])


def series(name: str, kind: pl.DataType, values: list[Any]) -> pl.Series:
    """One column; times come in seconds."""
    if name != "time":
        return pl.Series(name, values, kind)
    micro = pl.Series(name, values, pl.Float64) * 1e6
    return micro.round().cast(pl.Int64).cast(kind)


def read(
    path: str | Path,
    *,
    format: str | None = None,
    system: str | None = None,
    merge: bool = True,
    gather: bool = False,
    on_error: OnError = "fail",
) -> Turns:
    """All conversations of one input, in memory; use `Conversations` for more than fits."""
    given = Conversations((path,), format, system, merge, gather, on_error)
    return Turns(pl.concat([chunk.turns.frame for chunk in given.chunks()]).rechunk())


def collected(dialogs: Iterable[list[Utterance]]) -> Iterator[list[Utterance]]:
    """All utterances by dialog, in order of first appearance; needs the whole input in memory."""
    found: dict[str, list[Utterance]] = {}
    for dialog in dialogs:
        found.setdefault(dialog[0].dialog, []).extend(dialog)
    return iter(found.values())


def only_new(
    dialogs: Iterable[list[Utterance]], ledger: Ledger, whole: Place, told: tuple[str, str]
) -> Iterator[list[Utterance]]:
    """The dialogs; one whose id was there before is rejected, record by record, as `told`."""
    seen = Seen()
    for dialog in dialogs:
        if not dialog:
            continue
        if seen.add(dialog[0].dialog):
            yield dialog
            continue
        for place in dialog.places if isinstance(dialog, Dialog) else [whole]:
            ledger.reject(place, *told)


def prefixes(sources: tuple[Source, ...]) -> list[str]:
    """What to put before the dialog ids of each source: nothing if there is only one."""
    if len(sources) == 1:
        return [""]
    names: list[str] = []
    for source in sources:
        tries = (source.stem if n == 1 else f"{source.stem}-{n}" for n in count(1))
        names.append(next(name for name in tries if name not in names))
    return names


def described(reader: Reader, source: Source) -> str:
    """The format's name, and which columns were taken for ours."""
    columns = getattr(reader, "columns", None)
    other = columns(source.head) if columns else {}
    pairs = ", ".join(f"{ours} = {theirs}" for ours, theirs in other.items())
    return f"{reader.name} ({pairs})" if pairs else reader.name
