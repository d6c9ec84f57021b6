"""What the page says of each score: its title, its range, and where the dialogs of a run lie.

All of it comes from `run.json`, not from the installed metrics: a page of an old run says what the
metric was when it was scored, and needs no package of others to be installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from simpatico.comparison.samples import HUMAN
from simpatico.run import Run
from simpatico.wording import title_from_name

KINDS = {"psychological": "P", "evaluator": "L", "traditional": "T", "other": "O"}
"""The kinds of metrics in `run.json`, and their letters on the page, in the page's order."""
DIRECTIONS = {"higher": "higher is better", "lower": "lower is better"}
"""Most metrics are neither: longer replies, for example, are not better ones."""


@dataclass(frozen=True)
class ScoreInfo:
    """A metric's main score, as `run.json` describes it; a null bound is open."""

    metric: str
    name: str
    title: str
    kind: str
    level: str
    unit: str
    better: str | None
    meaning: str
    low: float | None
    high: float | None
    signature: str
    card: Mapping[str, str] = field(compare=False, repr=False)

    @property
    def direction(self) -> str:
        """Which end is better and the unit, in words."""
        text = DIRECTIONS.get(self.better or "", "no better direction")
        return f"{text}; {self.unit}" if self.unit else text


@dataclass(frozen=True)
class CentralRange:
    """Where the middle 90% of all dialogs lie on a score."""

    p5: float | None
    p95: float | None
    n: int


def main_scores(facts: Mapping[str, Any]) -> tuple[ScoreInfo, ...]:
    """The score of its own name that each metric has, by kind; sub-scores are not on the page."""
    scores = [
        ScoreInfo(
            metric=metric,
            name=metric,
            title=score.get("title") or title_from_name(metric),
            kind=KINDS.get(about.get("kind", "other"), "O"),
            level=about["level"],
            unit=score.get("unit", ""),
            better=score["better"],
            meaning=score["meaning"],
            low=score["range"][0],
            high=score["range"][1],
            signature=about["signature"],
            card=about.get("card", {}),
        )
        for metric, about in facts["metrics"].items()
        for score in about["scores"]
        if score["name"] == metric
    ]
    order = list(KINDS.values())
    return tuple(sorted(scores, key=lambda s: order.index(s.kind)))


def central_ranges(run: Run, names: Sequence[str]) -> dict[str, CentralRange]:
    """The middle 90% of the dialogs of all systems, by score.

    Columns are read one at a time: a run may have more dialogs and scores than fit into memory.
    """
    dialogs = run.scan("dialog")
    of_systems = dialogs.filter(pl.col("system") != HUMAN)
    ranges = {}
    for name in names:
        values = of_systems.select(pl.col(name).drop_nulls()).collect().to_series()
        low, high = (values.quantile(q, "linear") if len(values) else None for q in (0.05, 0.95))
        ranges[name] = CentralRange(low, high, len(values))
    return ranges
