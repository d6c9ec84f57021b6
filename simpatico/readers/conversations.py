"""Inputs as chunks of whole dialogs, in bounded memory.

    paths → Source → Reader.dialogs → ids checked, prefixed → ChunkBuilder → Turns + Alignment

A file is read once from start to end, except ConvoKit's, whose order is looked at first, and except
where there are several, of which the ids are read first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from simpatico import limits
from simpatico.errors import DataError
from simpatico.readers.alignment import Alignment
from simpatico.readers.detect import matching_readers, pick_reader
from simpatico.readers.extra_columns import extra_values
from simpatico.readers.input.raw_bytes import long_record
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
from simpatico.readers.log_folder import log_files
from simpatico.readers.redaction import redact_utterances
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

    A folder that is of no format itself is a folder of logs: all of its files that hold
    conversations are read, in the order of their names. Where several inputs have a dialog of the
    same id, it gets the file's stem before it (`stem/id`), and files of one stem are numbered
    (`stem-2/id`), so that ids never clash. `columns`: our field and the column of a table for it.
    `redact`: personal data that has a pattern becomes a placeholder.
    """

    paths: tuple[str | Path | Source, ...]
    format: str | None = None
    system: str | None = None
    merge: bool = True
    gather: bool = False
    on_error: OnError = "fail"
    max_errors: int | None = None
    columns: tuple[tuple[str, str], ...] = ()
    redact: bool = False

    @cached_property
    def inputs(self) -> tuple[list[Source], dict[str, str]]:
        """The inputs, folders of logs as their files, and why files of folders are ignored."""
        if not self.paths:
            raise DataError("no input; give one or more files, or - for standard input")
        sources, ignored = list[Source](), dict[str, str]()
        for path in self.paths:
            source = path if isinstance(path, Source) else Source.of(path)
            if source.folder and not any(r.matches(source.head) for r in self.readers(source)):
                files, others = log_files(source, self.readers)
                sources.extend(files)
                ignored |= others
            else:
                sources.append(source)
        return sources, ignored

    def readers(self, source: Source) -> list[Reader]:
        """The readers that an input may be for; of a format that is named, by suffix alone."""
        readers = matching_readers(source, self.format, system=self.system, mapping=self.columns)
        if self.format and not source.folder:
            return [reader for reader in readers if source.head.suffix in reader.suffixes]
        return readers

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The inputs, opened once; each may be given once."""
        sources = tuple(self.inputs[0])
        paths = set[Path | None]()
        for source in sources:
            path = source.path and source.path.resolve()
            if path in paths:
                raise DataError(f"{source.name}: the same input is given twice; give it once")
            paths.add(path)
        return sources

    def reader(self, source: Source) -> Reader:
        """The reader of one input."""
        return pick_reader(source, self.format, system=self.system, mapping=self.columns)

    @cached_property
    def clashing_ids(self) -> frozenset[str]:
        """The dialog ids that more than one input has, to be told apart by the file's name."""
        if len(self.sources) == 1:
            return frozenset()
        ids: list[set[str]] = []
        for source in self.sources:
            ledger = Ledger("skip")
            rejected = source.is_rejected(ledger)
            dialogs = iter(()) if rejected else self.reader(source).dialogs(source, ledger)
            ids.append({dialog[0].dialog for dialog in dialogs if dialog})
        counts = Counter(name for own in ids for name in own)
        clashes = {name for name, n in counts.items() if n > 1}
        prefixes = zip(dialog_prefixes(self.sources), ids, strict=True)
        names = {f"{prefix}/{name}" for prefix, own in prefixes for name in own & clashes}
        # an id that looks like one with a prefix: then all get one, as prefixes differ
        return frozenset(counts if names & counts.keys() else clashes)

    def chunks(self, size: int = 32_768) -> Iterator[Chunk]:
        """Parts of about `size` utterances, or fewer where they are long.

        A dialog is never cut in two.
        """
        most_bytes = max(limits.CHUNK, size)
        ledger = Ledger(self.on_error, self.max_errors)
        part = ChunkBuilder()
        part.ignored = self.inputs[1]
        files = [Path(source.name).name for source in self.sources]
        for source, prefix in zip(self.sources, dialog_prefixes(self.sources), strict=True):
            if source.is_rejected(ledger):
                continue
            reader = self.reader(source)
            # a chunk is of one format, which its alignment names
            if len(part) and reader.name != part.format:
                yield self.chunk(part, ledger)
                part = ChunkBuilder()
            part.format = reader.name
            columns = reader.columns(source.head).items()
            pairs = ", ".join(f"{ours} = {theirs}" for ours, theirs in columns)
            label = f"{reader.name} ({pairs})" if pairs else reader.name
            file = Path(source.name).name
            part.formats[prefix if files.count(file) > 1 else file] = label
            for dialog, n_bytes in self.dialogs(reader, source, ledger):
                if len(part) and part.n_bytes + n_bytes > most_bytes:
                    yield self.chunk(part, ledger)
                    part = ChunkBuilder(reader.name)
                clash = dialog[0].dialog in self.clashing_ids
                part.add(dialog, prefix if clash else "", n_bytes)
                if len(part) >= size:
                    yield self.chunk(part, ledger)
                    part = ChunkBuilder(reader.name)
        if len(part) or ledger.rejects or ledger.skip_counts or part.formats:
            yield self.chunk(part, ledger)

    def dialogs(
        self, reader: Reader, source: Source, ledger: Ledger
    ) -> Iterator[tuple[list[Utterance], int]]:
        """The dialogs of one input with their bytes; one that is too long is rejected.

        So is one whose id was there before.
        """
        dialogs = reader.dialogs(source, ledger)
        if self.gather and reader.rows_are_utterances:  # needs the whole input in memory
            by_id: dict[str, list[Utterance]] = {}
            for dialog in dialogs:
                by_id.setdefault(dialog[0].dialog, []).extend(dialog)
            dialogs = iter(by_id.values())
        used_twice = "id_used_twice", DUPLICATE_ID
        if reader.rows_are_utterances:  # the dialog may go on, rather than be another one
            used_twice = "dialog_comes_back", RETURNING_DIALOG
        ids, file = set[str](), [Place(source.name, 0, 0)]
        for dialog in filter(None, dialogs):
            # every record of it; where records have no places, the file as a whole
            places = dialog.places if isinstance(dialog, Dialog) else file
            if dialog[0].dialog in ids:
                for place in places:
                    ledger.reject(place, *used_twice)
                continue
            n_bytes = count_bytes(dialog)
            if n_bytes > limits.DIALOG < sum(len(row.text.encode()) for row in dialog):
                ledger.reject(places[0], *long_record("dialog", limits.DIALOG))
            else:
                ids.add(dialog[0].dialog)
                yield dialog, n_bytes

    def chunk(self, part: ChunkBuilder, ledger: Ledger) -> Chunk:
        """The chunk of these utterances; takes over what the ledger noted since the last one."""
        utterances, redacted = part.frame(), dict[str, int]()
        if self.redact:
            utterances, redacted = redact_utterances(utterances)
        turns = Turns.from_utterances(utterances, merge=self.merge)
        rejects, skip_counts = ledger.take()
        alignment = replace(
            Alignment.of(turns, utterances=len(part)),
            aside=skip_counts,
            rejected=dict(Counter(reject.code for reject in rejects)),
            formats=part.formats,
            ignored=part.ignored,
            columns=count_extra_columns(turns),
            redacted=redacted,
        )
        return Chunk(turns, alignment, rejects, part.format)


