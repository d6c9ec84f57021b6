"""What is missing from the page for lack of data, and what it would need."""

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


def missing_section(findings: Findings) -> Html | None:
    """A table of the parts that cannot be drawn; null when every part can."""
    rows = [
        el(
            "tr",
            None,
            el("th", {"scope": "row"}, part),
            [el("td", None, text) for text in cells],
            el("td", {"class": "note"}, risk),
        )
        for part, *cells, risk in missing_parts(findings)
    ]
    if not rows:
        return None
    head = page.column_heads(("Part of the report", "needs", "you have", "risk with fewer"))
    region = {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": "What is missing"}
    return el("div", region, page.table({"class": "plain few"}, head, rows))


def missing_parts(findings: Findings) -> list[list[str]]:
    """The parts of the page that lack data: name, what it needs, what there is, and the risk."""
    evidence, scores = findings.evidence, findings.scores
    sizes = [findings.dialogs[s] for s in findings.systems]
    have = " and ".join(f"{n:,}" for n in sizes) or "none"
    if len(sizes) > LISTED:
        low, high = min(sizes), max(sizes)
        have = f"{low:,} each" if low == high else f"{low:,} to {high:,}"
    pairs = largest_pair_count(findings.structure)
    metrics = format_count(len(scores), "metric")
    # Without ratings nothing is said of them here: their own section does.
    rated = max((r.n for r in evidence.correlations), default=0) if evidence else minimum.RATED
    tested = any(d.finding != "too_few" for pair in findings.pairs.values() for d in pair)
    parts = [
        (
            tested or len(findings.systems) < 2 or not findings.central_ranges,
            "Intervals and verdict",
            f"{MIN_PAIRS} prompts both replied to, or {MIN_VALUES} dialogs of each",
            have,
            "a difference that two more dialogs could reverse",
        ),
        (
            max(sizes, default=0) >= minimum.RADAR_DIALOGS and len(scores) >= minimum.RADAR_METRICS,
            "Radar",
            f"{minimum.RADAR_DIALOGS} dialogs of a system, {minimum.RADAR_METRICS} metrics",
            f"{have}; {metrics}",
            "a shape that is mostly noise",
        ),
        (
            rated >= minimum.RATED,
            "Correlation with human ratings",
            f"{minimum.RATED} rated dialogs or turns",
            f"{rated:,}",
            "correlations near +1 or −1 by chance",
        ),
        (
            evidence is None or rated >= minimum.RATED_MODELS,
            "T, P and P+T",
            f"{minimum.RATED_MODELS} rated dialogs or turns",
            f"{rated:,}",
            "overfitting: a near-perfect fit for any metric",
        ),
        (
            pairs >= minimum.HEAT_DIALOGS and len(findings.structure.names) >= minimum.HEAT_METRICS,
            "Heat map of metrics",
            f"{minimum.HEAT_DIALOGS} dialogs, {minimum.HEAT_METRICS} metrics",
            f"{pairs:,}; {metrics}",
            "cells near +1 or −1 by chance",
        ),
    ]
    return [texts for enough, *texts in parts if not enough]
