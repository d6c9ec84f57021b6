"""Conversations as texts with marks of who speaks, for an encoder whose own weights learned.

Before each turn stands a mark: one of its own for the person who is talked to, and `[OTHER]` for
everybody else. A mark is made of the digits that stand for a person; somebody of whom there is
little to learn from shares the mark `[SOMEBODY]` with all who are not known. A profile stands in
front of everything. The person's name in a text is hidden, so that only the mark tells who it is.
Example: "[1f0c..] where is it? [OTHER] which one?" and "[OTHER] the red one is here".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simpatico.features.users.contexts import Moments, unnamed
from simpatico.features.users.identity import DIGITS, pseudonym
from simpatico.turns import Turns

SOMEBODY, OTHER = "[SOMEBODY]", "[OTHER]"
FEWEST = 5
"""Examples to learn from that a person needs for a mark of their own."""
CONTEXT, PROFILE = 320, 160
"""Characters of what was said before, the last ones, and of a profile, the first ones."""


@dataclass(frozen=True)
class Marks:
    """The mark of each person who has one."""

    key: bytes
    known: Collection[str] = ()
    """Digits of those who have one."""

    @classmethod
    def of(cls, person: Sequence[str], key: bytes, *, before: Collection[str] = ()) -> Marks:
        """For all with enough examples, and for those who had one before."""
        often = Counter(person)
        digits = {pseudonym(name, key) for name, n in often.items() if name and n >= FEWEST}
        return cls(key, frozenset(digits | set(before)))

    @property
    def tokens(self) -> tuple[str, ...]:
        """All marks, in an order that tells nothing."""
        return (SOMEBODY, OTHER, *(f"[{digits}]" for digits in sorted(self.known)))

    def __call__(self, person: str) -> str:
        digits = pseudonym(person, self.key)
        return f"[{digits}]" if digits in self.known else SOMEBODY


def digits_of(tokens: Iterable[str]) -> frozenset[str]:
    """The digits of all marks that stand for a person; a mark of one who is forgotten has none."""
    mark = re.compile(rf"\[([0-9a-f]{{{DIGITS}}})\]")
    return frozenset(found[1] for token in tokens if (found := mark.fullmatch(token)))


def texts(
    turns: Turns, moments: Moments, marks: Marks, *, profile: bool
) -> tuple[list[str], list[str]]:
    """What was said up to each moment, and what is said in it."""
    spoken, before = Spoken.of(turns), list[str]()
    for at, person, about in zip(
        moments.row.tolist(), moments.person, moments.profile, strict=True
    ):
        mark = marks(person)
        # the mark itself comes first: where they said nothing yet, it alone says who it is
        shown = [*([unnamed(about, person)[:PROFILE]] if profile and about else []), mark]
        before.append(" ".join([*shown, *spoken.before(at, person, mark)]))
    said = map(unnamed, moments.said, moments.person)
    return before, [f"{OTHER} {text}" for text in said]


class Spoken(NamedTuple):
    """Who said what, in order; for each turn the first of its dialog, and how many spoke before."""

    speaker: list[str]
    text: list[str]
    start: list[int]
    voices: list[int]
    first: dict[tuple[int, str], int]
    """The first turn of each speaker of the dialog that begins at a turn."""

    @classmethod
    def of(cls, turns: Turns) -> Spoken:
        speaker, text, number = (
            turns.frame[name].to_list() for name in ("speaker", "text", "turn")
        )
        start, voices = [at - n for at, n in enumerate(number)], list[int]()
        first = dict[tuple[int, str], int]()
        count = 0
        for at, (begun, who) in enumerate(zip(start, speaker, strict=True)):
            count = count if at > begun else 0
            voices.append(count)
            count += first.setdefault((begun, who), at) == at
        return cls(speaker, text, start, voices, first)

    def met(self, at: int, who: str) -> bool:
        """Whether somebody spoke in the dialog before a turn."""
        return self.first.get((self.start[at], who), at) < at

    def marked(self, at: int, person: str) -> Callable[[str], bool]:
        """Which speakers before a turn are the person.

        Where the person speaks under another name, it is whoever else there is, if only one.
        """
        own = self.speaker[at]
        if self.met(at, person):
            return lambda who: who == person
        alone = self.voices[at] - self.met(at, own) == 1
        return lambda who: alone and who != own

    def before(self, at: int, person: str, mark: str) -> list[str]:
        """The last turns of a dialog before one of them, each after a mark."""
        theirs = self.marked(at, person)
        parts, size = list[str](), 0
        for row in range(at - 1, self.start[at] - 1, -1):
            if size >= CONTEXT:
                break
            said = unnamed(self.text[row], person)[-(CONTEXT - size) :]
            size += len(said)
            parts.append(f"{mark if theirs(self.speaker[row]) else OTHER} {said}")
        return parts[::-1]
