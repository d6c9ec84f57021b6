"""`simpatico show`: the scores of a run, at any level."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import polars as pl

from simpatico.cli.output import Format, note, result, room, show_csv, show_json, show_table
from simpatico.errors import UnknownName
from simpatico.registry import suggestion
from simpatico.run import Run
from simpatico.turns import KEYS, Level
from simpatico.wording import join_with_and

ROWS = 20
MOST_ROWS = 1_000


@click.command(name="show")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--level", type=click.Choice(["turn", "dialog", "system"]), default="system", show_default=True
)
@click.option(
    "--format",
    "shape",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
)
@click.option("--scores", help="Only these scores, comma separated.")
@click.option("--every", is_flag=True, help="In a table, also the parts of each metric.")
@click.option(
    "--rows",
    default=ROWS,
    type=click.IntRange(min=0),
    show_default=True,
    help="Rows of a table; 0 for very many.",
)
def command(
    run: Path, level: Level, shape: Format, scores: str | None, every: bool, rows: int
) -> None:
    """Print the scores of RUN; csv and json give every row and column.

    In csv, text that a spreadsheet would take for a formula gets a ' before it; json has it as is.
    """
    opened = Run(run)
    frame = opened.at(level)
    if scores:
        if level != "system":
            opened.refuse_whole(scores.split(","))
        frame = frame.select(chosen(frame, scores.split(","), level))
    if shape == "json":
        show_json(frame.to_dicts())
    elif shape == "csv":
        show_csv(frame)
    elif level == "system":
        show_systems(frame, opened.facts, every=every or bool(scores))
    else:
        wanted = frame.columns if every or scores else [*KEYS[level], *opened.facts["metrics"]]
        show_units(frame.select(c for c in frame.columns if c in wanted), level, rows)


def chosen(frame: pl.DataFrame, scores: list[str], level: Level) -> list[str]:
    """The key columns and everything about these scores."""
    for score in scores:
        if score not in frame.columns:
            known = [c for c in frame.columns if c not in KEYS[level]]
            raise UnknownName(f"no score {score!r} at {level} level; {suggestion(score, known)}")
    beside = ("", "_n", "_low", "_high", "_null")
    wanted = [s + b for s in scores for b in beside if s + b in frame.columns]
    return [*KEYS[level], *wanted]


def show_systems(frame: pl.DataFrame, facts: dict[str, Any], *, every: bool = False) -> None:
    """One row per score, one column per system: mean, 95% interval, number of dialogs.

    Of a metric with parts only the score of its own name is shown, unless `every` is asked for.
    """
    systems = frame.to_dicts()
    scores, of = list[str](), dict[str, str]()
    for name, metric in facts["metrics"].items():
        names = [s["name"] for s in metric["scores"] if s["name"] in frame.columns]
        scores += names if every else [n for n in names if n == name]
        of |= dict.fromkeys(names, name)
    told = {s: [estimate(row, s, f"{of[s]}_null") for row in systems] for s in scores}
    wide = [[score, *(" ".join(cells).strip() for cells in told[score])] for score in scores]
    if max((sum(len(c) + 3 for c in row) for row in wide), default=0) <= room():
        title = "mean over dialogs [95% interval] number of dialogs"
        show_table(title, ["score", *(row["system"] for row in systems)], wide)
    else:
        pairs = [
            (s, row["system"], cells)
            for s in scores
            for row, cells in zip(systems, told[s], strict=True)
        ]
        long = [[score, system, *cells] for score, system, cells in pairs]
        columns = ["score", "system", "mean", "95% interval", "dialogs"]
        show_table("mean over dialogs", columns, long)
    if whole := [s for s in scores if facts["metrics"][of[s]].get("level") == "system"]:
        verb = "describes" if len(whole) == 1 else "describe"
        note(f"{join_with_and(whole)} {verb} a system as a whole: no mean of its dialogs")


def estimate(row: dict[str, Any], score: str, why: str = "") -> tuple[str, str, str]:
    """A mean with what is needed to judge it: interval and number of dialogs."""
    value, low, high = row[score], row[f"{score}_low"], row[f"{score}_high"]
    interval = "[no interval]" if low is None else f"[{low:.3f}, {high:.3f}]"
    if value is None:
        reason = row.get(why)
        return "–", reason.replace("_", " ") if reason else "", "" if reason else "0"
    return f"{value:.3f}", interval, str(row[f"{score}_n"])


def show_units(frame: pl.DataFrame, level: Level, rows: int) -> None:
    """The first rows, without the reasons, which csv and json have."""
    columns = [c for c in frame.columns if not c.endswith("_null")]
    shown = frame.select(columns).head(rows or MOST_ROWS)
    show_table(f"{level}s", columns, shown.iter_rows())
    if shown.height < frame.height:
        more = f"{frame.height - shown.height:,} more rows"
        result(f"{more}; --format csv or json gives all, --rows 0 the first {MOST_ROWS:,}")
