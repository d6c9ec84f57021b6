"""The verdict: which system is higher on what, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simpatico.charts.differences import difference_table
from simpatico.charts.html import Child, Html, el
from simpatico.charts.systems import SystemStyle, styled_name
from simpatico.comparison.chart import color_names, pair_table
from simpatico.comparison.difference import Difference
from simpatico.comparison.headline import headline
from simpatico.comparison.headline import lede as lede_of
from simpatico.comparison.headline import single_system_headline as scored_alone
from simpatico.comparison.verdict import CORRECTIONS
from simpatico.reporting.findings import Findings, Pair
from simpatico.reporting.minimum_data import RATED
from simpatico.reporting.sections.components import Option, radio_button, switch
from simpatico.validation.chart import is_significant
from simpatico.wording import format_correlation, format_count, join_with_and, lower_first_letter

VERBS = {
    1: ("also correlates with", "also correlate with"),
    -1: ("correlates in the wrong direction with", "correlate in the wrong direction with"),
    0: (
        "is not significantly correlated with",
        "are not significantly correlated with",
    ),
}
FOLLOWS = 0.3
"""A correlation from which a score is said to follow the raters, rather than a little."""
LITTLE = 0.1
"""Below this it is said to follow them barely."""
FEW_SYSTEMS = 3
"""Up to so many systems, pairs stand in a row; more stand in a matrix."""


def verdict_section(found: Findings, parties: Mapping[str, SystemStyle], title: str) -> Html:
    """The first screen: what was compared, the verdict as headline, and every difference."""
    return el(
        "div",
        {"class": "mast", "id": "verdict"},
        run_line(found, title),
        el("h1", None, page_headline(found, parties)),
        el("p", {"class": "lede"}, certainty(found, parties)),
        pair_switch(found, parties) if found.main else None,
    )


def run_line(found: Findings, title: str) -> Html:
    """What this is about, in a line."""
    read = found.facts["alignment"]
    told = [
        format_count(len(found.systems), "system"),
        format_count(read["dialogs"], "dialog"),
        format_count(read["turns"], "turn"),
        format_count(len(found.scores), "metric"),
    ]
    parts = [el("span", None, part) for part in told]
    return el("div", {"class": "run"}, el("b", None, el("bdi", None, title)), parts)


def page_headline(found: Findings, parties: Mapping[str, SystemStyle]) -> Child:
    """The verdict on the main pair, names in their colours."""
    if found.main is None:
        return alone(found, parties)
    return color_names(headline(found.pairs[found.main]), parties)


def alone(found: Findings, parties: Mapping[str, SystemStyle]) -> Child:
    if not found.systems:
        return "No system was scored, so there is nothing to compare."
    if len(found.systems) == 1:
        return color_names(scored_alone(found.systems[0]), parties)
    return "These systems have no score in common, so there is nothing to compare."


def certainty(found: Findings, parties: Mapping[str, SystemStyle]) -> list[Child]:
    """How large and how sure, and the two facts that could overturn the verdict."""
    told: list[Child] = []
    if found.main:
        told += [color_names(lede_of(found.pairs[found.main]), parties), " "]
    else:
        told.append(
            f"{format_count(sum(found.dialogs[s] for s in found.systems), 'dialog')} scored. "
        )
    if followed := raters_sentence(found):
        told += [el("a", {"href": "#trust"}, followed), " "]
    return [*told, *set_aside_link(found)]


def raters_sentence(found: Findings) -> str:
    """Which of the metrics that tell the systems apart also follow the raters."""
    if not found.main or not found.qualities:
        return ""
    told = [d for d in found.pairs[found.main] if d.finding in ("higher", "lower")]
    ways = {d.title or d.score: tracking_direction(found, d.score) for d in told}
    groups = {w: [t for t, own in ways.items() if own == w] for w in (1, -1, 0)}
    quality, parts = f"“{found.qualities[0][0]}”", list[str]()
    for which, titles in groups.items():
        if titles:
            one, many = VERBS[which]
            said = words(titles, inside=bool(parts))
            does = verb(titles, one, many)
            how, much = extent(found, told, titles) if which else ("also", "")
            does = does.replace("also", how)
            parts.append(f"{said} {does} {'it' if parts else quality}{much}")
    return f"{'; '.join(parts)}." if parts else ""


def extent(found: Findings, told: Sequence[Difference], titles: Sequence[str]) -> tuple[str, str]:
    """How closely at most, as a word before the verb and what comes after."""
    rows = [found.lead_correlation(d.score) for d in told if (d.title or d.score) in titles]
    most = max(abs(r.value or 0.0) for r in rows if r)
    if most >= FOLLOWS:
        return "also", ""
    bound = f"(|r| ≤ {format_correlation(most)})"
    return ("weakly" if most >= LITTLE else "very weakly"), f" {bound}"


def tracking_direction(found: Findings, score: str) -> int | None:
    """1 where a score clearly follows the raters, -1 where it runs against them, else 0.

    Where lower is better, falling as ratings rise is following them. Null with too few ratings.
    """
    row = found.lead_correlation(score)
    if row is None or row.n < RATED:
        return None
    if row.value is None or not is_significant(row.p_adjusted):
        return 0
    up = next(s.better for s in found.scores if s.name == score) != "lower"
    return 1 if (row.value > 0) == up else -1


def words(titles: Sequence[str], *, inside: bool = False) -> str:
    """Titles in a sentence; the first one begins it, unless it stands inside."""
    lower = [lower_first_letter(t) for t in titles]
    lower[0] = lower[0] if inside else titles[0]
    return join_with_and(lower)


def verb(names: Sequence[str], one: str, many: str) -> str:
    return one if len(names) == 1 else many


def set_aside_link(found: Findings) -> list[Child]:
    """A link to what was not scored, where something was not."""
    read = found.facts["alignment"]
    lost = sum(read["aside"].values()) + sum(read["rejected"].values())
    if not lost:
        return []
    return [el("a", {"href": "#data"}, f"{format_count(lost, 'record')} skipped or rejected"), "."]


def pair_switch(found: Findings, parties: Mapping[str, SystemStyle]) -> Html:
    """One table for each pair of systems."""
    pairs = list(found.pairs)
    options = [
        Option(against(parties[a], parties[b]), pair_pane(found, (a, b), parties, first=i == 0))
        for i, (a, b) in enumerate(pairs)
    ]
    many = len(found.systems) > FEW_SYSTEMS and len(pairs) > 1
    picker = pair_matrix(found, parties) if many else None
    body = switch(
        "pair", "Which two systems to compare", options, picker=picker, print_all=not many
    )
    if not found.pairs_left_out:
        return body
    rest = f"{format_count(found.pairs_left_out, 'more pair')} of systems: "
    return el(
        "div",
        None,
        body,
        el("p", {"class": "note"}, rest, el("code", None, f"simpatico compare {found.shell_name}")),
    )


def against(a: SystemStyle, b: SystemStyle) -> list[Child]:
    return [el("bdi", None, a.display_name), " vs. ", el("bdi", None, b.display_name)]


def pair_pane(
    found: Findings, pair: Pair, parties: Mapping[str, SystemStyle], *, first: bool
) -> list[Child]:
    """The differences of one pair; the headline of all but the first, whose is the page's."""
    told = found.pairs[pair]
    own = None if first else el("p", {"class": "claim"}, color_names(headline(told), parties))
    size = None if first else el("p", {"class": "note"}, color_names(lede_of(told), parties))
    tracks = (lambda score: tracking_text(found, score)) if found.qualities else None
    notes = reading_notes(told) if told[0].family else None  # nothing was tested
    return [own, size, difference_table(pair_table(told, parties, tracks)), notes]


