"""What bots are to answer: lines of text, a table of prompts, or dialogs up to a turn of a user."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from simpatico.bots.bot import Message
from simpatico.errors import DataError
from simpatico.readers import Conversations, Source
from simpatico.readers.file_formats._table_csv import csv_rows
from simpatico.readers.file_formats._table_fields import Fields
from simpatico.readers.file_formats.openai import LISTS
from simpatico.readers.input.decode import decode_records, rows_by_header
from simpatico.readers.input.record import Ledger, Place
from simpatico.turns import Turn, Turns

Upto = Literal["last", "first", "every"]
TEXT_FIELDS = ("prompt", "text")
TABLE_SUFFIXES = (".csv", ".tsv")


class Prompt(NamedTuple):
    """A dialog that ends with the turn to answer, under a name."""

    id: str
    dialog: tuple[Message, ...]


PromptRows = Iterator[tuple[Place, Prompt]]


def read_prompts(
    path: str | Path, *, format: str | None = None, upto: Upto = "last"
) -> list[Prompt]:
    """The prompts in a file, in its order; `-` is standard input.

    `upto` says at which turn of the user a dialog is cut: the last, the first, or each in turn.
    """
    conversations = Conversations((path,), format)
    (source,) = conversations.sources
    reader = None if format else prompt_reader(source)
    if reader is None:
        prompts = [
            prompt
            for chunk in conversations.chunks()
            for dialog in split_dialogs(chunk.turns)
            for prompt in cut_dialog(dialog, upto)
        ]
    else:
        source.is_rejected(Ledger())
        prompts = list(unique_prompts(reader(source)))
    if not prompts:
        raise DataError(f"{source.name}:0: there is no prompt in the file; a bot has nothing to do")
    return prompts


def prompt_reader(source: Source) -> Callable[[Source], PromptRows] | None:
    """How to read a file of prompts; null for one of dialogs."""
    head = source.head
    if head.kind == "text" and head.suffix not in TABLE_SUFFIXES:
        return prompts_from_lines
    names = head.columns
    keys = Fields.of(head).keys
    dialogs = keys["speaker"] in names and (keys["dialog"] in names or keys["text"] in names)
    if dialogs or "completion" in names or any(name in names for name in LISTS):
        return None
    if not any(names.get(name) for name in TEXT_FIELDS):
        return None
    return prompts_from_cells if head.kind == "text" else prompts_from_records


def prompts_from_lines(source: Source) -> PromptRows:
    """A prompt a line."""
    for place, line in source.lines():
        try:
            yield place, user_prompt(f"{source.stem}:{place.line}", line.decode())
        except UnicodeDecodeError:
            Ledger().reject(place, "utf8", "the text is not valid UTF-8")


def prompts_from_records(source: Source) -> PromptRows:
    """A prompt a JSON object: `prompt` or `text`, and an `id` if there is one."""

    def decode(line: bytes) -> dict[str, Any]:
        return msgspec.json.decode(line, type=dict[str, Any])

    for place, row in decode_records(source.records(), decode, Ledger()):
        yield place, row_prompt(source, place, row)


def prompts_from_cells(source: Source) -> PromptRows:
    """A prompt a row of CSV."""
    ledger = Ledger()
    rows = csv_rows(source, ledger)
    _, header = next(rows, (None, []))
    for place, row in rows_by_header(rows, [name.strip() for name in header], ledger):
        yield place, row_prompt(source, place, row)


def row_prompt(source: Source, place: Place, row: dict[str, Any]) -> Prompt:
    """The prompt of a row."""
    text = next((row[name] for name in TEXT_FIELDS if row.get(name) is not None), None)
    name = row.get("id")
    if not isinstance(text, str):
        Ledger().reject(place, "missing", "there is no text as 'prompt' or 'text'")
    if not isinstance(name, str | int | None):
        Ledger().reject(place, "type", "'id' must be text or a whole number")
    prompt_id = str(name) if name not in (None, "") else f"{source.stem}:{place.line}"
    return user_prompt(prompt_id, str(text))


def user_prompt(name: str, text: str) -> Prompt:
    """A dialog of a single turn."""
    return Prompt(name, (Message("user", text),))


def unique_prompts(prompts: Iterable[tuple[Place, Prompt]]) -> Iterator[Prompt]:
    """The prompts; one that is empty, or has the name of an earlier one, is an error."""
    ids: set[str] = set()
    for place, prompt in prompts:
        if not prompt.dialog[-1].text.strip():
            Ledger().reject(place, "empty", "the prompt is empty; take it out")
        if prompt.id in ids:
            Ledger().reject(place, "duplicate_id", "an earlier prompt has the same 'id'")
        ids.add(prompt.id)
        yield prompt


def split_dialogs(turns: Turns) -> Iterator[list[Turn]]:
    """The turns of each dialog."""
    dialog: list[Turn] = []
    for turn in turns:
        if dialog and turn.turn == 0:
            yield dialog
            dialog = []
        dialog.append(turn)
    if dialog:
        yield dialog


def cut_dialog(dialog: list[Turn], upto: Upto) -> list[Prompt]:
    """One dialog as prompts, under its own name or, for every turn, with the turn's number.

    One in which no user says anything gives none.
    """
    messages = assistant_view(dialog)
    ends = [i for i, turn in enumerate(messages) if turn.role == "user" and turn.text.strip()]
    name = dialog[0].dialog
    match upto:
        case "every":
            return [Prompt(f"{name}:{i}", tuple(messages[: i + 1])) for i in ends]
        case "first":
            ends = ends[:1]
    return [Prompt(name, tuple(messages[: i + 1])) for i in ends[-1:]]


def assistant_view(dialog: list[Turn]) -> list[Message]:
    """Who is the user: the people, or whoever speaks first where that does not tell them apart."""
    people = {turn.speaker for turn in dialog if turn.system == "human"}
    others = {turn.speaker for turn in dialog} - people
    users = people if people and others else {dialog[0].speaker}
    return [Message("user" if t.speaker in users else "assistant", t.text) for t in dialog]
