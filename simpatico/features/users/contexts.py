"""Turns that a user may answer or rate, each with what was known when it had just been said.

The user is the interlocutor of the turn; where none is named, the speaker of the turn that it
replies to. Every covariate of a turn is a function of it and of what came before, never of what
follows, so that nothing of the outcome leaks into a prediction.
Example: after "hello there" of ann, bob's "why, ann?" has the user ann, asks a question, contains
the name ann, and follows one turn of hers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import cos, log1p, pi, sin

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.turns import Turns

TEXT_COVARIATES = ("length", "question", "named")
"""Covariates that depend on the words of the turn."""
HISTORY_COVARIATES = (
    # whether the user's last turn asks something, or calls the other by name
    *("asked", "called"),
    # turns so far, of the user, of the other; length of the user's last, how many turns ago it was
    *("turns", "own_turns", "other_turns", "own_length", "since"),
    # the share of turns addressed to the user that they answered
    "answered",
    # the time since the turn before, and since the user's last
    *("pause", "away"),
    # whether the time is known, and the hour of the day as a point on a circle
    *("timed", "hour_sin", "hour_cos"),
)
"""Covariates that depend on what came before the turn, and on the clock.

Lengths, counts and seconds are heavy-tailed and enter as log(1 + x).
"""
COVARIATES = (*TEXT_COVARIATES, *HISTORY_COVARIATES)
QUESTION_MARKS = ("?", "？", "؟")
NAME_PLACEHOLDER = "@"
MIN_NAME_LENGTH = 2
"""Shorter names would match letters that are no names."""
DAY = 24 * 3600


@dataclass(frozen=True)
class Contexts:
    """Turns in order, a row each; `row` is their index among all turns."""

    row: Ints
    user: Sequence[str]
    """The user addressed; "" where the data do not say."""
    profile: Sequence[str]
    previous: Sequence[str]
    """The text that the turn replies to; "" for an opening."""
    text: Sequence[str]
    history: Floats
    """A row of `HISTORY_COVARIATES` for each turn."""

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def covariates(self) -> Floats:
        """A row of `COVARIATES` for each turn."""
        from_text = [
            (log1p(len(text)), float(asks_question(text)), float(contains_name(text, user)))
            for text, user in zip(self.text, self.user, strict=True)
        ]
        shape = (len(self), len(TEXT_COVARIATES))
        return np.concatenate([np.array(from_text).reshape(shape), self.history], axis=1)

    def take(self, indices: Ints) -> Contexts:
        """The rows at these indices, any of them repeatedly."""
        user, profile, previous, text = (
            [column[at] for at in indices]
            for column in (self.user, self.profile, self.previous, self.text)
        )
        return Contexts(self.row[indices], user, profile, previous, text, self.history[indices])


def turn_contexts(turns: Turns) -> Contexts:
    """The context of every turn of a system under evaluation."""
    row = np.flatnonzero(turns.scored)
    replies_to = turns.answered[row]
    texts, speakers = (turns.frame[name].to_list() for name in ("text", "speaker"))
    interlocutor, profile = (
        turns.frame[name].gather(row).fill_null("").to_list()
        for name in ("interlocutor", "profile")
    )
    speaker = [speakers[at] if at >= 0 else "" for at in replies_to]
    return Contexts(
        row,
        [name or fallback for name, fallback in zip(interlocutor, speaker, strict=True)],
        profile,
        [texts[at] if at >= 0 else "" for at in replies_to],
        [texts[at] for at in row],
        history_covariates(turns)[row],
    )


def asks_question(text: str) -> bool:
    return any(mark in text for mark in QUESTION_MARKS)


@lru_cache(maxsize=4096)
def name_pattern(user: str) -> re.Pattern[str] | None:
    """Matches a user's name in any case; null for one too short to be looked for.

    Only Latin letters and digits beside it make it part of another word: in a script without
    spaces, such as Japanese, a name touches its neighbours.
    """
    if len(user) < MIN_NAME_LENGTH:
        return None
    return re.compile(rf"(?<![A-Za-z0-9_]){re.escape(user)}(?![A-Za-z0-9_])", re.IGNORECASE)


def pattern_if_possible(text: str, user: str) -> re.Pattern[str] | None:
    """The pattern of a user's name, unless a plain search shows that the text cannot contain it.

    Compiling a pattern costs far more than looking for a substring, and most texts have no name.
    Beyond ASCII, lower case is no safe test of a match that ignores case.
    """
    ascii_only = text.isascii() and user.isascii()
    return None if ascii_only and user.lower() not in text.lower() else name_pattern(user)


def contains_name(text: str, user: str) -> bool:
    name = pattern_if_possible(text, user)
    return name is not None and name.search(text) is not None


def mask_name(text: str, user: str) -> str:
    """The text with a placeholder for the user's name, so that it does not reveal who it is."""
    name = pattern_if_possible(text, user)
    return text if name is None else name.sub(NAME_PLACEHOLDER, text)


def history_covariates(turns: Turns) -> Floats:
    """`HISTORY_COVARIATES` of every turn, in one pass over all of them.

    The share of answered turns is (k + 1/2) / (n + 1): one half before the first.
    """
    number, speaker, text = (turns.frame[name].to_list() for name in ("turn", "speaker", "text"))
    interlocutor = turns.frame["interlocutor"].fill_null("").to_list()
    clock: list[float | None] = (turns.frame["time"].dt.epoch("us") / 1e6).to_list()
    rows = list[tuple[float, ...]]()
    for at, replies_to in enumerate(turns.answered.tolist()):
        if not number[at]:  # a new dialog
            turns_of = defaultdict[str, list[int]](list)
            awaiting = dict[int, str]()  # the addressee of every turn that has no answer yet
            n_addressed, n_replies = Counter[str](), Counter[str]()
        # an interlocutor may go by an id under which nobody in the dialog speaks
        speaks = interlocutor[at] in turns_of or replies_to < 0
        user = interlocutor[at] if speaks else speaker[replies_to]
        own, others = (len(turns_of.get(name, ())) for name in (user, speaker[at]))
        last = turns_of[user][-1] if own else at
        words = text[last] if own else ""
        last_turn = (float(asks_question(words)), float(contains_name(words, speaker[at])))
        counts = tuple(map(log1p, (number[at], own, others, len(words), at - last)))
        rate = (n_replies[user] + 0.5) / (n_addressed[user] + 1)
        before, time = at - 1 if number[at] else at, clock[at]
        pauses = log_elapsed(clock[before], time), log_elapsed(clock[last], time)
        # the time of day as a point on a circle: 23:59 is near 0:00
        angle = 2 * pi * ((time or 0.0) % DAY) / DAY
        hour = (0.0, 0.0, 0.0) if time is None else (1.0, sin(angle), cos(angle))
        rows.append((*last_turn, *counts, rate, *pauses, *hour))
        if awaiting.get(replies_to) == speaker[at]:
            del awaiting[replies_to]
            n_replies[speaker[at]] += 1
        if replies_to >= 0:
            awaiting[at] = user
            n_addressed[user] += 1
        turns_of[speaker[at]].append(at)
    return np.array(rows, np.float64).reshape(len(turns), len(HISTORY_COVARIATES))


def log_elapsed(start: float | None, end: float | None) -> float:
    """log(1 + seconds) between two times; 0 where one of them is not known."""
    return 0.0 if start is None or end is None else log1p(max(end - start, 0.0))
