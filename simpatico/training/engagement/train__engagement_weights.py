"""How much each exchange counts, so that what tells labels apart is not where they come from.

Every origin counts the same, and in it both labels. Where lengths are level, both labels count the
same among replies of about the same length, too, so that length tells nothing of the label.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simpatico.errors import DataError
from simpatico.training.engagement.baselines import lengths
from simpatico.training.engagement.exchanges import Exchanges

BINS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17, 21, 30)
"""Fewest words of the replies in each bin but the first."""


def weights(given: Exchanges, *, level: bool = False) -> npt.NDArray[np.float32]:
    """The weight of each exchange; 0 where its length occurs with one label alone, if `level`."""
    _, origin = np.unique(given.origin, return_inverse=True)
    bins = np.digitize(lengths(given.reply)[:, 0], BINS) if level else np.zeros_like(origin)
    cell = origin * (len(BINS) + 1) + bins
    yes, no = np.bincount(cell, given.label), np.bincount(cell, 1 - given.label)
    both = np.divide(yes * no, yes + no, out=np.zeros_like(yes), where=yes * no > 0)
    weight = both[cell] / np.where(given.label > 0, yes[cell], no[cell])
    total = np.bincount(origin, weight)
    if not total.any():
        raise DataError(
            f"{given.source}: no length of replies has both labels; give more exchanges, or do "
            "not level lengths"
        )
    scale = np.divide(len(given), total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(weight * scale[origin] / np.count_nonzero(total), np.float32)
