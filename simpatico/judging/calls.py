"""The calls of a judge: every rubric about each of its units, in every order and repetition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, NamedTuple

import msgspec

from simpatico.bots.bot import Message
from simpatico.bots.prompts import Prompt
from simpatico.errors import BadValue, DataError
from simpatico.judging.prompt import build_prompt
from simpatico.judging.rubric import Rubric
from simpatico.questions.units import Side, exchanges, pairs, split_dialogs
from simpatico.turns import Turns

Order = Literal["ab", "ba"]
MAX_REPEATS = 100
UNIT_FIELDS = ("dialog", "turn", "dialog_a", "dialog_b", "quality", "repeat", "order")
"""What tells the calls of one judge apart."""
EMPTY = Side("", ())


@dataclass(frozen=True)
class CallOptions:
    """How often a unit is judged, pairs in which orders, and how many dialogs (or pairs) at most.

    A sample is the same for the same seed, and part of a larger one.
    """

    repeat: int = 1
    both_orders: bool = True
    sample: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.repeat <= MAX_REPEATS:
            raise BadValue(f"repeat is {self.repeat}; judge each unit 1 to {MAX_REPEATS} times")
        if self.sample is not None and self.sample < 1:
            raise BadValue(f"sample is {self.sample}; judge at least one dialog")


class JudgedUnit(NamedTuple):
    """The sides that are shown, the fields that name the unit, and the interlocutor's profile."""

    sides: tuple[Side, ...]
    names: Mapping[str, Any]
    profile: str | None = None


class Call(NamedTuple):
    """One question about one unit, and the fields of its judgement that are known beforehand."""

    rubric: Rubric
    prompt: Prompt
    text: str
    """The words of the unit, in which a quotation has to stand."""
    row: Mapping[str, Any]


def call_id(row: Mapping[str, Any]) -> str:
    """The name of a call by the fields of its judgement."""
    return msgspec.json.encode([row.get(name) for name in UNIT_FIELDS]).decode()


def rubric_hash(rubric: Rubric) -> str:
    """A hash of the prompt but for the unit: question, answers, eyes and our own words."""
    sides = (EMPTY, EMPTY) if rubric.question.unit == "pair" else (EMPTY,)
    return sha256(f"{rubric.name}\0{build_prompt(rubric, sides)}".encode()).hexdigest()


def build_calls(turns: Turns, rubrics: Sequence[Rubric], how: CallOptions) -> list[Call]:
    """The calls in the order of the file, then of the rubrics, repetitions and orders."""
    dialogs = list(split_dialogs(turns, longest=None))
    profiles = dialog_profiles(turns)
    calls = list[Call]()
    for units in units_by_dialog(dialogs, rubrics, profiles, how):
        for rubric, unit in units:
            for repeat in range(1, how.repeat + 1):
                calls += [make_call(rubric, unit, repeat, o) for o in orders_of(rubric, how)]
    if not calls:
        nouns = " and ".join(dict.fromkeys(f"{r.question.unit}s" for r in rubrics))
        raise DataError(
            f"there are no {nouns} to judge in the input; turns and exchanges need a system that "
            "replies, and pairs two systems on the same prompts"
        )
    return calls


def orders_of(rubric: Rubric, how: CallOptions) -> tuple[Order | None, ...]:
    """In which orders a unit is shown; null where there is only one."""
    if rubric.question.unit != "pair":
        return (None,)
    return ("ab", "ba") if how.both_orders else ("ab",)


def dialog_profiles(turns: Turns) -> dict[str, str]:
    """Of each dialog, the profile of the interlocutor of its system."""
    frame = turns.frame.filter(turns.scored).drop_nulls("profile").unique("dialog", keep="first")
    return dict(frame.select("dialog", "profile").iter_rows())


def units_by_dialog(
    dialogs: Sequence[Side],
    rubrics: Sequence[Rubric],
    profiles: Mapping[str, str],
    how: CallOptions,
) -> Iterator[list[tuple[Rubric, JudgedUnit]]]:
    """What each rubric is asked about, dialog by dialog or, for pairs, pair by pair."""
    if rubrics[0].question.unit == "pair":
        for pair in sample_of(list(pairs(dialogs)), how, key=lambda unit: unit.id):
            names = {"dialog_a": pair.sides[0].dialog, "dialog_b": pair.sides[1].dialog}
            yield [(rubric, JudgedUnit(pair.sides, names)) for rubric in rubrics]
        return
    for side in sample_of(dialogs, how, key=lambda side: side.dialog):
        profile = profiles.get(side.dialog)
        yield [(rubric, unit) for rubric in rubrics for unit in units_of(side, rubric, profile)]


def sample_of(items: Sequence[Any], how: CallOptions, *, key: Any) -> list[Any]:
    """As many of the items as wanted, in their order: those with the smallest hashes."""
    if how.sample is None or how.sample >= len(items):
        return list(items)

    def rank(at: int) -> bytes:
        return sha256(f"{how.seed}\0{key(items[at])}".encode()).digest()

    return [items[at] for at in sorted(sorted(range(len(items)), key=rank)[: how.sample])]


def units_of(side: Side, rubric: Rubric, profile: str | None) -> Iterator[JudgedUnit]:
    """The units of a dialog that a rubric is about: it, or its replies with what was said before.

    A judge sees nothing that came after a reply, as nobody had when it was made.
    """
    names: Mapping[str, Any]
    if rubric.question.unit == "dialog":
        names = {"dialog": side.dialog, "turn": None, "speaker": side.partner}
        yield JudgedUnit((side,), names, profile)
        return
    if rubric.question.unit == "exchange":
        parts = [unit.sides[0] for unit in exchanges([side])]
    else:
        lines = side.lines
        parts = [Side(side.dialog, lines[: n + 1]) for n, line in enumerate(lines) if line.rated]
    for part in parts:
        last = part.lines[-1]
        names = {"dialog": side.dialog, "turn": last.turn, "speaker": last.speaker}
        yield JudgedUnit((part,), names, profile)


def make_call(rubric: Rubric, unit: JudgedUnit, repeat: int, order: Order | None) -> Call:
    """The call, with its own part of the row."""
    sides = unit.sides[::-1] if order == "ba" else unit.sides
    text = build_prompt(rubric, sides, unit.profile)
    low, high = rubric.question.bounds or (None, None)
    row: dict[str, Any] = {**unit.names, "quality": rubric.name}
    if order is None:
        row |= {"scale_min": low, "scale_max": high}
    row |= {"repeat": repeat} | ({"order": order} if order else {})
    row["prompt_hash"] = sha256(text.encode(errors="replace")).hexdigest()[:16]
    words = "\n".join(line.text for side in sides for line in side.lines)
    return Call(rubric, Prompt(call_id(row), (Message("user", text),)), words, row)
