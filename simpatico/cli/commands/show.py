"""`simpatico show`: the scores of a run, at any level.

A table is for reading and shows a selection; csv and json are complete and keep full precision.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click
import polars as pl

from simpatico.api import unknown_dialog
from simpatico.cli import options as opt
from simpatico.cli.output import line_width, note, result, show_csv, show_json, show_table
from simpatico.errors import BadValue, UnknownName, suggest_names
from simpatico.run import Run
from simpatico.run.long import long_table
from simpatico.turns import KEYS, Level
from simpatico.wording import NO_VALUE, format_interval, format_number, join_with_and

MOST_ROWS = 1_000
"""Rows of a table at most; nobody reads more, and rich needs all of them in memory."""


@click.command(name="show")
@click.argument("run", type=opt.PATH)
@opt.choice(
    "--level",
    ["turn", "dialog", "system"],
    "One row per turn, dialog or system.  [default: system; with --sort or --format long dialog, "
    "with --dialog turn]",
    default=None,
    show_default=False,
)
@opt.choice(
    "--format",
    ["table", "csv", "json", "long"],
    "Output format; long: CSV with one row per unit and score, for R.",
    "shape",
)
@opt.option("--sort", "Sort by this score, highest first.", metavar="SCORE")
@opt.flag("--ascending", "With --sort: lowest first.")
@opt.option("--system", "Show only this system.")
@opt.option("--dialog", "Show only this dialog.")
@opt.names("--scores", "Show only these scores.")
@opt.flag("--every", "Include the component scores of each metric.")
@opt.option("--by", "Means by week, month, or a column of the input.", metavar="COLUMN")
@opt.value(
    "--rows", 20, f"Rows of a table; 0 = the first {MOST_ROWS:,}.", type=click.IntRange(min=0)
)
def command(
    run: Path,
    level: Level | None,
    shape: Literal["table", "csv", "json", "long"],
    scores: tuple[str, ...],
    every: bool,
    rows: int,
    by: str | None,
    **selection: Any,
) -> None:
    """Print the scores of a run.

    csv and json have every row and column. In csv, text that a spreadsheet would read as a formula
    is prefixed with '; json is unchanged. long is tidy data for lme4 and the like: dyad, time,
    every other column of the input, score, value.

    \b
    Examples:
      simpatico show run
      simpatico show run --sort predicted_rating --rows 10 --system acme
      simpatico show run --level dialog --format csv > dialogs.csv
      simpatico show run --level turn --format long > turns.csv
    """
    folder = Run(run)
    if by:
        if shape == "long" or any(selection.values()):
            raise click.UsageError("--by shows means of slices; leave out --sort and the like.")
        show_slices(folder, by, scores, shape)
        return
    if selection["ascending"] and not selection["sort"]:
        raise click.UsageError("--ascending needs --sort SCORE.")
    if level is None:
        level = "dialog" if selection["sort"] or shape == "long" else "system"
        level = "turn" if selection["dialog"] else level
    frame = select_units(folder, folder.at(level), level, **selection)
    if shape == "long":
        show_csv(long_table(folder, frame, level, scores, every=every))
        return
    if scores:
        if level != "system":
            folder.refuse_system_scores(scores)
        frame = frame.select(score_columns(frame, scores, level))
    if shape == "json":
        show_json(frame.to_dicts())
    elif shape == "csv":
        show_csv(frame)
    elif level == "system":
        show_systems(frame, folder.facts, every=every or bool(scores))
    else:
        columns = frame.columns if every or scores else [*KEYS[level], *folder.facts["metrics"]]
        if selection["sort"] and selection["sort"] not in columns:
            columns = [*columns, selection["sort"]]
        # the reasons of missing scores are sentences; csv and json have them
        columns = [c for c in frame.columns if c in columns and not c.endswith("_null")]
        columns.sort(key=lambda c: (c not in KEYS[level], c != selection["sort"]))
        first = frame.select(columns).head(rows or MOST_ROWS)
        keys = sum(c in KEYS[level] for c in columns)
        show_table(f"{level}s".capitalize(), columns, first.iter_rows(), keys=keys)
        if first.height < frame.height:
            rest = f"{frame.height - first.height:,} more rows"
            result(
                f"{rest}: use --format csv or json for all, --rows 0 for the first {MOST_ROWS:,}"
            )


def select_units(
    run: Run,
    frame: pl.DataFrame,
    level: Level,
    *,
    sort: str | None,
    ascending: bool,
    system: str | None,
    dialog: str | None,
) -> pl.DataFrame:
    """The rows of a system or dialog, sorted by a score; what has no score comes last."""
    if dialog is not None:
        if level == "system":
            raise BadValue("--dialog has no effect at level system; use --level dialog or turn")
        if dialog not in (ids := frame["dialog"].unique(maintain_order=True).to_list()):
            raise unknown_dialog(dialog, ids)
        frame = frame.filter(dialog=dialog)
    if system is not None:
        names = run.at("system", ["system"])["system"].to_list()
        if system not in names:
            raise UnknownName(f"no system {system!r}; {suggest_names(system, names)}")
        frame = frame.filter(system=system)
    if sort is None:
        return frame
    if level != "system":
        run.refuse_system_scores([sort])
    score_columns(frame, (sort,), level)  # refuses a name that is no score
    if not frame.schema[sort].is_float():
        raise BadValue(f"--sort {sort}: this column is not a score; name a score")
    return frame.sort(sort, descending=not ascending, nulls_last=True, maintain_order=True)


def show_slices(run: Run, by: str, scores: tuple[str, ...], shape: str) -> None:
    """The means of each slice of the dialogs, such as a month: one row per score and system."""
    from simpatico.run.columns import MIN_DIALOGS, slice_dialogs, slice_table

    run.refuse_system_scores(scores)
    # the score of a metric's own name, which not every metric has
    metrics = run.facts["metrics"].items()
    main = [n for n, m in metrics if n in run.metric_by_score and m.get("level") != "system"]
    names = list(scores) or main
    frame = slice_table(run, by, names)
    if shape != "table":
        show_json(frame.to_dicts()) if shape == "json" else show_csv(frame)
        return
    rows = []
    for score in names:
        for row in frame.iter_rows(named=True):
            mean, interval, _ = format_mean(row, score, "")
            rows.append([score, row[by], row["system"], mean, interval, row[f"{score}_n"]])
    columns = ["score", by, "system", "mean", "95% CI", "dialogs"]
    show_table("Mean over dialogs", columns, rows, keys=3)
    if lacking := slice_dialogs(run, by)["slice"].null_count():
        note(f"{lacking:,} dialogs without one value of {by} are left out.")
    note(f"No mean below {MIN_DIALOGS} dialogs; compare slices with `simpatico compare`.")


def score_columns(frame: pl.DataFrame, scores: tuple[str, ...], level: Level) -> list[str]:
    """The key columns and everything about these scores."""
    for score in scores:
        if score not in frame.columns:
            names = [c for c in frame.columns if c not in KEYS[level]]
            raise UnknownName(f"no score {score!r} at {level} level; {suggest_names(score, names)}")
    endings = ("", "_n", "_low", "_high", "_null")
    columns = [s + e for s in scores for e in endings if s + e in frame.columns]
    return [*KEYS[level], *columns]


def show_systems(frame: pl.DataFrame, facts: dict[str, Any], *, every: bool = False) -> None:
    """One row per score, one column per system: mean, 95% CI, number of dialogs.

    Of a metric with component scores only the score of its own name is shown, unless `every` is
    set. Where the systems do not fit side by side, each score has one row per system.
    """
    systems = frame.to_dicts()
    metric_of = {
        s["name"]: name
        for name, metric in facts["metrics"].items()
        for s in metric["scores"]
        if s["name"] in frame.columns
    }
    scores = [score for score, name in metric_of.items() if every or score == name]
    texts = {s: [format_mean(row, s, f"{metric_of[s]}_null") for row in systems] for s in scores}
    wide = [[score, *(" ".join(cells).strip() for cells in texts[score])] for score in scores]
    names = [row["system"] for row in systems]
    widths = [max(map(len, column)) + 2 for column in zip(["score", *names], *wide, strict=True)]
    if sum(widths) - 2 <= line_width():
        show_table("Mean over dialogs [95% CI] number of dialogs", ["score", *names], wide)
    else:
        long = [
            [s, system, *cells]
            for s in scores
            for system, cells in zip(names, texts[s], strict=True)
        ]
        columns = ["score", "system", "mean", "95% CI", "dialogs"]
        show_table("Mean over dialogs", columns, long, keys=2)
    if of_systems := [s for s in scores if facts["metrics"][metric_of[s]].get("level") == "system"]:
        verb = "is computed" if len(of_systems) == 1 else "are computed"
        note(f"{join_with_and(of_systems)} {verb} per system, not as a mean over dialogs")


def format_mean(row: dict[str, Any], score: str, why: str) -> tuple[str, str, str]:
    """A mean with what is needed to judge it: interval and number of dialogs."""
    value, low, high = row[score], row[f"{score}_low"], row[f"{score}_high"]
    if value is None:
        reason = row.get(why)
        return NO_VALUE, reason.replace("_", " ") if reason else "", "" if reason else "0"
    interval = "[no CI]" if low is None else format_interval(low, high, 3)
    return format_number(value, 3), interval, str(row[f"{score}_n"])
