"""Answers on their way into a file: each is on disk before the next is asked for.

`FILE.partial` holds what was answered, in the order in which it came, one JSON list of rows a
dialog. At the end FILE appears whole, in the order of the prompts, and the other one goes. A kill
at any moment loses at most the answers that had not arrived.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import msgspec

from simpatico.errors import RunError
from simpatico.files import publish

Row = dict[str, Any]
Rows = list[Row]


def held(out: Path) -> RunError:
    return RunError(f"{out} is being written by another process; wait or name another file")


def foreign(out: Path) -> RunError:
    return RunError(f"{out} holds something else than answers of a bot; name another file")


class Journal:
    """The answers of one file, held by one process; use as a context.

    `about` is what the answers depend on: those that were got with anything else are refused.
    `fresh` when there are answers that FILE does not hold yet.
    """

    def __init__(self, out: Path, about: Mapping[str, Any]) -> None:
        self.out, self.about = out, msgspec.json.decode(msgspec.json.encode(about))
        self.path = out.with_name(f"{out.name}.partial")
        self.known: dict[str, Rows] = {}
        self.fresh = False

    def __enter__(self) -> Journal:
        self.file = locked(self.path, self.out)
        try:
            for rows in self.finished():
                self.known[rows[0]["dialog"]] = rows
            self.begun()
        except BaseException:
            if not os.fstat(self.file.fileno()).st_size:
                self.path.unlink()
            self.file.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error and not self.fresh:
            self.path.unlink()
        self.file.close()

    def finished(self) -> Iterator[Rows]:
        """What an earlier call has finished."""
        if not self.out.exists():
            return
        rows: Rows = []
        for line in self.out.read_bytes().splitlines():
            row = decoded(line)
            if not isinstance(row, dict) or not isinstance(row.get("dialog"), str):
                raise foreign(self.out)
            if rows and rows[0]["dialog"] != row["dialog"]:
                yield self.checked(rows)
                rows = []
            rows.append(row)
        if rows:
            yield self.checked(rows)

    def checked(self, rows: Rows) -> Rows:
        """The rows, if they were got as `about` says."""
        told = [row["bot"] for row in rows if "bot" in row]
        if not told:
            raise foreign(self.out)
        names = {row.get("system") for row in rows} - {None}
        bots = all(one in self.about["bots"] for one in told)
        turns = "why" in rows[-1] or len(rows) == self.about.get("turns", len(rows))
        if not (bots and turns and names <= {*self.about["systems"]}):
            raise RunError(
                f"{self.out} holds answers of another bot, or to other settings; "
                "name another file or delete this one"
            )
        return rows

    def begun(self) -> None:
        """What an earlier call left unfinished; a last line that was cut off goes."""
        first = msgspec.json.encode(self.about) + b"\n"
        header, *lines = self.file.read().splitlines(keepends=True) or [b""]
        if header != first and not (first.startswith(header) and not lines):
            raise RunError(
                f"{self.path} was begun with another bot or other settings; "
                "name another file or delete this one"
            )
        whole = len(header) if header == first else 0
        for number, line in enumerate(lines, 2):
            rows = decoded(line) if line.endswith(b"\n") else None
            if rows is None and number <= len(lines):
                raise RunError(f"{self.path}:{number}: the line is damaged; take it out")
            if rows is not None:
                whole += len(line)
                self.keep(rows)
        self.file.seek(whole)
        self.file.truncate()
        if not whole:
            self.write(first)

    def keep(self, rows: Rows) -> None:
        self.known[rows[0]["dialog"]] = rows
        self.fresh = True

    def add(self, rows: Rows) -> None:
        """Keep the rows of a dialog, on disk when this returns."""
        self.keep(rows)
        self.write(msgspec.json.encode(rows) + b"\n")

    def write(self, line: bytes) -> None:
        try:
            self.file.write(line)
            self.file.flush()
            os.fsync(self.file.fileno())
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise RunError(f"{self.path} could not be written: {why}", resumable=True) from None

    def publish(self, order: Iterable[str]) -> None:
        """Let the file appear, with its dialogs in this order; the unfinished one goes."""
        lines = (
            msgspec.json.encode(row) + b"\n" for name in order for row in self.known.get(name, ())
        )

        def write(path: Path) -> None:
            with path.open("wb") as file:
                file.writelines(lines)

        publish(self.out, write, private=True)
        self.path.unlink()

    def nothing_new(self) -> None:
        """Leave the file as it is."""
        self.path.unlink()


def decoded(line: bytes) -> Any:
    """The JSON value of a line; null where it is none."""
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def locked(path: Path, out: Path) -> BinaryIO:
    """The file, open and held by this process; readable by its owner only."""
    while True:
        try:
            file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise RunError(f"{out} cannot be written ({why}); check its folder") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise held(out) from None
        # its last holder may have finished, and removed it, between our two calls
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()
