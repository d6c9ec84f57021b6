"""Whether a finished run is what was once written, and what its metrics still give.

Four questions, each with one answer a thing: are the bytes of every file those that `run.json`
names; do the tables have the columns and values of scores; are the means of systems those of the
dialogs; do the metrics give the stored scores again on up to `RECOMPUTED` turns of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

import polars as pl
from polars.exceptions import ColumnNotFoundError

from simpatico.errors import DataError, SimpaticoError
from simpatico.run import TEXT_COLUMNS, Run
from simpatico.run.description import stored_scores
from simpatico.run.schema import TABLES, file_problem, open_table, score_columns
from simpatico.scoring import run_models, score_chunk
from simpatico.system_means import scan_dialogs, system_table
from simpatico.system_metric import is_system_metric
from simpatico.turns import KEYS, Level, Turns

RECOMPUTED = 100
"""Turns that are scored again: enough to notice another lexicon or model, seconds with a model."""
TOLERANCE = 1e-9
MODEL_TOLERANCE = 1e-5
"""Relative above 1: sums differ in the last bits between versions of libraries, models by more."""


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: it is as it should be, it is not, or it could not be told."""

    what: str
    verdict: Literal["ok", "wrong", "unknown"]
    why: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def verify_run(run: Run) -> Iterator[Check]:
    """Every check of a finished run, the cheap ones first; after damage nothing is recomputed."""
    facts = run.facts
    checks = [*check_files(run), *check_tables(run)]
    yield from checks
    if any(check.verdict == "wrong" for check in checks):
        return
    yield check_systems(run)
    if not (run.folder / "text.parquet").is_file():
        yield Check("scores", "unknown", "the run has no text to compute them from again")
        return
    turns = sample_turns(run)
    for name in facts["metrics"]:
        yield check_metric(run, name, turns)


def check_files(run: Run) -> Iterator[Check]:
    """Whether every file has the bytes that `run.json` names."""
    files = run.facts["files"]
    if not files:
        yield Check("hashes", "unknown", "run by an older version, not verifiable")
    for name in files:
        if name == "text.parquet" and not (run.folder / name).is_file():
            yield Check(name, "unknown", "it was deleted")  # as one may before sharing a run
        elif problem := file_problem(run.folder / name, run.facts):
            yield Check(name, "wrong", problem)
        else:
            yield Check(name, "ok", f"{files[name]['bytes']:,} bytes, {files[name]['rows']:,} rows")


def check_tables(run: Run) -> Iterator[Check]:
    """Whether the tables have their columns, with values that scores can have."""
    for table in TABLES:
        if table == "text" and not (run.folder / "text.parquet").is_file():
            continue
        try:
            open_table(run.folder, table, run.facts)
        except DataError as error:
            if file_problem(run.folder / f"{table}.parquet", run.facts) is None:  # else said above
                yield Check(f"columns of {table}.parquet", "wrong", str(error))


def check_systems(run: Run) -> Check:
    """Whether the means of systems are those of the dialogs."""
    dialogs, what = run.scan("dialog"), "means of systems"
    facts = {n: m for n, m in run.facts["metrics"].items() if m["level"] != "system"}
    scores = list(stored_scores(facts).values())
    means = system_table(lambda: scan_dialogs([dialogs], [s.name for s in scores]), scores)
    columns = list(score_columns("system", facts))
    difference = first_difference(
        run.at("system"), means, level="system", names=columns, allowed=TOLERANCE
    )
    return Check(what, "wrong", difference) if difference else Check(what, "ok")


def sample_turns(run: Run) -> Turns:
    """Complete dialogs from all over the run, of `RECOMPUTED` turns at most, or one dialog.

    Without the columns that `text.parquet` does not keep, so that a metric of them is noticed.
    """
    lengths = run.scan("text").group_by("dialog", maintain_order=True).len().collect()
    turns_in_all = int(lengths["len"].sum())
    spread = lengths.gather_every(max(1, turns_in_all // (4 * RECOMPUTED)))
    enough = pl.col("len").cum_sum() <= RECOMPUTED
    chosen = spread.filter(enough | (pl.int_range(pl.len()) == 0))["dialog"]
    rows = run.scan("text").filter(pl.col("dialog").is_in(chosen.implode()))
    return Turns(rows.select(TEXT_COLUMNS).collect().rechunk())


def check_metric(run: Run, name: str, turns: Turns) -> Check:
    """Whether a metric gives the stored scores of these turns and their dialogs again."""
    what, metric = f"scores of {name}", run.metric(name)
    if isinstance(metric, str):
        return Check(what, "unknown", metric)
    if is_system_metric(metric):
        return Check(what, "unknown", "it needs all turns of a system")
    try:
        table = score_chunk(turns, [metric])
        levels: list[Level] = ["turn", "dialog"] if metric.level == "turn" else ["dialog"]
        for level in levels:
            stored = run.scan(level).filter(pl.col("dialog").is_in(turns.frame["dialog"].implode()))
            difference = first_difference(
                stored.collect(),
                table.at(level),
                level=level,
                names=[score.name for score in metric.scores],
                allowed=MODEL_TOLERANCE if run_models([metric]) else TOLERANCE,
            )
            if difference:
                return Check(what, "wrong", difference)
    except ColumnNotFoundError:
        return Check(what, "unknown", "it needs columns of the input that the run does not keep")
    except SimpaticoError as error:
        return Check(what, "unknown", str(error))
    return Check(what, "ok", f"computed again on {table.keys.height:,} turns")


def first_difference(
    stored: pl.DataFrame, computed: pl.DataFrame, *, level: Level, names: list[str], allowed: float
) -> str:
    """The first cell in which two tables of a level differ, as a sentence; empty if none does."""
    keys = KEYS[level]
    units = stored.select(keys)
    if not units.equals(computed.select(keys).cast(units.schema)):
        return f"the {level}s are not those of the text"
    for name in names:
        mine, other = stored[name].cast(pl.Float64), computed[name].cast(pl.Float64)
        scale = pl.max_horizontal(pl.lit(1.0), mine.abs())
        apart = (mine - other).abs() > allowed * pl.select(scale).to_series()
        wrong = (apart.fill_null(False) | (mine.is_null() != other.is_null())).arg_true()
        if len(wrong):
            row = stored.row(wrong[0], named=True)
            unit = ", ".join(f"{key} {row[key]!r}" for key in keys)
            return f"{name} of {unit} is {mine[wrong[0]]} in the run and {other[wrong[0]]} computed"
    return ""
