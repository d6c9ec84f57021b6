"""Differences within weeks, months or values of a column, where the page was asked for them."""

from __future__ import annotations

from shlex import quote

from simpatico.charts.html import Child, Html, el
from simpatico.comparison import headline, verdict
from simpatico.comparison.difference import Difference
from simpatico.comparison.ranking import RANKS, leads
from simpatico.comparison.samples import PEOPLE
from simpatico.comparison.slices import Slices
from simpatico.reporting.findings import Findings
from simpatico.reporting.sections import components as page
from simpatico.wording import NO_VALUE, format_count, format_number, format_p

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
    leading = [r for r in rows if leads(r.difference)] or rows
    ranked = sorted(leading, key=lambda r: RANKS[r.difference.evidence])
    scores = list(dict.fromkeys(r.difference.score for r in ranked))[:MOST_SCORES]
    groups = [
        [(r.slice, r.difference) for r in leading if r.difference.score == score]
        for score in scores
    ]
    shown = [d for group in groups for _, d in group]
    found = [d for d in shown if d.finding in ("higher", "lower")]
    count = format_count(len(shown), "comparison")
    return page.make_section(
        "slices",
        f"By {slices.by}",
        f"{len(found)} of {count} by {slices.by} show a significant difference",
        slice_table(slices.by, groups) if groups else None,
        page.small_print(
            " ".join(slices.notes()),
            " All scores: ",
            el(
                "code",
                None,
                f"simpatico compare {findings.shell_name} --by {quote(slices.by)} --json",
            ),
        ),
    )


def slice_table(by: str, groups: list[list[tuple[str, Difference]]]) -> Html:
    """A group per score, a row per slice: both means, the difference with its interval, p and n."""
    first = groups[0][0][1]
    names = [el("bdi", None, name) for name in (first.a, first.b)]
    heads: list[Child] = [*names, "difference [95% CI]", "p", "n"]
    head = [*page.column_heads([by]), *page.column_heads(heads, "r")]
    bodies = []
    for group in groups:
        title = el("th", {"colspan": len(heads) + 1, "scope": "rowgroup"}, group[0][1].title)
        rows = [el("tr", {"class": "grp"}, title), *(slice_row(*row) for row in group)]
        bodies.append(el("tbody", None, rows))
    region = {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": f"By {by}"}
    thead = el("thead", None, el("tr", None, head))
    return el("div", region, el("table", {"class": "slices"}, thead, bodies))


def slice_row(name: str, d: Difference) -> Html:
    """One slice of one score."""
    means = [
        verdict.rating_text(mean, d)
        if d.evidence == PEOPLE and mean is not None
        else format_number(mean)
        for mean in (d.mean_a, d.mean_b)
    ]
    amount = NO_VALUE if d.difference is None else verdict.difference_text(d)
    n = f"{d.n_a:,}" if d.paired else f"{d.n_a:,}, {d.n_b:,}"
    cells = [*means, amount, format_p(d.p_adjusted).removeprefix("= "), n]
    name_cell = el("th", {"scope": "row"}, el("bdi", None, name))
    return el("tr", None, name_cell, [el("td", {"class": "r"}, c) for c in cells])


def parts_section(findings: Findings, differences: list[Difference]) -> page.Section:
    """The slices of the only system, compared with each other."""
    found = [d for d in differences if d.finding in ("higher", "lower")]
    ranked = sorted(found, key=lambda d: RANKS[d.evidence])
    lines = [el("li", None, verdict.verdict_sentence(d)) for d in ranked]
    count = format_count(len(differences), "comparison")
    return page.make_section(
        "slices",
        f"By {findings.by}",
        f"{len(found)} of {count} between slices show a significant difference",
        el("ul", None, lines) if lines else None,
        page.small_print(headline.family_note(differences)),
    )
