"""Run metrics over conversations, chunk by chunk, sharing features within a chunk."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from simpatico.errors import BadValue, ContractError
from simpatico.features import Features, closure
from simpatico.metric import Metric
from simpatico.system_metric import gathered, is_whole, material_of
from simpatico.table import ScoreTable
from simpatico.turns import KEYS, LEVELS, Turns

CHUNK = 65_536
SLOW_CHUNK = 4_096
"""Turns of a chunk where a model has to run: a killed run loses less than a chunk's work."""


def chunk_of(metrics: Sequence[Metric]) -> int:
    """How many turns are scored at a time."""
    needed = closure(f for m in metrics for f in m.needs)
    return SLOW_CHUNK if any(getattr(f, "slow", False) for f in needed) else CHUNK


def score(turns: Turns, metrics: Sequence[Metric], *, chunk: int = CHUNK) -> ScoreTable:
    """Run every metric on every dialog."""
    parts = [score_chunk(part, metrics) for part in turns.chunks(chunk)]
    if not parts:
        parts = [score_chunk(turns, metrics)]
    return ScoreTable(
        pl.concat(p.keys for p in parts),
        tuple(metrics),
        {m.name: together(m, [p.statistics[m.name] for p in parts]) for m in metrics},
    )


def together(metric: Metric, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """What a metric gave for all chunks."""
    return gathered(metric, parts) if is_whole(metric) else pl.concat(parts)


def score_chunk(turns: Turns, metrics: Sequence[Metric]) -> ScoreTable:
    """All metrics over one chunk, drawing on the same features."""
    consistent(metrics)
    features = Features(turns, closure(f for m in metrics for f in m.needs))
    statistics = {m.name: checked(m, turns, m(turns, features)) for m in metrics}
    keys = turns.frame.select(*KEYS["turn"], "prompt").filter(turns.scored)
    return ScoreTable(keys, tuple(metrics), statistics)


def consistent(metrics: Sequence[Metric]) -> None:
    """Refuse metrics whose scores could not stand in one table."""
    met: dict[str, str] = {}
    for metric in metrics:
        if metric.level not in LEVELS:
            raise ContractError(
                f"{metric.name} is of level {metric.level!r}; a metric is of level turn, dialog or "
                "system"
            )
        if is_whole(metric) and not (hasattr(metric, "summary") and hasattr(metric, "seed")):
            raise ContractError(
                f"{metric.name} is of level 'system'; it needs a method summary and a field seed"
            )
        for name in [metric.name, *(s.name for s in metric.scores if s.name != metric.name)]:
            if name in met:
                raise BadValue(f"{name!r} is asked for twice; score it twice in two runs")
            met[name] = metric.name


def checked(metric: Metric, turns: Turns, statistics: pl.DataFrame) -> pl.DataFrame:
    """The statistics of the scored turns as floats, once they are known to match the turns.

    Those of a metric of level "system" stay as they are.
    """
    if statistics.height != len(turns):
        raise ContractError(
            f"{metric.name} gave {statistics.height} rows of statistics for {len(turns)} turns"
        )
    if is_whole(metric):
        return material_of(metric, turns, statistics)
    numbers = pl.exclude("reason").cast(pl.Float64)
    reason = [pl.col("reason").cast(pl.String)] if "reason" in statistics.columns else []
    kept = statistics.filter(turns.scored).select(numbers, *reason)
    endless = kept.select(pl.any_horizontal(pl.exclude("reason").is_infinite().any())).item()
    if endless:
        raise ContractError(f"{metric.name} gave an infinite statistic; use null for none")
    return kept
