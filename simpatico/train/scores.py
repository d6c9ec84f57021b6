"""How well guesses of ratings agree with what interlocutors said, and how surely, by person.

Pearson's correlation and the mean squared error. In a resample a person is drawn with all their
ratings, the same persons for all guesses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from simpatico.resample import counts
from simpatico.train.areas import DECIMALS, DRAWS
from simpatico.train.measures import Estimate, estimate
from simpatico.train.outcomes import Numbers
from simpatico.validate.bootstrap import reaching_zero
from simpatico.validate.drawn import coded, from_moments, scaled, summed


class Measured(NamedTuple):
    """How well a guess does; no correlation where it never varies."""

    name: str
    r: Estimate | None
    mse: Estimate
    n: int
    persons: int


class Above(NamedTuple):
    """By how much a guess is above another in r, and below it in the error."""

    name: str
    r: Estimate | None
    mse: Estimate
    p: dict[str, float]
    """Of each figure, the level at which its interval would reach 0."""


class Drawn(NamedTuple):
    """Figures: the first as seen, the others of resamples of persons."""

    r: Numbers
    mse: Numbers


def measured(
    guesses: Mapping[str, Numbers], own: Numbers, person: Sequence[str], *, seed: int = 0
) -> list[Measured]:
    """Figures of every guess about the same ratings."""
    drawn, n, persons = resampled(guesses, own, person, seed=seed), len(own), len(set(person))
    return [
        Measured(name, varied(found.r), estimate(found.mse), n, persons)
        for name, found in drawn.items()
    ]


def above(
    guesses: Mapping[str, Numbers],
    ours: str,
    own: Numbers,
    person: Sequence[str],
    *,
    seed: int = 0,
) -> list[Above]:
    """By how much our guess is better than every other."""
    drawn = resampled(guesses, own, person, seed=seed)
    found = []
    for name, other in drawn.items():
        if name != ours:
            r, mse = drawn[ours].r - other.r, other.mse - drawn[ours].mse
            p = {"r": r, "mse": mse}
            told = {
                figure: round(reaching_zero(gap[1:]), DECIMALS)
                for figure, gap in p.items()
                if np.isfinite(gap).all()
            }
            found.append(Above(name, varied(r), estimate(mse), told))
    return found


def varied(drawn: Numbers) -> Estimate | None:
    """The estimate; null where there is none as seen."""
    return estimate(drawn) if np.isfinite(drawn[0]) else None


def resampled(
    guesses: Mapping[str, Numbers], own: Numbers, person: Sequence[str], *, seed: int = 0
) -> dict[str, Drawn]:
    """The figures of every guess, as seen and in each resample of persons."""
    code, clusters = coded(np.array(person, object).astype(str))
    drawn = np.vstack([np.ones(clusters), counts(clusters, DRAWS, seed)])
    columns = np.stack(list(guesses.values()), axis=1)
    x, y = scaled(columns), scaled(own[:, None])
    moments = np.hstack([np.ones_like(y), y, y * y, x, x * x, x * y])
    wrong = (columns - own[:, None]) ** 2
    sums = drawn @ summed(np.hstack([moments, wrong]), code, clusters)
    width = columns.shape[1]
    r = from_moments(sums[:, : 3 + 3 * width], np.ones(width, bool))
    mse = sums[:, 3 + 3 * width :] / np.maximum(sums[:, :1], 1)
    return {name: Drawn(r[:, at], mse[:, at]) for at, name in enumerate(guesses)}
