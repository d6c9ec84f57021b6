"""Differences as a chart: the table of a page, a notebook or a figure.

Sentences and numbers are those of `verdict` and `headline` and only get their markup here, so that
page, notebook and command line cannot say different things of one difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from simpatico.charts.differences import DifferenceChart, DifferenceRow, difference_table
from simpatico.charts.html import Child, el
from simpatico.charts.svg import notebook_frame
from simpatico.charts.systems import SystemStyle, assign_styles, styled_name
from simpatico.comparison import headline, verdict
from simpatico.comparison.difference import Difference
from simpatico.comparison.headline import TextPart
from simpatico.comparison.ranking import group_by_finding, group_by_pair
from simpatico.comparison.samples import PEOPLE
from simpatico.wording import format_count

SIDES = {"higher": "a", "lower": "b"}
"""Significant findings, and the system with the higher value."""
CLAIMS = (*SIDES, "hint")


def pair_table(
    pair: Sequence[Difference],
    styles: Mapping[str, SystemStyle],
    rating_correlation: Callable[[str], str] | None = None,
    controls: Mapping[str, str] | None = None,
) -> DifferenceChart:
    """One pair of systems, by finding; `rating_correlation` words the r of a score with ratings.

    `controls`: what negative controls say of a score.
    """
    first = pair[0]
    a, b = styles[first.a], styles[first.b]
    brief = [replace(d, a=a.display_name, b=b.display_name) for d in pair]
    groups = tuple(
        (title, tuple(pair_table_row(d, rating_correlation, controls) for d in rows))
        for title, rows in group_by_finding(brief)
    )
    caption = f"Differences between {a.name} and {b.name}"
    return DifferenceChart(
        a, b, groups, caption, rating_correlation is not None, first.unit, first.confidence
    )


def pair_table_row(
    d: Difference,
    rating_correlation: Callable[[str], str] | None = None,
    controls: Mapping[str, str] | None = None,
) -> DifferenceRow:
    """One row of the table; only significant differences have a side, and with it a colour."""
    notes = [note_cell(d), (controls or {}).get(d.score, "") if d.finding in CLAIMS else ""]
    return DifferenceRow(
        claim=claim_cell(d),
        note=" · ".join(filter(None, notes)),
        difference=d.difference,
        low=d.low,
        high=d.high,
        wide_low=d.wide_low,
        wide_high=d.wide_high,
        sd=d.sd,
        times=d.times_in_100,
        rating_correlation=rating_correlation(d.score) if rating_correlation else "",
        side=SIDES.get(d.finding),  # type: ignore[arg-type]
    )


def claim_cell(d: Difference) -> list[Child]:
    """The sentence of a row; its numbers are one element, so that they are not wrapped.

    Where nothing was found, a sentence would claim too much: it is the metric's name, the numbers,
    and the smallest difference that these data could have shown.
    """
    numbers = (
        el("span", {"class": "num"}, verdict.amount_text(d)) if d.difference is not None else None
    )
    match d.finding:
        case "higher" | "lower" | "hint":
            # Names are isolated, since one that runs from right to left would turn the numbers.
            a, b = el("bdi", None, d.a), el("bdi", None, d.b)
            phrase = f" {verdict.comparison_phrase(d)} "
            return [verdict.caution_text(d) or None, a, phrase, b, ": ", numbers, "."]
        case "unclear":
            small = el("small", {"class": "in"}, verdict.detectable_text(d))
            return [el("b", None, d.title), ": ", numbers, " ", small]
        case _:
            return [verdict.verdict_sentence(d)]


def note_cell(d: Difference) -> str:
    """The small line below a claim: the metric's name, and which direction is better."""
    if d.evidence == PEOPLE:
        return f"People's ratings · {verdict.units_text(d)} rated"
    if d.finding in SIDES:
        return f"{d.title} · {verdict.direction_text(d)}"
    if d.finding == "hint":
        return f"{d.title} · not significant after correction for {d.family} comparisons"
    return ""


def color_names(parts: Sequence[TextPart], styles: Mapping[str, SystemStyle]) -> list[Child]:
    """A text with the names of systems in their colours."""
    return [part if isinstance(part, str) else styled_name(styles[part.name]) for part in parts]


def differences_notebook(differences: Sequence[Difference]) -> str:
    """The main pair as a notebook shows it; the others are counted."""
    pairs = group_by_pair(differences)
    main = headline.main_pair(differences)
    if main is None:
        return notebook_frame(el("p", None, "There are no two systems to compare."))
    styles = assign_styles(dict.fromkeys(name for pair in pairs for name in pair), main)
    pair = headline.orient_pair(pairs[main])
    rest = len(pairs) - 1
    more = f"{format_count(rest, 'more pair')} of systems in this list."
    return notebook_frame(
        el("p", {"class": "lead"}, color_names(headline.headline(pair), styles)),
        el("p", {"class": "small"}, headline.plain_text(headline.lede(pair))),
        difference_table(pair_table(pair, styles)),
        el("p", {"class": "small"}, more) if rest else None,
    )
