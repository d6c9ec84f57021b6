"""Which metrics there are, and what a list of them shows, without importing any.

Metrics import polars, numpy and scipy, which takes most of a second. What the list shows of those
that we ship is in `data/metrics.json`; a test compares it with the metrics and says how to write it
again. A metric that the file does not have is imported.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Literal

import msgspec

from simpatico import metrics
from simpatico.models.names import why_missing

GROUP = "simpatico.metrics"
FILE = Path(__file__).parent / "data" / "metrics.json"
PYTHON = "python:"
"""Before a requirement that is a Python package; all others are models."""


class IndexEntry(msgspec.Struct, frozen=True):
    """A metric with its defaults, or on a model that may be here where its own is not."""

    name: str
    scored_as: str
    """The name with its model in brackets, where that is not the published one."""
    level: str
    about: str
    """The first sentence of its card."""
    better: Literal["higher", "lower"] | None
    """Of the score that has the metric's name; null too where there is none."""
    requires: tuple[str, ...] | None = ()
    """Models and packages; null where one has to be trained first."""

    @property
    def runs(self) -> bool:
        """Whether all that it needs is here."""
        return self.requires is not None and all(map(is_here, self.requires))


def is_here(requirement: str) -> bool:
    """Whether a model or a package is installed."""
    if requirement.startswith(PYTHON):
        return find_spec(requirement.removeprefix(PYTHON)) is not None
    return why_missing(requirement) is None


@cache
def metric_index() -> dict[str, tuple[IndexEntry, ...]]:
    """The metrics that we ship: each with its defaults, then on other models."""
    return msgspec.json.decode(FILE.read_bytes(), type=dict[str, tuple[IndexEntry, ...]])


def available() -> list[str]:
    """Names of all metrics, ours and those of installed packages, without importing any."""
    return sorted(builtin_names() | set(entry_point_metrics()))


@cache
def builtin_names() -> frozenset[str]:
    """Metrics of this package; files with a leading underscore are shared code."""
    return frozenset(m.name for m in iter_modules(metrics.__path__) if m.name[0] != "_")


def entry_point_metrics() -> dict[str, EntryPoint]:
    """Metrics that other installed packages offer under the entry point group."""
    return {point.name: point for point in entry_points(group=GROUP)}
