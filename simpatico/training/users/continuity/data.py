"""Examples for `simpatico train continuity`: who is asked about, and who is left out.

Bots, people who repeat themselves, and people with few dialogs are found by what is learned from,
and by nothing later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Ints
from simpatico.errors import BadValue, DataError
from simpatico.features.users.contexts import Moments, moments
from simpatico.training.users.continuity.outcomes import Clock, Outcomes, Window, outcomes
from simpatico.training.users.splits import (
    ASIDE,
    LEARN,
    Cuts,
    Sides,
    at_cuts,
    in_order,
    shared,
    together,
)
from simpatico.turns import Turns

ENOUGH = 5
"""Turns that a speaker must have to be told a repetitive one."""
CUT, LATE = "said where the log ends", "said too late itself"
BOT, TEDIOUS = "said by or to a bot", "said by or to somebody who repeats themselves"
FEW, MANY = "of a person with too few dialogs", "of dialogs before a person's last ones"

WHAT = ("to learn from", "to decide by", "held out")
By = Cuts | Literal["person"]
"""Two points in time, or the order of each person's dialogs."""
EVERYTHING = Cuts(np.inf, np.inf)
"""All that is known, to learn from."""


@dataclass(frozen=True)
class Filters:
    """Who is left out."""

    bots: frozenset[str] = frozenset()
    repeated: float = 0.5
    """Speakers of whom a larger share of turns says the same as another of theirs are left out."""
    fewest: int = 0
    """Dialogs of a person that there must be to learn from."""
    most: int = 400
    """Dialogs of one person that are learned from, the last ones."""

    def __post_init__(self) -> None:
        if not 0 <= self.repeated <= 1:
            raise BadValue(f"a share of repeated turns of {self.repeated:g}; it is from 0 to 1")
        if self.fewest < 0 or self.most < max(self.fewest, 1):
            raise BadValue(
                f"at least {self.fewest} and at most {self.most} dialogs of a person; the second "
                "is 1 or more, and not below the first"
            )


@dataclass(frozen=True, eq=False)
class Examples:
    """Moments in which somebody may answer, what became of them, and on which side they are.

    Those of a side are in the order of time.
    """

    turns: Turns
    moments: Moments
    outcomes: Outcomes
    sides: Sides

    def checked(self) -> Examples:
        """The same, or what is missing to learn from it."""
        for side, what in zip(self.sides[:3], WHAT, strict=True):
            n, answers = len(side), int(self.answered(side).sum())
            if not 0 < answers < n:
                raise DataError(
                    f"{n} turn{'s' * (n != 1)} {what}, {answers} of them answered; training needs "
                    f"some of both kinds{told(self.sides.aside)}"
                )
        return self

    def answered(self, places: Ints) -> Bools:
        return self.outcomes.answered[places]

    def unfinished(self, places: Ints) -> int:
        """How many of these count as not answered though the logs end before it is certain."""
        return int(self.outcomes.unfinished[places].sum())

    def person(self, places: Ints) -> list[str]:
        return [self.outcomes.person[at] for at in places]


def told(aside: Mapping[str, int]) -> str:
    """What was not used, as a sentence goes on."""
    some = ", ".join(f"{n:,} {why}" for why, n in aside.items() if n)
    return f"; not used: {some}" if some else ""


def examples(turns: Turns, *, window: Window, by: By | None = None, filters: Filters) -> Examples:
    """Every turn with words said to somebody else; split at 80% and 90% of the time, if not told.

    Of those said to nobody we know there is no answer to wait for.
    """
    found = said_to_somebody(turns)
    became = outcomes(turns, found.row, found.person, window)
    places = picked(turns, became, by or shared(became.asked), filters=filters)
    in_time = [side[np.argsort(became.asked[side], kind="stable")] for side in places[:3]]
    return Examples(turns, found, became, Sides(in_time[0], in_time[1], in_time[2], places.aside))


