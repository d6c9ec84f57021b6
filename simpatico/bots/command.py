"""A program that reads one line of JSON and writes one line of JSON, for each answer.

In: `{"id": 1, "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 256, …}`. Out:
`{"text": "Hello", "tokens_in": 3, "tokens_out": 2, "model": "m1"}`, of which only `text` is needed,
or `{"error": "why not"}`. It goes on until its input ends. No shell is involved, and of our
environment, which holds keys, it gets a few harmless variables and those that the SPEC names.
"""

from __future__ import annotations

import os
import re
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
from typing import Any

import msgspec

from simpatico.bots.bot import Message, Reply, Settings, TokenCount
from simpatico.bots.redaction import redact
from simpatico.errors import BadValue, MissingResource, NoAnswer
from simpatico.models.runtime.tokens import as_utf8

MAX_BYTES = 1_000_000
"""Bytes of an answer that are read at most."""
BLOCK = 1 << 16
"""Bytes that a pipe holds on Linux: a larger write would wait for the program to read."""
HARMLESS = (
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ"),
    *("LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE"),
)
"""Variables that programs need in order to run at all, and that hold no secrets."""
SECRET = re.compile("key|token|secret|pass", re.IGNORECASE)
"""In the name of a variable whose value is taken out of answers."""


class AnswerLine(msgspec.Struct):
    """What a program writes."""

    text: str | None = None
    error: str | None = None
    id: int | None = None
    tokens_in: TokenCount | None = None
    tokens_out: TokenCount | None = None
    model: str | None = None


class Process:
    """A running program, and lines to and from it."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self.name = Path(words[0]).name
        self.secrets = [value for name, value in environment.items() if SECRET.search(name)]
        try:
            # what it says on stderr may be anything, and is not ours to show or keep
            self.process = subprocess.Popen(  # noqa: S603
                list(words),
                env=environment,
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
        self.pipes = [pipe for pipe in (self.process.stdin, self.process.stdout) if pipe]
        self.stdin, self.stdout = (pipe.fileno() for pipe in self.pipes)
        # neither side may wait for the other for ever: reads and writes go through select
        os.set_blocking(self.stdout, False)
        os.set_blocking(self.stdin, False)
        self.requests = 0

    def is_ready(self) -> bool:
        """Whether it runs and has written nothing that nobody asked for."""
        return self.process.poll() is None and not select.select([self.stdout], [], [], 0)[0]

    def ask(self, request: Mapping[str, Any], timeout: float) -> AnswerLine:
        """The line that answers a request, in time."""
        until = monotonic() + timeout
        self.requests += 1
        # the id lets a program that answers out of step be noticed
        self.send(msgspec.json.encode({"id": self.requests, **request}) + b"\n", until)
        line = self.receive(until)
        try:
            answer = msgspec.convert(redact(msgspec.json.decode(line), self.secrets), AnswerLine)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise NoAnswer(f"{self.name} wrote no valid answer", why="no JSON") from None
        if answer.id not in (None, self.requests):
            raise NoAnswer(f"{self.name} answered another request", why="out of step")
        return answer

    def send(self, data: bytes, until: float) -> None:
        """Write everything, as fast as the program reads."""
        while data:
            self.wait_for([], [self.stdin], until)
            try:
                data = data[os.write(self.stdin, data[:BLOCK]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self.end_error() from None

    def receive(self, until: float) -> bytes:
        """The bytes up to the end of a line."""
        data = b""
        while not data.endswith(b"\n"):
            self.wait_for([self.stdout], [], until)
            block = os.read(self.stdout, BLOCK)
            if not block:
                raise self.end_error()
            data += block
            if len(data) > MAX_BYTES:
                raise NoAnswer(f"{self.name} wrote more than {MAX_BYTES:,} bytes", why="too large")
            if b"\n" in data[:-1]:
                raise NoAnswer(f"{self.name} wrote more than one line", why="out of step")
        return data

    def wait_for(self, reads: list[int], writes: list[int], until: float) -> None:
        """Wait until the program has written or can read, or time is up."""
        seconds = until - monotonic()
        if seconds <= 0 or not any(select.select(reads, writes, [], seconds)):
            raise NoAnswer(f"{self.name} did not answer in time", why="too slow")

    def end_error(self) -> NoAnswer:
        """The error for a program that is gone."""
        # a pipe may be closed a moment before the code of the process is there
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(3)
        code = self.process.poll()
        how = "closed its output" if code is None else f"ended with code {code}"
        # the likeliest reason why it never answers at all is a key that it looks for
        hint = "; name the variables that it needs with env=" if code and self.requests == 1 else ""
        return NoAnswer(f"{self.name} {how} without an answer{hint}", why="ended")

    def stop(self) -> None:
        """End it, and whatever it has started: it leads a process group of its own."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def kill(self) -> None:
        """End it and give back what it held."""
        self.stop()
        self.process.wait()
        for pipe in self.pipes:
            with suppress(OSError):
                pipe.close()


@dataclass(frozen=True)
class Command:
    """A program with its arguments; as many of it run as there are calls at the same time.

    `env` names the variables of our environment that it gets besides the harmless ones.
    """

    words: tuple[str, ...]
    settings: Settings = field(default_factory=Settings)
    env: tuple[str, ...] = ()
    max_parallel: int | None = None
    idle: list[Process] = field(default_factory=list, repr=False, compare=False)
    busy: list[Process] = field(default_factory=list, repr=False, compare=False)
    lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    @property
    def name(self) -> str:
        return Path(self.words[0]).name

    @property
    def description(self) -> Mapping[str, Any]:
        # arguments may hold anything, a key too: a short hash tells two commands apart
        words = [*([f"env={','.join(self.env)}"] if self.env else []), *self.words]
        digest = sha256("\0".join(words).encode(errors="replace")).hexdigest()[:12]
        facts = {"kind": "command", "program": self.name, "sha256": digest}
        return facts | self.settings.describe()

    def __call__(self, dialog: Sequence[Message]) -> Reply:
        turns = self.settings.with_instruction(dialog)
        messages = [{"role": role, "content": as_utf8(text)} for role, text in turns]
        request = {"messages": messages, **self.settings.describe()}
        process = self.take_process()
        try:
            line = process.ask(request, self.settings.timeout)
        except BaseException:
            # whatever it still writes would be taken for the next answer: it cannot be used again
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

    def environment(self) -> dict[str, str]:
        """The variables that the program gets."""
        if missing := [name for name in self.env if name not in os.environ]:
            raise BadValue(
                f"the environment variable {missing[0]}, which env= of the bot names, is not set; "
                "set it or leave it out"
            )
        names = (*HARMLESS, *self.env)
        return {name: os.environ[name] for name in names if name in os.environ}

    def take_process(self) -> Process:
        """A program that waits for a line, started if there is none.

        It is started outside of the lock, so that slow starts do not wait for each other.
        """
        while True:
            with self.lock:
                process = self.idle.pop() if self.idle else None
            if process is not None and not process.is_ready():
                process.kill()
                continue
            process = process or Process(self.words, self.environment())
            with self.lock:
                self.busy.append(process)
            return process

    def close(self) -> None:
        """End the programs; whoever still waits for one hears that it ended."""
        with self.lock:
            idle, busy = list(self.idle), list(self.busy)
            self.idle.clear()
        for process in busy:
            process.stop()
        for process in idle:
            process.kill()
