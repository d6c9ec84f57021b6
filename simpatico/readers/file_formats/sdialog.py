"""SDialog: a dialog as `Dialog.to_file` writes it, or JSON lines of them.

{"id": "d1", "model": "m", "personas": {"Ann": {…}}, "turns": [{"speaker": "Ann", "text": "Hi"}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from simpatico.readers.file_formats._chat import non_empty_dialog, system_of
from simpatico.readers.input.record import Ledger, Reader, Utterance
from simpatico.readers.input.source import Head, Source


class SDialogTurn(msgspec.Struct):
    """One utterance; `speaker` is the name of a persona, or a role."""

    text: str
    speaker: str | None = None


class SDialogRecord(msgspec.Struct):
    """One dialog."""

    turns: list[SDialogTurn]
    id: str | int | None = None
    model: Any = None
    personas: dict[str, Any] | None = None


class SDialog(Reader):
    """Every persona is a system of its name, but roles of people are people.

    Roles of machines are --system, else what the file says of its model.
    """

    name = "sdialog"
    about = "SDialog: personas, and turns of speaker and text"
    suffixes = (".json", ".jsonl", ".ndjson")
    divisible = True

    def matches(self, head: Head) -> bool:
        turns = head.item.get("turns") if isinstance(head.item, dict) else None
        first = turns[0] if isinstance(turns, list) and turns else None
        is_turn = isinstance(first, dict) and {"speaker", "text"} <= first.keys()
        return is_turn and "personas" in head.keys

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for place, record in source.values(SDialogRecord, ledger):
            name = f"{source.stem}:{place.line}" if record.id in (None, "") else str(record.id)
            model = record.model if isinstance(record.model, str) else None
            rows = [
                Utterance(name, who, turn.text, system_of(who, self.system or model))
                for turn in record.turns
                if (who := turn.speaker or "speaker")
            ]
            yield from non_empty_dialog(rows, place, ledger)
