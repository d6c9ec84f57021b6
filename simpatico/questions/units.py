"""What is put before a judge, person or model: a dialog, an exchange of it, or two side by side.

A unit holds everything that an export needs; `shown` is what a rater's page receives, which has
neither ids nor names of systems, so that nobody can be influenced by them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec

from simpatico.errors import DataError
from simpatico.questions.question import UnitKind
from simpatico.readers.alignment import HUMAN
from simpatico.readers.conversations import read
from simpatico.run import Run
from simpatico.turns import Turns

MAX_TURNS = 500
"""Turns of a dialog that a person can be asked to read."""


class Line(msgspec.Struct, frozen=True):
    """One turn; `rated` if questions about turns are asked of it."""

    turn: int
    speaker: str
    system: str | None
    text: str
    rated: bool

    @property
    def who(self) -> str:
        return "person" if self.system in (HUMAN, None) else "partner"


class Side(msgspec.Struct, frozen=True):
    """A dialog, or a part of it."""

    dialog: str
    lines: tuple[Line, ...]
    prompt: str | None = None

    @property
    def partner(self) -> str | None:
        """The speaker whose part is rated, where there is one."""
        speakers = {line.speaker for line in self.lines if line.who == "partner"}
        return speakers.pop() if len(speakers) == 1 else None

    @property
    def system(self) -> str | None:
        """The system whose part is rated, where there is one."""
        systems = {line.system for line in self.lines if line.who == "partner"}
        return systems.pop() if len(systems) == 1 else None

    def shown(self) -> list[dict[str, Any]]:
        """The turns as a rater's page gets them."""
        return [
            {"turn": line.turn, "who": line.who, "text": line.text, "rated": line.rated}
            for line in self.lines
        ]


class Unit(msgspec.Struct, frozen=True):
    """One or two dialogs; a pair has two sides, of which a rater's page may swap the order."""

    id: str
    kind: UnitKind
    sides: tuple[Side, ...]

    def shown(self, *, swapped: bool) -> list[list[dict[str, Any]]]:
        """The sides as a rater's page gets them."""
        sides = [side.shown() for side in self.sides]
        return sides[::-1] if swapped else sides


def load_turns(place: Path) -> Turns:
    """The turns of a run folder, or of a file that `score` reads."""
    if not (place / "run.json").is_file():
        return read(place)
    run = Run(place)
    ids = run.at("dialog", ["dialog"])["dialog"].unique(maintain_order=True).to_list()
    turns = run.turns(ids)
    if turns is None:
        raise DataError(f"{place} was scored with --no-text; score again without it")
    return turns


def split_dialogs(turns: Turns, *, longest: int | None = MAX_TURNS) -> Iterator[Side]:
    """One side per dialog; the turns of systems are rated."""
    for (dialog,), frame in turns.frame.group_by("dialog", maintain_order=True):
        if longest and frame.height > longest:
            raise DataError(
                f"dialog {dialog!r} has {frame.height:,} turns; people can rate up to {longest}, "
                "so leave it out or cut it"
            )
        rows = frame.select("turn", "speaker", "system", "text").iter_rows()
        lines = tuple(
            Line(turn, speaker, system, text, system not in (HUMAN, None))
            for turn, speaker, system, text in rows
        )
        prompt = frame["prompt"].drop_nulls()
        yield Side(str(dialog), lines, prompt[0] if len(prompt) else None)


def exchanges(dialogs: Iterable[Side]) -> Iterator[Unit]:
    """Each rated turn with the turn before it."""
    for side in dialogs:
        for before, line in zip(side.lines, side.lines[1:], strict=False):
            if line.rated:
                part = Side(side.dialog, (before, line), side.prompt)
                yield Unit(unit_id("exchange", side.dialog, line.turn), "exchange", (part,))


def pairs(dialogs: Iterable[Side]) -> Iterator[Unit]:
    """Dialogs of different systems on the same prompt; without prompts, the n-th of each."""
    groups: dict[tuple[str, ...], list[Side]] = {}
    numbers: dict[str, int] = {}
    for side in dialogs:
        if side.system is None:
            continue
        numbers[side.system] = numbers.get(side.system, 0) + 1
        key = ("prompt", side.prompt) if side.prompt else ("number", str(numbers[side.system]))
        groups.setdefault(key, []).append(side)
    for group in groups.values():
        for a, b in combinations(sorted(group, key=lambda side: side.system or ""), 2):
            if a.system != b.system:
                yield Unit(unit_id("pair", a.dialog, b.dialog), "pair", (a, b))


def unit_id(*parts: object) -> str:
    """A name for a unit by which no rater can tell the dialog or its system."""
    text = "\0".join(map(str, parts)).encode()
    return f"{parts[0]}-{hashlib.blake2b(text, digest_size=9).hexdigest()}"
