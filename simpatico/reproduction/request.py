"""The options of a reproduction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

DEFAULT_SIZE = 100
Tell = Callable[[str], object]
"""Receives progress messages."""


class Sample(NamedTuple):
    """How many responses of each data set a slow metric reads (0: all), and which."""

    size: int = DEFAULT_SIZE
    seed: int = 0


@dataclass(frozen=True)
class Request:
    """What `simpatico reproduce` was asked for.

    `lexicon`: of emotions, null for ours; `metrics`: which other metrics to run, null for all that
    can; `settings`: parameters by metric, such as a trained model; `seeds`: how often classifiers
    are trained anew; `fine_tuned`: fine-tuned evaluators by kind; `as_published`: those of texts as
    their corpora stored them.
    """

    lexicon: str | None = None
    metrics: Sequence[str] | None = None
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sample: Sample = field(default_factory=Sample)
    seeds: int = 5
    fine_tuned: Mapping[str, str] = field(default_factory=dict)
    as_published: Mapping[str, str] = field(default_factory=dict)

    def parameters_of(self, metric: str) -> dict[str, Any]:
        """The parameters set for a metric."""
        return dict(self.settings.get(metric, {}))


def sample_names(names: Iterable[str], size: int, *, seed: int) -> list[str]:
    """A random sample of dialogs, ordered by a hash of their names.

    A smaller sample is thus part of a larger one, and neither depends on the order of the file.
    """

    def random_key(name: str) -> bytes:
        return blake2b(f"{seed}\0{name}".encode(), digest_size=16).digest()

    return sorted(set(names), key=random_key)[:size]
