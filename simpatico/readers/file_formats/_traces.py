"""Conversations out of traces: the calls of a model, by conversation and in time, without repeats.

    records → Call → Spool (a private file) → by conversation → what each call adds → utterances

Spans of several conversations stand mixed in a file, ended ones first, and each repeats the history
of its conversation. A table of numbers is all that is held of them while a file is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import ClassVar

import msgspec

from simpatico.readers.extra_columns import SOURCE_ID
from simpatico.readers.file_formats._calls import Call, Group, Spool
from simpatico.readers.file_formats._chat import ChatMessage, chat_utterances
from simpatico.readers.file_formats._payloads import Message
from simpatico.readers.file_formats._table_fields import parse_time
from simpatico.readers.input.decode import InvalidValue
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Dialog, Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Source


def traced_dialogs(
    calls: Iterable[tuple[Place, Call]], stem: str, ledger: Ledger, *, system: str | None
) -> Iterator[Dialog]:
    """The dialogs of calls in any order; the assistant is `system`, else the model called."""
    with TemporaryFile() as file:
        spool = Spool(file)
        for place, call in calls:
            spool.add(call, place)
        for group in spool.groups():
            messages, user = conversation_messages(spool, group, ledger)
            name = group.name or f"{stem}:{group.places[0].line}"
            rows = chat_utterances(messages, name, ledger, system=system, interlocutor=user)
            if rows:
                yield Dialog([with_source_id(row) for row in rows], group.places)


def with_source_id(row: Utterance) -> Utterance:
    """An answer with the id of its span or trace as a column, so that scores find back to it."""
    if row.id is None:
        return row
    return row._replace(extras=msgspec.json.encode({SOURCE_ID: row.id}).decode())


def conversation_messages(
    spool: Spool, group: Group, ledger: Ledger
) -> tuple[list[ChatMessage], str | None]:
    """What was said in a conversation, each message once, and who the user is."""
    messages, said, user = list[ChatMessage](), list[tuple[str, str]](), None
    for call in outer_calls(spool, group, ledger):
        user = user or call.user
        new = new_messages(call, said)
        if n := len(call.sent) - len(new):
            ledger.skip("repeated message", n)
        said += [message_key(m) for m in new]
        messages += [as_chat(m, call, call.start) for m in new]
        answered = without_input(call)
        if n := len(call.answered) - len(answered):
            ledger.skip("repeated message", n)
        answer = [message_key(m) for m in answered]
        if new or not answer or said[-len(answer) :] != answer:
            for number, message in enumerate(answered):
                name = None if number else call.id
                messages.append(as_chat(message, call, call.end or call.start, name))
            said += answer
    return messages, user


def without_input(call: Call) -> list[Message]:
    """What a call gave back but for its input, which a graph gives back with its whole state."""
    n = len(call.sent)
    is_state = [*map(message_key, call.answered[:n])] == [*map(message_key, call.sent)]
    return call.answered[n:] if is_state else call.answered


def as_chat(
    message: Message, call: Call, time: float | None, name: str | None = None
) -> ChatMessage:
    """A message with its time, and with the id of the call whose answer it is."""
    model = call.model if message.role == "assistant" else None
    return ChatMessage(
        message.role, message.text, message.name, model, name or None, timestamp=time
    )


def outer_calls(spool: Spool, group: Group, ledger: Ledger) -> Iterator[Call]:
    """The calls that are in no other, by time; one that was exported twice counts once."""
    records: dict[str, list[tuple[int, int]]] = {}
    parents, models, holds = dict[str, str](), dict[str, str](), set[str]()
    for number, where in enumerate(group.calls):
        call = spool.call(*where)
        key = call.id or str(number)
        parents[key] = call.parent or parents.get(key, "")
        models[key] = call.model or models.get(key, "")
        if call.is_tool:
            holds.add(key)
            ledger.skip("tool or retriever")
        elif call.sent or call.answered:
            holds.add(key)
            if not call.is_part and key in records:
                ledger.skip("duplicate span")
            records[key] = [*records.get(key, []), where] if call.is_part else [where]
    nested = set[str]()
    for key in reversed(records):
        at, above = parents[key], set[str]()
        while at in parents and at not in above | holds:
            above.add(at)
            at = parents[at]
        if at in holds and at != key:
            nested.add(key)
            models[at] = models[at] or models[key]
    if nested:
        ledger.skip("nested call", len(nested))
    for own in (own for key, own in records.items() if key not in nested):
        call, *more = [spool.call(*where) for where in own]
        call.model = models.get(call.id) or call.model  # which the span has, or a call within it
        for part in more:
            call.sent += part.sent
            call.answered += part.answered
            call.end = part.end or part.start or call.end
        yield call


def new_messages(call: Call, said: list[tuple[str, str]]) -> list[Message]:
    """The messages of a call's input that were not said before.

    Where the input goes on from the end of what was said, these are the rest of it. Where it does
    not, as one that was edited or summarised, they are what comes after the last message
    that was said before or is the assistant's.
    """
    keys = [message_key(m) for m in call.sent]
    n = len(said)
    for start in range(max(0, n - len(keys)), n):
        if said[start:] == keys[: n - start]:
            return call.sent[n - start :]
    if not said or len(keys) == 1:
        return call.sent
    known = {*said}
    old = [i for i, m in enumerate(call.sent) if keys[i] in known or m.role == "assistant"]
    return call.sent[old[-1] + 1 :] if old else call.sent


def message_key(message: Message) -> tuple[str, str]:
    """A message without its white space, which a history may not keep."""
    return message.role, " ".join(message.text.split())


def row_time(cell: object) -> float | None:
    """Seconds since 1970 of a cell; null where it holds no time, as order may stand in the file."""
    try:
        return parse_time(cell) if isinstance(cell, str | int | float) else None
    except InvalidValue:
        return None


def unix_time(nanoseconds: int | str | None) -> float | None:
    """Seconds since 1970, of which 0 is none."""
    try:
        time = int(nanoseconds or 0) / 1e9
    except (ValueError, OverflowError):
        return None
    return time if 0 < time < 1e10 else None


def trace_files(head: Head) -> list[Source]:
    """The files of a folder whose conversations may go on from one to the next, by name."""
    paths = sorted(head.folder.glob("[!.]*.*")) if head.folder else []
    return [Source.of(path) for path in paths if path.is_file()]


class TraceReader(Reader):
    """A format of traces: a file, or a folder all of whose files are of it."""

    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", ".json", ".parquet")

    def is_trace(self, head: Head) -> bool:
        """Whether the first bytes of a file are of this format."""
        raise NotImplementedError

    def calls(self, source: Source, ledger: Ledger) -> Iterator[tuple[Place, Call]]:
        """The calls of a file, and records that only say what stands in what."""
        raise NotImplementedError

    def matches(self, head: Head) -> bool:
        heads = [file.head for file in trace_files(head)] if head.folder else [head]
        return bool(heads) and all(map(self.is_trace, heads))

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        files = trace_files(source.head) if source.folder else [source]
        calls = (call for file in files for call in self.calls(file, ledger))
        return traced_dialogs(calls, source.stem, ledger, system=self.system)
