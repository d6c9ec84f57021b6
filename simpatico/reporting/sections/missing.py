"""What is missing from the page for want of data, and what it would need."""

from __future__ import annotations

from collections.abc import Sequence

from simpatico.charts.html import Html, el
from simpatico.comparison.samples import MIN_PAIRS, MIN_VALUES
from simpatico.reporting.findings import Findings
from simpatico.reporting.minimum_data import (
    HEAT_DIALOGS,
    HEAT_METRICS,
    RADAR_DIALOGS,
    RADAR_METRICS,
    RATED,
    RATED_MODELS,
)
from simpatico.reporting.sections.overlap import largest_pair_count
from simpatico.wording import format_count

Row = tuple[str, str, str, str]
VERDICT = (
    "Intervals and verdict",
    f"{MIN_PAIRS} prompts both replied to, or {MIN_VALUES} dialogs of each",
)
RADAR = ("Radar", f"{RADAR_DIALOGS} dialogs of a system, {RADAR_METRICS} metrics")
RATERS = ("Correlation with human ratings", f"{RATED} rated dialogs or turns")
MODELS = ("T, P and P+T", f"{RATED_MODELS} rated dialogs or turns")
HEAT = ("Heat map of metrics", f"{HEAT_DIALOGS} dialogs, {HEAT_METRICS} metrics")
LISTED = 4
"""Numbers of dialogs that are named one by one."""


def missing_section(found: Findings) -> Html | None:
    """A table of the parts that cannot be drawn; null when every part can."""
    rows = missing_parts(found)
    if not rows:
        return None
    head = ("Part of the report", "needs", "you have", "risk with fewer")
    body = [
        el(
            "tr",
            None,
            el("th", {"scope": "row"}, part),
            [el("td", None, text) for text in rest[:-1]],
            el("td", {"class": "note"}, rest[-1]),
        )
        for part, *rest in rows
    ]
    titles = [el("th", {"scope": "col"}, text) for text in head]
    table = el(
        "table",
        {"class": "plain few"},
        el("thead", None, el("tr", None, titles)),
        el("tbody", None, body),
    )
    return el(
        "div",
        {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": "What is missing"},
        table,
    )


def dialog_counts(sizes: Sequence[int]) -> str:
    """How many dialogs the systems have."""
    if len(sizes) <= LISTED:
        return " and ".join(f"{n:,}" for n in sizes) or "none"
    low, high = min(sizes), max(sizes)
    return f"{low:,} each" if low == high else f"{low:,} to {high:,}"


def missing_parts(found: Findings) -> list[Row]:
    """The parts of the page that lack something, each with what it would need."""
    sizes = [found.dialogs[s] for s in found.systems]
    have, both = dialog_counts(sizes), largest_pair_count(found.structure)
    metrics = format_count(len(found.scores), "metric")
    rated = max((r.n for r in found.evidence.correlations), default=0) if found.evidence else RATED
    told = any(d.finding != "too_few" for pair in found.pairs.values() for d in pair)
    radar = max(sizes, default=0) >= RADAR_DIALOGS and len(found.scores) >= RADAR_METRICS
    verdict = told or len(found.systems) < 2 or not found.central_ranges
    heat = both >= HEAT_DIALOGS and len(found.structure.names) >= HEAT_METRICS
    models = found.evidence is None or rated >= RATED_MODELS
    parts = [
        (verdict, VERDICT, have, "a difference that two more dialogs could reverse"),
        (radar, RADAR, f"{have}; {metrics}", "a shape that is mostly noise"),
        (rated >= RATED, RATERS, f"{rated:,}", "correlations near +1 or −1 by chance"),
        (models, MODELS, f"{rated:,}", "overfitting: a near-perfect fit for any metric"),
        (heat, HEAT, f"{both:,}; {metrics}", "cells near +1 or −1 by chance"),
    ]
    return [(*needs, now, instead) for there, needs, now, instead in parts if not there]
