"""How well utterances of one kind are told from others, with intervals over resamples of dialogs.

Where dialogs are unknown, utterances of the same letters and digits count as one. Average
precision is the mean, over all utterances of the kind, of the share of that kind among those that
are guessed at least as likely.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Bools, Floats
from simpatico.stats.auc import DECIMALS, DRAWS, weighted_area
from simpatico.stats.classification__measures import Estimate, Run, estimate
from simpatico.stats.draws import counts

Integers = npt.NDArray[np.integer[Any]]


class ClassFigures(NamedTuple):
    """How well one class is told; no precision where nothing was taken for it."""

    n: int
    precision: float | None
    recall: float
    f1: float


class Row(NamedTuple):
    """How well one guess does; `f1` and `precision` are those of the kind that is looked for."""

    name: str
    accuracy: Estimate
    macro_f1: Estimate
    f1: Estimate
    auc: Estimate
    precision: Estimate
    """Average precision."""
    n: int
    groups: int
    classes: tuple[ClassFigures, ClassFigures]
    """Of the others, and of the kind that is looked for."""

    @property
    def facts(self) -> dict[str, object]:
        """The figures, to be kept beside the weights."""
        return {
            name: list(value) if isinstance(value, Estimate) else value
            for name, value in self._asdict().items()
            if name != "classes"
        } | {"classes": [one._asdict() for one in self.classes]}


class Counts(NamedTuple):
    """How often, in each draw, what is so was told so or not, and what is not so likewise."""

    hit: Floats
    missed: Floats
    false: Floats
    rejected: Floats

    @classmethod
    def of(cls, told: Bools, label: Bools, whose: Integers, drawn: Floats) -> Counts:
        sides = (told & label, ~told & label, told & ~label, ~told & ~label)
        return cls(*(drawn @ np.bincount(whose, side, drawn.shape[1]) for side in sides))

    @property
    def turned(self) -> Counts:
        """The same, seen from the other class."""
        return Counts(self.rejected, self.false, self.missed, self.hit)

    @property
    def accuracy(self) -> Floats:
        return np.asarray((self.hit + self.rejected) / sum(self))

    @property
    def f1(self) -> Floats:
        """NaN where the class is neither there nor told."""
        with np.errstate(invalid="ignore"):
            return np.asarray(2 * self.hit / (2 * self.hit + self.missed + self.false))

    @property
    def figures(self) -> ClassFigures:
        """Those of what was seen, which is the first draw."""
        hit, missed, false = (float(part[0]) for part in self[:3])
        told = round(hit / (hit + false), DECIMALS) if hit + false else None
        recall = round(hit / (hit + missed), DECIMALS)
        return ClassFigures(int(hit + missed), told, recall, round(float(self.f1[0]), DECIMALS))


def row(name: str, run: Run, *, seed: int = 0) -> Row:
    """All figures of one guess."""
    names, whose = np.unique(np.array(run.dialog, object).astype(str), return_inverse=True)
    drawn = np.vstack([np.ones(len(names)), counts(len(names), DRAWS, seed)])
    found = Counts.of(run.told, run.label, whose, drawn)
    _, code = np.unique(run.guess, return_inverse=True)
    areas, precisions = (
        np.array([measure(code, run.label, draw[whose]) for draw in drawn])
        for measure in (weighted_area, weighted_precision)
    )
    macro = (found.f1 + found.turned.f1) / 2
    return Row(
        name,
        estimate(found.accuracy),
        estimate(macro),
        estimate(found.f1),
        estimate(areas),
        estimate(precisions),
        len(run.label),
        len(names),
        (found.turned.figures, found.figures),
    )


def weighted_precision(code: Integers, true: Bools, weight: Floats) -> float:
    """Average precision where utterances count more than once; NaN where none is of the kind."""
    above = np.bincount(code, weight * true)[::-1]
    told = np.cumsum(np.bincount(code, weight)[::-1])
    if not above.sum():
        return float("nan")
    precision = np.divide(np.cumsum(above), told, out=np.zeros(len(told)), where=told > 0)
    return float(above @ precision / above.sum())


def best_f1_limit(guess: Floats, label: Bools) -> float:
    """Above which number a guess is taken for the kind, so that F1 is best."""
    values, code = np.unique(guess, return_inverse=True)
    hits = np.cumsum(np.bincount(code, label)[::-1])[::-1]
    told = np.cumsum(np.bincount(code)[::-1])[::-1]
    at = int(np.argmax(hits / (told + label.sum())))
    return float(values[at] - 1 if at == 0 else (values[at - 1] + values[at]) / 2)


def rows(runs: Mapping[str, Run], *, seed: int = 0) -> list[Row]:
    """The figures of several guesses of the same utterances."""
    return [row(name, run, seed=seed) for name, run in runs.items()]
