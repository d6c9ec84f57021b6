"""The reasons to quote a dialog, each with the title that is true of the dialog it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.charts.systems import shorten_name
from simpatico.reporting.dialogs.pool import Pool, percentiles, varies
from simpatico.wording import format_count

SYSTEMS = 6
"""Systems that get dialogs of their own."""
APART = 25.0
"""Percentile points between two ranks that are called a disagreement."""
TOP, HIGH, LOW, FLOOR = 90.0, 60.0, 40.0, 10.0


class Rule(NamedTuple):
    """The dialog with the highest key is quoted; NaN where a dialog has no part in it."""

    key: Floats
    title: Callable[[int], str]
    exact: bool = True
    """Only the very highest key will do; else the highest of those not yet quoted."""
    first: Callable[[int], tuple[str, ...]] = lambda row: ()
    """Scores to show before the others."""


def quote_rules(pool: Pool) -> Iterator[Rule]:
    """The reasons, the most telling first."""
    number = pool.frame["dialog"].n_unique()
    if number <= 2:
        title = "The only dialog" if number == 1 else "One of 2 dialogs"
        yield from [Rule(np.zeros(pool.frame.height), lambda row: title, exact=False)] * number
        return
    yield from rated_rules(pool) if pool.rated else scored_rules(pool)
    for system in pool.frame["system"].unique().sort().to_list()[:SYSTEMS]:
        yield from system_rules(pool, system)


def rated_rules(pool: Pool) -> Iterator[Rule]:
    """Where raters and the lead agree at both ends, then where they differ most, both ways."""
    raters = percentiles(np.where(pool.both, pool.rating, np.nan))
    lead = percentiles(np.where(pool.both, pool.lead, np.nan))
    opposite = bool(np.nansum((raters - 50) * (lead - 50)) < -1e-6)
    lead = 100 - lead if opposite else lead
    tail = ", though the two usually correlate negatively" if opposite else ""

    def told(row: int, order: int = 1) -> str:
        score = f"{pool.title()} {standing(pool.places[row, 0])}"
        rating = f"raters {rated_standing(raters[row], pool.share(row))}"
        return ", ".join([score, rating][::order])

    def ended(row: int, sign: int) -> str:
        start = agreement_heading(sign, raters[row], pool.share(row))
        if opposite and start.endswith("rankings"):
            start = "Typical negative correlation"
        return f"{start}: {told(row)}"

    over, under = (np.where(gap > APART, gap, np.nan) for gap in (lead - raters, raters - lead))
    yield Rule(lead + raters, lambda row: ended(row, 1), exact=False)
    yield Rule(-lead - raters, lambda row: ended(row, -1), exact=False)
    yield Rule(over, lambda row: f"Disagree: {told(row)}{tail}", exact=False)
    yield Rule(under, lambda row: f"Disagree: {told(row, -1)}{tail}", exact=False)


def agreement_heading(sign: int, percentile: float, share: float | None) -> str:
    """Worked and Failed only where the raters say so, on their own scale as well."""
    half = 0.5 + sign if share is None else share
    if sign * (percentile - 50) > 0 and sign * (half - 0.5) > 0:
        return "Worked" if sign > 0 else "Failed"
    return "Top of both rankings" if sign > 0 else "Bottom of both rankings"


def standing(percentile: float) -> str:
    """Where a score stands among the dialogs of the run, in words."""
    if percentile >= TOP:
        return "in the top 10%"
    return "in the bottom 10%" if percentile <= FLOOR else middling(percentile)


def rated_standing(percentile: float, share: float | None) -> str:
    """Where a rating stands, in words; top and floor are those of its scale where it is known."""
    if percentile >= TOP:
        return "near the top" if share is None or share >= 0.75 else "among their highest"
    if percentile <= FLOOR:
        return "near the bottom" if share is None or share <= 0.25 else "among their lowest"
    return middling(percentile)


def middling(percentile: float) -> str:
    if percentile >= HIGH:
        return "above the median"
    return "below the median" if percentile <= LOW else "near the median"


def scored_rules(pool: Pool) -> Iterator[Rule]:
    """Both ends of the lead, then where two scores differ most."""
    if varies(pool.lead):
        yield Rule(pool.lead, lambda row: f"Highest {pool.title()}")
        yield Rule(-pool.lead, lambda row: f"Lowest {pool.title()}")
    high = np.where(np.isnan(pool.places), -1.0, pool.places)
    low = np.where(np.isnan(pool.places), 101.0, pool.places)
    clear = (high.max(axis=1) >= HIGH) & (low.min(axis=1) <= LOW)

    def ends(row: int) -> tuple[int, int]:
        return int(high[row].argmax()), int(low[row].argmin())

    def told(row: int) -> str:
        upper, lower = (pool.title(place) for place in ends(row))
        return f"Metrics disagree: {upper} high, {lower} low"

    yield Rule(
        np.where(clear, high.max(axis=1) - low.min(axis=1), np.nan),
        told,
        exact=False,
        first=lambda row: tuple(pool.scores[i] for i in ends(row)),
    )


def system_rules(pool: Pool, system: str) -> Iterator[Rule]:
    """The two ends of a system's dialogs, by rating or, where there is none, by the lead."""
    own = (pool.frame["system"] == system).to_numpy()
    rated = pool.rated and bool(np.isfinite(pool.rating[own]).any())
    key = np.where(own, pool.rating if rated else pool.lead, np.nan)
    name, what = shorten_name(system), "rated" if rated else pool.title()
    if varies(key):
        yield Rule(key, lambda row: f"{name}: highest {what}")
        yield Rule(-key, lambda row: f"{name}: lowest {what}")
        return
    number = pool.frame.filter(own)["dialog"].n_unique()
    title = "the only dialog" if number == 1 else f"one of {format_count(number)} dialogs"
    yield Rule(np.where(own, 0.0, np.nan), lambda row: f"{name}: {title}", exact=False)
