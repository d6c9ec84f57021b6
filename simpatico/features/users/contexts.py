"""Turns that a person may answer or rate, each with what can be known when it has just been said.

The person is the interlocutor of the turn; where none is named, whoever said what it answers. All
that is told of a turn comes from it and from what was said before it, never from what follows.
Example: after "hello there" of ann, bob's "why, ann?" has the person ann, asks a question, names
ann, and follows one turn of hers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import cos, log1p, pi, sin

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.turns import Turns

SAID = ("length", "question", "named")
"""Circumstances that depend on the words of the turn."""
BEFORE = (
    "asked",
    "called",
    "turns",
    "own_turns",
    "other_turns",
    "own_length",
    "since",
    "answered",
    "pause",
    "away",
    "timed",
    "hour_sin",
    "hour_cos",
)
"""Circumstances that depend on what was before it, and on the clock.

What the person said last asks something, or calls the other by name; turns so far, those of the
person and of the other; how long the person's last turn was, and how many turns ago; the share of
turns meant for the person that they answered; the time since the turn before, and since the
person's last; whether the time is known, and the hour of the day. Lengths, counts and seconds are
logarithms of one more.
"""
CIRCUMSTANCES = (*SAID, *BEFORE)
QUESTION = ("?", "？", "؟")
MARK = "@"
SHORTEST = 2
"""Letters of the shortest name that is looked for."""
DAY = 24 * 3600


@dataclass(frozen=True)
class Moments:
    """Turns in order, a row each; `row` is their place among all turns."""

    row: Ints
    person: Sequence[str]
    profile: Sequence[str]
    heard: Sequence[str]
    said: Sequence[str]
    before: Floats

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def circumstances(self) -> Floats:
        """A row of `CIRCUMSTANCES` for each turn."""
        told = [about(said, who) for said, who in zip(self.said, self.person, strict=True)]
        return np.concatenate([np.array(told).reshape(len(self), len(SAID)), self.before], axis=1)

    def some(self, places: Ints) -> Moments:
        """These of them, any of them repeatedly."""
        person, profile, heard, said = (
            [texts[at] for at in places]
            for texts in (self.person, self.profile, self.heard, self.said)
        )
        return Moments(self.row[places], person, profile, heard, said, self.before[places])

    def saying(self, said: Sequence[str]) -> Moments:
        """The same moments, had these words been said."""
        return Moments(self.row, self.person, self.profile, self.heard, said, self.before)


def moments(turns: Turns) -> Moments:
    """Every turn of a system under evaluation."""
    row = np.flatnonzero(turns.scored)
    heard = turns.answered[row]
    texts, speakers = (turns.frame[name].to_list() for name in ("text", "speaker"))
    meant, profile = (
        turns.frame[name].gather(row).fill_null("").to_list()
        for name in ("interlocutor", "profile")
    )
    voice = [speakers[at] if at >= 0 else "" for at in heard]
    person = [named or spoke for named, spoke in zip(meant, voice, strict=True)]
    return Moments(
        row,
        person,
        profile,
        [texts[at] if at >= 0 else "" for at in heard],
        [texts[at] for at in row],
        np.array(standing(turns), np.float64).reshape(len(turns), len(BEFORE))[row],
    )


def about(said: str, person: str) -> tuple[float, ...]:
    """What the words of a turn say of it."""
    return log1p(len(said)), float(asks(said)), float(calls(said, person))


def asks(text: str) -> bool:
    return any(mark in text for mark in QUESTION)


@lru_cache(maxsize=4096)
def name_of(person: str) -> re.Pattern[str] | None:
    """Finds a person's name, whatever its letters' case; null for one too short to be a name.

    Only Latin letters and digits beside it make it part of another word.
    """
    if len(person) < SHORTEST:
        return None
    return re.compile(rf"(?<![A-Za-z0-9_]){re.escape(person)}(?![A-Za-z0-9_])", re.IGNORECASE)


def sought(text: str, person: str) -> re.Pattern[str] | None:
    """What finds a person's name, where it may be in the text: a pattern takes long to make."""
    plain = text.isascii() and person.isascii()
    return None if plain and person.lower() not in text.lower() else name_of(person)


def calls(text: str, person: str) -> bool:
    """Whether somebody is named."""
    name = sought(text, person)
    return name is not None and name.search(text) is not None


def unnamed(text: str, person: str) -> str:
    """The text with a mark in the place of a person's name, so that it does not tell who it is."""
    name = sought(text, person)
    return text if name is None else name.sub(MARK, text)


@dataclass
class Talk:
    """A dialog up to some turn: who said what, and who answered what was meant for them."""

    spoken: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """The turns of each speaker."""
    meant: dict[int, str] = field(default_factory=dict)
    """For whom a turn was that is not answered yet."""
    asked: Counter[str] = field(default_factory=Counter)
    replied: Counter[str] = field(default_factory=Counter)

    def share(self, voice: str) -> float:
        """How often somebody answered so far; a half where there was nothing to answer."""
        return (self.replied[voice] + 0.5) / (self.asked[voice] + 1)

    def hear(self, at: int, speaker: str, heard: int, voice: str) -> None:
        """Go on by one turn."""
        if self.meant.get(heard) == speaker:
            del self.meant[heard]
            self.replied[speaker] += 1
        if heard >= 0:
            self.meant[at] = voice
            self.asked[voice] += 1
        self.spoken[speaker].append(at)


def standing(turns: Turns) -> list[tuple[float, ...]]:
    """How things stood at every turn: `BEFORE`, in one pass over all of them."""
    number, speaker, text = (turns.frame[name].to_list() for name in ("turn", "speaker", "text"))
    meant, clock = turns.frame["interlocutor"].fill_null("").to_list(), seconds(turns)
    talk, found = Talk(), list[tuple[float, ...]]()
    for at, heard in enumerate(turns.answered.tolist()):
        talk = talk if number[at] else Talk()
        named = meant[at] in talk.spoken or heard < 0
        voice = meant[at] if named else speaker[heard]
        own, others = (len(talk.spoken.get(name, ())) for name in (voice, speaker[at]))
        last = talk.spoken[voice][-1] if own else at
        words = text[last] if own else ""
        called, length = float(calls(words, speaker[at])), log1p(len(words))
        counts = (log1p(number[at]), log1p(own), log1p(others), length, log1p(at - last))
        times = (passed(clock, at - 1 if number[at] else at, at), passed(clock, last, at))
        share = talk.share(voice)
        found.append((float(asks(words)), called, *counts, share, *times, *hour(clock[at])))
        talk.hear(at, speaker[at], heard, voice)
    return found


def seconds(turns: Turns) -> list[float | None]:
    """When each turn was said, in seconds; null where nobody knows."""
    return (turns.frame["time"].dt.epoch("us") / 1e6).to_list()


def passed(clock: Sequence[float | None], then: int, now: int) -> float:
    """The logarithm of the seconds between two turns; 0 where nobody knows."""
    first, last = clock[then], clock[now]
    return 0.0 if first is None or last is None else log1p(max(last - first, 0.0))


def hour(time: float | None) -> tuple[float, float, float]:
    """Whether the time is known, and where the hand of a clock of 24 hours stands."""
    if time is None:
        return 0.0, 0.0, 0.0
    angle = 2 * pi * (time % DAY) / DAY
    return 1.0, sin(angle), cos(angle)
