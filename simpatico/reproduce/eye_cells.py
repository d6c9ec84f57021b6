"""Figures with intervals as cells of a table."""

from __future__ import annotations

from collections.abc import Sequence

from simpatico.draw.numbers import chance
from simpatico.reproduce import Cell
from simpatico.reproduce.engagement_cells import Spot
from simpatico.train.measures import Estimate

NO_SPREAD = "no value: it is the same for every turn, so that nothing can go up with it"


def of_estimate(
    spot: Spot,
    found: Estimate | None,
    *,
    n: int,
    paper: float | None = None,
    notes: Sequence[str] = (),
) -> Cell:
    """A figure, with what must be known about it; without one, why."""
    said = [f"0 of {n:,} not scored", *notes, *([NO_SPREAD] if found is None else [])]
    value, low, high = (None, None, None) if found is None else found
    return Cell(*spot, paper, value, low, high, n, "; ".join(said))


def tested(p: float | None, units: str) -> str:
    """How surely a difference is there."""
    return f"p {chance(p)}, resamples of {units}"
