"""What is missing from the page for lack of data, and what it would need.

Charts of a handful of dialogs can be drawn and look like any other, but show chance. Such parts are
left out, and this table says what each would need, so that nobody takes the gap for a defect.
"""

from __future__ import annotations

from simpatico.charts.html import Html, el
from simpatico.comparison.samples import MIN_PAIRS, MIN_VALUES
from simpatico.reporting import minimum_data as minimum
from simpatico.reporting.findings import Findings
from simpatico.reporting.sections import components as page
from simpatico.reporting.sections.overlap import largest_pair_count
from simpatico.wording import format_count

LISTED = 4
"""Up to so many systems have their numbers of dialogs named one by one."""
PARTS = {
    "Intervals and verdict": (
        f"{MIN_PAIRS} prompts both replied to, or {MIN_VALUES} dialogs of each",
        "a difference that two more dialogs could reverse",
    ),
    "Radar": (
        f"{minimum.RADAR_DIALOGS} dialogs of a system, {minimum.RADAR_METRICS} metrics",
        "a shape that is mostly noise",
    ),
    "Correlation with human ratings": (
        f"{minimum.RATED} rated dialogs or turns",
        "correlations near +1 or −1 by chance",
    ),
    "T, P and P+T": (
        f"{minimum.RATED_MODELS} rated dialogs or turns",
        "overfitting: a near-perfect fit for any metric",
    ),
    "Heat map of metrics": (
        f"{minimum.HEAT_DIALOGS} dialogs, {minimum.HEAT_METRICS} metrics",
        "cells near +1 or −1 by chance",
    ),
}
"""What each part of the page needs, and what it would show with less."""


def missing_section(findings: Findings) -> Html | None:
    """A table of the parts that cannot be drawn; null when every part can."""
    parts = zip(PARTS.items(), available_data(findings), strict=True)
    rows = [
        el(
            "tr",
            None,
            el("th", {"scope": "row"}, part),
            [el("td", None, text) for text in (needs, have)],
            el("td", {"class": "note"}, risk),
        )
        for (part, (needs, risk)), (enough, have) in parts
        if not enough
    ]
    if not rows:
        return None
    head = page.column_heads(("Part of the report", "needs", "you have", "risk with fewer"))
    region = {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": "What is missing"}
    return el("div", region, page.table({"class": "plain few"}, head, rows))


def available_data(findings: Findings) -> list[tuple[bool, str]]:
    """For each of `PARTS` whether there are enough data, and how many there are.

    In the order of `PARTS`; the floors are those of the sections themselves.
    """
    scores, structure, evidence = findings.scores, findings.structure, findings.evidence
    sizes = [findings.dialogs[s] for s in findings.systems]
    have = " and ".join(f"{n:,}" for n in sizes) or "none"
    if len(sizes) > LISTED:
        low, high = min(sizes), max(sizes)
        have = f"{low:,} each" if low == high else f"{low:,} to {high:,}"
    metrics = format_count(len(scores), "metric")
    pairs = largest_pair_count(structure)
    # Without ratings nothing is said of them here: their own section does.
    rated = max((r.n for r in evidence.correlations), default=0) if evidence else minimum.RATED
    # With one system, or without a score of a whole dialog, the headline says what is missing.
    nothing_to_test = len(findings.systems) < 2 or not findings.central_ranges
    differences = [d for pair in findings.pairs.values() for d in pair]
    radar = max(sizes, default=0) >= minimum.RADAR_DIALOGS
    heat = pairs >= minimum.HEAT_DIALOGS
    return [
        (nothing_to_test or any(d.finding != "too_few" for d in differences), have),
        (radar and len(scores) >= minimum.RADAR_METRICS, f"{have}; {metrics}"),
        (rated >= minimum.RATED, f"{rated:,}"),
        (evidence is None or rated >= minimum.RATED_MODELS, f"{rated:,}"),
        (heat and len(structure.names) >= minimum.HEAT_METRICS, f"{pairs:,}; {metrics}"),
    ]
