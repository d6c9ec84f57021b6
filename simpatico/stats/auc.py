"""How well a number tells true examples from made-up ones, and how surely, dialog by dialog."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from simpatico.stats.draws import counts, percentile_interval

Numbers = npt.NDArray[np.floating[Any]]
Integers = npt.NDArray[np.integer[Any]]

DECIMALS = 6
DRAWS = 999


def area(guess: Numbers, label: Numbers) -> float:
    """How often a true example is above a made-up one; half for a draw."""
    _, code = np.unique(guess, return_inverse=True)
    return round(weighted_area(code, label > 0, np.ones(len(guess))), DECIMALS)


def weighted_area(code: Integers, true: npt.NDArray[np.bool_], weight: Numbers) -> float:
    """The same where examples count more than once; NaN where one side has none."""
    above = np.bincount(code, weight * true)
    below = np.bincount(code, weight * ~true)
    pairs = above.sum() * below.sum()
    won = above @ (np.cumsum(below) - below / 2)
    return float(won / pairs) if pairs else float("nan")


def area_interval(
    guess: Numbers, label: Numbers, dialog: Integers, *, seed: int = 0, draws: int = DRAWS
) -> tuple[float, float]:
    """Between which areas 95% of the resamples of dialogs lie; NaN where none has both sides."""
    _, code = np.unique(guess, return_inverse=True)
    found, whose = np.unique(dialog, return_inverse=True)
    drawn = counts(len(found), draws, seed)
    areas = [weighted_area(code, label > 0, row[whose]) for row in drawn]
    low, high = percentile_interval(np.array(areas))
    return round(low, DECIMALS), round(high, DECIMALS)


def balanced(guess: npt.NDArray[np.bool_], label: Numbers) -> float:
    """The mean of the shares of true and of made-up examples that are told right."""
    true = label > 0
    return round(float((guess[true].mean() + (~guess[~true]).mean()) / 2), DECIMALS)
