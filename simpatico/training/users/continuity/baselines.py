"""What is guessed of answers without learning from texts: majorities, and metrics of turns.

A majority is of those to learn from and to decide by. A metric tells the highest numbers as
answered, as many as were answered among the turns to decide by. Where a metric needs a reference,
what a turn answers stands in for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.errors import SimpaticoError
from simpatico.metric import Metric, missing
from simpatico.scoring import chunk_of, score
from simpatico.stats.by_person import Guess
from simpatico.training.users.continuity.data import Examples
from simpatico.turns import Turns

GLOBAL, PRIVATE = "global majority", "private majority"
METRICS: Mapping[str, str] = {
    "NSP": "nsp",
    "RUBER": "ctx_ruber",
    "FED": "fed",
    "Deep-AM": "deep_am",
    "Deep-FM": "deep_fm",
    "Deep-AM-FM": "deep_am_fm",
}
ENGAGING = "_engaging"
"""Of a metric of several qualities, the one whose name has this in it is taken."""


class Contest(NamedTuple):
    """Metrics by name, or why there is none, and how many turns of each side they score."""

    metrics: Mapping[str, Metric | str] = MappingProxyType({})
    most: int = 0
    """All of them, if none is told."""


def majorities(given: Examples, heldout: Ints) -> dict[str, Guess]:
    """What most turns, and most turns to the same person, came to; who is new is like all."""
    before = np.concatenate([given.sides.learn, given.sides.check])
    answered = given.answered(before)
    rate = float(answered.mean())
    sums: dict[str, list[int]] = {}
    for name, flag in zip(given.person(before), answered, strict=True):
        seen = sums.setdefault(name, [0, 0])
        seen[0] += int(flag)
        seen[1] += 1
    own = [sums.get(name, [0, 0]) for name in given.person(heldout)]
    private = np.array([(yes / n if n else rate) for yes, n in own])
    told = np.where(private == 0.5, rate > 0.5, private > 0.5)
    flat = np.full(len(heldout), rate)
    return {GLOBAL: Guess(flat, flat > 0.5), PRIVATE: Guess(private, told)}


class Scored(NamedTuple):
    """What a metric guesses of some of the turns held out, and of how many it says nothing."""

    guess: Guess
    heldout: Ints
    unscored: int


def guessed(metric: Metric, given: Examples, *, most: int = 0) -> Scored | str:
    """A metric's guesses, or why there are none.

    With `most`, of each side so many turns are scored, taken evenly from all of it.
    """
    if (why := missing(metric)) is not None:
        return why
    check, heldout = (spaced(side, most) for side in given.sides[1:3])
    try:
        check_number, number = (numbers(metric, given, side) for side in (check, heldout))
    except SimpaticoError as error:
        return str(error)
    known = check_number[np.isfinite(check_number)]
    able = np.isfinite(number)
    if not len(known) or not able.any():
        return "it gave no turn a number"
    limit = threshold(known, float(given.answered(check).mean()))
    found = number[able]
    return Scored(Guess(found, found >= limit), heldout[able], int((~able).sum()))


def threshold(numbers: Floats, share: float) -> float:
    """The number that such a share of all is not below."""
    return float(np.quantile(numbers, 1 - share))


def spaced(places: Ints, most: int) -> Ints:
    """At most so many of the places, evenly; all of them, if none is asked for."""
    if not most or len(places) <= most:
        return places
    return places[np.linspace(0, len(places) - 1, most).round().astype(np.int64)]


def numbers(metric: Metric, given: Examples, places: Ints) -> Floats:
    """The metric's number for each of these examples; NaN where it has none."""
    wanted = only(given.turns, given.outcomes.row[places])
    table = score(wanted, [metric], chunk=chunk_of([metric])).at("turn")
    names = [one.name for one in metric.scores]
    name = next((n for n in names if ENGAGING in n), names[0])
    row = given.turns.frame.select("dialog", "turn").with_row_index("row")
    found = table.join(row, on=["dialog", "turn"], how="left")
    by_row = np.full(len(given.turns), np.nan)
    by_row[found["row"].to_numpy()] = found[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
    return by_row[given.outcomes.row[places]]


def only(turns: Turns, rows: Ints) -> Turns:
    """The dialogs of these rows, with nothing else in them to be scored."""
    asked = np.zeros(len(turns), bool)
    asked[rows] = True
    heard, texts = turns.answered, turns.frame["text"].to_list()
    references = [[texts[at]] if at >= 0 else None for at in heard]
    frame = turns.frame.with_columns(
        pl.when(pl.Series(asked)).then(pl.coalesce("system", pl.lit("human"))).alias("system"),
        pl.col("references").fill_null(pl.Series(references, dtype=pl.List(pl.String))),
    )
    dialogs = frame.filter(asked)["dialog"].unique()
    return Turns(frame.filter(pl.col("dialog").is_in(dialogs.implode())).rechunk())