def tracking_text(found: Findings, score: str) -> str:
    """Whether a score follows the raters, with its correlation."""
    row = found.lead_correlation(score)
    if row is None or row.value is None:
        return "–"
    if row.n < RATED:
        return "too few ratings"
    figure, follows = format_correlation(row.value), tracking_direction(found, score)
    if not follows:
        return f"{figure} (n.s.)"
    if follows < 0:
        return f"{figure} (wrong sign)"
    if abs(row.value) < LITTLE:
        return f"{figure} (very weak)"
    return figure if abs(row.value) >= FOLLOWS else f"{figure} (weak)"


def pair_matrix(found: Findings, parties: Mapping[str, SystemStyle]) -> Html:
    """All pairs as a triangle of radio buttons, each with how many findings it has."""
    place = {frozenset(pair): i for i, pair in enumerate(found.pairs)}
    there = {name for pair in found.pairs for name in pair}
    systems = [s for s in found.systems if s in there]
    head = [el("th", {"scope": "col"}, styled_name(parties[s])) for s in systems[:-1]]
    rows = []
    for i, row in enumerate(systems[1:], 1):
        cells = [matrix_cell(found, place.get(frozenset((row, c)))) for c in systems[:i]]
        rows.append(el("tr", None, el("th", {"scope": "row"}, styled_name(parties[row])), cells))
    return el(
        "fieldset",
        {"class": "pick matrix scroll"},
        el("legend", None, "Which two systems to compare (number of significant differences)"),
        el(
            "table",
            None,
            el("thead", None, el("tr", None, el("td", None), head)),
            el("tbody", None, rows),
        ),
    )


def matrix_cell(found: Findings, place: int | None) -> Html:
    if place is None:
        return el("td", {"class": "none"}, "·")
    a, b = pair = list(found.pairs)[place]
    n = sum(d.finding in ("higher", "lower") for d in found.pairs[pair])
    said = f"{a} vs. {b}: {format_count(n, 'significant difference')}"
    return el("td", None, el("label", None, radio_button("pair", place, said), n))


def reading_notes(pair: Sequence[Difference]) -> Html:
    """How to read the table of a pair."""
    first = pair[0]
    level = f"{100 * first.confidence:.4g}%"
    units = "prompts" if first.unit == "prompt" else "dialogs"
    how = CORRECTIONS[first.correction]
    drawn = (
        "on the same prompt" if first.paired else "in a random pair of dialogs, one of each system"
    )
    return el(
        "div",
        {"class": "cols note"},
        el(
            "p",
            None,
            el("b", None, "Thick line"),
            f": {level} CI. ",
            el("b", None, "Thin ends"),
            f": the CI adjusted for {format_count(first.family, 'comparison')}. Significance is "
            f"decided by {how}’s correction over all of them, slightly less strict than the thin "
            f"ends. The unit is the {first.unit}, not the turn, since turns of one dialog are not "
            "independent.",
        ),
        el(
            "p",
            None,
            el("b", None, "Higher in % of pairs"),
            f": probability of superiority, how often the first system is higher {drawn}. "
            "Ties count half; 50% means no difference. ",
            el("b", None, "SD"),
            f": standard deviation between {units}.",
        ),
    )
