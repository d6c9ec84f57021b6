"""Run metrics over conversations, chunk by chunk, sharing features within a chunk.

A feature, such as the words of the texts, is computed once for all metrics that need it and dropped
with its chunk, so that memory grows with the chunk and not with the input. A chunk holds complete
dialogs; the result does not depend on its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
import polars as pl

from simpatico.errors import BadValue, ContractError
from simpatico.features import Features, closure
from simpatico.metric import Metric, collect_evidence
from simpatico.system_metric import is_system_metric, merge_material, system_material
from simpatico.table import ScoreTable
from simpatico.turns import KEYS, LEVELS, Turns

CHUNK = 65_536
"""Turns of a chunk: enough to keep columns long, few enough for a laptop's memory."""
SLOW_CHUNK = 4_096
"""The same where a model has to run: a killed run loses less than a chunk's work."""


def run_models(metrics: Sequence[Metric]) -> bool:
    """Whether any of the metrics runs a model."""
    features = closure(f for m in metrics for f in m.needs)
    return any(getattr(f, "slow", False) for f in features)


def chunk_size(metrics: Sequence[Metric]) -> int:
    """How many turns are scored at a time."""
    return SLOW_CHUNK if run_models(metrics) else CHUNK


def score(turns: Turns, metrics: Sequence[Metric], *, chunk: int = CHUNK) -> ScoreTable:
    """Run every metric on every dialog."""
    check_metrics(metrics)
    chunks = turns.chunks(chunk) if len(turns) else [turns]
    parts = [score_chunk(part, metrics) for part in chunks]
    statistics = {}
    for metric in metrics:
        frames = [part.statistics[metric.name] for part in parts]
        merge = is_system_metric(metric)
        statistics[metric.name] = merge_material(metric, frames) if merge else pl.concat(frames)
    return ScoreTable(pl.concat(p.keys for p in parts), tuple(metrics), statistics)


def score_chunk(turns: Turns, metrics: Sequence[Metric]) -> ScoreTable:
    """All metrics, which `check_metrics` has passed, over one chunk; they share features."""
    features = Features(turns, closure(f for m in metrics for f in m.needs))
    statistics = {m.name: check_statistics(m, turns, m(turns, features)) for m in metrics}
    keys = turns.frame[[*KEYS["turn"], "prompt"]]
    keys = keys if turns.scored.all() else keys.filter(turns.scored)
    return ScoreTable(keys, tuple(metrics), statistics)


def check_metrics(metrics: Sequence[Metric]) -> None:
    """Refuse metrics whose scores could not stand in one table."""
    names = set[str]()
    for metric in metrics:
        if metric.level not in LEVELS:
            raise ContractError(
                f"{metric.name} is of level {metric.level!r}; a metric is of level turn, dialog or "
                "system"
            )
        complete = hasattr(metric, "summary") and hasattr(metric, "seed")
        if is_system_metric(metric) and not complete:
            raise ContractError(
                f"{metric.name} is of level 'system'; it needs a method summary and a field seed"
            )
        # one column a score: two metrics of one name would overwrite each other
        for name in [metric.name, *(s.name for s in metric.scores if s.name != metric.name)]:
            if name in names:
                raise BadValue(f"{name!r} is asked for twice; score it twice in two runs")
            names.add(name)


def check_statistics(metric: Metric, turns: Turns, statistics: pl.DataFrame) -> pl.DataFrame:
    """The statistics of the scored turns as floats, once they are known to match the turns.

    Those of a metric of level "system" stay as they are.
    """
    if statistics.height != len(turns):
        raise ContractError(
            f"{metric.name} gave {statistics.height} rows of statistics for {len(turns)} turns"
        )
    if is_system_metric(metric):
        return system_material(metric, turns, statistics)
    names = statistics.columns
    types = pl.Schema({n: pl.String() if n == "reason" else pl.Float64() for n in names})
    rows = statistics if statistics.schema == types else statistics.cast(types)
    rows = rows if turns.scored.all() else rows.filter(turns.scored)
    numbers = (column for column in rows if column.name != "reason")
    # a sum is finite where all numbers are
    if any(not isfinite(n.sum()) and np.isinf(n.to_numpy()).any() for n in numbers):
        raise ContractError(f"{metric.name} gave an infinite statistic; use null for none")
    return rows


def evidence_words(turns: Turns, metrics: Sequence[Metric]) -> pl.DataFrame:
    """The words that moved each turn's scores, strongest first; metrics that cannot say have none.

    `weight` is above 0 where the words raise the score and below 0 where they lower it; `start` and
    `end` are code points of the turn's text.
    """
    texts = turns.frame.with_row_index("row").select(
        pl.col("row").cast(pl.Int64), "dialog", "turn", "speaker", "system", "text"
    )
    parts = []
    for metric in metrics:
        spans = collect_evidence(metric, turns).with_columns(pl.col("row").cast(pl.Int64))
        rows = spans.join(texts, on="row", how="left", maintain_order="left")
        words = pl.col("text").str.slice(pl.col("start"), pl.col("end") - pl.col("start"))
        parts.append(
            rows.select(
                *("dialog", "turn", "speaker", "system"),
                pl.lit(metric.name).alias("metric"),
                words.alias("words"),
                *("weight", "start", "end", "row"),
            ).sort("row", pl.col("weight").abs(), descending=[False, True], maintain_order=True)
        )
    if not parts:
        raise BadValue("no metric is named whose words could be shown")
    return pl.concat(parts).sort("row", maintain_order=True).drop("row")
