"""Ratings of one quality: a row per unit, a column per judge, NaN where a judge did not rate."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.errors import UnknownName
from simpatico.judgements import JudgeKind, Judgements

KEY = ["dialog", "turn", "speaker"]
WHO = ["judge", "judge_kind", "position"]
STRANGERS = "judges who met no other"
FEW_STRANGERS = 20
"""So many keep their own columns."""


class Ratings(NamedTuple):
    """The matrix, what its rows are (dialog, turn, speaker) and whom its columns stand for.

    A column `#2` holds the second rating without a name of each unit: a position, not a person.
    """

    matrix: Floats
    units: pl.DataFrame
    judges: list[str]

    @property
    def dialogs(self) -> Ints:
        """The dialog of each row, as a number."""
        return self.units["dialog"].rank("dense").to_numpy().astype(np.int64)

    @property
    def anonymous(self) -> bool:
        return any(name.startswith("#") for name in self.judges)


def ratings(
    judgements: Judgements | pl.DataFrame, quality: str, *, judge_kind: JudgeKind | None = None
) -> Ratings:
    """Who gave what for a quality; units and judges come sorted, whatever the order of the rows.

    The same name in two kinds of judge is two judges.
    """
    frame = judgements.frame if isinstance(judgements, Judgements) else judgements
    there = frame["quality"].unique().sort().to_list()
    if quality not in there:
        near = get_close_matches(quality, there, n=3) or there
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "there are none"
        raise UnknownName(f"no judgements of the quality {quality!r}; {hint}")
    frame = frame.filter(quality=quality)
    if judge_kind is not None:
        frame = frame.filter(judge_kind=judge_kind)
    order = pl.int_range(pl.len()).over([*KEY, "judge"]) + 1
    frame = frame.with_columns(position=pl.when(pl.col("judge").is_null()).then(order))
    frame = frame.with_columns(
        judge_kind=pl.when(pl.col("judge").is_not_null()).then(pl.col("judge_kind"))
    )
    frame = without_strangers(frame)
    units, row = numbered(frame, KEY)
    judges, column = numbered(frame, WHO)
    matrix = np.full((units.height, judges.height), np.nan)
    matrix[row, column] = frame["value"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    return Ratings(matrix, units, labels(judges))


def without_strangers(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows with one name for all judges who never met another on any unit.

    Who they are tells nothing about agreement, and a column for each of 5,000 such people would
    make a matrix of gigabytes.
    """
    frame = frame.with_columns(met=pl.len().over(KEY) > 1).with_columns(
        pl.col("met").any().over(WHO)
    )
    met = pl.col("met")
    if frame.filter(~met).select(WHO).n_unique() <= FEW_STRANGERS:
        return frame
    return frame.with_columns(
        judge=pl.when(met).then("judge").otherwise(pl.lit(STRANGERS)),
        judge_kind=pl.when(met).then("judge_kind"),
        position=pl.when(met).then("position"),
    )


def numbered(frame: pl.DataFrame, key: list[str]) -> tuple[pl.DataFrame, Ints]:
    """The distinct keys in order, and which of them each row has."""
    distinct = frame.select(key).unique().sort(key)
    number = frame.select(key).join(
        distinct.with_row_index("_number"),
        on=key,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    return distinct, number["_number"].to_numpy().astype(np.int64)


def labels(judges: pl.DataFrame) -> list[str]:
    """A name for each column: the kind of judge is added where two share a name."""
    twice = judges["judge"].is_duplicated()
    return [
        f"#{position}" if name is None else f"{name} ({kind})" if shared else name
        for (name, kind, position), shared in zip(judges.iter_rows(), twice, strict=True)
    ]


class Pairs(NamedTuple):
    """Every two ratings of one unit, each once: who gave them, their values and categories."""

    unit: Ints
    a: Ints
    b: Ints
    x: Floats
    y: Floats
    c: Ints
    k: Ints

    def keep(self, rows: npt.NDArray[np.bool_]) -> Pairs:
        unit, a, b, x, y, c, k = self
        return Pairs(unit[rows], a[rows], b[rows], x[rows], y[rows], c[rows], k[rows])


class Rated:
    """A matrix of ratings as the statistics want it, each view worked out once.

    Values are moved and stretched to mean 0 and variance 1 over all ratings: every statistic
    that takes them as numbers is the same for any unit of measurement, and none can overflow.
    """

    def __init__(self, matrix: npt.ArrayLike) -> None:
        raw = np.array(matrix, dtype=np.float64, ndmin=2)
        raw[~np.isfinite(raw)] = np.nan
        self.values = standard(raw)
        self.given = np.isfinite(raw)
        self.number = self.given.sum(axis=1).astype(np.float64)
        _, inverse = np.unique(raw[self.given], return_inverse=True)
        self.codes = np.full(raw.shape, -1, dtype=np.int64)
        self.codes[self.given] = inverse
        self.categories = int(inverse.max()) + 1 if inverse.size else 0

    @property
    def paired(self) -> npt.NDArray[np.bool_]:
        """Units with two ratings or more."""
        return np.asarray(self.number >= 2)

    @property
    def levels(self) -> Floats:
        """The value of each category."""
        levels = np.zeros(self.categories)
        levels[self.codes[self.given]] = self.values[self.given]
        return levels

    @cached_property
    def first(self) -> Ints:
        """For each unit, the judges who rated it before the others, as far as any unit needs."""
        order = np.argsort(~self.given, axis=1, kind="stable")
        return order[:, : int(self.number.max(initial=0))]

    @property
    def packed(self) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Each unit's ratings moved to the left, 0 where there are no more, and where there are."""
        given = np.take_along_axis(self.given, self.first, axis=1)
        values = np.take_along_axis(self.values, self.first, axis=1)
        return np.where(given, values, 0.0), given

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs, found over the few ratings of a unit and not over all judges there are."""
        none = np.zeros(0, dtype=np.int64)
        found = [(none, none, none)]
        for i, j in combinations(range(self.first.shape[1]), 2):
            unit = np.flatnonzero(self.number > j)
            found.append((unit, self.first[unit, i], self.first[unit, j]))
        unit, a, b = (np.concatenate(column) for column in zip(*found, strict=True))
        values, codes = self.values, self.codes
        return Pairs(unit, a, b, values[unit, a], values[unit, b], codes[unit, a], codes[unit, b])


def standard(raw: Floats) -> Floats:
    """Mean 0 and variance 1 over all that is not NaN; zeros where nothing varies."""
    given = np.isfinite(raw)
    if not given.any():
        return raw.copy()
    if raw[given].min() == raw[given].max():
        return np.asarray(np.where(given, 0.0, np.nan))
    values = raw / np.abs(raw[given]).max()
    values -= values[given].mean()
    return np.asarray(values / (float(values[given].std()) or 1.0))