def said_to_somebody(turns: Turns) -> Moments:
    """Turns with words that are said to somebody else whom we know."""
    found, speaker = moments(turns), turns.frame["speaker"].to_list()
    told = zip(found.row, found.person, found.said, strict=True)
    to = [at for at, (row, who, said) in enumerate(told) if said and who not in ("", speaker[row])]
    return found.some(np.array(to, np.int64))


def picked(turns: Turns, given: Outcomes, by: By, *, filters: Filters) -> Sides:
    """The outcomes to learn from, to decide by and to hold out, without those left out."""
    side, aside = placed(given, by)
    for reason, flags in unwanted(turns, given, early(turns, given, side, by), filters).items():
        aside[reason] = leave(side, flags)
    dialogs = in_dialogs(given, side == LEARN)
    known = np.array([dialogs[name] for name in given.person], np.int64)
    aside[FEW] = leave(side, known < filters.fewest)
    often = np.flatnonzero((side == LEARN) & (known > filters.most))
    before = np.zeros(len(given), bool)
    before[often] = ~among_last(given, often, filters.most)
    aside[MANY] = leave(side, before)
    return Sides.of(side, aside)


def placed(given: Outcomes, by: By) -> tuple[Ints, dict[str, int]]:
    """The side of each outcome, and how many are on none."""
    if isinstance(by, Cuts):
        return at_cuts(given.asked, given.known, by)
    side, aside = in_order(given.person, given.dialog, given.asked)
    side, torn = together(side, given.dialog)
    return side, {**aside, **torn}


def leave(side: Ints, flags: Bools) -> int:
    """Put these aside; how many of them were not yet."""
    gone = flags & (side != ASIDE)
    side[gone] = ASIDE
    return int(gone.sum())


def early(turns: Turns, given: Outcomes, side: Ints, by: By) -> Bools:
    """Which turns may be looked at to decide who is left out."""
    clock = Clock.of(turns)
    if isinstance(by, Cuts):
        return np.asarray(clock.said <= by.learn)
    return np.isin(clock.dialog, given.dialog[side == LEARN])


def unwanted(turns: Turns, given: Outcomes, seen: Bools, filters: Filters) -> dict[str, Bools]:
    """Which outcomes are left out for what is said, by whom and when."""
    speaker = turns.frame["speaker"].to_list()
    both = [{speaker[row], name} for row, name in zip(given.row, given.person, strict=True)]
    tedious = repetitive(turns, seen, filters.repeated)
    return {
        CUT: given.cut,
        LATE: given.late,
        BOT: among(both, filters.bots),
        TEDIOUS: among(both, tedious),
    }


def among(names: Collection[set[str]], wanted: Collection[str]) -> Bools:
    """Which of the sets of names have one of these."""
    return np.array([not some.isdisjoint(wanted) for some in names], bool)


def repetitive(turns: Turns, seen: Bools, share: float) -> set[str]:
    """Speakers who in these turns mostly say what they say elsewhere in them."""
    text = pl.col("text").str.strip_chars().str.to_lowercase()
    said = turns.frame.select("speaker", text).filter(seen)
    again = said.with_columns(again=pl.len().over("speaker", "text") > 1)
    each = again.group_by("speaker").agg(pl.len().alias("n"), pl.col("again").mean())
    return set(each.filter((pl.col("n") >= ENOUGH) & (pl.col("again") > share))["speaker"])


def in_dialogs(given: Outcomes, flags: Bools) -> Counter[str]:
    """In how many dialogs each person was asked about."""
    met = {(given.person[at], int(given.dialog[at])) for at in np.flatnonzero(flags)}
    return Counter(name for name, _ in met)


def among_last(given: Outcomes, places: Ints, most: int) -> Bools:
    """Which of these outcomes are of the last `most` dialogs of their person, by their begin."""
    columns = {"dialog": given.dialog[places], "begun": given.asked[places]}
    frame = pl.DataFrame({"person": [given.person[at] for at in places], **columns})
    first = frame.with_columns(pl.col("begun").min().over("person", "dialog"))
    order = pl.struct("begun", "dialog").rank("dense", descending=True).over("person")
    return first.select(order.alias("rank"))["rank"].to_numpy() <= most
