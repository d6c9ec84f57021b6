"""Group commit: changes of several threads in one SQLite transaction, synced once for all of them.

SQLite has one writer at a time, and a commit is over only when the disk says so, which on a busy
disk takes tens of milliseconds. Whoever comes while another commits does not wait for a commit of
each one before, but shares the next one. PostgreSQL does the same by itself.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.engine import Connection, Engine

from simpatico.errors import RunError

MAX_CHANGES = 32
"""Changes in one transaction; after these it is committed though others wait."""


class Batch:
    """A transaction of several threads; each has a savepoint, so that one that fails is alone."""

    def __init__(self, engine: Engine) -> None:
        self.connection, self.size = engine.connect(), 0
        self._done = threading.Event()
        self._error: Exception | None = None
        try:
            self.connection.begin()
        except BaseException:
            self.connection.close()
            raise

    def commit(self) -> None:
        """End the transaction; whether that worked is for `wait` to say, to every thread."""
        try:
            # on a full disk SQLite gives the whole transaction up, and a commit then does nothing
            if not getattr(self.connection.connection.driver_connection, "in_transaction", False):
                raise RunError("the store could not save the answers of a moment", resumable=True)
            self.connection.commit()
        except Exception as error:
            self._error = error
        finally:
            self.connection.close()
            self._done.set()

    def wait(self) -> None:
        """Return once everything is on disk."""
        self._done.wait()
        if self._error is not None:
            raise self._error


class GroupCommit:
    """The writers of one process on one SQLite file."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._waiting = engine, 0
        self._batch: Batch | None = None
        self._turn, self._count = threading.Lock(), threading.Lock()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A change of its own; when this is left, it is on disk."""
        with self._count:
            self._waiting += 1
        with self._turn:
            with self._count:
                self._waiting -= 1
            batch = self._batch = self._batch or Batch(self._engine)
            try:
                with batch.connection.begin_nested():
                    yield batch.connection
            finally:
                batch.size += 1
                if not self._waiting or batch.size >= MAX_CHANGES:
                    self._batch = None
                    batch.commit()
        batch.wait()
