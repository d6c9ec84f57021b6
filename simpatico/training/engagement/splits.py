"""Exchanges in a training, validation and test split, and what has to be true of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from simpatico.errors import DataError
from simpatico.training.engagement.exchanges import SHARES, Exchanges, split_exchanges
from simpatico.training.splits import complete_splits

FEWEST_DIALOGS = 20
"""With fewer, a test split would have four dialogs or less."""


class EngagementSplits(NamedTuple):
    """The three splits."""

    train: Exchanges
    validation: Exchanges
    test: Exchanges


@dataclass(frozen=True)
class ExchangeInput:
    """Exchanges to train on; validation and test split are drawn from them if absent."""

    data: Exchanges
    validation: Exchanges | None = None
    test: Exchanges | None = None

    @classmethod
    def of(cls, exchanges: ExchangeInput | Exchanges) -> ExchangeInput:
        return exchanges if isinstance(exchanges, ExchangeInput) else cls(exchanges)

    @property
    def parts(self) -> list[Exchanges]:
        return [part for part in (self.data, self.validation, self.test) if part is not None]

    def usable(
        self, has_words: Callable[[str], bool] = lambda text: bool(text.strip())
    ) -> ExchangeInput:
        """The exchanges of which both texts have words; refuses what cannot be trained on."""
        data = with_words(self.data, has_words)
        validation, test = (
            None if part is None else with_words(part, has_words)
            for part in (self.validation, self.test)
        )
        usable = ExchangeInput(data, validation, test)
        if data.dialogs < FEWEST_DIALOGS:
            raise DataError(
                f"{data.source}: {len(data):,} exchanges of {data.dialogs} dialogs; "
                f"training needs at least {FEWEST_DIALOGS} dialogs"
            )
        for part in usable.parts:
            if not len(part):
                raise DataError(f"{part.source}: no exchange with words on both sides; give some")
            if not 0 < part.label.sum() < len(part):
                raise DataError(
                    f"{part.source}: all {len(part):,} exchanges have label {part.label[0]}; "
                    "training needs engaging ones and others"
                )
        for one, other in combinations(usable.parts, 2):
            if both := {*one.dialog} & {*other.dialog}:
                raise DataError(
                    f"{other.source}: {len(both)} of its {other.dialogs} dialogs are in "
                    f"{one.source} too; leave them out of one of the files"
                )
        return usable

    def split(self, seed: int) -> EngagementSplits:
        """The splits of one seed; no dialog is in two, and each has both labels."""
        draw = partial(split_exchanges, seed=seed)
        splits = EngagementSplits(
            *complete_splits(self.data, self.validation, self.test, split=draw, shares=SHARES)
        )
        if any(not 0 < part.label.sum() < len(part) for part in splits):
            counts = [f"{part.label.sum()} of {len(part)}" for part in splits]
            raise DataError(
                f"{splits.train.source}: engaging are {counts[0]} exchanges to learn from, "
                f"{counts[1]} to decide by when to stop, and {counts[2]} held out; each side needs "
                "engaging ones and others"
            )
        return splits


def with_words(exchanges: Exchanges, has_words: Callable[[str], bool]) -> Exchanges:
    pairs = zip(exchanges.query, exchanges.reply, strict=True)
    return exchanges.take(np.flatnonzero([has_words(a) and has_words(b) for a, b in pairs]))
