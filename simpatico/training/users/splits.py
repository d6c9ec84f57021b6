"""Chronological splits: validation comes after training, and test after both.

Either at two points in time, the same for all users, so that a model knows nothing that was not
known by then; or in the order of each user's dialogs, or of each dialog's turns. A random split
would let a model learn from what users did after the turns it is tested on.

Example: examples that start at 1, 2, ..., 10 and are known at once are cut at 8 and 9: eight for
training, one for validation, one for test. One that starts at 8 and is known at 8.5 is in none.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.errors import BadValue, DataError
from simpatico.turns import Turns

SHARES = (0.8, 0.1, 0.1)
EXCLUDED = -1
TRAIN, VALIDATION, TEST = range(3)
OPEN, TIMELESS = "not known yet at a cut", "without a time"
TORN = "of a dialog that is later for somebody else"


class Clock(NamedTuple):
    """When each turn was said, in seconds, and when its dialog was over."""

    time: Floats
    dialog_end: Floats
    dialog: Ints
    """The number of its dialog."""
    has_times: bool
    """Without any time, dialogs follow each other as they stand, a step each."""

    @classmethod
    def of(cls, turns: Turns) -> Clock:
        """NaN for a turn without a time among turns that have one, and for a dialog of such."""
        time = turns.frame["time"]
        dialog = turns.frame["dialog"].rle_id().to_numpy().astype(np.int64)
        if time.null_count() == len(time):
            return cls(dialog.astype(np.float64), dialog.astype(np.float64), dialog, False)
        seconds = time.dt.epoch("us").cast(pl.Float64).to_numpy() / 1e6
        last = np.full(int(dialog[-1]) + 1, np.nan)
        np.fmax.at(last, dialog, seconds)
        return cls(seconds, last[dialog], dialog, True)


class TimeSplit(NamedTuple):
    """Indices of the examples in each split."""

    train: Ints
    validation: Ints
    test: Ints
    excluded: dict[str, int]
    """How many examples are in none, by reason."""

    @classmethod
    def of(cls, split: Ints, n_excluded: dict[str, int]) -> TimeSplit:
        """From the code of each example: `TRAIN`, `VALIDATION`, `TEST` or `EXCLUDED`."""
        parts = (np.flatnonzero(split == code) for code in (TRAIN, VALIDATION, TEST))
        return cls._make([*parts, n_excluded])

    @property
    def before_test(self) -> Ints:
        """Training and validation examples: all that was known when the test begins."""
        return np.concatenate([self.train, self.validation])


class CutTimes(NamedTuple):
    """The last time that belongs to training, and the last that belongs to validation."""

    train: float
    validation: float


TRAIN_ON_ALL = CutTimes(np.inf, np.inf)
"""Everything whose outcome is known is in the training split."""


def cuts_at_dates(validation_from: datetime, test_from: datetime) -> CutTimes:
    """Cuts just before two points in time."""
    if not validation_from < test_from:
        raise BadValue(
            f"validation from {validation_from:%Y-%m-%d} and test from {test_from:%Y-%m-%d}; "
            "the test set must begin later"
        )
    dates = (validation_from, test_from)
    return CutTimes(*(float(np.nextafter(date.timestamp(), -np.inf)) for date in dates))


def cuts_by_share(start: Floats, shares: tuple[float, float, float] = SHARES) -> CutTimes:
    """Cuts between which these shares of the examples start."""
    if min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise BadValue(f"shares {shares} must be above 0 and add up to 1, such as {SHARES}")
    order = np.sort(start[~np.isnan(start)])
    if not len(order):
        raise DataError("no example has a time, which a split by time needs")
    last = [int(np.ceil(share * len(order))) - 1 for share in np.cumsum(shares)[:2]]
    return CutTimes(*(float(order[max(at, 0)]) for at in last))


def latest_cuts(cuts: CutTimes, start: Floats) -> CutTimes:
    """The same cuts as late as they may be: just before the next example starts.

    Fewer outcomes are then still open at a cut, and none of the examples changes its side.
    """
    following = (start[start > time].min(initial=np.inf) for time in cuts)
    return CutTimes(*(float(np.nextafter(time, -np.inf)) for time in following))


def split_at_cuts(start: Floats, known_from: Floats, cuts: CutTimes) -> tuple[Ints, dict[str, int]]:
    """The split of each example by when it started and when its outcome was known.

    An example whose outcome was still open at a cut is on neither side of it: before the cut nobody
    could have learned from it, and after it it would be no later than the examples before.
    """
    split = np.full(len(start), EXCLUDED)
    split[known_from <= cuts.train] = TRAIN
    split[(start > cuts.train) & (known_from <= cuts.validation)] = VALIDATION
    split[start > cuts.validation] = TEST
    timeless = np.isnan(start)
    split[timeless] = EXCLUDED
    still_open = (split == EXCLUDED) & ~timeless
    return split, {TIMELESS: int(timeless.sum()), OPEN: int(still_open.sum())}


def split_in_order(
    group: Sequence[Hashable], unit: Ints, start: Floats
) -> tuple[Ints, dict[str, int]]:
    """The split of each example: the last tenth of a group's units, the tenth before, the others.

    A unit is a dialog of a user, say, or a turn of a dialog. Of two units or more at least one is
    in the test split, of three or more at least one in the validation split. A missing time is the
    first of its unit; a unit without any is excluded, as it may be earlier or later; where no time
    is known at all, units follow each other by their numbers.
    """
    first = np.full(int(unit.max(initial=0)) + 1, np.nan)
    np.fmin.at(first, unit, start)
    start = np.where(np.isnan(start), first[unit], start)
    timeless = np.isnan(start) & ~np.isnan(start).all()
    members: dict[Hashable, dict[int, list[int]]] = {}
    for at in np.lexsort([unit, start]):
        if not timeless[at]:
            members.setdefault(group[at], {}).setdefault(int(unit[at]), []).append(at)
    split = np.where(timeless, EXCLUDED, TRAIN)
    for units in members.values():
        n, tenth = len(units), max(1, round(len(units) * SHARES[2]))
        for number, indices in enumerate(units.values()):
            if n > 1 and number >= n - tenth:
                split[indices] = TEST
            elif n > 2 and number >= n - 2 * tenth:
                split[indices] = VALIDATION
    return split, {TIMELESS: int(timeless.sum())}


def keep_dialogs_whole(split: Ints, dialog: Ints) -> tuple[Ints, dict[str, int]]:
    """Each dialog in one split only, its latest; examples that would be earlier are excluded."""
    last = np.full(int(dialog.max(initial=0)) + 1, EXCLUDED)
    np.maximum.at(last, dialog, split)
    torn = (split != EXCLUDED) & (split < last[dialog])
    return np.where(torn, EXCLUDED, split), {TORN: int(torn.sum())}
