"""Ratings of one quality as a matrix: units × judges, NaN where a judge did not rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.arrays import Bools, Floats, Ints
from simpatico.comparison.samples import as_floats
from simpatico.errors import UnknownName, suggest_names
from simpatico.judgements import Judgements
from simpatico.stats.bootstrap import SumStatistic, sum_per_unit, units_status

SumFunction = Callable[[Floats], Floats]
"""From sums over units, a row per draw, to one value per draw."""
KEY = ["dialog", "turn", "speaker"]
JUDGE_KEY = ["judge", "judge_kind", "position"]
MAX_UNSHARED_COLUMNS = 20
"""Up to so many judges who share no unit with another keep columns of their own."""


@dataclass(frozen=True)
class RatingMatrix:
    """Units × judges, the keys of its rows (dialog, turn, speaker) and the names of its columns.

    A column `#2` holds the second rating without a name of each unit: a position, not a person.
    """

    matrix: Floats
    units: pl.DataFrame
    judges: list[str]

    @property
    def dialogs(self) -> Ints:
        """The dialog of each row, as a number: the cluster that intervals resample."""
        return self.units["dialog"].rank("dense").to_numpy().astype(np.int64)

    @property
    def anonymous(self) -> bool:
        """Whether some ratings have no judge's name, so that columns are positions."""
        return any(name.startswith("#") for name in self.judges)

    @cached_property
    def views(self) -> RatingViews:
        """The same matrix as the statistics need it, shared by all of them."""
        return RatingViews(self.matrix)


def rating_matrix(judgements: Judgements | pl.DataFrame, quality: str) -> RatingMatrix:
    """The ratings of a quality; units and judges come sorted, whatever the order of the rows.

    The same name in two kinds of judge is two judges.
    """
    frame = judgements.frame if isinstance(judgements, Judgements) else judgements
    qualities = frame["quality"].unique().sort().to_list()
    if quality not in qualities:
        hint = suggest_names(quality, qualities or ["none"])
        raise UnknownName(f"no ratings of the quality {quality!r}; {hint}")
    has_name, order = pl.col("judge").is_not_null(), pl.int_range(pl.len()).over([*KEY, "judge"])
    frame = frame.filter(quality=quality).with_columns(
        position=pl.when(~has_name).then(order + 1), judge_kind=pl.when(has_name).then("judge_kind")
    )
    # Who shares no unit with another judge says nothing about agreement, and a column for each of
    # 5,000 such people would make a matrix of gigabytes: they get one name.
    shares = pl.col("shares")
    frame = frame.with_columns(shares=pl.len().over(KEY) > 1)
    frame = frame.with_columns(shares.any().over(JUDGE_KEY))
    if frame.filter(~shares).select(JUDGE_KEY).n_unique() > MAX_UNSHARED_COLUMNS:
        frame = frame.with_columns(
            judge=pl.when(shares).then("judge").otherwise(pl.lit("judges who met no other")),
            judge_kind=pl.when(shares).then("judge_kind"),
            position=pl.when(shares).then("position"),
        )
    units, row = index_keys(frame, KEY)
    judges, column = index_keys(frame, JUDGE_KEY)
    matrix = np.full((units.height, judges.height), np.nan)
    matrix[row, column] = as_floats(frame["value"])
    # The kind of judge is added where two share a name.
    labels = [
        f"#{position}" if name is None else f"{name} ({kind})" if shared else name
        for (name, kind, position), shared in zip(
            judges.iter_rows(), judges["judge"].is_duplicated(), strict=True
        )
    ]
    return RatingMatrix(matrix, units, labels)


def index_keys(frame: pl.DataFrame, key: list[str]) -> tuple[pl.DataFrame, Ints]:
    """The distinct keys in order, and the index of each row's key among them."""
    distinct = frame.select(key).unique().sort(key)
    numbers = distinct.with_row_index("_index")
    rows = frame.join(numbers, on=key, how="left", nulls_equal=True, maintain_order="left")
    return distinct, rows["_index"].to_numpy().astype(np.int64)


