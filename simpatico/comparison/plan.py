"""Power analysis from a pilot run: detectable differences, and the dialogs a difference needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import fsum, sqrt
from typing import Any

import numpy as np

from simpatico.arrays import Floats
from simpatico.comparison import samples
from simpatico.comparison.samples import ComparedSystem, Selection, TwoSamples
from simpatico.errors import DataError
from simpatico.run import Run
from simpatico.stats.power import Design, detectable_difference, units_needed

SIZES = (20, 50, 100, 200, 500, 1_000)
"""Numbers of dialogs for which the detectable difference is shown, beside the pilot's own."""


@dataclass(frozen=True)
class PilotSpread:
    """SDs of a score in a pilot: of pair differences, and within a system; null where unknown."""

    score: str
    pairs: float | None
    within: float | None
    n: int


@dataclass(frozen=True)
class PlannedComparison:
    """For one score and one design: what n of each system detect, and what a difference needs.

    `sd` is that of pair differences if `paired`, else that within a system, from `n` pilot units.
    The field names are the JSON.
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
        shows = [{"n": n, "difference": d} for n, d in self.shows.items()]
        return {**vars(self), "shows": shows}


def measure_pilot(runs: Sequence[Run], choice: Selection) -> tuple[list[PilotSpread], int]:
    """The SDs of every selected score, and how many comparisons the same systems would make.

    That number is the family for which the planned study will be corrected: more scores or
    systems need more dialogs for the same difference.
    """
    systems = samples.load_compared(runs, choice)
    if not systems:
        raise DataError("the pilot run has no system; score conversations with a named system")
    members = samples.choose_systems(systems, with_human=choice.with_human)
    pairs = list(combinations(members, 2))
    pilot = samples.build_samples(pairs)
    scores = dict.fromkeys(score for system in members for score in system.measures)
    spreads = [pilot_spread(score, members, pilot) for score in scores]
    return spreads, max(1, len(pilot) if pairs else len(scores))


def pilot_spread(
    score: str, systems: Sequence[ComparedSystem], pilot: Sequence[TwoSamples]
) -> PilotSpread:
    """One score's pooled SD over pair differences, and over the systems' own values.

    Both are needed: a study on the same prompts is planned by the first, which is smaller the
    more the systems' scores rise and fall together, any other study by the second.
    """
    own = [s for s in pilot if s.measure.score == score]
    gaps = [s.first - s.second for s in own if s.paired]
    unit = own[0].unit if own else "dialog"
    means = [samples.mean_by_unit(s, unit, [score]) for s in systems if score in s.measures]
    values = [samples.as_floats(frame[score]) for frame in means]
    columns = [column[np.isfinite(column)] for column in values]
    n = max(map(len, columns), default=0)
    return PilotSpread(score, sd_within_columns(gaps), sd_within_columns(columns), n)


def sd_within_columns(columns: Sequence[Floats]) -> float | None:
    """Pooled SD: sqrt(Σ squares about each column's mean / Σ degrees of freedom)."""
    df = sum(max(len(c) - 1, 0) for c in columns)
    if not df:
        return None
    variance = fsum(float(np.var(c)) * len(c) for c in columns if len(c)) / df
    # Below this, the columns vary by rounding only.
    return sqrt(variance) if variance > 1e-30 else None


def plan_comparisons(
    spreads: Sequence[PilotSpread], design: Design, *, detect: Callable[[str], float | None]
) -> list[PlannedComparison]:
    """For each score, paired and unpaired: the detectable differences and the units needed.

    `detect` gives the difference to be detected in a score, null for none.
    """
    rows = []
    for spread in spreads:
        sizes = sorted({*SIZES, spread.n} - {0, 1})
        difference = detect(spread.score)
        for paired, sd in ((True, spread.pairs), (False, spread.within)):
            own = replace(design, paired=paired)
            rows.append(
                PlannedComparison(
                    score=spread.score,
                    paired=paired,
                    sd=sd,
                    n=spread.n,
                    shows={
                        n: detectable_difference(sd, n, design=own) if sd else None for n in sizes
                    },
                    detect=difference,
                    needed=units_needed(sd, difference, design=own) if sd and difference else None,
                    family=design.family,
                    alpha=design.alpha,
                    power=design.power,
                )
            )
    return rows
