"""Inputs as chunks of whole dialogs, in bounded memory.

    paths → Source → Reader.dialogs → ids checked, prefixed → ChunkBuilder → Turns + Alignment

A file is read once from start to end, except ConvoKit's, whose order is looked at first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from simpatico.errors import DataError
from simpatico.readers.alignment import Alignment
from simpatico.readers.detect import pick_reader
from simpatico.readers.input.record import (
    Dialog,
    Ledger,
    OnError,
    Place,
    Reader,
    Reject,
    Utterance,
)
from simpatico.readers.input.source import Source
from simpatico.turns import SCHEMA, Turns

DUPLICATE_ID = "an earlier dialog of this file has the same id; give every dialog an id of its own"
RETURNING_DIALOG = (
    "a dialog that ended earlier in the file goes on here; "
    "sort the file by dialog, or pass --gather to collect it first"
)


class Chunk(NamedTuple):
    """Some complete dialogs, and what happened while they were read."""

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

    paths: tuple[str | Path | Source, ...]
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
        sources = tuple(p if isinstance(p, Source) else Source.of(p) for p in self.paths)
        paths = set[Path | None]()
        for source in sources:
            path = source.path and source.path.resolve()
            if path in paths:
                raise DataError(f"{source.name}: the same input is given twice; give it once")
            paths.add(path)
        return sources

    def chunks(self, size: int = 32_768) -> Iterator[Chunk]:
        """Parts of about `size` utterances; a dialog is never cut in two."""
        ledger = Ledger(self.on_error, self.max_errors)
        part = ChunkBuilder()
        for source, prefix in zip(self.sources, dialog_prefixes(self.sources), strict=True):
            if source.is_rejected(ledger):
                continue
            reader = pick_reader(source, format=self.format, system=self.system)
            # a chunk is of one format, which its alignment names
            if len(part) and reader.name != part.format:
                yield self.chunk(part, ledger)
                part = ChunkBuilder()
            part.format = reader.name
            columns = reader.columns(source.head).items()
            pairs = ", ".join(f"{ours} = {theirs}" for ours, theirs in columns)
            label = f"{reader.name} ({pairs})" if pairs else reader.name
            part.formats[prefix or Path(source.name).name] = label
            for dialog in self.dialogs(reader, source, ledger):
                part.add(dialog, prefix)
                if len(part) >= size:
                    yield self.chunk(part, ledger)
                    part = ChunkBuilder(reader.name)
        if len(part) or ledger.rejects or ledger.skip_counts or part.formats:
            yield self.chunk(part, ledger)

    def dialogs(self, reader: Reader, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        """The dialogs of one input; one whose id was there before is rejected."""
        dialogs = reader.dialogs(source, ledger)
        if self.gather and reader.rows_are_utterances:  # needs the whole input in memory
            by_id: dict[str, list[Utterance]] = {}
            for dialog in dialogs:
                by_id.setdefault(dialog[0].dialog, []).extend(dialog)
            yield from by_id.values()
            return
        code, reason = "id_used_twice", DUPLICATE_ID
        if reader.rows_are_utterances:  # the dialog may go on, rather than be another one
            code, reason = "dialog_comes_back", RETURNING_DIALOG
        ids, file = set[str](), [Place(source.name, 0, 0)]
        for dialog in filter(None, dialogs):
            if dialog[0].dialog not in ids:
                ids.add(dialog[0].dialog)
                yield dialog
                continue
            # every record of it; where records have no places, the file as a whole
            for place in dialog.places if isinstance(dialog, Dialog) else file:
                ledger.reject(place, code, reason)

    def chunk(self, part: ChunkBuilder, ledger: Ledger) -> Chunk:
        """The chunk of these utterances; takes over what the ledger noted since the last one."""
        turns = Turns.from_utterances(part.frame(), merge=self.merge)
        rejects, skip_counts = ledger.take()
        alignment = replace(
            Alignment.of(turns, utterances=len(part)),
            aside=skip_counts,
            rejected=dict(Counter(reject.code for reject in rejects)),
            formats=part.formats,
        )
        return Chunk(turns, alignment, rejects, part.format)


class ChunkBuilder:
    """Utterances on their way into a chunk, as columns: lists of strings, which the garbage
    collector need not walk, unlike a list of tuples.
    """

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
        columns = dict(zip(SCHEMA, self._columns, strict=True))
        frame = pl.DataFrame(columns, {**SCHEMA, "time": pl.Float64})
        micro = (pl.col("time") * 1e6).round().cast(pl.Int64)  # times come in seconds
        return frame.with_columns(micro.cast(SCHEMA["time"]))


def read(
    path: str | Path | Source,
    *,
    format: str | None = None,
    system: str | None = None,
    merge: bool = True,
    gather: bool = False,
    on_error: OnError = "fail",
) -> Turns:
    """All conversations of one input, in memory; use `Conversations` for more than fits."""
    conversations = Conversations((path,), format, system, merge, gather, on_error)
    return Turns(pl.concat([chunk.turns.frame for chunk in conversations.chunks()]).rechunk())


def dialog_prefixes(sources: tuple[Source, ...]) -> list[str]:
    """What to put before the dialog ids of each source: nothing if there is only one."""
    if len(sources) == 1:
        return [""]
    names: list[str] = []
    for source in sources:
        names.append(free_name(source.stem, names))
    return names


def free_name(name: str, names: Container[str]) -> str:
    """The name, or the first with a number after it, that is none of these names."""
    tries = (name if n == 1 else f"{name}-{n}" for n in count(1))
    return next(one for one in tries if one not in names)
