"""What the page says of each score: its words, its range, and where the dialogs of a run lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from simpatico.comparison.samples import HUMAN
from simpatico.run import Run
from simpatico.wording import title_from_name

KINDS = {"psychological": "P", "evaluator": "L", "traditional": "T", "other": "O"}


@dataclass(frozen=True)
class ScoreInfo:
    """A metric's main score, as `run.json` tells it."""

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
        """Which end is better, in words."""
        words = {"higher": "higher is better", "lower": "lower is better"}
        told = words.get(self.better or "", "no better direction")
        return f"{told}; {self.unit}" if self.unit else told


@dataclass(frozen=True)
class CentralRange:
    """Where the middle 90% of all dialogs lie on a score."""

    score: str
    p5: float | None
    p95: float | None
    n: int


def main_scores(facts: Mapping[str, Any]) -> tuple[ScoreInfo, ...]:
    """The score of its own name that each metric has; its parts are not on the page."""
    rows = []
    for metric, told in facts["metrics"].items():
        for score in told["scores"]:
            if score["name"] == metric:
                low, high = score["range"]
                rows.append(
                    ScoreInfo(
                        metric=metric,
                        name=metric,
                        title=score.get("title") or title_from_name(metric),
                        kind=KINDS.get(told.get("kind", "other"), "O"),
                        level=told["level"],
                        unit=score.get("unit", ""),
                        better=score["better"],
                        meaning=score["meaning"],
                        low=low,
                        high=high,
                        signature=told["signature"],
                        card=told.get("card", {}),
                    )
                )
    order = list(KINDS.values())
    return tuple(sorted(rows, key=lambda m: order.index(m.kind)))


def central_ranges(run: Run, names: Sequence[str]) -> dict[str, CentralRange]:
    """The middle 90% of the dialogs of all systems, read one column at a time."""
    dialogs = pl.scan_parquet(run.folder / "dialog.parquet", glob=False)
    mine = dialogs.filter(pl.col("system") != HUMAN)
    found = {}
    for name in names:
        column = pl.col(name)
        values = mine.select(column.drop_nulls()).collect().to_series()
        low, high = (values.quantile(q, "linear") if len(values) else None for q in (0.05, 0.95))
        found[name] = CentralRange(name, low, high, len(values))
    return found
