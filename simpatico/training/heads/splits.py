"""What the trainings of heads share: data with optional splits, stratified drawing, both classes.

Stratified: each part gets its share of every stratum. Whole groups (dialogs, raters) are drawn, so
that no model is tested on people or dialogs it was trained on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from simpatico.arrays import AnyFloats, Ints
from simpatico.errors import DataError

Data = TypeVar("Data")
Other = TypeVar("Other")
Input = TypeVar("Input", bound="SplitInput[Any]")


class Splits(NamedTuple, Generic[Data]):
    """The three splits: fitted to, early stopping and thresholds, results."""

    train: Data
    validation: Data
    test: Data


@dataclass(frozen=True)
class SplitInput(Generic[Data]):
    """Data to train on; validation and test split are drawn from them if absent."""

    data: Data
    validation: Data | None = None
    test: Data | None = None

    @classmethod
    def of(cls: type[Input], data: Input | Any) -> Input:
        return data if isinstance(data, cls) else cls(data)

    @property
    def parts(self) -> list[Data]:
        return [part for part in (self.data, self.validation, self.test) if part is not None]

    def apply(self, change: Callable[[Data], Other]) -> SplitInput[Other]:
        """The data and each split that is there, changed."""
        validation, test = (
            None if part is None else change(part) for part in (self.validation, self.test)
        )
        return SplitInput(change(self.data), validation, test)

    def complete(
        self,
        split: Callable[[Data, tuple[float, ...]], Sequence[Data]],
        shares: tuple[float, float, float],
    ) -> Splits[Data]:
        """The three splits; those that are not given are drawn from the data by `split`.

        Where only one has to be drawn, its share is what `shares` say of the validation split,
        relative to training and validation together.
        """
        data, validation, test = self.data, self.validation, self.test
        if validation is None and test is None:
            return Splits(*split(data, shares))
        if validation is None or test is None:
            share = shares[0] / (shares[0] + shares[1])
            data, rest = split(data, (share, 1 - share))
            validation, test = (rest if part is None else part for part in (validation, test))
        return Splits(data, validation, test)


def split_groups(
    groups: Sequence[str], strata: Mapping[str, Any], shares: Sequence[float], *, seed: int
) -> list[Ints]:
    """The rows of each part, stratified by the stratum of each group; no group is in two parts.

    Strata are drawn in sorted order and groups in that of `strata`, so that a seed always draws the
    same parts.
    """
    rng, part_of = np.random.default_rng(seed), dict[str, int]()
    for stratum in sorted(set(strata.values())):
        names = [name for name, own in strata.items() if own == stratum]
        order = rng.permutation(len(names))
        cuts = np.round(np.cumsum(shares)[:-1] * len(names)).astype(int)
        for part, indices in enumerate(np.split(order, cuts)):
            part_of.update((names[index], part) for index in indices)
    parts = np.array([part_of[group] for group in groups], np.int64)
    return [np.flatnonzero(parts == part) for part in range(len(shares))]


def check_both_classes(what: str, labels: Sequence[AnyFloats | Ints]) -> None:
    """Refuse training, validation and test labels of which one lacks a class; `what` is class 1."""
    counts = [(int(label.sum()), len(label)) for label in labels]
    if not all(0 < positive < n for positive, n in counts):
        train, validation, test = (f"{positive:,} of {n:,}" for positive, n in counts)
        raise DataError(
            f"{what}: {train} in the training set, {validation} in the validation set, {test} in "
            "the test set; each set needs examples of both classes"
        )
