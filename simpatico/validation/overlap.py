"""How far the scores of a run overlap: their correlations over dialogs, whole and as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from simpatico.comparison.samples import PEOPLE
from simpatico.run import Run
from simpatico.stats.result import Row, Status
from simpatico.validation.overlap__structure import FEWEST, Structure, structure

METHOD = "Pearson r, Fisher interval"


@dataclass(frozen=True)
class Overlap(Row):
    """The correlation of `score` with another score, `against`, over the same dialogs."""

    against: str


def structure_of(run: Run, scores: Sequence[str] = ()) -> Structure:
    """What the scores of a run have in common over dialogs; by default those of a metric's name.

    People are left out where there are other systems: what they do is not what is compared.
    """
    run.facts  # noqa: B018 - refuses an unfinished run
    table = pl.scan_parquet(run.folder / "dialog.parquet", glob=False)
    there = table.collect_schema()
    names = [n for n in scores or run.facts["metrics"] if n in there]
    found = table.select("system", *names).collect()
    others = (found["system"] != PEOPLE).fill_null(False)
    return structure((found.filter(others) if others.any() else found).select(names))


def overlaps(told: Structure) -> list[Overlap]:
    """Each pair of scores once, as rows."""
    return [pair(told, i, j) for i, j in combinations(range(len(told.names)), 2)]


def pair(told: Structure, i: int, j: int) -> Overlap:
    """One correlation under its two names."""
    value, n = told.r[i][j], told.n[i][j]
    lack: Status = "too_few" if n < FEWEST else "degenerate"
    return Overlap(
        quality="",
        score=told.names[i],
        against=told.names[j],
        value=value,
        low=told.low[i][j],
        high=told.high[i][j],
        p_value=None,
        p_adjusted=None,
        n=n,
        status=lack if value is None else "ok",
        method=METHOD,
        level="dialog",
    )
