"""Inputs as chunks of whole dialogs, in bounded memory.

    paths → Source → Reader.dialogs → ids checked, prefixed → ChunkBuilder → Turns + Alignment

A file is read once from start to end, except ConvoKit's, whose order is looked at first, and except
where there are several, of which the ids are read first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from simpatico import limits
from simpatico.errors import DataError
from simpatico.readers.alignment import Alignment
from simpatico.readers.chunk_builder import ChunkBuilder, Part, Piece
from simpatico.readers.cutting import cut_bytes, cut_source
from simpatico.readers.detect import matching_readers, pick_reader
from simpatico.readers.extra_columns import count_columns
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
from simpatico.readers.log_folder import expand_patterns, log_files
from simpatico.readers.redaction import redact_utterances
from simpatico.readers.sessions import split_sessions
from simpatico.turns import Turns

WORD = re.compile(r"\w+")
DUPLICATE_ID = "an earlier dialog of this file has the same id; give every dialog an id of its own"
RETURNING_DIALOG = (
    "a dialog that ended earlier in the file goes on here; "
    "sort the file by dialog, or pass --gather to collect it first"
)


@dataclass(frozen=True)
class Chunk:
    """Some complete dialogs, and what happened while they were read."""

    turns: Turns
    utterances: int
    notes: Mapping[str, Any]
    """What the alignment says beside what the turns tell."""
    rejects: list[Reject]
    format: str

    @cached_property
    def alignment(self) -> Alignment:
        """Counts that cost as much as reading a short conversation, made where they are asked."""
        counts = Alignment.of(self.turns, utterances=self.utterances)
        return replace(counts, columns=count_extra_columns(self.turns), **self.notes)


@dataclass(frozen=True)
class Conversations:
    """One or more inputs of conversations; "-" is standard input.

    A folder that is of no format itself is a folder of logs: all of its files that hold
    conversations are read, in the order of their names, as are those that a pattern (`logs/*.csv`)
    matches. Where several inputs have a dialog of the
    same id, it gets the file's stem before it (`stem/id`), and files of one stem are numbered
    (`stem-2/id`), so that ids never clash. `columns`: our field and the column of a table for it.
    `redact`: personal data that has a pattern becomes a placeholder. `idle_minutes`: a dialog ends
    where nothing is said for so long, and what follows is another one.
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
    idle_minutes: float | None = None

    @cached_property
    def inputs(self) -> tuple[list[Source], dict[str, str]]:
        """The inputs, folders of logs as their files, and why files of folders are ignored."""
        if not self.paths:
            raise DataError("no input; give one or more files, or - for standard input")
        sources, ignored = list[Source](), dict[str, str]()
        for path in expand_patterns(self.paths):
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
        ids = [self.dialog_ids(source) for source in self.sources]
        return find_clashes(ids, dialog_prefixes(self.sources))

    def dialog_ids(self, source: Source) -> set[str]:
        """The ids of one input's dialogs."""
        ledger, ids = Ledger("skip"), set[str]()
        if not source.is_rejected(ledger):
            reader = self.reader(source)
            for part in cut_source(source, reader, limits.CHUNK):
                if (frame := self.frame(reader, part)) is not None:
                    ids.update(frame["dialog"].unique())
                else:
                    dialogs = split_sessions(reader.dialogs(part, ledger), self.idle_minutes)
                    ids.update(rows[0].dialog for rows in dialogs if rows)
        return ids

    def chunks(self, size: int = 32_768) -> Iterator[Chunk]:
        """Parts of about `size` utterances, or fewer where they are long, read in order.

        A dialog is never cut in two.
        """
        most_bytes = max(limits.CHUNK, size)
        ledger, chunk = Ledger(self.on_error, self.max_errors), ChunkBuilder()
        chunk.ignored = self.inputs[1]
        for part in self.parts:
            if part.source.is_rejected(ledger):
                continue
            reader = self.reader(part.source)
            # a chunk is of one format, which its alignment names
            if len(chunk) and reader.name != chunk.format:
                yield self.chunk(chunk, ledger)
                chunk = ChunkBuilder()
            chunk.begin_input(part, reader)
            ids = set[str]()
            for source in self.cut(part.source, reader, cut_bytes(size)):
                for rows, n_bytes in self.dialogs(reader, source, ledger, ids):
                    if len(chunk) and chunk.n_bytes + n_bytes > most_bytes:
                        yield self.chunk(chunk, ledger)
                        chunk = ChunkBuilder(reader.name)
                    chunk.add(rows, n_bytes, part.prefix, self.clashing_ids)
                    if len(chunk) >= size:
                        yield self.chunk(chunk, ledger)
                        chunk = ChunkBuilder(reader.name)
        if len(chunk) or ledger.rejects or ledger.skip_counts or chunk.formats:
            yield self.chunk(chunk, ledger)

    def pieces(self, size: int) -> Iterator[Piece] | None:
        """Parts of the inputs that can be read one without the other, in the same order as chunks.

        Null where the inputs have to be read in order: dialogs are gathered, or an input is large
        and cannot be cut, or packed, so that nobody knows how large it is. That no dialog is in two
        pieces has to be checked afterwards.
        """
        most = cut_bytes(size)
        for source in self.sources:
            is_file = not source.spool and not source.folder
            if self.gather or not is_file or source.is_packed:
                return None
            is_divisible = source.has_plain_lines and self.reader(source).divisible
            if not is_divisible and source.size > most:
                return None
        return self.group_parts(most)

    def group_parts(self, n_bytes: int) -> Iterator[Piece]:
        """Parts of large files, and small files of one format together."""
        piece, total, format = list[Part](), 0, ""
        for part in self.parts:
            sources, name = iter([part.source]), format
            if not part.source.is_rejected(Ledger("skip")):
                reader = self.reader(part.source)
                name = reader.name
                if part.source.has_plain_lines:  # others are small, and cut by who reads them
                    sources = cut_source(part.source, reader, n_bytes)
            for source in sources:
                if piece and (total + source.size > n_bytes or name != format):
                    yield tuple(piece)
                    piece, total = [], 0
                piece.append(part._replace(source=replace(source, held=None)))
                total, format = total + source.size, name
        if piece:
            yield tuple(piece)

    def read_piece(self, piece: Piece) -> Chunk:
        """The dialogs of one piece."""
        ledger, chunk = Ledger(self.on_error, self.max_errors), ChunkBuilder()
        for part in piece:
            if part.source.is_rejected(ledger):
                continue
            reader = self.reader(part.source)
            chunk.begin_input(part, reader)
            ids = set[str]()
            for source in self.cut(part.source, reader, limits.CHUNK):
                for rows, n_bytes in self.dialogs(reader, source, ledger, ids):
                    chunk.add(rows, n_bytes, part.prefix, self.clashing_ids)
        return self.chunk(chunk, ledger)

    def cut(self, source: Source, reader: Reader, n_bytes: int) -> Iterator[Source]:
        """The parts of an input, which is one if its dialogs are gathered or it is a part."""
        if self.gather or source.span:
            return iter([source])
        return cut_source(source, reader, n_bytes)

    def __getstate__(self) -> dict[str, Any]:
        """What a worker needs to read a piece: the options, and the ids that clash."""
        options = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**options, "paths": (), "clashing_ids": self.clashing_ids}

    @cached_property
    def parts(self) -> list[Part]:
        """The inputs with their names; files that have one name in common go by their prefixes."""
        files = Counter(Path(source.name).name for source in self.sources)
        prefixes = dialog_prefixes(self.sources)
        names = [Path(source.name).name for source in self.sources]
        return [
            Part(source, prefix if files[name] > 1 else name, prefix)
            for source, name, prefix in zip(self.sources, names, prefixes, strict=True)
        ]

    def dialogs(
        self, reader: Reader, source: Source, ledger: Ledger, ids: set[str]
    ) -> Iterator[tuple[list[Utterance] | pl.DataFrame, int]]:
        """The dialogs of a part of one input with their bytes: all at once, or one by one.

        One that is too long is rejected, and one whose id is among `ids`, to which it adds.
        """
        frame = self.frame(reader, source)
        if frame is not None and (names := new_dialogs(frame, ids)) is not None:
            ids.update(names)
            yield frame, source.size
            return
        dialogs = reader.dialogs(source, ledger)
        if self.gather and reader.rows_are_utterances:  # needs the whole input in memory
            by_id: dict[str, list[Utterance]] = {}
            for dialog in dialogs:
                by_id.setdefault(dialog[0].dialog, []).extend(dialog)
            dialogs = iter(by_id.values())
        used_twice = "id_used_twice", DUPLICATE_ID
        if reader.rows_are_utterances:  # the dialog may go on, rather than be another one
            used_twice = "dialog_comes_back", RETURNING_DIALOG
        file = [Place(source.name, 0, 0)]
        for dialog in filter(None, split_sessions(dialogs, self.idle_minutes)):
            # every record of it; where records have no places, the file as a whole
            places = dialog.places if isinstance(dialog, Dialog) else file
            if dialog[0].dialog in ids:
                for place in places:
                    ledger.reject(place, *used_twice)
                continue
            n_bytes = count_bytes(dialog)
            if n_bytes > limits.DIALOG < sum(len(row.text.encode()) for row in dialog):
                ledger.reject(places[0], *long_record("dialog", limits.DIALOG))
            elif n_bytes > 2 * limits.DIALOG_WORDS < 2 * count_words(dialog):
                many = f"the dialog has more than {limits.DIALOG_WORDS:,} words; split it"
                ledger.reject(places[0], "long_dialog", many)
            else:
                ids.add(dialog[0].dialog)
                yield dialog, n_bytes

    def frame(self, reader: Reader, source: Source) -> pl.DataFrame | None:
        """The utterances of a part of an input at once, if it is small and all are plain."""
        is_cut = self.gather or self.idle_minutes is not None
        is_small = source.span and not is_cut and source.size <= limits.RECORD
        return reader.frame(source) if is_small else None

    def chunk(self, part: ChunkBuilder, ledger: Ledger) -> Chunk:
        """The chunk of these utterances; takes over what the ledger noted since the last one."""
        utterances, redacted = part.frame(), dict[str, int]()
        if self.redact:
            utterances, redacted = redact_utterances(utterances)
        turns = Turns.from_utterances(utterances, merge=self.merge)
        rejects, skip_counts = ledger.take()
        notes = {
            "aside": skip_counts,
            "rejected": dict(Counter(reject.code for reject in rejects)),
            "formats": part.formats,
            "ignored": part.ignored,
            "redacted": redacted,
        }
        return Chunk(turns, len(part), notes, rejects, part.format)


