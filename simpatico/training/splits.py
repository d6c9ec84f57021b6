"""Training, validation and test split of data of which some splits may be given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Data = TypeVar("Data")
Split = Callable[[Data, tuple[float, ...]], Sequence[Data]]
"""Divides data into parts of these shares."""


def complete_splits(
    data: Data,
    validation: Data | None,
    test: Data | None,
    *,
    split: Split[Data],
    shares: tuple[float, float, float],
) -> tuple[Data, Data, Data]:
    """The three splits; those that are not given are drawn from the data.

    Where only one has to be drawn, its share is what `shares` say of the validation split, relative
    to training and validation together.
    """
    if validation is not None and test is not None:
        return data, validation, test
    if validation is None and test is None:
        train, validation, test = split(data, shares)
        return train, validation, test
    share = shares[0] / (shares[0] + shares[1])
    train, rest = split(data, (share, 1 - share))
    return train, rest if validation is None else validation, rest if test is None else test
