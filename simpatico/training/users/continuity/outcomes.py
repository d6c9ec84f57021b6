"""Whether a user replied to a turn that was addressed to them, and when that was known.

A turn has a reply if its addressee says something in time in answer to it, or to what the same
speaker then added. A user may have an id under which nobody in the dialog speaks: then it is
whoever said what the turn answers. The outcome is known when the time for a reply is over; without
a limit, when the dialog is. Only then may a model learn from it.
Example, with 30 minutes: bob's turn at 12:00 that ann answers at 12:40 has no reply, and that is
known at 12:30.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simpatico.arrays import Bools, Floats, Ints
from simpatico.errors import BadValue
from simpatico.training.users.splits import Clock
from simpatico.turns import Turns

MINUTE = 60.0


@dataclass(frozen=True)
class Window:
    """Until when a reply counts, and where a log ends too soon to tell."""

    minutes: float | None = 30.0
    """Later replies do not count; null for no limit."""
    left: float = 0.0
    """Minutes for which a log must go on after a turn, so that a reply would be in it."""

    def __post_init__(self) -> None:
        if self.minutes is not None and not 0 < self.minutes < np.inf:
            raise BadValue(
                f"replies within {self.minutes:g} minutes; give a positive number or no limit"
            )
        if not self.left >= 0 or (self.left and not self.left < (self.minutes or 0)):
            most = "none" if self.minutes is None else f"{self.minutes:g}"
            raise BadValue(
                f"at least {self.left:g} minutes of log after a turn; give fewer than the limit "
                f"for replies, {most}"
            )


@dataclass(frozen=True, eq=False)
class ReplyOutcomes:
    """What became of turns that were addressed to a user; columns of equal length."""

    row: Ints
    """The index of each turn among all turns."""
    user: list[str]
    has_reply: Bools
    dialog: Ints
    time: Floats
    """When it was said."""
    known_from: Floats
    """From when on it was known whether the user replies."""
    is_late: Bools
    """Whether it came later itself than a reply may."""
    is_cut: Bools
    """Whether the log ends too soon after it."""
    is_unfinished: Bools
    """Whether it has no reply, but all logs end before one would be too late."""


def reply_outcomes(turns: Turns, row: Ints, users: Sequence[str], window: Window) -> ReplyOutcomes:
    """What became of the turns in these rows, each addressed to a user.

    Where times are missing, every reply is in time.
    """
    clock = Clock.of(turns)
    limit = window.minutes * MINUTE if clock.has_times and window.minutes else np.inf
    replies_to = turns.answered
    delay = np.where(replies_to < 0, np.nan, clock.time - clock.time[replies_to])
    known_from = clock.dialog_end if np.isinf(limit) else clock.time + limit
    longest_gap = limit - window.left * MINUTE
    log_end = last_before_gap(clock.time, longest_gap)[row] if window.left else np.inf
    has_reply = replied_in_time(turns, row, users, clock.time, limit)
    last = np.nanmax(clock.time, initial=-np.inf)
    time = clock.time[row]
    return ReplyOutcomes(
        row,
        list(users),
        has_reply,
        clock.dialog[row],
        time,
        known_from[row],
        delay[row] > limit,
        log_end - time < (window.left * MINUTE if clock.has_times else -1.0),
        ~has_reply & (last - time < limit) & np.isfinite(limit),
    )


def replied_in_time(
    turns: Turns, row: Ints, users: Sequence[str], time: Floats, limit: float
) -> Bools:
    """Whether the user replies to each of these rows within the limit.

    What one speaker says in answer to one turn is one message in several parts; a reply to a later
    part is one to those before it, too. A user whose name is not in the dialog goes by an id, and
    is the speaker of what the turn answers; where it answers nothing, anybody else in the dialog.
    """
    replies_to: list[int] = turns.answered.tolist()
    dialog, speaker = (turns.frame[name].to_list() for name in ("dialog", "speaker"))
    parts, speakers_of = dict[tuple[int, str], list[int]](), dict[str, set[str]]()
    for at, previous in enumerate(replies_to):
        parts.setdefault((previous, speaker[at]), []).append(at)
        speakers_of.setdefault(dialog[at], set()).add(speaker[at])
    has_reply = []
    for at, user in zip(row.tolist(), users, strict=True):
        speakers, previous = speakers_of[dialog[at]], replies_to[at]
        if user in speakers:
            names = {user}
        else:
            names = {speaker[previous]} if previous >= 0 else speakers - {speaker[at]}
        same = parts[previous, speaker[at]] if previous >= 0 else [at]
        later = ((part, name) for part in same if part >= at for name in names)
        replies = (reply for key in later for reply in parts.get(key, ()))
        # "not later than", as a comparison with NaN is false: without a time it is in time
        has_reply.append(any(not time[reply] - time[at] > limit for reply in replies))
    return np.array(has_reply, bool)


def last_before_gap(time: Floats, longest: float) -> Floats:
    """The last turn before the next gap of more than so many seconds, where a log is cut."""
    order = np.argsort(time, kind="stable")
    times = time[order]
    is_last = np.append(np.diff(times) > longest, True) | np.isnan(times)
    last = np.flatnonzero(is_last)
    ends = np.empty(len(time))
    ends[order] = times[last[np.searchsorted(last, np.arange(len(time)))]] if len(time) else 0
    return ends
