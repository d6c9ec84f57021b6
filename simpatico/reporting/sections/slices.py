"""Differences within weeks, months or values of a column, where the page was asked for them."""

from __future__ import annotations

from simpatico.charts.html import Html, el
from simpatico.comparison import headline, verdict
from simpatico.comparison.difference import Difference
from simpatico.comparison.samples import PEOPLE
from simpatico.comparison.slices import Slices
from simpatico.reporting.findings import Findings
from simpatico.reporting.sections import components as page
from simpatico.wording import format_count, format_number, format_p

MOST_SCORES = 3
"""Scores in the section: ratings, then those that follow people."""


def slices_section(findings: Findings) -> page.Section | None:
    """The main pair within each slice, a table per score; null where nobody asked for slices."""
    slices = findings.slices
    if slices is None:
        return None
    if not isinstance(slices, Slices):
        return parts_section(findings, slices)
    slices = slices.facing(findings.pairs)
    rows = [r for r in slices.rows if (r.difference.a, r.difference.b) == findings.main]
    shown = [r for r in rows if headline.leads(r.difference)] or rows
    ranked = sorted(shown, key=lambda r: headline.RANKS[r.difference.evidence])
    scores = list(dict.fromkeys(r.difference.score for r in ranked))[:MOST_SCORES]
    tables = []
    for score in scores:
        own = [(r.slice, r.difference) for r in shown if r.difference.score == score]
        tables += [el("h3", {"class": "gap"}, own[0][1].title), slice_table(slices.by, own)]
    found = [r for r in shown if r.difference.finding in ("higher", "lower")]
    count = format_count(len(shown), "comparison")
    finding = f"{len(found)} of {count} by {slices.by} show a significant difference"
    return page.make_section(
        "slices",
        f"By {slices.by}",
        finding,
        tables,
        page.small_print(" ".join(slices.notes())),
    )


def slice_table(by: str, rows: list[tuple[str, Difference]]) -> Html:
    """A row per slice: both means, the difference with its interval, p and n."""
    first = rows[0][1]
    head = [
        *page.column_heads([by]),
        *page.column_heads([first.a, first.b, "difference [95% CI]", "p", "n"], "r"),
    ]
    body = []
    for name, d in rows:
        n = f"{d.n_a:,}" if d.paired else f"{d.n_a:,}, {d.n_b:,}"
        amount = "–" if d.difference is None else verdict.difference_text(d)
        p = format_p(d.p_adjusted).removeprefix("= ")
        means = [
            verdict.rating_text(mean, d)
            if d.evidence == PEOPLE and mean is not None
            else format_number(mean)
            for mean in (d.mean_a, d.mean_b)
        ]
        cells = [*means, amount, p, n]
        name_cell = el("th", {"scope": "row"}, el("bdi", None, name))
        body.append(el("tr", None, name_cell, [el("td", {"class": "r"}, c) for c in cells]))
    region = {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": first.title}
    return el("div", region, page.table({"class": "slices"}, head, body))


def parts_section(findings: Findings, differences: list[Difference]) -> page.Section:
    """The slices of the only system, compared with each other."""
    found = [d for d in differences if d.finding in ("higher", "lower")]
    ranked = sorted(found, key=lambda d: headline.RANKS[d.evidence])
    lines = [el("li", None, verdict.verdict_sentence(d)) for d in ranked]
    count = format_count(len(differences), "comparison")
    return page.make_section(
        "slices",
        f"By {findings.by}",
        f"{len(found)} of {count} between slices show a significant difference",
        el("ul", None, lines) if lines else None,
        page.small_print(headline.family_note(differences)),
    )
