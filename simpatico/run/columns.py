"""Columns of the input that are none of our fields, as columns of the run; slices of dialogs.

A turn has its own value; a dialog has the one value of all its turns, and null where they differ.
Values are text; `time` is that of a turn, and of a dialog the earliest.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path

import polars as pl

from simpatico.errors import BadValue, UnknownName, suggest_names
from simpatico.files import write_atomically
from simpatico.readers.extra_columns import SOURCE_ID, extra_values
from simpatico.run import Run
from simpatico.run.description import stored_scores
from simpatico.run.folder import part_path
from simpatico.system_means import system_table
from simpatico.turns import SCHEMA, Turns

TIME = "time"
PERIODS = {"week": "%G-W%V", "month": "%Y-%m"}
"""Slices of time, and how they are written: ISO weeks, calendar months; in UTC."""
MOST_SLICES = 60
MIN_DIALOGS = 5
"""A system's mean over fewer dialogs of a slice is not shown: its interval would be of no use."""


def stored_names(columns: Mapping[str, int], taken: Collection[str]) -> dict[str, str]:
    """The name of each column in the run: its own, unless a score or key is called that."""
    names = sorted(name for name in columns if name != TIME)
    return {name: f"{name} (input)" if name in taken else name for name in names}


def write_extras(folder: Path, index: int, turns: Turns) -> None:
    """Keep what the input says of each turn besides our fields, until the run is finished."""
    rows = turns.frame.select("dialog", "turn", TIME, "extras")
    if min(rows[TIME].null_count(), rows["extras"].null_count()) < rows.height:
        write_atomically(part_path(folder, index, "extras.parquet"), rows.write_parquet)


def add_columns(folder: Path, index: int, names: Mapping[str, str]) -> None:
    """Append the columns to the tables of a part; a second time changes nothing."""
    path = part_path(folder, index, "extras.parquet")
    schema = {"dialog": pl.String(), "turn": pl.Int32(), TIME: SCHEMA[TIME], "extras": pl.String()}
    rows = pl.read_parquet(path, glob=False) if path.exists() else pl.DataFrame(schema=schema)
    values = [extra_values(extras) for extras in rows["extras"]]
    columns = [
        pl.Series(stored, [v.get(name) for v in values], pl.String)
        for name, stored in names.items()
    ]
    turns = rows.drop("extras").with_columns(columns)
    present = [pl.col(name).drop_nulls() for name in names.values()]
    same = [pl.when(value.n_unique() == 1).then(value.first()) for value in present]
    dialogs = turns.group_by("dialog", maintain_order=True).agg(pl.col(TIME).min(), *same)
    for table, extra in (("turn", turns), ("text", turns), ("dialog", dialogs)):
        path = part_path(folder, index, f"{table}.arrow")
        if path.exists():
            keys = [c for c in ("dialog", "turn") if c in extra.columns]
            frame = pl.read_ipc(path.read_bytes()).drop(TIME, *names.values(), strict=False)
            frame = frame.join(extra, on=keys, how="left", maintain_order="left")
            write_atomically(path, frame.write_ipc)


def slice_dialogs(run: Run, by: str) -> pl.DataFrame:
    """The slice of each dialog, null where it has none: a week, a month, the value of a column."""
    columns: list[str] = run.facts.get("columns", [])
    others = [name for name in columns if name not in (TIME, SOURCE_ID)]
    choices = [*(PERIODS if TIME in columns else ()), *others]
    if by not in choices:
        known = suggest_names(by, choices) if choices else "the input had no other columns"
        if by in PERIODS:
            known = "the input has no times"
        raise UnknownName(f"--by {by}: no such column in {run.folder}; {known}")
    source = pl.col(TIME).dt.strftime(PERIODS[by]) if by in PERIODS else pl.col(by)
    column = TIME if by in PERIODS else by
    frame = run.at("dialog", ["dialog", column]).select("dialog", slice=source)
    dialogs = frame.unique("dialog", keep="first", maintain_order=True)
    if (n := dialogs["slice"].n_unique()) > MOST_SLICES:
        raise BadValue(
            f"--by {by}: {n:,} different values, too many to compare; choose a column with at "
            f"most {MOST_SLICES}"
        )
    return dialogs


def slice_table(run: Run, by: str, scores: Sequence[str]) -> pl.DataFrame:
    """Mean over dialogs with its 95% CI, one row per slice and system; null below `MIN_DIALOGS`."""
    slices = slice_dialogs(run, by)
    stored = stored_scores(run.facts["metrics"])
    table = run.at("dialog", ["dialog", "system", *scores])
    wanted = [stored[name] for name in scores]
    parts = []
    for name in slices["slice"].drop_nulls().unique().sort():
        own = slices.filter(pl.col("slice") == name)["dialog"].implode()
        frame = table.filter(pl.col("dialog").is_in(own))
        parts.append(
            system_table(partial(iter, [frame]), wanted).insert_column(0, pl.lit(name).alias(by))
        )
    if not parts:
        raise BadValue(f"--by {by}: no dialog has one value of it")
    rows = pl.concat(parts)
    few = [pl.col(f"{s}_n") < MIN_DIALOGS for s in scores]
    return rows.with_columns(
        pl.when(~lacking).then(pl.col(column)).alias(column)
        for score, lacking in zip(scores, few, strict=True)
        for column in (score, f"{score}_low", f"{score}_high")
    )
