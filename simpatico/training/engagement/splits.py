"""Exchanges drawn into sides, and what has to be true of them before anything is learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simpatico.errors import DataError
from simpatico.training.engagement.exchanges import SHARES, Exchanges, split

FEWEST_DIALOGS = 20


class Sides(NamedTuple):
    """What is learned from, what decides when to stop, and what is held out."""

    learn: Exchanges
    check: Exchanges
    heldout: Exchanges


@dataclass(frozen=True)
class Given:
    """Exchanges to learn from; what decides and what is held out is drawn from them if absent."""

    data: Exchanges
    validation: Exchanges | None = None
    test: Exchanges | None = None

    @classmethod
    def of(cls, given: Given | Exchanges) -> Given:
        return given if isinstance(given, Given) else cls(given)

    @property
    def parts(self) -> list[Exchanges]:
        return [part for part in (self.data, self.validation, self.test) if part is not None]

    def checked(self, able: Callable[[str], bool] = lambda text: bool(text.strip())) -> Given:
        """Those exchanges of which both texts are `able`; refuses what cannot be learned from."""
        data, *own = (usable(part, able) for part in self.parts)
        if data.dialogs < FEWEST_DIALOGS:
            raise DataError(
                f"{data.source}: {len(data):,} exchanges of {data.dialogs} dialogs; "
                f"training needs at least {FEWEST_DIALOGS} dialogs"
            )
        for part in (data, *own):
            if not 0 < part.label.sum() < len(part):
                raise DataError(one_label(part))
        for one, other in ((a, b) for n, a in enumerate([data, *own]) for b in own[n:]):
            apart(one, other)
        validation = None if self.validation is None else own.pop(0)
        return Given(data, validation, *own)

    def sides(self, seed: int) -> Sides:
        """The sides of one seed; no dialog is on two of them."""
        validation, test = self.validation, self.test
        if validation is not None and test is not None:
            return Sides(self.data, validation, test)
        share = SHARES[0] / (SHARES[0] + SHARES[1])
        if validation is not None:
            learn, heldout = split(self.data, (share, 1 - share), seed=seed)
            return filled(Sides(learn, validation, heldout))
        if test is not None:
            learn, check = split(self.data, (share, 1 - share), seed=seed)
            return filled(Sides(learn, check, test))
        return filled(Sides(*split(self.data, SHARES, seed=seed)))


def usable(given: Exchanges, able: Callable[[str], bool]) -> Exchanges:
    both = (able(a) and able(b) for a, b in zip(given.query, given.reply, strict=True))
    return given.some(np.flatnonzero(list(both)))


def one_label(given: Exchanges) -> str:
    if not len(given):
        return f"{given.source}: no exchange with words on both sides; give some"
    return (
        f"{given.source}: all {len(given):,} exchanges have label {given.label[0]}; "
        "training needs engaging ones and others"
    )


def apart(one: Exchanges, other: Exchanges) -> None:
    """Refuse dialogs that are on two sides."""
    if both := sorted({*one.dialog} & {*other.dialog}):
        raise DataError(
            f"{other.source}: {len(both)} of its {other.dialogs} dialogs are in {one.source} too; "
            "leave them out of one of the files"
        )


def filled(sides: Sides) -> Sides:
    """The sides, each of which has both labels."""
    if all(0 < side.label.sum() < len(side) for side in sides):
        return sides
    counts = [f"{side.label.sum()} of {len(side)}" for side in sides]
    raise DataError(
        f"{sides.learn.source}: engaging are {counts[0]} exchanges to learn from, {counts[1]} to "
        f"decide by when to stop, and {counts[2]} held out; each side needs engaging ones and "
        "others"
    )
