"""Tiny finished run folders, made without scoring anything."""

import json
from pathlib import Path

import polars as pl

from simpatico import Score
from simpatico.run import Run
from simpatico.system_means import system_table


def fact(name, better=None, span=(0.0, 1.0)):
    return {"name": name, "better": better, "range": list(span), "meaning": "made up"}


def make_run(
    folder: Path, scores: dict, *, prompts=True, better=None, version="1", parts=()
) -> Run:
    """`scores`: score -> system -> values; the k-th value is of the k-th prompt."""
    rows = []
    systems = list(next(iter(scores.values())))
    for system in systems:
        for k in range(max(len(v[system]) for v in scores.values())):
            row = {
                "dialog": f"{system}/{k:04d}",
                "speaker": system,
                "system": system,
                "prompt": f"p{k:04d}" if prompts else None,
            }
            values = {s: v[system][k] if k < len(v[system]) else None for s, v in scores.items()}
            rows.append({**row, **values})
    return write_run(folder, rows, list(scores), better=better, version=version, parts=parts)


def write_run(folder: Path, rows, scores, *, better=None, version="1", parts=()) -> Run:
    """Scores named in `parts` belong to the first metric; each other score is a metric."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = {"dialog": pl.String, "speaker": pl.String, "system": pl.String, "prompt": pl.String}
    frame = pl.DataFrame(rows, schema={**keys, **dict.fromkeys(scores, pl.Float64)})
    frame.write_parquet(folder / "dialog.parquet")
    turns = frame.drop("prompt").with_columns(turn=pl.lit(1))
    pl.concat([turns, turns.with_columns(turn=pl.lit(2))]).write_parquet(folder / "turn.parquet")
    definitions = [Score(s, pl.col(s), (-1e9, 1e9), "made up") for s in scores]
    system_table(lambda: [frame], definitions).write_parquet(folder / "system.parquet")
    heads = [s for s in scores if s not in parts]
    metrics = {
        s: {"signature": f"{s}|{version}", "level": "turn", "scores": [fact(s, better)]}
        for s in heads
    }
    for part in parts:
        metrics[heads[0]]["scores"].append(fact(part, better))
    (folder / "run.json").write_text(json.dumps({"status": "done", "metrics": metrics}))
    return Run(folder)
