"""A program that reads one line of JSON and writes one line of JSON, for each answer.

In: `{"id": 1, "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 256, …}`. Out:
`{"text": "Hello", "tokens_in": 3, "tokens_out": 2, "model": "m1"}`, of which only `text` is needed,
or `{"error": "why not"}`. It goes on until its input ends. No shell is involved.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Annotated, Any

import msgspec

from simpatico.bots.bot import Reply, Said, Settings
from simpatico.errors import MissingResource, NoAnswer
from simpatico.models.runtime.tokens import as_utf8

LARGEST = 1_000_000
"""Bytes of an answer that are read at most."""
BLOCK = 1 << 16

Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]


class Line(msgspec.Struct):
    """What a program writes."""

    text: str | None = None
    error: str | None = None
    id: int | None = None
    tokens_in: Count | None = None
    tokens_out: Count | None = None
    model: str | None = None


LINE = msgspec.json.Decoder(Line)


class Process:
    """A running program, and lines to and from it."""

    def __init__(self, words: Sequence[str]) -> None:
        self.name = Path(words[0]).name
        try:
            # what it says on stderr may be anything, and is not ours to show or keep
            self.running = subprocess.Popen(  # noqa: S603
                list(words),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise MissingResource(
                f"the program {words[0]!r} cannot be started ({why}); check its name and mode"
            ) from None
        os.set_blocking(self.written, False)
        os.set_blocking(self.reading, False)
        self.asked = 0

    @property
    def reading(self) -> int:
        """The program's standard input."""
        return self.running.stdin.fileno() if self.running.stdin else -1

    @property
    def written(self) -> int:
        """The program's standard output."""
        return self.running.stdout.fileno() if self.running.stdout else -1

    def fit(self) -> bool:
        """Whether it runs and has written nothing that nobody asked for."""
        return self.running.poll() is None and not select.select([self.written], [], [], 0)[0]

    def ask(self, request: Mapping[str, Any], timeout: float) -> Line:
        """The line that answers a request, in time."""
        until = monotonic() + timeout
        self.asked += 1
        self.send(msgspec.json.encode({"id": self.asked, **request}) + b"\n", until)
        line = self.receive(until)
        try:
            answer = LINE.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise NoAnswer(f"{self.name} wrote a line that is no answer", why="no JSON") from None
        if answer.id not in (None, self.asked):
            raise NoAnswer(f"{self.name} answered another request", why="out of step")
        return answer

    def send(self, data: bytes, until: float) -> None:
        """Write everything, as fast as the program reads."""
        while data:
            self.ready([], [self.reading], until)
            try:
                data = data[os.write(self.reading, data[:BLOCK]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self.ended() from None

    def receive(self, until: float) -> bytes:
        """The bytes up to the end of a line."""
        got = b""
        while not got.endswith(b"\n"):
            self.ready([self.written], [], until)
            block = os.read(self.written, BLOCK)
            if not block:
                raise self.ended()
            got += block
            if len(got) > LARGEST:
                raise NoAnswer(f"{self.name} wrote more than {LARGEST:,} bytes", why="too large")
            if b"\n" in got[:-1]:
                raise NoAnswer(f"{self.name} wrote more than one line", why="out of step")
        return got

    def ready(self, reads: list[int], writes: list[int], until: float) -> None:
        """Wait for the program."""
        left = until - monotonic()
        if left <= 0 or not any(select.select(reads, writes, [], left)):
            raise NoAnswer(f"{self.name} did not answer in time", why="too slow")

    def ended(self) -> NoAnswer:
        """The error for a program that is gone."""
        with suppress(subprocess.TimeoutExpired):
            self.running.wait(3)
        code = self.running.poll()
        how = "closed its output" if code is None else f"ended with code {code}"
        return NoAnswer(f"{self.name} {how} without an answer", why="ended")

    def stop(self) -> None:
        """End it, and whatever it has started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.running.pid, signal.SIGKILL)

    def kill(self) -> None:
        """End it and give back what it held."""
        self.stop()
        self.running.wait()
        for pipe in (self.running.stdin, self.running.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()


@dataclass(frozen=True)
class Command:
    """A program with its arguments; as many of it run as there are calls at the same time."""

    words: tuple[str, ...]
    settings: Settings = field(default_factory=Settings)
    most: int | None = None
    idle: list[Process] = field(default_factory=list, repr=False, compare=False)
    busy: list[Process] = field(default_factory=list, repr=False, compare=False)
    lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    @property
    def name(self) -> str:
        return Path(self.words[0]).name

    @property
    def told(self) -> Mapping[str, Any]:
        # arguments may hold anything, a key too: a short hash tells two commands apart
        digest = sha256("\0".join(self.words).encode(errors="replace")).hexdigest()[:12]
        facts = {"kind": "command", "program": self.name, "sha256": digest}
        return {**facts, **self.settings.told()}

    def __call__(self, dialog: Sequence[Said]) -> Reply:
        turns = self.settings.before(dialog)
        messages = [{"role": role, "content": as_utf8(text)} for role, text in turns]
        request = {"messages": messages, **self.settings.told()}
        process = self.taken()
        try:
            line = process.ask(request, self.settings.timeout)
        except BaseException:
            with self.lock:
                self.busy.remove(process)
            process.kill()
            raise
        with self.lock:
            self.busy.remove(process)
            self.idle.append(process)
        if line.error is not None:
            raise NoAnswer(f"{self.name} gave an error instead of an answer", why="its own error")
        if not (line.text or "").strip():
            raise NoAnswer(f"{self.name} gave an empty answer", why="empty")
        return Reply(line.text or "", line.tokens_in, line.tokens_out, line.model)

    def taken(self) -> Process:
        """A program that waits for a line, started if there is none."""
        while True:
            with self.lock:
                process = self.idle.pop() if self.idle else None
            if process is not None and not process.fit():
                process.kill()
                continue
            process = process or Process(self.words)
            with self.lock:
                self.busy.append(process)
            return process

    def close(self) -> None:
        """End the programs; whoever still waits for one hears that it ended."""
        with self.lock:
            waiting, self.idle[:] = list(self.idle), []
            busy = list(self.busy)
        for process in busy:
            process.stop()
        for process in waiting:
            process.kill()
