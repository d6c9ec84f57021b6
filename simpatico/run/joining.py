"""The tables of a run, joined from its parts in their order, whoever scored them and when.

Where other processes score, parts are joined meanwhile: each as soon as it and all before it are
there. A table gets its name once it is known how many parts there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from threading import Condition
from typing import Any, NamedTuple, Self

import polars as pl

from simpatico.files import fault, write_atomically
from simpatico.run.folder import part_path
from simpatico.run.row_groups import write_table
from simpatico.run.schema import describe_file
from simpatico.system_means import read_slices


class Cancelled(Exception):
    """Ends the joining of parts that are of no use any more."""


class Former(NamedTuple):
    """Row groups of an earlier table with which the new one begins."""

    table: Path
    groups: int
    first_part: int
    """The first part of which not all rows are among them."""
    rows: int
    """How many of its rows are."""


class Joining:
    """Joins parts into tables in threads, since Polars needs no lock of Python's to write.

    As a context it ends what is under way.
    """

    def __init__(
        self, folder: Path, *, keep_text: bool, former: Mapping[str, Former] | None = None
    ) -> None:
        self.folder, self.former = folder, former or {}
        self.tables = ("turn", "dialog", *(["text"] if keep_text else []))
        self.changed, self.is_cancelled = Condition(), False
        self.parts: int | None = None
        self.pool: ThreadPoolExecutor | None = None
        self.futures = list[Future[dict[str, Any]]]()

    @property
    def first_part(self) -> int:
        """The first part that any table needs."""
        formers = map(self.former.get, self.tables)
        return min(former.first_part if former else 0 for former in formers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *rest: object) -> None:
        # Ctrl-C may have come while a lock was taken, which is then never given back
        self.cancel(wait=error is not KeyboardInterrupt)

    def start(self, threads: int) -> None:
        """Begin with the parts that are there."""
        self.is_cancelled = False
        self.pool = ThreadPoolExecutor(threads)
        self.futures = [self.pool.submit(self.join, table) for table in self.tables]

    def look(self) -> None:
        """Look for new parts."""
        with self.changed:
            self.changed.notify_all()

    def cancel(self, *, wait: bool = True) -> None:
        """End what is under way; a table that is not finished leaves nothing."""
        with self.changed:
            self.is_cancelled = True
            self.changed.notify_all()
        if self.pool:
            self.pool.shutdown(wait, cancel_futures=True)
        self.pool = None

    def finish(self, parts: int, *, renew: bool) -> None:
        """All parts are there, so many; begin again if those that were joined have changed."""
        if renew:
            self.cancel()
        with self.changed:
            self.parts = parts
            self.changed.notify_all()
        if not self.pool:
            self.start(1)

    def wait(self) -> dict[str, dict[str, Any]]:
        """What is to be said of each table, once all are there; raises what prevented one."""
        each = zip(self.tables, self.futures, strict=True)
        return {f"{table}.parquet": future.result() for table, future in each}

    def join(self, table: str) -> dict[str, Any]:
        """Write a table as its parts come; its size, rows and hash."""
        former = self.former.get(table)
        copied = (former.table, former.groups) if former else None
        frames = self.frames(table, former)
        path = self.folder / f"{table}.parquet"
        write_atomically(path, partial(write_table, frames, copied=copied))
        fault("joined")
        return describe_file(path)

    def frames(self, table: str, former: Former | None) -> Iterator[pl.DataFrame]:
        """The rows of all parts but those of the former table."""
        first, rows = (former.first_part, former.rows) if former else (0, 0)
        for index in self.indexes(first):
            part = pl.scan_ipc(part_path(self.folder, index, f"{table}.arrow"), glob=False)
            yield from read_slices(part.slice(rows) if rows else part)
            rows = 0

    def indexes(self, first: int) -> Iterator[int]:
        """The numbers of the parts from the first on, each once it is there."""
        for index in count(first):
            with self.changed:
                while not (self.is_there(index) or self.is_cancelled or self.parts == index):
                    self.changed.wait()
                if self.is_cancelled:
                    raise Cancelled
                if self.parts == index:
                    return
            yield index

    def is_there(self, index: int) -> bool:
        """Whether a part is complete; other columns of the input are added once all are known."""
        if self.parts is not None:
            return index < self.parts
        paths = (part_path(self.folder, index, ending) for ending in ("json", "extras.parquet"))
        return [path.exists() for path in paths] == [True, False]
