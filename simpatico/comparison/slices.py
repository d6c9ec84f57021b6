"""Differences between systems within slices of the dialogs: weeks, months, values of a column.

Every slice needs `MIN_SLICE` dialogs of both systems, and the p of all slices, scores and pairs are
corrected together: of 20 slices without any difference one would otherwise seem to have one.
Where there is one system, its slices are compared with each other instead.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from simpatico.comparison import samples
from simpatico.comparison.difference import (
    ComparisonSettings,
    Difference,
    compare_samples,
)
from simpatico.comparison.headline import swap_systems
from simpatico.comparison.samples import PEOPLE, ComparedSystem, Selection, TwoSamples
from simpatico.comparison.verdict import difference_as_json
from simpatico.errors import DataError
from simpatico.wording import format_count, join_with_and

MIN_SLICE = 10
"""Dialogs (or prompts) of each system in a slice: 10 and 10 show differences of 1.3 SD."""


NAMED = 6
"""Slices left out that a note names."""


@dataclass(frozen=True)
class SliceDifference:
    """A difference between two systems within one slice."""

    by: str
    slice: str
    difference: Difference

    def as_json(self) -> dict[str, Any]:
        return {"by": self.by, "slice": self.slice, **difference_as_json(self.difference)}


@dataclass(frozen=True)
class Slices:
    """The differences of every slice that is large enough, and the names of the others."""

    by: str
    rows: list[SliceDifference]
    too_small: list[str]

    def notes(self) -> list[str]:
        """What was left out, and what p-values are corrected for."""
        small = self.too_small
        names = small if len(small) <= NAMED else [*small[:NAMED], f"{len(small) - NAMED} more"]
        floor = f"fewer than {MIN_SLICE} dialogs of a system"
        left_out = [f"Left out, {floor}: {join_with_and(names)}."] if small else []
        families = {row.difference.kind == PEOPLE: row.difference.family for row in self.rows}
        count = format_count(families.get(False, 0), "comparison")
        apart = f", people's ratings apart ({families[True]})" if True in families else ""
        return [*left_out, f"p: corrected for {count} over all slices, scores and pairs{apart}."]

    def facing(self, pairs: Collection[tuple[str, str]]) -> Slices:
        """The slices with every pair the way round that it has in `pairs`."""
        rows = [
            replace(row, difference=swap_systems(row.difference))
            if (row.difference.b, row.difference.a) in pairs
            else row
            for row in self.rows
        ]
        return replace(self, rows=rows)


def compare_slices(
    systems: Sequence[ComparedSystem],
    slices: tuple[str, pl.DataFrame],
    choice: Selection,
    settings: ComparisonSettings | None = None,
) -> Slices:
    """Every pair of systems on every score within every slice; `slices`: name, dialog and slice."""
    settings, (by, table) = settings or ComparisonSettings(), slices
    chosen, too_small = list[tuple[str, TwoSamples]](), list[str]()
    for name in table["slice"].drop_nulls().unique().sort():
        own = [restrict_system(s, table.filter(pl.col("slice") == name)) for s in systems]
        pairs = samples.build_samples(samples.pair_systems(own, with_human=choice.with_human))
        large = [s for s in pairs if min(len(s.first), len(s.second)) >= MIN_SLICE]
        chosen += [(name, sample) for sample in large]
        too_small += [] if large else [name]
    if not chosen:
        raise DataError(
            f"--by {by}: no slice has {MIN_SLICE} dialogs of two systems; choose a longer period "
            "or a column with fewer values"
        )
    rows = list[SliceDifference]()
    for ratings in (True, False):
        family = [(n, s) for n, s in chosen if (s.measure.kind == PEOPLE) is ratings]
        differences = compare_samples([s for _, s in family], settings, level=choice.level)
        rows += [
            SliceDifference(by, name, d) for (name, _), d in zip(family, differences, strict=True)
        ]
    return Slices(by, rows, too_small)


def slices_as_systems(
    system: ComparedSystem, slices: tuple[str, pl.DataFrame]
) -> list[ComparedSystem]:
    """The slices of one system, each large enough, as systems that can be compared."""
    by, table = slices
    names = table["slice"].drop_nulls().unique().sort()
    parts = [restrict_system(system, table.filter(pl.col("slice") == name)) for name in names]
    named = [replace(p, name=n, system=n) for n, p in zip(names, parts, strict=True)]
    large = [part for part in named if part.units.height >= MIN_SLICE]
    if len(large) < 2:
        raise DataError(
            f"--by {by}: {system.name} has {format_count(len(large), 'slice')} of {MIN_SLICE} "
            "dialogs or more; a comparison needs two"
        )
    return large


def restrict_system(system: ComparedSystem, dialogs: pl.DataFrame) -> ComparedSystem:
    """The system with these dialogs only."""
    kept = system.units.join(dialogs, on="dialog", how="semi", maintain_order="left")
    return replace(system, units=kept)
