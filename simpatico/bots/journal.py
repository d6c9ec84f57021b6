"""Answers on their way into a file: each is on disk before the next is asked for.

`FILE.partial` is a journal of what was answered, in the order in which it came: a header, then one
JSON list of rows a dialog. At the end FILE appears whole, in the order of the prompts, and the
journal goes. A kill at any moment loses at most the answers that had not arrived.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from simpatico.bots.prompts import Prompt
from simpatico.errors import RunError
from simpatico.files import write_atomically
from simpatico.models.runtime.tokens import as_utf8
from simpatico.readers.input.head import json_or_none

Row = dict[str, Any]
Rows = list[Row]


def foreign_file_error(out: Path) -> RunError:
    return RunError(f"{out} does not hold answers of a bot; name another file")


class Journal:
    """The answers of one file, locked by one process; use as a context.

    `about` is what the answers depend on: those that were got with anything else are refused.
    `has_new` when there are answers that FILE does not hold yet. What is kept of each prompt are
    the rows of a dialog; a subclass may keep others.
    """

    def __init__(self, out: Path, about: Mapping[str, Any]) -> None:
        # a round trip through JSON, so that it equals what is read back from a file
        self.out, self.about = out, msgspec.json.decode(msgspec.json.encode(about))
        self.path = out.with_name(f"{out.name}.partial")
        self.dialogs: dict[str, Rows] = {}
        self.has_new = False

    def __enter__(self) -> Journal:
        self.file = open_locked(self.path, self.out)
        try:
            for rows in self.read_finished():
                self.dialogs[self.prompt_id(rows)] = rows
            self.read_partial()
        except BaseException:
            if not os.fstat(self.file.fileno()).st_size:
                self.path.unlink()
            self.file.close()
            raise
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error and not self.has_new:
            self.path.unlink()
        self.file.close()

    def prompt_id(self, rows: Rows) -> str:
        """The prompt that rows are the answer to."""
        return str(rows[0]["dialog"])

    def is_answer(self, rows: Rows, prompt: Prompt) -> bool:
        """Whether rows are an answer to this prompt, in these words."""
        texts = [as_utf8(turn.text) for turn in prompt.dialog]
        return [row.get("text") for row in rows[: len(texts)]] == texts

    def why_failed(self, rows: Rows) -> str | None:
        """The reason in two or three words why there is no answer; null if there is one."""
        return rows[-1].get("why")

    def can_retry(self, rows: Rows) -> bool:
        """Whether the prompt may be sent again on demand."""
        return self.why_failed(rows) is not None

    def read_finished(self) -> Iterator[Rows]:
        """The dialogs that an earlier call has finished, if they were got as `about` says."""
        if not self.out.exists():
            return
        lines = [json_or_none(line) for line in self.out.read_bytes().splitlines()]
        if not all(isinstance(row, dict) and isinstance(row.get("dialog"), str) for row in lines):
            raise foreign_file_error(self.out)
        for _, dialog in groupby(lines, key=lambda row: row["dialog"]):
            rows: Rows = list(dialog)
            bots = [row["bot"] for row in rows if "bot" in row]
            if not bots:
                raise foreign_file_error(self.out)
            names = {row.get("system") for row in rows} - {None}
            same_bots = all(bot in self.about["bots"] for bot in bots)
            turns = "why" in rows[-1] or len(rows) == self.about.get("turns", len(rows))
            if not (same_bots and turns and names <= {*self.about["systems"]}):
                raise RunError(
                    f"{self.out} holds answers of another bot, or to other settings; "
                    "name another file or delete this one"
                )
            yield rows

    def read_partial(self) -> None:
        """The dialogs that an earlier call left in the journal; a last line cut off is dropped."""
        first = msgspec.json.encode(self.about) + b"\n"
        header, *lines = self.file.read().splitlines(keepends=True) or [b""]
        if header != first and not (first.startswith(header) and not lines):
            raise RunError(
                f"{self.path} was begun with another bot or other settings; "
                "name another file or delete this one"
            )
        end = len(header) if header == first else 0
        # only the last line can be one that a kill cut off; any other is damage
        for number, line in enumerate(lines, 2):
            rows = json_or_none(line) if line.endswith(b"\n") else None
            if rows is None and number <= len(lines):
                raise RunError(f"{self.path}:{number}: the line is damaged; remove it")
            if rows is not None:
                end += len(line)
                self.dialogs[self.prompt_id(rows)] = rows
                self.has_new = True
        self.file.seek(end)
        self.file.truncate()
        if not end:
            self.write(first)

    def add(self, rows: Rows) -> None:
        """Keep the rows of a dialog, on disk when this returns."""
        self.dialogs[self.prompt_id(rows)] = rows
        self.has_new = True
        self.write(msgspec.json.encode(rows) + b"\n")

    def write(self, line: bytes) -> None:
        """Append a line and wait until the disk has it: an answer may have cost money."""
        try:
            self.file.write(line)
            self.file.flush()
            os.fsync(self.file.fileno())
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise RunError(f"{self.path} could not be written: {why}", resumable=True) from None

    def publish(self, order: Iterable[str]) -> None:
        """Let the file appear, with its dialogs in this order; the journal goes.

        Where nothing is new, the file stays as it is.
        """
        rows = (row for name in order for row in self.dialogs.get(name, ()))

        def write(path: Path) -> None:
            with path.open("wb") as file:
                file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)

        if self.has_new:
            write_atomically(self.out, write)
        self.path.unlink()


def open_locked(path: Path, out: Path) -> BinaryIO:
    """The file, open and locked by this process; readable by its owner only."""
    while True:
        try:
            # private from its first byte on: people may have said anything to the bot
            file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise RunError(f"{out} cannot be written ({why}); check its folder") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise RunError(
                f"{out} is being written by another process; wait or name another file"
            ) from None
        # its last holder may have finished, and removed it, between our two calls
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()
