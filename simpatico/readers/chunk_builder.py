"""Utterances on their way into a chunk, and where they come from."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, NamedTuple

import polars as pl

from simpatico.readers.input.record import Reader, Utterance, utterance_frame
from simpatico.readers.input.source import Source
from simpatico.turns import SCHEMA


class Part(NamedTuple):
    """An input or a part of one; its name in results, and before dialog ids that clash."""

    source: Source
    name: str
    prefix: str


Piece = tuple[Part, ...]
"""What one worker reads: part of a large file, or several small ones."""


class ChunkBuilder:
    """Utterances on their way into a chunk: frames, and columns of single utterances.

    These are lists of strings, which the garbage collector need not walk, unlike a list of tuples.
    """

    def __init__(self, format: str = "") -> None:
        self.format = format
        self.formats: dict[str, str] = {}
        self.ignored: dict[str, str] = {}
        self.n_bytes = 0
        self._frames: list[pl.DataFrame] = []
        self._columns: list[list[Any]] = [[] for _ in SCHEMA]

    def __len__(self) -> int:
        return len(self._columns[0]) + sum(frame.height for frame in self._frames)

    def begin_input(self, part: Part, reader: Reader) -> None:
        """Note the format of an input, with the columns that it calls otherwise."""
        columns = reader.columns(part.source.head).items()
        pairs = ", ".join(f"{ours} = {theirs}" for ours, theirs in columns)
        self.format = reader.name
        self.formats[part.name] = f"{reader.name} ({pairs})" if pairs else reader.name

    def add(
        self, rows: list[Utterance] | pl.DataFrame, n_bytes: int, prefix: str, clashes: Set[str]
    ) -> None:
        """Append dialogs of so many bytes, with the prefix before an id that clashes."""
        self.n_bytes += n_bytes
        if isinstance(rows, pl.DataFrame):
            self._end_columns()
            if clashes:
                name = pl.col("dialog")
                clash = name.is_in(pl.Series(list(clashes), dtype=pl.String).implode())
                full = pl.when(clash).then(pl.format("{}/{}", pl.lit(prefix), name)).otherwise(name)
                rows = rows.with_columns(full.alias("dialog"))
            self._frames.append(rows)
            return
        for column, values in zip(self._columns, zip(*rows, strict=True), strict=True):
            column.extend(values)
        if rows[0].dialog in clashes:
            self._columns[0][-len(rows) :] = [f"{prefix}/{rows[0].dialog}"] * len(rows)

    def _end_columns(self) -> None:
        if self._columns[0] or not self._frames:
            self._frames.append(utterance_frame(dict(zip(SCHEMA, self._columns, strict=True))))
            self._columns = [[] for _ in SCHEMA]

    def frame(self) -> pl.DataFrame:
        """The utterances as a table."""
        self._end_columns()
        micro = (pl.col("time") * 1e6).round().cast(pl.Int64)  # times come in seconds
        return pl.concat(self._frames).with_columns(micro.cast(SCHEMA["time"]))