class RatingPairs(NamedTuple):
    """Every two ratings of one unit, each once: judges a and b, values x and y, categories c, k."""

    unit: Ints
    a: Ints
    b: Ints
    x: Floats
    y: Floats
    c: Ints
    k: Ints

    def filter(self, rows: Bools) -> RatingPairs:
        """Only the pairs of these rows."""
        return RatingPairs._make(column[rows] for column in self)


class RatingViews:
    """A matrix of ratings as the statistics need it, each view computed once.

    `values` have mean 0 and variance 1 over all ratings: the statistics do not depend on the unit
    of measurement, and none can overflow. `present`: where there is a rating; `n_ratings`: how
    many each unit has; `codes`: the category of each rating, -1 for none.
    """

    def __init__(self, matrix: npt.ArrayLike) -> None:
        raw = np.array(matrix, dtype=np.float64, ndmin=2)
        raw[~np.isfinite(raw)] = np.nan
        self.values = standardise_ratings(raw)
        self.present = np.isfinite(raw)
        self.n_ratings = self.present.sum(axis=1).astype(np.float64)
        _, inverse = np.unique(raw[self.present], return_inverse=True)
        self.codes = np.full(raw.shape, -1, dtype=np.int64)
        self.codes[self.present] = inverse
        self.categories = int(inverse.max()) + 1 if inverse.size else 0

    @property
    def has_pair(self) -> Bools:
        """Whether a unit has two ratings or more."""
        return np.asarray(self.n_ratings >= 2)

    @property
    def levels(self) -> Floats:
        """The value of each category."""
        levels = np.zeros(self.categories)
        levels[self.codes[self.present]] = self.values[self.present]
        return levels

    @cached_property
    def judge_order(self) -> Ints:
        """For each unit, the judges who rated it first; as many columns as any unit needs."""
        order = np.argsort(~self.present, axis=1, kind="stable")
        return order[:, : int(self.n_ratings.max(initial=0))]

    @property
    def moved_left(self) -> tuple[Floats, Bools]:
        """Each unit's ratings moved to the left and padded with 0, and where there are ratings."""
        present = np.take_along_axis(self.present, self.judge_order, axis=1)
        values = np.take_along_axis(self.values, self.judge_order, axis=1)
        return np.where(present, values, 0.0), present

    def statistic(
        self, name: str, method: str, summands: Any, function: SumFunction, n: int | None = None
    ) -> SumStatistic:
        """A statistic of these ratings; `n`: its units, by default all with two ratings or more."""
        n = int(self.has_pair.sum()) if n is None else n
        return SumStatistic(name, method, summands, function, n, units_status(n))

    def sum_over_pairs(self, values: Floats) -> Floats:
        """The values of the pairs of ratings, added up for each unit."""
        return sum_per_unit(self.pairs.unit, values, len(self.n_ratings))

    @cached_property
    def pairs(self) -> RatingPairs:
        """All pairs, by position among the few ratings of a unit, not by judge (of maybe 5,000)."""
        none = np.zeros(0, dtype=np.int64)
        parts = [(none, none, none)]
        for i, j in combinations(range(self.judge_order.shape[1]), 2):
            unit = np.flatnonzero(self.n_ratings > j)
            parts.append((unit, self.judge_order[unit, i], self.judge_order[unit, j]))
        unit, a, b = (np.concatenate(column) for column in zip(*parts, strict=True))
        values, codes = self.values, self.codes
        return RatingPairs(
            unit, a, b, values[unit, a], values[unit, b], codes[unit, a], codes[unit, b]
        )


def standardise_ratings(raw: Floats) -> Floats:
    """Mean 0 and variance 1 over all ratings; zeros where nothing varies."""
    present = np.isfinite(raw)
    if not present.any():
        return raw.copy()
    if raw[present].min() == raw[present].max():
        return np.asarray(np.where(present, 0.0, np.nan))
    values = raw / np.abs(raw[present]).max()  # first, so that no square can overflow
    values -= values[present].mean()
    return np.asarray(values / (float(values[present].std()) or 1.0))
