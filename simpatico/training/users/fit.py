"""Fit a personal model: the part that all share, then each person's own, then how sure it may be.

Everything that is chosen is what makes the loss on the examples to check by least, which come later
in time than those it learns from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import BadValue, DataError
from simpatico.features.classes import sigmoid
from simpatico.features.users.model import People, Personal, Scaling, Target, designed
from simpatico.training.users.user_weights import Cases, Lessons, in_units, learned, met
from simpatico.training.users.search import Sides, chosen, offsets
from simpatico.training.users.shared_weights import Columns, fit_shared

STEEPEST = 4.0
"""A chance is made at most this much surer, or this much less sure."""
RAREST = 1e-6
"""The least share of answers, or of none, that there can be."""
EXACT = 1e-12


@dataclass(frozen=True)
class How:
    """What is learned: a chance or a score between two ends; with or without who is talked to."""

    target: Target
    users: bool = True
    ends: tuple[float, float] | None = None
    absorb: bool = True
    """Whether persons learn from the examples to check by as well, once all is chosen."""


def fit_personal(
    learn: Cases,
    check: Cases,
    *,
    how: How,
    tick: Callable[[int], object] = lambda n: None,
) -> Personal:
    """The model that does best on `check`, which must be later in time than `learn`."""
    return fit_both(learn, check, how=how, tick=tick)[0]


def fit_both(
    learn: Cases,
    check: Cases,
    *,
    how: How,
    tick: Callable[[int], object] = lambda n: None,
) -> tuple[Personal, Personal]:
    """The same, and beside it the model that would be learned without who is talked to."""
    checked(learn, check, how)
    unit = (0.0, 1.0) if how.target == "chance" else spread_of(learn)
    inner, outer = (side._replace(y=(side.y - unit[0]) / unit[1]) for side in (learn, check))
    names = dict.fromkeys(filter(None, learn.person if how.users else ()))
    place = {name: at for at, name in enumerate(names)}
    held = offsets(inner, outer, place, how.target) if place else 1.0
    columns = Columns(Scaling.of(learn.circumstances), place, held)
    kinds = [
        (Personal(how.target, weights, columns.scaling, unit=unit, ends=how.ends), crossed)
        for weights, crossed in fit_shared(inner, outer, columns, target=how.target, tick=tick)
    ]
    blind = tempered(kinds[0][0], check)
    if not place:
        return blind, blind
    fits = [own_weights(model, learn, check, crossed, place) for model, crossed in kinds]
    model = tempered(min(fits, key=lambda fit: fit.loss).model, check)
    return met(model, check) if how.absorb else model, blind


class Fit(NamedTuple):
    """A model, and its loss on the examples to check by."""

    loss: float
    model: Personal


def checked(learn: Cases, check: Cases, how: How) -> None:
    """Refuse examples that cannot teach or check anything."""
    for name, side in (("learn from", learn), ("check by", check)):
        if not len(side.y):
            raise DataError(f"no examples to {name}; give more, or split them otherwise")
        if how.target == "chance" and len(np.unique(side.y)) < 2:
            told = "answered" if side.y[0] else "not answered"
            raise DataError(
                f"all {len(side.y):,} examples to {name} are {told}; both kinds are needed"
            )


def spread_of(learn: Cases) -> tuple[float, float]:
    """Mean and spread of the scores to learn from."""
    mean = float(np.average(learn.y, weights=learn.weight))
    spread = float(np.sqrt(np.average((learn.y - mean) ** 2, weights=learn.weight)))
    if not spread:
        raise BadValue(f"all {len(learn.y):,} scores to learn from are {mean:g}; they must differ")
    return mean, spread


def own_weights(
    plain: Personal, learn: Cases, check: Cases, crossed: Floats, place: dict[str, int]
) -> Fit:
    """The model with a part for each person, of the kind that is best on `check`."""
    number = (float(crossed.mean()), float(crossed.std()) or 1.0)
    told = plain.plain(check.rows, check.circumstances)
    one, other = (
        Lessons.of(
            designed(said, plain.circumstances(side.circumstances), number),
            said,
            side._replace(y=in_units(plain, side.y)),
            place,
        )
        for said, side in ((crossed, learn), (told, check))
    )
    sides = Sides.of(one.named, other, plain.target)
    own, pull, discount = choice = chosen(sides)
    model = replace(plain, number=number, own=own, pull=np.array(pull), discount=discount)
    lessons = one.named._replace(z=one.named.z[:, list(own)])
    people = learned(People.nobody(len(own)).grown(place), lessons, model)
    return Fit(sides.loss(choice), replace(model, people=people))


def tempered(model: Personal, check: Cases) -> Personal:
    """With the slope and offset that make chances on `check` as frequent as they say.

    The best offset is sought for every slope, so that it also fits a slope at its limit.
    """
    if model.target == "score":
        return model
    number = model.raw(check.rows, check.circumstances, check.person)

    def rising(slope: float) -> float:
        """How fast the loss rises with the slope; the more, the steeper it is."""
        share = sigmoid(slope * number + offset(slope * number, check))
        return float((check.weight * (share - check.y)) @ number)

    slope = crossing(rising, 1 / STEEPEST, STEEPEST)
    return replace(model, temper=(slope, offset(slope * number, check)))


def offset(number: Floats, check: Cases) -> float:
    """What makes the mean chance of these numbers the share that was answered."""
    share = float(np.clip(np.average(check.y, weights=check.weight), RAREST, 1 - RAREST))
    level = float(np.log(share / (1 - share)))

    def above(offset: float) -> float:
        return float(np.average(sigmoid(number + offset), weights=check.weight)) - share

    return crossing(above, level - float(number.max()), level - float(number.min()))


def crossing(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where something that only rises is 0; the end that is nearer to it, where it never is."""
    from scipy.optimize import brentq

    if rising(low) >= 0:
        return low
    if rising(high) <= 0:
        return high
    return float(brentq(rising, low, high, xtol=EXACT))
