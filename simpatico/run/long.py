"""A run as tidy long data: one row per unit and score, with who talked to whom, when and where.

The layout of mixed models, as in R: `lmer(value ~ condition + (1 | dyad), subset(d, score ==
"style_matching"))`. A dyad is a dialog of two speakers; in others it is null, as a dialog of three
is no pair. Columns of the input that the run has kept (time, condition, …) stand before the score.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from simpatico.errors import UnknownName, suggest_names
from simpatico.run import Run
from simpatico.turns import KEYS, Level

OWN = ("dyad", "partner", "time", "score", "value", "reason")
"""Our own columns; a column of the input with such a name ends in `(input)`."""


def long_table(
    run: Run, frame: pl.DataFrame, level: Level, scores: Sequence[str], *, every: bool = False
) -> pl.DataFrame:
    """The scores of a level in long form; main scores only, unless named or `every` is set."""
    metric_of = run.metric_by_score
    if unknown := [s for s in scores if s not in frame.columns or s not in metric_of]:
        hint = suggest_names(unknown[0], [s for s in metric_of if s in frame.columns])
        raise UnknownName(f"no score {unknown[0]!r} at {level} level; {hint}")
    context = unit_context(run, frame, level)
    parts = []
    for name in select_scores(run, frame, scores, every=every):
        null = f"{metric_of[name]}_null"
        reason = frame[null] if null in frame.columns else pl.Series([None], dtype=pl.String)
        why = pl.when(pl.lit(frame[name]).is_null()).then(pl.lit(reason))
        value = pl.lit(frame[name]).alias("value")
        parts.append(context.with_columns(pl.lit(name).alias("score"), value, why.alias("reason")))
    return pl.concat(parts)


def select_scores(
    run: Run, frame: pl.DataFrame, scores: Sequence[str], *, every: bool
) -> list[str]:
    """The scores that are named, else the main ones, else, as with shares alone, all there are."""
    metric_of = run.metric_by_score
    present = [name for name in metric_of if name in frame.columns]
    main = [name for name in present if name == metric_of[name]]
    return list(scores) or (main if main and not every else present)


def unit_context(run: Run, frame: pl.DataFrame, level: Level) -> pl.DataFrame:
    """Dyad, keys, partner, time and the kept columns of the input, a row for each of the frame."""
    if level == "system":
        return frame.select(KEYS["system"])
    speakers = run.at("turn", ["dialog", "speaker"]).unique(maintain_order=True)
    groups = speakers.group_by("dialog").agg(_all=pl.col("speaker"))
    pair = groups.filter(pl.col("_all").list.len() == 2)
    a, b = pl.col("_all").list.get(0), pl.col("_all").list.get(1)
    kept = [c for c in ["prompt", *run.facts.get("columns", [])] if c in frame.columns]
    others = [pl.col(c).alias(f"{c} (input)" if c in OWN else c) for c in kept if c != "time"]
    time = pl.col("time") if "time" in kept else pl.lit(None, pl.String).alias("time")
    rows = frame.join(pair, on="dialog", how="left", maintain_order="left")
    dyad = pl.when(pl.col("_all").is_not_null()).then("dialog").alias("dyad")
    partner = pl.when(pl.col("speaker") == a).then(b).otherwise(a).alias("partner")
    return rows.select(dyad, *KEYS[level], partner, time, *others)