class ChunkBuilder:
    """Utterances on their way into a chunk, as columns: lists of strings, which the garbage
    collector need not walk, unlike a list of tuples.
    """

    def __init__(self, format: str = "") -> None:
        self.format = format
        self.formats: dict[str, str] = {}
        self.ignored: dict[str, str] = {}
        self.n_bytes = 0
        self._columns: list[list[Any]] = [[] for _ in SCHEMA]

    def __len__(self) -> int:
        return len(self._columns[0])

    def add(self, dialog: list[Utterance], prefix: str, n_bytes: int) -> None:
        """Append a dialog of so many bytes, with the prefix before its id."""
        for column, values in zip(self._columns, zip(*dialog, strict=True), strict=True):
            column.extend(values)
        if prefix:
            self._columns[0][-len(dialog) :] = [f"{prefix}/{dialog[0].dialog}"] * len(dialog)
        self.n_bytes += n_bytes

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
    """A name for each source, to put before dialog ids that clash; empty if it is the only one."""
    if len(sources) == 1:
        return [""]
    names: list[str] = []
    for source in sources:
        names.append(free_name(source.stem, names))
    return names


def count_extra_columns(turns: Turns) -> dict[str, int]:
    """How many turns have a value in each column that is none of our fields."""
    rows = turns.frame["extras"].drop_nulls().value_counts()
    counts: Counter[str] = Counter()
    for extras, n in rows.iter_rows():
        counts.update(dict.fromkeys(extra_values(extras), n))
    if times := len(turns) - turns.frame["time"].null_count():
        counts["time"] = times
    return dict(counts)


def count_bytes(dialog: Sequence[Utterance]) -> int:
    """About how many bytes the texts of a dialog have, its references and extras among them."""
    texts = [value for row in dialog for value in row if value.__class__ is str]
    for row in dialog:
        texts += row[7] or ()  # by name takes twice as long
    joined = "".join(texts)
    return len(joined) if joined.isascii() else len(joined.encode())


def free_name(name: str, names: Container[str]) -> str:
    """The name, or the first with a number after it, that is none of these names."""
    tries = (name if n == 1 else f"{name}-{n}" for n in count(1))
    return next(one for one in tries if one not in names)
