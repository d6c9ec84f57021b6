"""ParlAI conversations: a line a dialog, in pairs of acts.

{"dialog": [[{"id": "human", "text": "Hi"}, {"id": "bot", "text": "Hello"}], …]}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from simpatico.readers.file_formats._chat import USER_ROLES, non_empty_dialog
from simpatico.readers.input.record import Ledger, Reader, Utterance
from simpatico.readers.input.source import Head, Source

SILENCE = "__SILENCE__"


class Act(msgspec.Struct):
    """What one speaker did in one step."""

    id: str
    text: str | None = None


class ParlAIDialog(msgspec.Struct):
    """One dialog."""

    dialog: list[list[Act]]
    context: list[Any] | None = None


class ParlAI(Reader):
    """An act's `id` is its speaker; those with "human" in it are people, others are systems."""

    name = "parlai"
    about = "ParlAI conversations: dialog of pairs of acts with id and text"
    suffixes = (".jsonl",)

    def matches(self, head: Head) -> bool:
        steps = head.item.get("dialog") if isinstance(head.item, dict) else None
        return isinstance(steps, list) and all(isinstance(acts, list) for acts in steps)

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for place, record in source.values(ParlAIDialog, ledger):
            if record.context:
                ledger.skip("context act", len(record.context))
            acts = [act for step in record.dialog for act in step]
            while acts and acts[-1].text is None:  # the last pair may be half a pair
                acts.pop()
                ledger.skip("act without text at the end")
            name = f"{source.stem}:{place.line}"
            rows = [self.utterance(name, act) for act in acts if act.text != SILENCE]
            if len(rows) < len(acts):
                ledger.skip("silent act", len(acts) - len(rows))
            yield from non_empty_dialog(rows, place, ledger)

    def utterance(self, dialog: str, act: Act) -> Utterance:
        """What was said in one act."""
        is_user = "human" in act.id.lower() or act.id.lower() in USER_ROLES
        system = "human" if is_user else self.system or act.id
        return Utterance(dialog, act.id or "unnamed", act.text or "", system or "unnamed")
