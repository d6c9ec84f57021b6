"""Threads that people come back to, as one dialog for each session.

A session ends when nothing is said for so many minutes. The first keeps the id of the thread, the
next are `ID#2`, `ID#3`: a thread that goes on later keeps the scores that it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from simpatico.readers.input.record import Dialog, Utterance


def split_sessions(
    dialogs: Iterable[list[Utterance]], minutes: float | None
) -> Iterator[list[Utterance]]:
    """The dialogs, cut where so many minutes pass between two messages; null cuts nothing."""
    for dialog in dialogs:
        starts = [] if minutes is None else session_starts(dialog, 60 * minutes)
        if not starts:
            yield dialog
            continue
        places = dialog.places if isinstance(dialog, Dialog) else []
        by_row = len(places) == len(dialog)  # else a record has several messages
        for number, (start, end) in enumerate(pairwise([0, *starts, len(dialog)]), start=1):
            rows = dialog[start:end]
            ids = {row.id for row in rows}
            rows = [
                row if row.reply_to is None or row.reply_to in ids else row._replace(reply_to=None)
                for row in rows
            ]
            if number > 1:
                rows = [row._replace(dialog=f"{row.dialog}#{number}") for row in rows]
            yield Dialog(rows, places[start:end] if by_row else places) if places else rows


def session_starts(dialog: list[Utterance], seconds: float) -> list[int]:
    """Where a message comes later than so many seconds after the last one with a time."""
    starts, last = list[int](), None
    for number, row in enumerate(dialog):
        if row.time is None:
            continue
        if last is not None and row.time - last > seconds:
            starts.append(number)
        last = row.time
    return starts
