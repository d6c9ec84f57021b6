"""Work shared between metrics: a feature is a value, and equal values are computed once a chunk."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Protocol

import polars as pl

from simpatico.errors import ContractError
from simpatico.turns import Turns


class Feature(Hashable, Protocol):
    """A frozen dataclass naming something derived from the turns, e.g. `Words()`.

    A feature that reads a file has a `fingerprint`, which goes into the signature; one that runs a
    model is `slow`, so that work is cut into smaller chunks.
    """

    @property
    def needs(self) -> tuple[Feature, ...]: ...

    def compute(self, turns: Turns, features: Features) -> Any: ...


class Features:
    """The features of one chunk, each computed on first use and then shared."""

    def __init__(self, turns: Turns, allowed: frozenset[Feature]) -> None:
        self._turns = turns
        self._allowed = allowed
        self._values: dict[Feature, Any] = {}

    def __getitem__(self, feature: Feature) -> Any:
        if feature not in self._allowed:
            raise ContractError(f"{feature} was used but is not in the metric's `needs`")
        if feature not in self._values:
            self._values[feature] = feature.compute(self._turns, self)
        return self._values[feature]


def features_for_texts(needs: Iterable[Feature]) -> Features:
    """Features without turns, for those that encode any text: `features[feature].of(texts)`."""
    return Features(Turns(pl.DataFrame({"text": pl.Series([], dtype=pl.String)})), frozenset(needs))


def closure(needs: Iterable[Feature]) -> frozenset[Feature]:
    """These features and, recursively, the features they need."""
    waiting, features = list(needs), set[Feature]()
    while waiting:
        feature = waiting.pop()
        if feature not in features:
            features.add(feature)
            waiting.extend(feature.needs)
    return frozenset(features)
