"""Cases for a personal model: what is seen of turns, or on average of the turns of a dialog.

A personal model is linear, so that what it says of the mean of some turns is the mean of what it
says of each: a rating of a dialog teaches the mean of its turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.features import alone
from simpatico.features.users.contexts import Moments
from simpatico.features.users.folder import circumstances
from simpatico.features.users.inputs import SeenForm, seen
from simpatico.models.names import find
from simpatico.training.users.user_weights import Cases


def formed(encoder: str, *, profile: bool) -> SeenForm:
    """What is seen with this encoder; without one, runs of characters alone."""
    if not encoder:
        return SeenForm(profile=profile)
    model = find(encoder)
    return SeenForm(model.name, model.sha256, profile=profile)


def of_turns(moments: Moments, form: SeenForm, y: Floats) -> Cases:
    """A case for each moment."""
    rows = seen(moments, form, alone(form.needs))
    about = circumstances(moments, form)
    return Cases(rows, about, list(moments.person), y, np.ones(len(y)))


def of_groups(
    moments: Moments, groups: Sequence[Ints], form: SeenForm, person: Sequence[str], y: Floats
) -> Cases:
    """A case for each group of moments: the mean of what is seen of them."""
    each = of_turns(moments, form, np.zeros(len(moments)))
    mean = averaging(groups, len(moments))
    about = np.asarray(mean @ each.circumstances)
    return Cases(mean @ each.rows, about, list(person), y, np.ones(len(y)))


def averaging(groups: Sequence[Ints], n: int) -> Any:
    """A matrix that makes means over groups of n rows."""
    from scipy import sparse

    sizes = np.array([len(group) for group in groups], np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    columns = np.concatenate([np.zeros(0, np.int64), *groups])
    return sparse.csr_matrix((np.repeat(1 / sizes, sizes), columns, starts), (len(groups), n))


def stacked(first: Cases, second: Cases) -> Cases:
    """Some cases after others."""
    from scipy import sparse

    return Cases(
        sparse.vstack([first.rows, second.rows], format="csr"),
        np.concatenate([first.circumstances, second.circumstances]),
        [*first.person, *second.person],
        np.concatenate([first.y, second.y]),
        np.concatenate([first.weight, second.weight]),
    )


def own_means(cases: Cases, before: Ints, wanted: Ints) -> Floats:
    """The mean of each person among those before, for the wanted; of all, for who is not there."""
    y = cases.y[before]
    names, who = np.unique([cases.person[at] for at in before], return_inverse=True)
    own = dict(zip(names.tolist(), np.bincount(who, y) / np.bincount(who), strict=True))
    return np.array([own.get(cases.person[at], y.mean()) for at in wanted])
