"""Figures with intervals as cells of a table."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from simpatico.reproduction import Cell
from simpatico.reproduction.cells import Spot
from simpatico.stats.by_person import NO_INTERVAL, Estimate
from simpatico.wording import format_p

NO_SPREAD = "no value: it is the same for every turn, so that nothing can go up with it"
NO_AREA = "no value: all turns were answered, or none"


def of_estimate(
    spot: Spot,
    found: Estimate | None,
    *,
    n: int,
    paper: float | None = None,
    notes: Sequence[str] = (),
) -> Cell:
    """A figure, with what must be known about it; without one, why."""
    said = [f"0 of {n:,} not scored", *notes]
    if found is None or isnan(found.value):
        said.append(NO_SPREAD if found is None else NO_AREA)
        return Cell(*spot, paper, None, None, None, n, "; ".join(said))
    if found.low is None:
        said.append(NO_INTERVAL)
    return Cell(*spot, paper, *found, n, "; ".join(said))


def tested(p: float | None, units: str) -> str:
    """How surely a difference is there."""
    return f"p {format_p(p)}, resamples of {units}"
