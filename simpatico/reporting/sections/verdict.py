"""The verdict: which system is higher on what, by how much, and how sure that is.

Significance says that two systems differ on a metric, not that anybody would notice. So the first
screen also gives the size of the largest difference, and whether the metrics that differ correlate
with human ratings at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from simpatico.charts.differences import difference_table
from simpatico.charts.html import Child, Html, el
from simpatico.charts.systems import styled_name
from simpatico.comparison.chart import color_names, pair_table
from simpatico.comparison.difference import Difference
from simpatico.comparison.headline import headline, lede, single_system_headline
from simpatico.comparison.ranking import is_exploratory, people_rows, score_rows
from simpatico.comparison.samples import PEOPLE
from simpatico.comparison.verdict import CORRECTIONS
from simpatico.reporting.findings import Findings, Pair, score_direction
from simpatico.reporting.minimum_data import RATED
from simpatico.reporting.sections import components as page
from simpatico.wording import (
    NO_VALUE,
    format_correlation,
    format_count,
    join_with_and,
    lower_first_letter,
)

VERBS = {
    1: ("also correlates with", "also correlate with"),
    -1: ("correlates in the wrong direction with", "correlate in the wrong direction with"),
    0: ("is not significantly correlated with", "are not significantly correlated with"),
}
"""By the sign of a correlation that is significant, or 0; for one metric and for several."""
MEDIUM, SMALL = 0.3, 0.1
"""Correlations below these are weak and very weak: medium and small effects of Cohen (1988)."""
FEW_SYSTEMS = 3
"""Up to so many systems, pairs are buttons in a row; more are cells of a matrix."""


def verdict_section(findings: Findings, title: str) -> Html:
    """The first screen: what was compared, the verdict as headline, and every difference."""
    counts = findings.facts["alignment"]
    sizes = [
        format_count(len(findings.systems), "system"),
        format_count(counts["dialogs"], "dialog"),
        format_count(counts["turns"], "turn"),
        format_count(len(findings.facts["metrics"]), "metric"),
    ]
    name = el("b", None, el("bdi", None, title))
    return el(
        "div",
        {"class": "mast", "id": "verdict"},
        el("div", {"class": "run"}, name, [el("span", None, size) for size in sizes]),
        el("h1", None, page_headline(findings)),
        el("p", {"class": "lede"}, certainty(findings)),
        pair_switch(findings) if findings.main else None,
    )


def page_headline(findings: Findings) -> Child:
    """The verdict on the main pair, names in their colours; or why nothing can be compared."""
    if findings.main:
        return color_names(headline(findings.pairs[findings.main]), findings.styles)
    if not findings.systems:
        return "No system was scored, so there is nothing to compare."
    if len(findings.systems) == 1:
        return color_names(single_system_headline(findings.systems[0]), findings.styles)
    return "These systems have no score in common, so there is nothing to compare."


def certainty(findings: Findings) -> list[Child]:
    """How large and how sure, and links to the two facts that could overturn the verdict."""
    dialogs = sum(findings.dialogs[s] for s in findings.systems)
    parts: list[Child] = [f"{format_count(dialogs, 'dialog')} scored. "]
    if findings.main:
        parts = [color_names(lede(findings.pairs[findings.main]), findings.styles), " "]
    if sentence := raters_sentence(findings):
        parts += [el("a", {"href": "#trust"}, sentence), " "]
    counts = findings.facts["alignment"]
    losses = sum(counts["aside"].values()) + sum(counts["rejected"].values())
    if losses:
        text = f"{format_count(losses, 'record')} skipped or rejected"
        parts += [el("a", {"href": "#data"}, text), "."]
    return parts


def raters_sentence(findings: Findings) -> str:
    """Which of the metrics with a significant difference also correlate with ratings.

    Exploratory ones are not named, as the headline does not name them. Metrics with too few ratings
    are left out; weak correlations are called so, with their bound.
    """
    if not findings.main or not findings.qualities:
        return ""
    pair = findings.pairs[findings.main]
    named = [d for d in score_rows(pair) if not is_exploratory(d)]
    found = [d for d in named if d.finding in ("higher", "lower")]
    scores = {d.title or d.score: d.score for d in found}
    signs = {title: score_direction(findings, score) for title, score in scores.items()}
    parts: list[str] = []
    for sign, verbs in VERBS.items():
        titles = [t for t, own in signs.items() if own == sign]
        if not titles:
            continue
        lower = [lower_first_letter(t) for t in titles]
        names = join_with_and(lower if parts else [titles[0], *lower[1:]])
        quality = "it" if parts else f"“{findings.qualities[0][0]}”"
        verb, bound = verbs[len(titles) > 1], ""
        rows = [findings.lead_correlation(scores[t]) for t in titles]
        largest = max(abs(r.value or 0.0) for r in rows if r)
        if sign and largest < MEDIUM:
            verb = verb.replace("also", "weakly" if largest >= SMALL else "very weakly")
            bound = f" (|r| ≤ {format_correlation(largest)})"
        parts.append(f"{names} {verb} {quality}{bound}")
    return f"{'; '.join(parts)}." if parts else ""


def rating_correlation_text(findings: Findings, score: str) -> str:
    """A score's correlation with ratings, and in brackets what speaks against it.

    A difference on a metric that raters do not share may be real and still not matter.
    """
    row = findings.lead_correlation(score)
    if score.startswith(f"{PEOPLE}: "):
        return NO_VALUE
    if row is None or row.value is None:
        return "–"
    if row.n < RATED:
        return "too few ratings"
    r, direction = format_correlation(row.value), score_direction(findings, score)
    if not direction:
        return f"{r} (n.s.)"
    if direction < 0:
        return f"{r} (wrong sign)"
    if abs(row.value) < SMALL:
        return f"{r} (very weak)"
    return r if abs(row.value) >= MEDIUM else f"{r} (weak)"


def pair_switch(findings: Findings) -> Html:
    """One table for each pair of systems, with buttons or a matrix to choose it.

    On paper, which has no buttons, all pairs are printed unless they are very many.
    """
    options = []
    for i, (a, b) in enumerate(findings.pairs):
        names = [el("bdi", None, findings.styles[s].display_name) for s in (a, b)]
        options.append(([names[0], " vs. ", names[1]], pair_pane(findings, (a, b), first=i == 0)))
    many = len(findings.systems) > FEW_SYSTEMS and len(options) > 1
    picker, legend = pair_matrix(findings) if many else None, "Which two systems to compare"
    body = page.switch("pair", legend, options, picker=picker, print_all=not many)
    if not findings.pairs_left_out:
        return body
    rest = f"{format_count(findings.pairs_left_out, 'more pair')} of systems: "
    pair = " --pair A B" if findings.compared_systems else ""
    command = el("code", None, f"simpatico compare {findings.shell_name}{pair}")
    return el("div", None, body, page.small_print(rest, command))


def pair_pane(findings: Findings, pair: Pair, *, first: bool) -> list[Child]:
    """The differences of one pair; the headline of all but the first, whose is the page's."""
    differences, styles = findings.pairs[pair], findings.styles
    claim = el("p", {"class": "claim"}, color_names(headline(differences), styles))
    size = page.small_print(color_names(lede(differences), styles))
    correlation = (
        (lambda score: rating_correlation_text(findings, score)) if findings.qualities else None
    )
    return [
        None if first else [claim, size],
        difference_table(pair_table(differences, styles, correlation, findings.controls)),
        reading_notes(differences) if any(d.family for d in differences) else None,
    ]


