"""Splits in which what is held out comes after what is learned from.

Either at two points in time, the same for all, so that a model knows nothing that was not known by
then; or in the order of each person's dialogs, or of each dialog's turns.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Bools, Floats, Ints
from simpatico.errors import BadValue, DataError

SHARES = (0.8, 0.1, 0.1)
ASIDE = -1
LEARN, CHECK, HELDOUT = range(3)
OPEN, TIMELESS = "not known yet at a cut", "without a time"
TORN = "of a dialog that is later for somebody else"


class Sides(NamedTuple):
    """Which examples are learned from, which decide, which are held out; and which are not used."""

    learn: Ints
    check: Ints
    heldout: Ints
    aside: dict[str, int]
    """How many were set aside, by reason."""

    @classmethod
    def of(cls, side: Ints, aside: dict[str, int]) -> Sides:
        """Of the number of each example's side."""
        learn, check, heldout = (np.flatnonzero(side == n) for n in (LEARN, CHECK, HELDOUT))
        return cls(learn, check, heldout, aside)


class Cuts(NamedTuple):
    """The last moment that may be learned from, and the last one that may decide anything."""

    learn: float
    check: float


def dated(check_from: datetime, test_from: datetime) -> Cuts:
    """Cuts just before two points in time."""
    if not check_from < test_from:
        raise BadValue(
            f"validation from {check_from:%Y-%m-%d} and test from {test_from:%Y-%m-%d}; "
            "the test comes later"
        )
    return Cuts(*(float(np.nextafter(d.timestamp(), -np.inf)) for d in (check_from, test_from)))


def shared(begun: Floats, shares: tuple[float, float, float] = SHARES) -> Cuts:
    """Cuts before and after which these shares of the examples began."""
    if min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise BadValue(
            f"shares {shares} are not above 0 or do not add up to 1; give such as {SHARES}"
        )
    order = np.sort(begun[~np.isnan(begun)])
    if not len(order):
        raise DataError("no example has a time; a split by time needs some")
    last = [int(np.ceil(share * len(order))) - 1 for share in np.cumsum(shares)[:2]]
    return Cuts(*(float(order[max(at, 0)]) for at in last))


def latest(cuts: Cuts, begun: Floats) -> Cuts:
    """The same cuts as late as they may be: just before the next example begins."""
    following = (begun[begun > cut].min(initial=np.inf) for cut in cuts)
    return Cuts(*(float(np.nextafter(then, -np.inf)) for then in following))


def at_cuts(begun: Floats, known: Floats, cuts: Cuts) -> tuple[Ints, dict[str, int]]:
    """The side of each example; one that was still open at a cut is on neither side of it."""
    side = np.full(len(begun), ASIDE)
    side[known <= cuts.learn] = LEARN
    side[(begun > cuts.learn) & (known <= cuts.check)] = CHECK
    side[begun > cuts.check] = HELDOUT
    timeless = np.isnan(begun)
    side[timeless] = ASIDE
    waiting = (side == ASIDE) & ~timeless
    return side, {TIMELESS: int(timeless.sum()), OPEN: int(waiting.sum())}


def in_order(group: Sequence[Hashable], unit: Ints, begun: Floats) -> tuple[Ints, dict[str, int]]:
    """The side of each example: of a group's units the last tenth, the one before, or the others.

    Of two units or more at least one is held out, of three or more at least one decides. A unit
    without any time is on no side, as it may be earlier or later; without any at all, units follow
    each other by their numbers.
    """
    begun, timeless = known_begin(unit, begun)
    members: dict[Hashable, dict[int, list[int]]] = {}
    for at in np.lexsort([unit, begun]):
        if not timeless[at]:
            members.setdefault(group[at], {}).setdefault(int(unit[at]), []).append(at)
    side = np.where(timeless, ASIDE, LEARN)
    for units in members.values():
        places, n = list(units.values()), len(units)
        tenth = max(1, round(n * SHARES[2]))
        for number, some in enumerate(places):
            if n > 1 and number >= n - tenth:
                side[some] = HELDOUT
            elif n > 2 and number >= n - 2 * tenth:
                side[some] = CHECK
    return side, {TIMELESS: int(timeless.sum())}


def known_begin(unit: Ints, begun: Floats) -> tuple[Floats, Bools]:
    """When each began, or else its unit did; and which are of a unit of which nobody knows."""
    first = np.full(int(unit.max(initial=0)) + 1, np.nan)
    np.fmin.at(first, unit, begun)
    filled = np.where(np.isnan(begun), first[unit], begun)
    timeless = np.isnan(filled)
    return filled, timeless & ~timeless.all()


def together(side: Ints, dialog: Ints) -> tuple[Ints, dict[str, int]]:
    """The same with each dialog on one side, its latest; what was to be earlier is set aside."""
    last = np.full(int(dialog.max(initial=0)) + 1, ASIDE)
    np.maximum.at(last, dialog, side)
    torn = (side != ASIDE) & (side < last[dialog])
    return np.where(torn, ASIDE, side), {TORN: int(torn.sum())}
