"""How well guesses tell engaging exchanges from others, and how surely, dialog by dialog.

A model may be tried with several seeds, each with a split of its own: figures are means over the
seeds. In a resample a dialog is drawn as often on every side that it was held out on, so that the
interval of a mean, or of a difference between two models, holds what they have in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Bools
from simpatico.stats.auc import DECIMALS, DRAWS, weighted_area
from simpatico.stats.draws import counts, percentile_interval

Numbers = npt.NDArray[np.floating[Any]]


class Run(NamedTuple):
    """What a model guessed of exchanges held out; `told` is what it takes for engaging."""

    guess: Numbers
    told: Bools
    label: Bools
    dialog: Sequence[str]


class Estimate(NamedTuple):
    """A figure, and between what it lies in 95% of the resamples of dialogs."""

    value: float
    low: float
    high: float


class Measured(NamedTuple):
    """How well a model does: its mean over the seeds, with intervals."""

    name: str
    balanced: Estimate
    auc: Estimate
    n: int
    """Exchanges held out, over all seeds."""


class Drawn(NamedTuple):
    """Balanced accuracies and areas: the first as seen, the others of resamples."""

    balanced: Numbers
    auc: Numbers


def measured(name: str, runs: Sequence[Run], *, seed: int = 0) -> Measured:
    """Balanced accuracy and area under the curve of a model, over all its runs."""
    return compared({name: runs}, name, seed=seed)[0][0]


def ahead(ours: Sequence[Run], theirs: Sequence[Run], *, seed: int = 0) -> Estimate:
    """By how much the area of one model is above that of another on the same exchanges."""
    return compared({"ours": ours, "theirs": theirs}, "ours", seed=seed)[1]["theirs"]


def compared(
    runs: Mapping[str, Sequence[Run]], ours: str, *, seed: int = 0
) -> tuple[list[Measured], dict[str, Estimate]]:
    """How well each model does, and by how much the area of `ours` is above every other's."""
    drawn = {name: resampled(some, seed=seed) for name, some in runs.items()}
    sizes = {name: sum(len(run.label) for run in some) for name, some in runs.items()}
    rows = [
        Measured(name, estimate(found.balanced), estimate(found.auc), sizes[name])
        for name, found in drawn.items()
    ]
    mine = drawn[ours].auc
    above = {name: estimate(mine - found.auc) for name, found in drawn.items() if name != ours}
    return rows, above


def resampled(runs: Sequence[Run], *, seed: int = 0) -> Drawn:
    """Means over the runs, as seen and in each resample of dialogs."""
    names = {name: at for at, name in enumerate(sorted({d for run in runs for d in run.dialog}))}
    drawn = np.vstack([np.ones(len(names)), counts(len(names), DRAWS, seed)])
    found = []
    for run in runs:
        whose = np.array([names[dialog] for dialog in run.dialog], np.int64)
        _, code = np.unique(run.guess, return_inverse=True)
        areas = [weighted_area(code, run.label, row[whose]) for row in drawn]
        found.append(np.stack([balances(run, whose, drawn), np.array(areas)]))
    balanced, auc = np.mean(found, axis=0)
    return Drawn(balanced, auc)


def balances(run: Run, whose: npt.NDArray[np.int64], drawn: Numbers) -> Numbers:
    """The mean of the shares of engaging and other exchanges that are told right, by draw."""
    right, n = run.told == run.label, drawn.shape[1]
    halves = []
    for side in (run.label, ~run.label):
        good = drawn @ np.bincount(whose, right & side, n)
        with np.errstate(invalid="ignore"):
            halves.append(good / (drawn @ np.bincount(whose, side, n)))
    return np.asarray((halves[0] + halves[1]) / 2)


def estimate(drawn: Numbers) -> Estimate:
    """The figure as seen, and the middle of its resamples."""
    low, high = percentile_interval(np.asarray(drawn[1:], np.float64))
    value, low, high = (round(float(number), DECIMALS) for number in (drawn[0], low, high))
    return Estimate(value, low, high)
