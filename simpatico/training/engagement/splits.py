"""Exchanges in a training, validation and test split, and what has to be true of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from simpatico.errors import DataError
from simpatico.training.engagement.exchanges import SHARES, Exchanges, split_exchanges
from simpatico.training.heads.splits import SplitInput, Splits, check_both_classes
from simpatico.training.splits import complete_splits

FEWEST_DIALOGS = 20
"""With fewer, a test split would have four dialogs or less."""


EngagementSplits = Splits[Exchanges]


@dataclass(frozen=True)
class ExchangeInput(SplitInput[Exchanges]):
    """Exchanges to train on; validation and test split are drawn from them if absent."""

    def usable(
        self, has_words: Callable[[str], bool] = lambda text: bool(text.strip())
    ) -> ExchangeInput:
        """The exchanges of which both texts have words; refuses what cannot be trained on.

        Called before and after encoding: first to fail early, then with what the encoder knows.
        """

        def with_words(part: Exchanges) -> Exchanges:
            pairs = zip(part.query, part.reply, strict=True)
            return part.take(np.flatnonzero([has_words(a) and has_words(b) for a, b in pairs]))

        usable = ExchangeInput(*self.apply(with_words))
        data = usable.data
        if data.dialogs < FEWEST_DIALOGS:
            raise DataError(
                f"{data.source}: {len(data):,} exchanges of {data.dialogs} dialogs; "
                f"training needs at least {FEWEST_DIALOGS} dialogs"
            )
        for part in usable.parts:
            if not len(part):
                raise DataError(f"{part.source}: no exchange has words in both texts; add some")
            if not 0 < part.label.sum() < len(part):
                raise DataError(
                    f"{part.source}: all {len(part):,} exchanges have label {part.label[0]}; "
                    "training needs both engaging (1) and other (0) exchanges"
                )
        # a dialog in two files would be tested as it was learned
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
        parts = (self.data, self.validation, self.test)
        splits = EngagementSplits(*complete_splits(*parts, split=draw, shares=SHARES))
        what = f"{splits.train.source}: engaging exchanges"
        check_both_classes(what, [part.label for part in splits])
        return splits
