"""Means of systems over their dialogs, each of which counts once, with Student's t interval.

    dialog table → frames of whole dialogs → exact sums of each → mean, n and 95% CI

Sums are exact, so that neither the order of dialogs nor how they are shared out among processes
changes a bit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from math import isinf, sqrt

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.metric import Score
from simpatico.stats.exact_sums import ExactSum
from simpatico.system_metric import mean_schema

ROWS = 65_536
"""Rows of a large dialog table that are in memory at a time."""
CONFIDENCE = 0.95
ROUNDING = 1e-12
"""An SD below this share of the mean is rounding error: all values are the same."""
Sums = dict[tuple[str, str], ExactSum]
Means = dict[tuple[str, str], float | None]
"""By score and system."""


def system_table(
    frames: Callable[[], Iterable[pl.DataFrame]], scores: Sequence[Score]
) -> pl.DataFrame:
    """Mean over dialogs with its 95% CI, one row per system; every dialog counts once.

    `frames` gives the dialog table, in frames of whole dialogs that need not all be held. They are
    asked for twice, as an SD is about the mean.
    """
    names = [score.name for score in scores]
    return means_table(lambda means: [sum_dialogs(frames(), names, means)], scores)


def sum_dialogs(
    frames: Iterable[pl.DataFrame], scores: Sequence[str], means: Means | None
) -> tuple[Counter[str], Sums]:
    """How many dialogs each system has, and the sums of their scores, or of squared deviations.

    Those are from `means`, if there are any.
    """
    dialogs, sums = Counter[str](), defaultdict[tuple[str, str], ExactSum](ExactSum)
    for frame in frames:
        for system, starts, rows in split_systems(frame, scores):
            dialogs[system] += len(starts)
            for score in scores:
                values = dialog_means(rows, score, starts)
                if means is not None:
                    values = squared_deviations(values, means[score, system])
                sums[score, system].add(values)
    return dialogs, sums


def means_table(
    sums: Callable[[Means | None], Iterable[tuple[Counter[str], Sums]]], scores: Sequence[Score]
) -> pl.DataFrame:
    """The table of systems from what `sum_dialogs` says of each part of the dialogs."""
    dialogs, totals = merge_sums(sums(None))
    _, squares = merge_sums(sums({key: total.mean for key, total in totals.items()}))
    schema = {"system": pl.String(), "dialogs": pl.Int64()}
    for score in scores:
        schema |= mean_schema(score.name)
    table = [
        [
            *(system, dialogs[system]),
            *chain.from_iterable(
                interval(totals[s.name, system], squares[s.name, system], s.range) for s in scores
            ),
        ]
        for system in sorted(dialogs)
    ]
    return pl.DataFrame(table, schema, orient="row")


def merge_sums(parts: Iterable[tuple[Counter[str], Sums]]) -> tuple[Counter[str], Sums]:
    """The same of all parts together; adds to the first of them."""
    each = iter(parts)
    dialogs, sums = next(each)
    for own_dialogs, own in each:
        dialogs += own_dialogs
        for key, total in own.items():
            sums.setdefault(key, ExactSum()).merge(total)
    return dialogs, sums


def scan_dialogs(tables: Iterable[pl.LazyFrame], scores: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Dialog tables that may be larger than the memory, in frames for `system_table`."""
    columns = ["system", "dialog", *scores]
    slices = (part for table in tables for part in read_slices(table.select(columns)))
    return whole_dialogs(join_small(slices))


def join_small(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The same rows in frames of `ROWS` or more, but for the last one."""
    held, n = list[pl.DataFrame](), 0
    for frame in frames:
        held.append(frame)
        n += frame.height
        if n >= ROWS:
            yield pl.concat(held)
            held, n = [], 0
    if held:
        yield pl.concat(held)


def read_slices(table: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    """The rows of a file, few at a time; batches of Polars' own would be read ahead.

    Of a table without rows it is one frame, which has the columns.
    """
    n = table.select(pl.len()).collect().item()
    return (table.slice(start, ROWS).collect() for start in range(0, max(n, 1), ROWS))


def whole_dialogs(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The same rows in frames that end where a dialog does; one that a frame cuts is held."""
    held = list[pl.DataFrame]()
    for frame in frames:
        if not frame.height:
            continue
        dialog = frame["dialog"]
        earlier = dialog.ne_missing(dialog[-1]).arg_true()
        start = int(earlier[-1]) + 1 if len(earlier) else 0
        if held and (start or held[0]["dialog"][0] != dialog[0]):
            yield pl.concat([*held, frame[:start]])
            held = []
        elif start:
            yield frame[:start]
        held.append(frame[start:])
    if held:
        yield pl.concat(held)


def split_systems(
    frame: pl.DataFrame, scores: Sequence[str]
) -> Iterator[tuple[str, Ints, pl.DataFrame]]:
    """Each system of a dialog table with its rows, and at which of them a dialog begins."""
    columns = ["system", "dialog", *scores]
    for (system,), rows in frame[columns].group_by("system", maintain_order=True):
        if system is not None:
            dialog = rows["dialog"]
            is_new = dialog.ne_missing(dialog.shift(1)).to_numpy(writable=True)
            is_new[:1] = True
            yield str(system), np.flatnonzero(is_new), rows


def dialog_means(rows: pl.DataFrame, score: str, starts: Ints) -> Floats:
    """One value for each dialog: the mean over those of its speakers that are of the system."""
    values = rows[score].to_numpy()
    if len(starts) < len(values):
        has_value = ~np.isnan(values)
        n = np.add.reduceat(has_value.astype(float), starts)
        with np.errstate(invalid="ignore"):
            values = np.add.reduceat(np.where(has_value, values, 0.0), starts) / n
    return np.asarray(values[~np.isnan(values)])


def squared_deviations(values: Floats, mean: float | None) -> Floats:
    """Beyond 1e154 a square is infinite; no metric gives such a value."""
    if mean is None:
        return np.empty(0)
    with np.errstate(over="ignore"):
        return (values - mean) ** 2


def mean_with_interval(
    values: Floats | Sequence[float], bounds: tuple[float, float]
) -> tuple[float | None, int, float | None, float | None]:
    """Mean, n and Student's t interval: mean ± t(n - 1, 0.975) · SD / √n, cut at its range."""
    total, squares = ExactSum(), ExactSum()
    total.add(values := np.asarray(values, np.float64))
    squares.add(squared_deviations(values, total.mean))
    return interval(total, squares, bounds)


def interval(
    total: ExactSum, squares: ExactSum, bounds: tuple[float, float]
) -> tuple[float | None, int, float | None, float | None]:
    """The same from the sums of the values and of their squared distances from the mean."""
    mean, n = total.mean, total.n
    if n < 2 or mean is None:
        return (mean, n, None, None)
    variance = squares.mean
    if variance is None or isinf(variance):
        return (None, n, None, None)
    sd = sqrt(squares.value / (n - 1))
    if sd <= ROUNDING * abs(mean):
        return (mean, n, None, None)
    from scipy.special import stdtrit

    reach = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * sd / sqrt(n)
    low, high = bounds
    return (mean, n, max(low, mean - reach), min(high, mean + reach))
