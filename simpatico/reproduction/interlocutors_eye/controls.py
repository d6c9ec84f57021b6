"""Cases that show what knowing a person is worth: with nothing but the person, or with another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simpatico.stats.by_person import Estimate
from simpatico.stats.draws import uniform
from simpatico.training.users.user_weights import Cases

STREAM = 8
"""Of random numbers, so that these draws are no others."""


def nothing_seen(cases: Cases) -> Cases:
    """The same without anything that is seen of a turn: only who, and in which order."""
    from scipy import sparse

    n = len(cases.y)
    return cases._replace(rows=sparse.csr_matrix((n, 0)), circumstances=np.zeros((n, 0)))


def no_circumstances(cases: Cases) -> Cases:
    """The same with nothing seen but words."""
    return cases._replace(circumstances=cases.circumstances[:, :0])


def shuffled(cases: Cases, seed: int) -> Cases:
    """The same with the names of persons dealt out at random."""
    return cases._replace(person=dealt(cases.person, seed))


def spread(found: Sequence[Estimate | None]) -> Estimate | None:
    """The mean over shuffles between the lowest and the highest; null where one has no figure."""
    values = [one.value for one in found if one is not None]
    if not values or len(values) < len(found):
        return None
    return Estimate(float(np.mean(values)), min(values), max(values))


def of_shuffles(n: int) -> str:
    """What stands beside such a mean."""
    return f"mean, lowest and highest of {n} shuffle{'s' * (n != 1)}"


def dealt(person: Sequence[str], seed: int) -> list[str]:
    """These names in a random order."""
    return [person[at] for at in np.argsort(uniform(len(person), seed, STREAM), kind="stable")]
