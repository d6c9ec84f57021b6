"""A plan from a pilot run: how many dialogs a difference needs, and what so many would show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, sqrt
from typing import Any

import numpy as np

from simpatico.arrays import Floats
from simpatico.comparison.samples import (
    Choice,
    Sample,
    Side,
    by_unit,
    compared,
    samples,
    sides,
    values,
)
from simpatico.errors import DataError
from simpatico.run import Run
from simpatico.stats.power import Design, detectable, needed

SIZES = (20, 50, 100, 200, 500, 1_000)


@dataclass(frozen=True)
class Spreads:
    """How a score varies in a pilot: between pairs, and within a system; null where unknown."""

    score: str
    pairs: float | None
    within: float | None
    n: int


@dataclass(frozen=True)
class Planned:
    """For one score and one design: what shows with n of each system, and what a difference needs.

    `sd` is that of pair differences if `paired`, else that within a system, from `n` pilot units.
    """

    score: str
    paired: bool
    sd: float | None
    n: int
    shows: Mapping[int, float | None]
    detect: float | None
    needed: int | None
    family: int
    alpha: float
    power: float

    def as_json(self) -> dict[str, Any]:
        told = dict(vars(self))
        return {**told, "shows": [{"n": n, "difference": d} for n, d in self.shows.items()]}


def pilot(runs: Sequence[Run], choice: Choice) -> tuple[list[Spreads], int]:
    """The spread of every chosen score, and how many comparisons the same systems would make."""
    found = sides(runs, choice)
    if not found:
        raise DataError("the pilot run has no system; score conversations with a named system")
    pairs = compared(found, with_human=choice.with_human) if len(found) > 1 else []
    used = {side.name: side for pair in pairs for side in pair}.values() or found
    drawn = samples(pairs)
    scores = dict.fromkeys(score for side in used for score in side.measures)
    told = [spreads(score, list(used), drawn) for score in scores]
    return told, max(1, len(drawn) if pairs else len(scores))


def spreads(score: str, used: Sequence[Side], drawn: Sequence[Sample]) -> Spreads:
    """Root mean square of the standard deviations over pairs, and over systems."""
    own = [s for s in drawn if s.measure.score == score]
    gaps = [s.first - s.second for s in own if s.paired]
    unit = own[0].unit if own else "dialog"
    held = [values(by_unit(s, unit, [score]), score) for s in used if score in s.measures]
    held = [column[np.isfinite(column)] for column in held]
    return Spreads(score, pooled(gaps), pooled(held), max(map(len, held), default=0))


def pooled(columns: Sequence[Floats]) -> float | None:
    """Standard deviation within columns, each with the weight of its degrees of freedom."""
    freedom = sum(max(len(c) - 1, 0) for c in columns)
    if not freedom:
        return None
    square = fsum(float(np.var(c)) * len(c) for c in columns if len(c)) / freedom
    return sqrt(square) if square > 1e-30 else None


def plan(
    told: Sequence[Spreads], design: Design, *, detect: Callable[[str], float | None]
) -> list[Planned]:
    """For each score: in pairs and not, the detectable differences and the units needed."""
    rows = []
    for spread in told:
        for paired, sd in ((True, spread.pairs), (False, spread.within)):
            rows.append(planned(spread, replace(design, paired=paired), sd, detect(spread.score)))
    return rows


def planned(spread: Spreads, design: Design, sd: float | None, detect: float | None) -> Planned:
    sizes = sorted({*SIZES, spread.n} - {0, 1})
    return Planned(
        score=spread.score,
        paired=design.paired,
        sd=sd,
        n=spread.n,
        shows={n: detectable(sd, n, design=design) if sd else None for n in sizes},
        detect=detect,
        needed=needed(sd, detect, design=design) if sd and detect else None,
        family=design.family,
        alpha=design.alpha,
        power=design.power,
    )