def pair_matrix(findings: Findings) -> Html:
    """All pairs as a triangle of radio buttons, each with its number of findings.

    A cell without a button is a pair that is not on the page.
    """
    pairs = list(findings.pairs)
    positions = {frozenset(pair): i for i, pair in enumerate(pairs)}
    systems = [s for s in findings.systems if any(s in pair for pair in pairs)]

    def cell(row: str, column: str) -> Html:
        position = positions.get(frozenset((row, column)))
        if position is None:
            return el("td", {"class": "none"}, "·")
        a, b = pairs[position]
        n = sum(d.finding in ("higher", "lower") for d in findings.pairs[a, b])
        label = f"{a} vs. {b}: {format_count(n, 'significant difference')}"
        return el("td", None, el("label", None, page.radio_button("pair", position, label), n))

    names = {s: styled_name(findings.styles[s]) for s in systems}
    rows = [
        el("tr", None, el("th", {"scope": "row"}, names[s]), [cell(s, c) for c in systems[:i]])
        for i, s in enumerate(systems)
        if i
    ]
    head = [el("td", None), page.column_heads([names[s] for s in systems[:-1]])]
    legend = "Which two systems to compare (number of significant differences)"
    attributes = {"class": "pick matrix scroll"}
    return el("fieldset", attributes, el("legend", None, legend), page.table(None, head, rows))


def reading_notes(pair: Sequence[Difference]) -> Html:
    """How to read the table of a pair; ratings and scores are a family of tests each."""
    first, ratings = (score_rows(pair) or pair)[0], people_rows(pair)
    apart = f" (ratings: {format_count(ratings[0].family)}, on their own)" if ratings else ""
    level = f"{100 * first.confidence:.4g}%"
    units = "prompts" if first.unit == "prompt" else "dialogs"
    draw = (
        "on the same prompt" if first.paired else "in a random pair of dialogs, one of each system"
    )
    lines = el(
        "p",
        None,
        el("b", None, "Thick line"),
        f": {level} CI. ",
        el("b", None, "Thin ends"),
        f": the CI adjusted for {format_count(first.family, 'comparison')}{apart}. Significance is "
        f"decided by {CORRECTIONS[first.correction]}’s correction over all of them, slightly less "
        f"strict than the thin ends. The unit is the {first.unit}, not the turn, since turns of "
        "one dialog are not independent.",
    )
    columns = el(
        "p",
        None,
        el("b", None, "Higher in % of pairs"),
        f": probability of superiority, how often the first system is higher {draw}. "
        "Ties count half; 50% means no difference. ",
        el("b", None, "SD"),
        f": standard deviation between {units}.",
    )
    return el("div", {"class": "cols note"}, lines, columns)
