"""Preferences between two replies: which system judges prefer, and which metrics predict it."""

from __future__ import annotations

from collections.abc import Sequence

from simpatico.charts.html import Child, Html, el
from simpatico.reporting.findings import Findings
from simpatico.reporting.sections import components as page
from simpatico.stats.result import Result
from simpatico.validation.preferences import PreferenceEvidence
from simpatico.wording import (
    format_correlation,
    format_correlation_interval,
    format_count,
    format_interval,
    format_number,
    format_p,
    join_with_and,
    title_from_name,
)

PREDICTORS = "Metrics as predictors of the preferred reply"
TITLES = {
    "krippendorff_alpha_ordinal": "ordinal Krippendorff’s α",
    "pairwise_agreement": "pairwise agreement",
}


def preferences_section(findings: Findings, evidence: PreferenceEvidence) -> page.Section:
    """Bradley-Terry strengths of systems, and the accuracy of each metric."""
    several = len({row.quality for row in evidence.accuracy}) > 1
    strengths = [
        [
            f"{row.system} ({row.quality})" if several else row.system,
            row.reason or format_number(row.value),
            format_interval(row.low, row.high),
            *share_cells(row.win_rate),
            f"{row.n:,}",
        ]
        for row in evidence.strengths
    ]
    accuracy = [
        [
            (findings.titles.get(row.score) or title_from_name(row.score))
            + (f" ({row.quality})" if several else ""),
            *share_cells(row),
            format_p(row.p_adjusted).removeprefix("= "),
            format_correlation(row.over_length.value if row.over_length else None),
            f"{row.n:,}",
        ]
        for row in evidence.accuracy
    ]
    agreement = [
        f"{TITLES[row.score]} {format_correlation(row.value)} "
        f"{format_correlation_interval(row.low, row.high)}"
        for row in evidence.agreement
        if row.value is not None
    ]
    pairs = format_count(max((row.n for row in evidence.agreement), default=0), "pair")
    raters = [f"Inter-rater agreement on {pairs}: {join_with_and(agreement)}."] if agreement else []
    return page.make_section(
        "trust",
        "Human preferences",
        most_preferred(evidence),
        page.intro(
            "Bradley-Terry strengths: log-odds against a system of mean strength, ties half a win "
            "each. Accuracy: share of choices in which the preferred reply has the higher score "
            "(lower where lower is better), equal scores half; .5 is a coin. vs. length: accuracy "
            "less that of reply length. 95% CIs over prompts."
        ),
        el("h3", {"class": "gap"}, "Systems"),
        cells_table(
            "Systems", ("system", "strength", "95% CI", "win rate", "95% CI", "n"), strengths
        ),
        el("h3", {"class": "gap"}, PREDICTORS),
        cells_table(PREDICTORS, ("metric", "accuracy", "95% CI", "p", "vs. length", "n"), accuracy),
        [page.small_print(text) for text in [*raters, *evidence.notes]],
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


def share_cells(result: Result) -> tuple[str, str]:
    """A share and its interval."""
    return format_correlation(result.value), format_correlation_interval(result.low, result.high)


def cells_table(label: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Html:
    """A table of numbers whose first column names the row; it scrolls on a phone."""
    body = [
        el(
            "tr",
            None,
            el("th", {"scope": "row"}, el("bdi", None, cells[0])),
            [el("td", {"class": "r num"}, cell) for cell in cells[1:]],
        )
        for cells in rows
    ]
    head = [page.column_heads(heads[:1]), page.column_heads(heads[1:], "r")]
    region = {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": label}
    return el("div", region, page.table(None, head, body))
