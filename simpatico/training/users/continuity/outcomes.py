"""Whether a person answered what was said to them, and when that was known.

A turn said to a person is answered where that person says something in time in answer to it, or to
what the same speaker then added. A person may have an id under which nobody in the dialog speaks:
then it is who said what the turn answers. What happened is known when the time is over; without a
limit, when the dialog is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats, Ints
from simpatico.errors import BadValue
from simpatico.turns import Turns

MINUTE = 60.0


class Clock(NamedTuple):
    """When each turn was said, in seconds, and when its dialog was over."""

    said: Floats
    over: Floats
    dialog: Ints
    """The number of its dialog."""
    real: bool
    """Without any time, dialogs follow each other as they stand, a step each."""

    @classmethod
    def of(cls, turns: Turns) -> Clock:
        """NaN for a turn without a time among turns that have one, and for a dialog of such."""
        time = turns.frame["time"]
        dialog = turns.frame["dialog"].rle_id().to_numpy().astype(np.int64)
        if time.null_count() == len(time):
            return cls(dialog.astype(np.float64), dialog.astype(np.float64), dialog, False)
        said = time.dt.epoch("us").cast(pl.Float64).to_numpy() / 1e6
        last = np.full(int(dialog[-1]) + 1, np.nan)
        np.fmax.at(last, dialog, said)
        return cls(said, last[dialog], dialog, True)


@dataclass(frozen=True)
class Window:
    """What counts as an answer, and where nobody can tell."""

    minutes: float | None = 30.0
    """Later answers are none."""
    left: float = 0.0
    """Minutes for which there must be more of a log, so that an answer would be in it."""

    def __post_init__(self) -> None:
        if self.minutes is not None and not 0 < self.minutes < np.inf:
            raise BadValue(
                f"answers within {self.minutes:g} minutes; give more than 0, or no limit at all"
            )
        if not self.left >= 0 or (self.left and not self.left < (self.minutes or 0)):
            most = "none" if self.minutes is None else f"{self.minutes:g}"
            raise BadValue(
                f"{self.left:g} minutes of log left; give fewer than an answer may take, {most}"
            )

    @property
    def seconds(self) -> float:
        return np.inf if self.minutes is None else self.minutes * MINUTE


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What became of turns said to a person; columns of equal length."""

    row: Ints
    """Where each turn stands among all turns."""
    person: list[str]
    answered: Bools
    dialog: Ints
    asked: Floats
    """When it was said."""
    known: Floats
    """From when on it was known whether the person answers."""
    late: Bools
    """Whether it came later itself than an answer may."""
    cut: Bools
    """Whether the log ends too soon after it."""
    unfinished: Bools
    """Whether it has no answer, but all logs end before one would be too late."""

    def __len__(self) -> int:
        return len(self.row)


def outcomes(turns: Turns, row: Ints, person: Sequence[str], window: Window) -> Outcomes:
    """What became of the turns in these rows, each said to a person.

    Where times are missing, every answer is in time.
    """
    clock = Clock.of(turns)
    limit = window.seconds if clock.real else np.inf
    before = turns.answered
    waited = np.where(before < 0, np.nan, clock.said - clock.said[before])
    over = clock.over if np.isinf(limit) else clock.said + limit
    ends = silences(clock.said, limit - window.left * MINUTE)[row] if window.left else np.inf
    answered = replied(turns, row, person, clock.said, limit)
    last = np.nanmax(clock.said, initial=-np.inf)
    return Outcomes(
        row,
        list(person),
        answered,
        clock.dialog[row],
        clock.said[row],
        over[row],
        waited[row] > limit,
        ends - clock.said[row] < (window.left * MINUTE if clock.real else -1.0),
        ~answered & (last - clock.said[row] < limit) & np.isfinite(limit),
    )


def replied(turns: Turns, row: Ints, person: Sequence[str], said: Floats, limit: float) -> Bools:
    """Whether the person answers in time, from each of these rows on.

    What one speaker says in answer to one turn is one answer in several parts; an answer to a
    later part is one to those before it, too.
    """
    before, speaker = turns.answered, turns.frame["speaker"].to_list()
    parts: dict[tuple[int, str], list[int]] = {}
    for at, heard in enumerate(before.tolist()):
        parts.setdefault((heard, speaker[at]), []).append(at)
    found = []
    for at, names in zip(row.tolist(), voices(turns, row, person), strict=True):
        same = parts[int(before[at]), speaker[at]] if before[at] >= 0 else [at]
        later = ((part, name) for part in same if part >= at for name in names)
        answers = (r for one in later for r in parts.get(one, ()))
        found.append(any(not said[r] - said[at] > limit for r in answers))
    return np.array(found, bool)


def voices(turns: Turns, row: Ints, person: Sequence[str]) -> list[set[str]]:
    """As which speakers each person may answer these rows: by their name, if it is in the dialog.

    Who goes by an id is who said what the turn answers; where it answers nothing, anybody else.
    """
    before = turns.answered
    dialog, speaker = (turns.frame[name].to_list() for name in ("dialog", "speaker"))
    there: dict[str, set[str]] = {}
    for where, name in zip(dialog, speaker, strict=True):
        there.setdefault(where, set()).add(name)
    found = []
    for at, who in zip(row.tolist(), person, strict=True):
        speakers, heard = there[dialog[at]], int(before[at])
        if who in speakers:
            found.append({who})
        else:
            found.append({speaker[heard]} if heard >= 0 else speakers - {speaker[at]})
    return found


def silences(said: Floats, longest: float) -> Floats:
    """When the log that each turn is in falls silent for longer than so many seconds."""
    order = np.argsort(said, kind="stable")
    times = said[order]
    ends = np.append(np.diff(times) > longest, True) | np.isnan(times)
    place = np.flatnonzero(ends)
    found = np.empty(len(said))
    found[order] = times[place[np.searchsorted(place, np.arange(len(said)))]] if len(said) else 0
    return found
