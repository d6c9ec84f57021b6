"""How well guesses of ratings agree with what interlocutors said, and how surely, by person.

Pearson's correlation and the mean squared error. In a resample a person is drawn with all their
ratings, the same persons for all guesses; of few persons there is no interval and no p.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.stats.by_person import Estimate, draws, level
from simpatico.stats.cluster_draws import coded, from_moments, scaled, summed


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
    p: dict[str, float | None]
    """Of each figure, the level at which its interval would reach 0; null where it has none."""


class Drawn(NamedTuple):
    """Figures: the first as seen, the others of resamples of persons."""

    r: Floats
    mse: Floats


def measured(
    guesses: Mapping[str, Floats], own: Floats, person: Sequence[str], *, seed: int = 0
) -> list[Measured]:
    """Figures of every guess about the same ratings."""
    drawn, n, persons = resampled(guesses, own, person, seed=seed), len(own), len(set(person))
    return [
        Measured(name, varied(found.r, persons), Estimate.of(found.mse, persons), n, persons)
        for name, found in drawn.items()
    ]


def above(
    guesses: Mapping[str, Floats],
    ours: str,
    own: Floats,
    person: Sequence[str],
    *,
    seed: int = 0,
) -> list[Above]:
    """By how much our guess is better than every other."""
    drawn, persons = resampled(guesses, own, person, seed=seed), len(set(person))
    found = []
    for name, other in drawn.items():
        if name != ours:
            r, mse = drawn[ours].r - other.r, other.mse - drawn[ours].mse
            p = {"r": level(r, persons), "mse": level(mse, persons)}
            found.append(Above(name, varied(r, persons), Estimate.of(mse, persons), p))
    return found


def varied(drawn: Floats, persons: int) -> Estimate | None:
    """The estimate; null where there is none as seen."""
    return Estimate.of(drawn, persons) if np.isfinite(drawn[0]) else None


def resampled(
    guesses: Mapping[str, Floats], own: Floats, person: Sequence[str], *, seed: int = 0
) -> dict[str, Drawn]:
    """The figures of every guess, as seen and in each resample of persons."""
    code, clusters = coded(np.array(person, object).astype(str))
    columns = np.stack(list(guesses.values()), axis=1)
    x, y = scaled(columns), scaled(own[:, None])
    moments = np.hstack([np.ones_like(y), y, y * y, x, x * x, x * y])
    wrong = (columns - own[:, None]) ** 2
    each = summed(np.hstack([moments, wrong]), code, clusters)
    sums = np.vstack([drawn @ each for drawn in draws(clusters, seed)])
    width = columns.shape[1]
    r = from_moments(sums[:, : 3 + 3 * width], np.ones(width, bool))
    mse = sums[:, 3 + 3 * width :] / np.maximum(sums[:, :1], 1)
    return {name: Drawn(r[:, at], mse[:, at]) for at, name in enumerate(guesses)}
