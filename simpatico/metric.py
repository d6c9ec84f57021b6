"""What a metric is: statistics that merge, and scores read off the merged statistics."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.features import Feature, Features
from simpatico.turns import Level, Turns

Better = Literal["higher", "lower"] | None
Kind = Literal["psychological", "traditional", "evaluator", "other"]
Merge = Literal["sum", "min", "max"]


@dataclass(frozen=True)
class Score:
    """One number a metric reports.

    `of` reads it off the metric's statistics after they were merged within a unit: a Polars
    expression, or a function from the frame of statistics to a column of numbers.
    """

    name: str
    of: pl.Expr | Callable[[pl.DataFrame], Any]
    range: tuple[float, float]
    meaning: str
    better: Better = None


@dataclass(frozen=True)
class Card:
    """What people should know before they trust a metric; `simpatico list NAME` prints it."""

    about: str
    undefined: str
    citation: str
    kind: Kind = "psychological"
    language: str | None = "en"


class Metric(Protocol):
    """A frozen dataclass: its fields are its parameters, calling it is its only behaviour."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def name(self) -> str: ...
    @property
    def level(self) -> Level:
        """The finest level at which the scores may be read."""
        ...

    @property
    def card(self) -> Card: ...
    @property
    def needs(self) -> tuple[Feature, ...]: ...
    @property
    def scores(self) -> tuple[Score, ...]: ...

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        """Statistics, one row per turn, in order; they merge by sum unless `merge` says else.

        A column `reason` (optional) says in one word why a turn cannot be scored.
        """
        ...


def missing(metric: Metric) -> str | None:
    """What the metric lacks to run here, as a sentence with the way out; null when nothing."""
    return getattr(metric, "missing", None)


def merge_of(metric: Metric) -> Mapping[str, Merge]:
    """How each statistic of `metric` merges; those not named are summed."""
    return getattr(metric, "merge", {})


def bounds(span: tuple[float, float]) -> list[float | None]:
    """A range as JSON has it: null for an end that does not exist."""
    return [end if isfinite(end) else None for end in span]


def signature(metric: Metric) -> str:
    """Name, every parameter, hashes of what it reads, version: equal means comparable."""
    parameters = [f"{f.name}:{plain(getattr(metric, f.name))}" for f in fields(metric)]
    hashes = [h for feature in metric.needs if (h := getattr(feature, "fingerprint", ""))]
    if source := foreign_source(type(metric)):
        hashes.append(f"code_sha256:{hashlib.sha256(source.read_bytes()).hexdigest()[:12]}")
    return "|".join(
        [metric.name, *parameters, *sorted(set(hashes)), f"version:{package_version()}"]
    )


def foreign_source(kind: type) -> Path | None:
    """The file of a metric that is not ours, whose version says nothing about it."""
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    return Path(file) if file and not kind.__module__.startswith("simpatico.") else None


def plain(value: object) -> str:
    """A parameter as the signature shows it; of a file only the name, since its hash follows."""
    if isinstance(value, str | Path) and "/" in str(value):
        return Path(value).name
    return str(value)


def package_version() -> str:
    try:
        return version("simpatico")
    except PackageNotFoundError:  # running from a source tree that was never installed
        return "0"


def reasons(rows: int, **masks: npt.NDArray[np.bool_]) -> pl.Series:
    """Why rows have no score: the name of the last mask that holds, null where none does."""
    code = np.zeros(rows, np.uint32)
    for number, mask in enumerate(masks.values(), 1):
        code[mask] = number
    return pl.Series("reason", [None, *masks], pl.String).gather(code)
