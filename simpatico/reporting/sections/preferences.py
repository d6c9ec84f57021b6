"""Preferences between two replies: which system judges prefer, and which metrics predict it."""

from __future__ import annotations

from simpatico.charts.html import Child, Html, el
from simpatico.reporting.findings import Findings
from simpatico.reporting.sections import components as page
from simpatico.validation.preference_tables import HOW_TO_READ, TextTable, preference_tables
from simpatico.validation.preferences import PreferenceEvidence


def preferences_section(findings: Findings, evidence: PreferenceEvidence) -> page.Section:
    """Agreement of judges, Bradley-Terry strengths of systems, and the accuracy of each metric."""
    tables = preference_tables(evidence, findings.titles)
    return page.make_section(
        "trust",
        "Human preferences",
        most_preferred(evidence),
        page.intro(HOW_TO_READ),
        [[el("h3", {"class": "gap"}, t.title), text_table(t)] for t in tables],
        [page.small_print(text) for text in evidence.notes],
    )


def most_preferred(evidence: PreferenceEvidence) -> Child:
    """The heading: the system that won most of its comparisons."""
    if not evidence.strengths:
        return "The preferences are not between different systems"
    best = evidence.strengths[0]
    share = f"{100 * (best.win_rate.value or 0):.0f}%"
    return [
        el("bdi", None, best.system),
        f" is preferred most often: in {share} of its comparisons",
    ]


def text_table(table: TextTable) -> Html:
    """The table, with numbers on the right; it scrolls on a phone."""
    body = [
        el(
            "tr",
            None,
            [el("th", {"scope": "row"}, el("bdi", None, name)) for name in row[: table.keys]],
            [el("td", {"class": "r num"}, cell) for cell in row[table.keys :]],
        )
        for row in table.rows
    ]
    names, values = table.columns[: table.keys], table.columns[table.keys :]
    head = [page.column_heads(names), page.column_heads(values, "r")]
    region = {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": table.title}
    return el("div", region, page.table(None, head, body))
