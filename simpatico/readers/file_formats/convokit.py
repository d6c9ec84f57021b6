"""A ConvoKit corpus: a folder with utterances.jsonl, or that file itself.

    {"id": "u2", "conversation_id": "u1", "speaker": "ann", "reply-to": "u1", "text": "Hi",
     "timestamp": 1700000000, "meta": {}}

Chang et al. (2020), ConvoKit. Older corpora say `user` and `root` for speaker and conversation_id.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import msgspec

from simpatico.readers.file_formats._chat import MACHINE_ROLES
from simpatico.readers.file_formats._table_fields import parse_time
from simpatico.readers.file_formats.table import group_dialogs
from simpatico.readers.input.decode import InvalidValue, decode_records
from simpatico.readers.input.record import Dialog, Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source

FILES = ("utterances.jsonl", "utterances.json")
Name = str | int | None


class ConvoKitLine(msgspec.Struct, rename={"reply_to_old": "reply-to"}):
    """One utterance; the last three are what older corpora say."""

    id: str | int
    text: str | None = None
    speaker: Name = None
    conversation_id: Name = None
    reply_to: Name = None
    timestamp: float | str | None = None
    meta: Any = None
    user: Name = None
    root: Name = None
    reply_to_old: Name = None


class DialogKey(msgspec.Struct):
    """The dialog of an utterance, for a first look at their order."""

    conversation_id: Name = None
    root: Name = None


class ConvoKit(Reader):
    """Speakers are people unless an utterance's or speaker's meta has `system` or `model`.

    A corpus whose conversations do not stand together is collected in memory first.
    """

    name = "convokit"
    about = "ConvoKit corpus folder, or its utterances.jsonl"
    suffixes = ("", ".jsonl", ".json")
    rows_are_utterances = True

    def matches(self, head: Head) -> bool:
        """A folder with the utterances, or rows that have `meta` and a field for the reply."""
        if head.folder:
            return any((head.folder / name).is_file() for name in FILES)
        names = {"root", "user"} <= head.keys or {"conversation_id", "speaker"} <= head.keys
        reply = not head.keys.isdisjoint({"reply-to", "reply_to"})
        return names and reply and {"id", "text", "meta"} <= head.keys

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        # most corpora are sorted by conversation: looking first keeps large ones out of memory
        systems = speaker_systems(source, ledger)
        if folder := source.folder:
            source = source.file(next((n for n in FILES if (folder / n).is_file()), FILES[0]))
        decode = msgspec.json.Decoder(ConvoKitLine).decode

        def read(line: bytes) -> Utterance:
            return self.utterance(decode(line), systems, ledger)

        rows = decode_records(source.records(ledger), read, ledger)
        if not is_sorted_by_dialog(source):
            dialogs: dict[str, list[tuple[Place, Utterance]]] = {}
            for place, row in rows:
                dialogs.setdefault(row.dialog, []).append((place, row))
            rows = chain.from_iterable(dialogs.values())
        for dialog in group_dialogs(rows, ledger):
            yield Dialog(sort_replies(dialog), dialog.places)

    def utterance(self, line: ConvoKitLine, systems: dict[str, str], ledger: Ledger) -> Utterance:
        """One line as an utterance."""
        speaker = first_given(line.speaker, line.user)
        dialog = first_given(line.conversation_id, line.root)
        if not speaker or not dialog:
            what = "'conversation_id'" if speaker else "'speaker'"
            raise InvalidValue("missing", f"there is no {what}")
        machine = speaker.lower() in MACHINE_ROLES
        usual = self.system or speaker if machine else "human"
        return Utterance(
            dialog,
            speaker,
            line.text or "",
            system=named_system(line.meta) or systems.get(speaker) or usual,
            id=str(line.id),
            reply_to=first_given(line.reply_to, line.reply_to_old),
            time=time_or_none(line.timestamp, ledger),
            extras=msgspec.json.encode(line.meta).decode() if line.meta else None,
        )


def first_given(*values: Name) -> str | None:
    """The first that is given, as text."""
    return next((str(v) for v in values if v is not None), None)


def time_or_none(timestamp: float | str | None, ledger: Ledger) -> float | None:
    """Seconds since 1970; a timestamp of another kind is not known, and counted."""
    try:
        return parse_time(timestamp)
    except InvalidValue:
        ledger.skip("timestamp that is no time")
        return None


def named_system(meta: Any) -> str | None:
    """The system that a meta names."""
    if not isinstance(meta, dict):
        return None
    return next((v for k in ("system", "model") if isinstance(v := meta.get(k), str) and v), None)


def speaker_systems(source: Source, ledger: Ledger) -> dict[str, str]:
    """The systems of speakers whose meta names one."""
    systems: dict[str, str] = {}
    for file in ("speakers.json", "users.json"):
        if not source.folder or not (source.folder / file).is_file():
            continue
        speakers = source.file(file).value(dict[str, Any], ledger) or {}
        for speaker, about in speakers.items():
            meta = about.get("meta", about) if isinstance(about, dict) else None
            if system := named_system(meta):
                systems[speaker] = system
    return systems


def is_sorted_by_dialog(source: Source) -> bool:
    """Whether the utterances of every conversation follow each other in the file."""
    ids, last = set[str](), None
    for _, key in source.values(DialogKey, Ledger("skip")):
        dialog = first_given(key.conversation_id, key.root)
        if dialog is not None and dialog != last:
            if dialog in ids:
                return False
            ids.add(dialog)
        last = dialog or last
    return True


def sort_replies(dialog: list[Utterance]) -> list[Utterance]:
    """By time if all have one, else as in the file; then answers after what they answer."""
    if all(row.time is not None for row in dialog):
        dialog = sorted(dialog, key=lambda row: row.time or 0.0)
    at = {row.id: i for i, row in enumerate(dialog)}
    parents = [at.get(row.reply_to, -1) if row.reply_to else -1 for row in dialog]
    if all(parent < i for i, parent in enumerate(parents)):
        return dialog
    return [dialog[i] for i in depth_first(parents)]


def depth_first(parents: list[int]) -> list[int]:
    """Positions in depth-first order; those in a cycle come last, as they stand."""
    children: dict[int, list[int]] = {}
    for child, parent in enumerate(parents):
        children.setdefault(parent, []).append(child)
    order: list[int] = []
    waiting = children.get(-1, [])[::-1]
    while waiting:
        order.append(here := waiting.pop())
        waiting.extend(reversed(children.get(here, [])))
    return order + sorted(set(range(len(parents))) - set(order))
