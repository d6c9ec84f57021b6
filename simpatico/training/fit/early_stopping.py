"""Training epoch by epoch until the validation loss no longer falls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from simpatico.arrays import AnyFloats


class EarlyStopping(NamedTuple):
    """How long training goes on."""

    epochs: int
    patience: int
    """Epochs in a row without a lower validation loss after which it ends."""

    def train(
        self,
        weights: Sequence[AnyFloats],
        run_epoch: Callable[[], object],
        validation_loss: Callable[[], float],
        *,
        least: float = np.inf,
        tick: Callable[[int], object] = lambda n: None,
    ) -> None:
        """Leave in `weights`, which `run_epoch` changes in place, those of the best epoch.

        `least` is the validation loss that the weights have before the first epoch, where they are
        already worth keeping.
        """
        best, since_best = [weight.copy() for weight in weights], 0
        for epoch in range(self.epochs):
            run_epoch()
            tick(1)
            loss = validation_loss()
            since_best += 1
            if loss < least:
                best, least, since_best = [weight.copy() for weight in weights], loss, 0
            if since_best >= self.patience:
                tick(self.epochs - epoch - 1)
                break
        for weight, best_weight in zip(weights, best, strict=True):
            weight[...] = best_weight
