"""Calls of a model as traces have them, kept in a file until all of a conversation are read."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import zip_longest
from typing import IO, NamedTuple

import msgspec
import numpy as np

from simpatico.arrays import Ints
from simpatico.readers.file_formats._payloads import Message
from simpatico.readers.input.record import Place

TOOLS = frozenset(
    {
        *("tool", "execute_tool", "retriever", "retrieval", "reranker", "embedding", "embeddings"),
        *("guardrail", "evaluator", "parser", "prompt"),
    }
)
"""Kinds of calls, by any convention, whose input and output nobody says to anybody."""


class Call(msgspec.Struct, array_like=True):
    """What a model, or what is around it, was sent and gave back; times are seconds.

    A call may come in several records of one id (`is_part`). One without messages still says what
    stands inside of what: of calls within each other the outermost counts, and none within a tool.
    """

    id: str
    trace: str = ""
    parent: str = ""
    conversation: str | None = None
    start: float | None = None
    end: float | None = None
    sent: list[Message] = []
    answered: list[Message] = []
    model: str | None = None
    user: str | None = None
    is_part: bool = False
    is_tool: bool = False

    def if_both(self) -> Call:
        """The call, without messages unless both sides have some: else they are values of code."""
        if not (self.sent and self.answered):
            self.sent, self.answered = [], []
        return self


class Group(NamedTuple):
    """The records of one conversation, by time."""

    name: str
    calls: list[tuple[int, int]]
    places: list[Place]


def is_tool(kind: object) -> bool:
    """Whether a call of this kind is of a tool, or of another step that is no conversation."""
    return isinstance(kind, str) and kind.strip('"').lower() in TOOLS


class Spool:
    """Calls in a file, and in memory numbers alone: where each stands and whose it is."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._names: dict[str, int] = {}
        self._files: dict[str, int] = {}
        self._owners, self._traces, self._times = array("q"), array("q"), array("d")
        self._ends = array("q", [0])
        self._places = array("i"), array("q"), array("q")

    def add(self, call: Call, place: Place) -> None:
        """Keep a call."""
        self._file.write(msgspec.msgpack.encode(call))
        self._ends.append(self._file.tell())
        name = call.conversation
        self._owners.append(self._names.setdefault(name, len(self._names)) if name else -1)
        self._traces.append(hash(call.trace or (place, call.id)))
        self._times.append(call.start or 0.0)
        file = self._files.setdefault(place.file, len(self._files))
        for column, value in zip(self._places, (file, place.line, place.byte), strict=True):
            column.append(value)

    def groups(self) -> Iterator[Group]:
        """The conversations in the order in which the input first names them."""
        if not self._owners:
            return
        owners = conversations_of(
            np.frombuffer(self._owners, "q"), np.frombuffer(self._traces, "q")
        )
        _, first, group = np.unique(owners, return_index=True, return_inverse=True)
        first = first[group]
        order = np.lexsort((np.frombuffer(self._times), first))
        begins = np.flatnonzero(np.diff(first[order], prepend=-1)).tolist()
        names, files = list(self._names), list(self._files)
        file, line, byte = self._places
        for begin, end in zip_longest(begins, begins[1:]):
            rows = order[begin:end].tolist()
            calls = [(self._ends[row], self._ends[row + 1]) for row in rows]
            places = [Place(files[file[row]], line[row], byte[row]) for row in rows]
            number = int(owners[rows[0]])
            name = names[number] if number < len(names) else self.call(*calls[0]).trace
            yield Group(name, calls, places)

    def call(self, start: int, end: int) -> Call:
        """One of the calls."""
        self._file.seek(start)
        return msgspec.msgpack.decode(self._file.read(end - start), type=Call)


def conversations_of(owners: Ints, traces: Ints) -> Ints:
    """The number of each call's conversation, where some have none, which is -1.

    Such a call is of the only conversation of its trace; else the trace is one.
    """
    if owners.min() >= 0:
        return owners
    _, trace = np.unique(traces, return_inverse=True)
    named, low, high = owners >= 0, np.full(len(owners), len(owners)), np.full(len(owners), -1)
    np.minimum.at(low, trace[named], owners[named])
    np.maximum.at(high, trace[named], owners[named])
    other = np.where(low == high, high, owners.max() + 1 + np.arange(len(owners)))
    return np.where(named, owners, other[trace])