def new_dialogs(rows: pl.DataFrame, ids: Set[str]) -> list[str] | None:
    """The dialogs of these rows, if each stands together, is not too long and none is in `ids`."""
    column = rows["dialog"]
    starts = column.ne_missing(column.shift(1)).arg_true()
    names: list[str] = column.gather(starts).to_list()
    sizes = rows["text"].str.len_bytes() + rows["extras"].str.len_bytes().fill_null(0)
    lengths = np.add.reduceat(sizes.to_numpy(), starts.to_numpy())
    short = lengths.max() <= min(limits.DIALOG, 2 * limits.DIALOG_WORDS)
    return names if short and len({*names}) == len(names) and ids.isdisjoint(names) else None


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


def dialog_prefixes(sources: Sequence[Source]) -> list[str]:
    """A name for each source, to put before dialog ids that clash; empty if it is the only one."""
    if len(sources) == 1:
        return [""]
    names: list[str] = []
    for source in sources:
        names.append(free_name(source.stem, names))
    return names


def find_clashes(ids: Sequence[Set[str]], prefixes: Sequence[str]) -> frozenset[str]:
    """The ids that more than one input has, of the ids and the prefix of each."""
    counts = Counter(name for own in ids for name in own)
    clashes = {name for name, n in counts.items() if n > 1}
    pairs = zip(prefixes, ids, strict=True)
    names = {f"{prefix}/{name}" for prefix, own in pairs for name in own & clashes}
    # an id that looks like one with a prefix: then all get one, as prefixes differ
    return frozenset(counts if names & counts.keys() else clashes)


def count_extra_columns(turns: Turns) -> dict[str, int]:
    """How many turns have a value in each column that is none of our fields."""
    counts = count_columns(turns.frame["extras"])
    if times := len(turns) - turns.frame["time"].null_count():
        counts["time"] = times
    return counts


def count_bytes(dialog: Sequence[Utterance]) -> int:
    """About how many bytes the texts of a dialog have, its references and extras among them."""
    texts = [value for row in dialog for value in row if value.__class__ is str]
    for row in dialog:
        texts += row[7] or ()  # by name takes twice as long
    joined = "".join(texts)
    return len(joined) if joined.isascii() else len(joined.encode())


def count_words(dialog: Sequence[Utterance]) -> int:
    """About how many words a dialog has."""
    return sum(1 for row in dialog for _ in WORD.finditer(row.text))


def free_name(name: str, names: Container[str]) -> str:
    """The name, or the first with a number after it, that is none of these names."""
    tries = (name if n == 1 else f"{name}-{n}" for n in count(1))
    return next(one for one in tries if one not in names)
