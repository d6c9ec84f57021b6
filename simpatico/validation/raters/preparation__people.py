"""People who were judged beside systems: they are no system, and would blur what a score tells."""

from __future__ import annotations

import polars as pl

from simpatico.comparison.samples import PEOPLE
from simpatico.judgements import Judgements
from simpatico.run import Run


def of_systems_only(run: Run, judgements: Judgements) -> tuple[Judgements, bool, list[str]]:
    """The judgements that are not of people, whether any had to go, and a note on them.

    A run of people only, and judgements of people only, stay as they are: a difference between
    people and bots is one of kind, and any score that knows them apart would seem to follow it.
    """
    table = pl.scan_parquet(run.folder / "dialog.parquet", glob=False)
    units = table.select("dialog", "speaker", "system").filter(pl.col("system").is_not_null())
    frame = judgements.frame
    judged = pl.col("dialog").is_in(frame["dialog"].unique().implode())
    known = units.filter(judged).collect()
    people = known.filter(pl.col("system") == PEOPLE)
    if people.is_empty() or people.height == known.height:
        return judgements, False, []
    kept = frame.join(people, on=["dialog", "speaker"], how="anti", maintain_order="left")
    if kept.is_empty():
        return judgements, False, []
    left = frame.height - kept.height
    note = f"{left:,} judgements of people are left out, since they are no system under test"
    return Judgements(kept), True, [note] if left else []
