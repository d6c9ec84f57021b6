"""A run as tidy long data: one row per unit and score, with who talked to whom, when and where.

The layout of mixed models, as in R: `lmer(value ~ condition + (1 | dyad), subset(d, score ==
"style_matching"))`. A dyad is a dialog of two speakers; in others it is null, as a dialog of three
is no pair. Columns of the input that the run has kept (time, condition, …) stand before the score.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import polars as pl

from simpatico.errors import UnknownName, suggest_names
from simpatico.run import Run
from simpatico.turns import KEYS, Level

NOT_CONTEXT = ("text", "answers", "extras")
"""Columns of the stored turns that are no condition: what was said, and to which turn."""
RESERVED = ("dyad", "partner", "time", "score", "value", "reason")
"""Our own columns; a column of the input with such a name gets `input_` before it."""


def long_table(
    run: Run, frame: pl.DataFrame, level: Level, scores: Sequence[str], *, every: bool = False
) -> pl.DataFrame:
    """The scores of a level in long form; main scores only, unless named or `every` is set."""
    keys = KEYS[level]
    metric_of = {s["name"]: m for m, f in run.facts["metrics"].items() for s in f["scores"]}
    names = list(scores) or [s for s, m in metric_of.items() if every or s == m]
    if unknown := [s for s in scores if s not in frame.columns or s not in metric_of]:
        hint = suggest_names(unknown[0], [s for s in metric_of if s in frame.columns])
        raise UnknownName(f"no score {unknown[0]!r} at {level} level; {hint}")
    parts = []
    for name in (n for n in names if n in frame.columns):
        null = f"{metric_of[name]}_null"
        reason = pl.col(null) if null in frame.columns else pl.lit(None, pl.String)
        why = pl.when(pl.col(name).is_null()).then(reason).alias("reason")
        value = pl.col(name).alias("value")
        parts.append(frame.select(*keys, pl.lit(name).alias("score"), value, why))
    rows = pl.concat(parts) if parts else frame.select(keys)
    if level == "system":
        return rows
    context = unit_context(run, level)
    joined = rows.join(context, on=keys, how="left", maintain_order="left", nulls_equal=True)
    others = [c for c in context.columns if c not in (*KEYS["turn"], *RESERVED)]
    first = ["dyad", *keys, "partner", "time", *others]
    return joined.select(*first, "score", "value", "reason")


def unit_context(run: Run, level: Level) -> pl.DataFrame:
    """Dyad, partner, time and kept columns of the input, one row per unit of the level."""
    keys, path = KEYS[level], run.folder / "text.parquet"
    source = path if path.is_file() else run.folder / "turn.parquet"
    table = pl.read_parquet(source, glob=False)
    scores = {s["name"] for m in run.facts["metrics"].values() for s in m["scores"]}
    kept = [
        c
        for c in table.columns
        if c not in (*KEYS["turn"], *NOT_CONTEXT, *scores)
        and not (c.endswith("_null") and c.removesuffix("_null") in run.facts["metrics"])
    ]
    rows = table.select(*KEYS["turn"], *kept)
    if "extras" in table.columns:
        rows = pl.concat([rows, extra_columns(table["extras"], rows.columns)], how="horizontal")
    rows = rows.rename({c: f"input_{c}" for c in rows.columns if c in RESERVED and c != "time"})
    if "time" not in rows.columns:
        rows = rows.with_columns(time=pl.lit(None, pl.String))
    speakers = rows.group_by("dialog").agg(_all=pl.col("speaker").unique(maintain_order=True))
    pair = speakers.filter(pl.col("_all").list.len() == 2)
    a, b = pl.col("_all").list.get(0), pl.col("_all").list.get(1)
    rows = rows.join(pair, on="dialog", how="left", maintain_order="left").with_columns(
        dyad=pl.when(pl.col("_all").is_not_null()).then("dialog"),
        partner=pl.when(pl.col("speaker") == a).then(b).otherwise(a),
    )
    # of a dialog its first turn says when it was and under which condition
    return rows.drop("_all").unique(keys, keep="first", maintain_order=True)


def extra_columns(extras: pl.Series, taken: Sequence[str]) -> pl.DataFrame:
    """The JSON objects of `extras` as columns of text; names that are taken get `input_` before."""
    objects = [json.loads(text) if text else {} for text in extras]
    names = dict.fromkeys(name for one in objects for name in one)
    return pl.DataFrame(
        {
            f"input_{n}" if n in taken or n in RESERVED else n: pl.Series(
                [None if one.get(n) is None else str(one[n]) for one in objects], dtype=pl.String
            )
            for n in names
        }
    )
