"""What bots are to answer: lines of text, a table of prompts, or dialogs up to a turn of a user."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

from simpatico.bots.bot import Message
from simpatico.errors import DataError
from simpatico.readers import Conversations, Source
from simpatico.readers.file_formats._table_csv import named_rows
from simpatico.readers.file_formats._table_fields import Fields
from simpatico.readers.file_formats.openai import LISTS
from simpatico.readers.input.decode import decode_records
from simpatico.readers.input.head import Head
from simpatico.readers.input.record import Ledger, Place
from simpatico.turns import Turn

Upto = Literal["last", "first", "every"]
TEXT_FIELDS = ("prompt", "text")


class Prompt(NamedTuple):
    """A dialog that ends with the turn to answer, under a name."""

    id: str
    dialog: tuple[Message, ...]


def read_prompts(
    path: str | Path, *, format: str | None = None, upto: Upto = "last"
) -> list[Prompt]:
    """The prompts in a file, in its order; `-` is standard input.

    `upto` says at which turn of the user a dialog is cut: the last, the first, or each in turn.
    """
    conversations = Conversations((path,), format)
    (source,) = conversations.sources
    if format or holds_dialogs(source.head):
        prompts = [
            prompt
            for chunk in conversations.chunks()
            for _, dialog in groupby(chunk.turns, key=lambda turn: turn.dialog)
            for prompt in cut_dialog(list(dialog), upto)
        ]
    else:
        source.is_rejected(Ledger())
        prompts = list(single_prompts(source))
    if not prompts:
        raise DataError(f"{source.name}:0: there is no prompt in the file; give at least one")
    return prompts


def is_text(head: Head) -> bool:
    """Whether every line is a prompt."""
    return head.kind == "text" and head.suffix not in (".csv", ".tsv")


def holds_dialogs(head: Head) -> bool:
    """Whether the file is one of dialogs, rather than of prompts.

    Rows with a speaker are utterances; `completion` and lists of messages are whole chats, whose
    last user turn is the prompt. A row with a text and none of these is a prompt by itself.
    """
    if is_text(head):
        return False
    names, keys = head.columns, Fields.of(head).keys
    utterances = keys["speaker"] in names and (keys["dialog"] in names or keys["text"] in names)
    if utterances or "completion" in names or any(name in names for name in LISTS):
        return True
    return not any(names.get(name) for name in TEXT_FIELDS)


def single_prompts(source: Source) -> Iterator[Prompt]:
    """Prompts of a single turn: lines, rows of CSV or JSON objects with `prompt` or `text`.

    One that is empty, or has the name of an earlier one, is an error.
    """
    # a ledger that fails at once: a prompt left out would leave systems without a common prompt
    ledger, ids = Ledger(), set[str]()
    rows: Iterator[tuple[Place, Any]]
    if is_text(source.head):
        rows = decode_records(source.lines(ledger), lambda line: {"text": line.decode()}, ledger)
    elif source.head.kind == "text":
        rows = named_rows(source, ledger, lambda names: None)
    else:
        rows = source.values(dict[str, Any], ledger)
    for place, row in rows:
        text = next((row[name] for name in TEXT_FIELDS if row.get(name) is not None), None)
        name = row.get("id")
        if not isinstance(text, str):
            ledger.reject(place, "missing", "there is no text as 'prompt' or 'text'")
        if not isinstance(name, str | int | None):
            ledger.reject(place, "type", "'id' must be text or a whole number")
        if not str(text).strip():
            ledger.reject(place, "empty", "the prompt is empty; remove it")
        prompt_id = f"{source.stem}:{place.line}" if name in (None, "") else str(name)
        if prompt_id in ids:
            ledger.reject(place, "duplicate_id", "an earlier prompt has the same 'id'")
        ids.add(prompt_id)
        yield Prompt(prompt_id, (Message("user", str(text)),))


def cut_dialog(dialog: list[Turn], upto: Upto) -> list[Prompt]:
    """One dialog as prompts, under its own name or, for every turn, with the turn's number.

    One in which no user says anything gives none.
    """
    # the users are the people, or whoever speaks first where that does not tell them apart
    people = {turn.speaker for turn in dialog if turn.system == "human"}
    others = {turn.speaker for turn in dialog} - people
    users = people if people and others else {dialog[0].speaker}
    messages = [Message("user" if t.speaker in users else "assistant", t.text) for t in dialog]
    ends = [i for i, turn in enumerate(messages) if turn.role == "user" and turn.text.strip()]
    name = dialog[0].dialog
    if upto == "every":
        return [Prompt(f"{name}:{i}", tuple(messages[: i + 1])) for i in ends]
    cuts = ends[:1] if upto == "first" else ends[-1:]
    return [Prompt(name, tuple(messages[: i + 1])) for i in cuts]
