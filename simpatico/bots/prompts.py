"""What bots are to answer: lines of text, a table of prompts, or dialogs up to a turn of a user."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from simpatico.bots.bot import Said
from simpatico.errors import DataError
from simpatico.readers import Conversations, Source
from simpatico.readers.file_formats._table_csv import rows
from simpatico.readers.file_formats._table_fields import Fields, columns
from simpatico.readers.file_formats.openai import LISTS
from simpatico.readers.input.decode import by_header, decoded
from simpatico.readers.input.record import Ledger, Place
from simpatico.turns import Turn, Turns

Upto = Literal["last", "first", "every"]
TEXTS = ("prompt", "text")
TABLES = (".csv", ".tsv")


class Prompt(NamedTuple):
    """A dialog that ends with the turn to answer, under a name."""

    id: str
    dialog: tuple[Said, ...]


def read_prompts(
    path: str | Path, *, format: str | None = None, upto: Upto = "last"
) -> list[Prompt]:
    """The prompts in a file, in its order; `-` is standard input.

    `upto` says at which turn of the user a dialog is cut: the last, the first, or each in turn.
    """
    given = Conversations((path,), format)
    (source,) = given.sources
    kind = None if format else table_kind(source)
    if kind is None:
        found = from_dialogs(given, upto)
    else:
        source.refused(Ledger())
        found = list(once(source, kind(source)))
    if not found:
        raise DataError(f"{source.name}:0: there is no prompt in the file; a bot has nothing to do")
    return found


Placed = tuple[Place, Prompt]


def table_kind(source: Source) -> Callable[[Source], Iterable[Placed]] | None:
    """How to read a file of prompts; null for one of dialogs."""
    head = source.head
    if head.kind == "text" and head.suffix not in TABLES:
        return lines
    names = columns(head)
    keys = Fields.of(head).keys
    whole = keys["speaker"] in names and (keys["dialog"] in names or keys["text"] in names)
    if whole or "completion" in names or any(name in names for name in LISTS):
        return None
    if not any(names.get(name) for name in TEXTS):
        return None
    return cells if head.kind == "text" else records


def lines(source: Source) -> Iterator[Placed]:
    """A prompt a line."""
    for place, line in source.lines():
        try:
            yield place, prompt(f"{source.stem}:{place.line}", line.decode())
        except UnicodeDecodeError:
            Ledger().reject(place, "utf8", "the text is not valid UTF-8")


def records(source: Source) -> Iterator[Placed]:
    """A prompt a JSON object: `prompt` or `text`, and an `id` if there is one."""

    def read(line: bytes) -> dict[str, Any]:
        return msgspec.json.decode(line, type=dict[str, Any])

    for place, row in decoded(source.records(), read, Ledger()):
        yield place, row_prompt(source, place, row)


def cells(source: Source) -> Iterator[Placed]:
    """A prompt a row of CSV."""
    ledger = Ledger()
    found = rows(source, ledger)
    _, header = next(found, (None, []))
    for place, row in by_header(found, [name.strip() for name in header], ledger):
        yield place, row_prompt(source, place, row)


def row_prompt(source: Source, place: Place, row: dict[str, Any]) -> Prompt:
    """The prompt of a row."""
    text = next((row[name] for name in TEXTS if row.get(name) is not None), None)
    name = row.get("id")
    if not isinstance(text, str):
        Ledger().reject(place, "missing", "there is no text as 'prompt' or 'text'")
    if not isinstance(name, str | int | None):
        Ledger().reject(place, "type", "'id' must be text or a whole number")
    named = str(name) if name not in (None, "") else f"{source.stem}:{place.line}"
    return prompt(named, str(text))


def prompt(name: str, text: str) -> Prompt:
    return Prompt(name, (Said("user", text),))


def once(source: Source, found: Iterable[Placed]) -> Iterator[Prompt]:
    """The prompts, each with a text and a name of its own."""
    seen: set[str] = set()
    for place, one in found:
        if not one.dialog[-1].text.strip():
            Ledger().reject(place, "empty", "the prompt is empty; take it out")
        if one.id in seen:
            Ledger().reject(place, "duplicate_id", "an earlier prompt has the same 'id'")
        seen.add(one.id)
        yield one


def from_dialogs(given: Conversations, upto: Upto) -> list[Prompt]:
    """Dialogs cut after a turn of the user; one in which no user says anything gives none."""
    found: list[Prompt] = []
    for chunk in given.chunks():
        for dialog in dialogs(chunk.turns):
            found += cut(dialog, upto)
    return found


def dialogs(turns: Turns) -> Iterator[list[Turn]]:
    """The turns of each dialog."""
    held: list[Turn] = []
    for turn in turns:
        if held and turn.turn == 0:
            yield held
            held = []
        held.append(turn)
    if held:
        yield held


def cut(dialog: list[Turn], upto: Upto) -> list[Prompt]:
    """One dialog as prompts, under its own name or, for every turn, with the turn's number."""
    said = from_bots_view(dialog)
    places = [i for i, turn in enumerate(said) if turn.role == "user" and turn.text.strip()]
    name = dialog[0].dialog
    match upto:
        case "every":
            return [Prompt(f"{name}:{i}", tuple(said[: i + 1])) for i in places]
        case "first":
            places = places[:1]
    return [Prompt(name, tuple(said[: i + 1])) for i in places[-1:]]


def from_bots_view(dialog: list[Turn]) -> list[Said]:
    """Who is the user: the people, or whoever speaks first where that does not tell them apart."""
    people = {turn.speaker for turn in dialog if turn.system == "human"}
    others = {turn.speaker for turn in dialog} - people
    users = people if people and others else {dialog[0].speaker}
    return [Said("user" if t.speaker in users else "assistant", t.text) for t in dialog]
