"""Scores of a run for other tools: one file per format, each with `write`, or `push` for servers.

`simpatico show RUN --format csv` and `long` are the tables themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import polars as pl

from simpatico.comparison.gate import select_systems
from simpatico.files import write_atomically
from simpatico.run import Run
from simpatico.run.long import long_table
from simpatico.turns import Level

Format = Literal["inspect", "otlp", "sav"]


@dataclass(frozen=True)
class Export:
    """What is exported of a run: the units of a level, of some systems, and their scores."""

    run: Run
    level: Level
    systems: tuple[str, ...]
    scores: tuple[str, ...] = ()
    every: bool = False

    def __post_init__(self) -> None:
        self.run.refuse_system_scores(self.scores)

    @cached_property
    def signatures(self) -> dict[str, str]:
        """The signature of the metric that each score belongs to."""
        metrics = self.run.facts["metrics"]
        return {s: metrics[m]["signature"] for s, m in self.run.metric_by_score.items()}

    def frame(self) -> pl.DataFrame:
        """The units, a row each with all of their columns."""
        return self.run.at(self.level).filter(pl.col("system").is_in(self.systems))

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row per unit and score, with the reason where it is null, unit by unit."""
        frame = self.frame()
        table = long_table(self.run, frame, self.level, self.scores, every=self.every)
        unit = pl.int_range(pl.len()) % frame.height
        return table.sort(unit, maintain_order=True).iter_rows(named=True)


def write_export(export: Export, format: Format, path: Path) -> None:
    """Write the file of a format; it appears whole or not at all, for its owner only."""
    writer = import_module(f"simpatico.integrations.exports.{format}")
    write_atomically(path, lambda temporary: writer.write(export, temporary))


def systems_of(run: Run, system: str | None, *, with_human: bool) -> tuple[str, ...]:
    """The systems to export: the one named, else all, with or without the users."""
    if with_human and system is None:
        return tuple(run.at("system", ["system"])["system"])
    return tuple(select_systems(run, system))
