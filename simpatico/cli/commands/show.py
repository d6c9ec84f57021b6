"""`simpatico show`: the scores of a run, at any level."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import polars as pl

from simpatico.cli.output import Format, line_width, note, result, show_csv, show_json, show_table
from simpatico.errors import UnknownName, suggest_names
from simpatico.run import Run
from simpatico.turns import KEYS, Level
from simpatico.wording import format_interval, format_number, join_with_and

ROWS = 20
MOST_ROWS = 1_000


@click.command(name="show")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--level",
    type=click.Choice(["turn", "dialog", "system"]),
    default="system",
    show_default=True,
    help="One row per turn, dialog or system.",
)
@click.option(
    "--format",
    "shape",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="Output format.",
)
@click.option("--scores", help="Only these scores, comma-separated.")
@click.option("--every", is_flag=True, help="In a table, also the sub-scores of each metric.")
@click.option(
    "--rows",
    default=ROWS,
    type=click.IntRange(min=0),
    show_default=True,
    help=f"Rows of a table; 0 = the first {MOST_ROWS:,}.",
)
def command(
    run: Path, level: Level, shape: Format, scores: str | None, every: bool, rows: int
) -> None:
    """Print the scores of a run.

    csv and json hold every row and column. In csv, text that a spreadsheet would
    read as a formula is prefixed with '; json is unchanged.
    """
    folder = Run(run)
    frame = folder.at(level)
    if scores:
        if level != "system":
            folder.refuse_system_scores(scores.split(","))
        frame = frame.select(score_columns(frame, scores.split(","), level))
    if shape == "json":
        show_json(frame.to_dicts())
    elif shape == "csv":
        show_csv(frame)
    elif level == "system":
        show_systems(frame, folder.facts, every=every or bool(scores))
    else:
        columns = frame.columns if every or scores else [*KEYS[level], *folder.facts["metrics"]]
        show_units(frame.select(c for c in frame.columns if c in columns), level, rows)


def score_columns(frame: pl.DataFrame, scores: list[str], level: Level) -> list[str]:
    """The key columns and everything about these scores."""
    for score in scores:
        if score not in frame.columns:
            known = [c for c in frame.columns if c not in KEYS[level]]
            raise UnknownName(f"no score {score!r} at {level} level; {suggest_names(score, known)}")
    endings = ("", "_n", "_low", "_high", "_null")
    columns = [s + e for s in scores for e in endings if s + e in frame.columns]
    return [*KEYS[level], *columns]


def show_systems(frame: pl.DataFrame, facts: dict[str, Any], *, every: bool = False) -> None:
    """One row per score, one column per system: mean, 95% CI, number of dialogs.

    Of a metric with sub-scores only the score of its own name is shown, unless `every` is set.
    """
    systems = frame.to_dicts()
    scores, of = list[str](), dict[str, str]()
    for name, metric in facts["metrics"].items():
        names = [s["name"] for s in metric["scores"] if s["name"] in frame.columns]
        scores += names if every else [n for n in names if n == name]
        of |= dict.fromkeys(names, name)
    texts = {s: [format_mean(row, s, f"{of[s]}_null") for row in systems] for s in scores}
    wide = [[score, *(" ".join(cells).strip() for cells in texts[score])] for score in scores]
    if max((sum(len(c) + 3 for c in row) for row in wide), default=0) <= line_width():
        title = "mean over dialogs [95% CI] number of dialogs"
        show_table(title, ["score", *(row["system"] for row in systems)], wide)
    else:
        pairs = [
            (s, row["system"], cells)
            for s in scores
            for row, cells in zip(systems, texts[s], strict=True)
        ]
        long = [[score, system, *cells] for score, system, cells in pairs]
        columns = ["score", "system", "mean", "95% CI", "dialogs"]
        show_table("mean over dialogs", columns, long)
    if of_systems := [s for s in scores if facts["metrics"][of[s]].get("level") == "system"]:
        verb = "is computed" if len(of_systems) == 1 else "are computed"
        note(f"{join_with_and(of_systems)} {verb} per system, not as a mean over dialogs")


def format_mean(row: dict[str, Any], score: str, why: str = "") -> tuple[str, str, str]:
    """A mean with what is needed to judge it: interval and number of dialogs."""
    value, low, high = row[score], row[f"{score}_low"], row[f"{score}_high"]
    interval = "[no CI]" if low is None else format_interval(low, high, 3)
    if value is None:
        reason = row.get(why)
        return "–", reason.replace("_", " ") if reason else "", "" if reason else "0"
    return format_number(value, 3), interval, str(row[f"{score}_n"])


def show_units(frame: pl.DataFrame, level: Level, rows: int) -> None:
    """The first rows, without the reasons, which csv and json have."""
    columns = [c for c in frame.columns if not c.endswith("_null")]
    first = frame.select(columns).head(rows or MOST_ROWS)
    show_table(f"{level}s", columns, first.iter_rows())
    if first.height < frame.height:
        more = f"{frame.height - first.height:,} more rows"
        result(f"{more}: use --format csv or json for all, --rows 0 for the first {MOST_ROWS:,}")
