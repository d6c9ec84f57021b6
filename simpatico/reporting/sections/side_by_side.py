"""The systems side by side: every metric on its own scale, as dots, as a radar, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simpatico.charts.dots import small_multiples
from simpatico.charts.html import Child, Html, el
from simpatico.charts.means import Dot, Group, Panel, means_table, panel_axis
from simpatico.charts.radar import Radar, RadarOutline, radar
from simpatico.charts.systems import SystemStyle, person_style, styled_name
from simpatico.comparison.chart import color_names
from simpatico.comparison.headline import SystemName, TextPart
from simpatico.comparison.samples import HUMAN
from simpatico.reporting.findings import Findings
from simpatico.reporting.minimum_data import RADAR_DIALOGS, RADAR_METRICS
from simpatico.reporting.scores import ScoreInfo
from simpatico.reporting.sections.components import (
    Option,
    Section,
    intro,
    make_section,
    refusal,
    sentence_list,
    small_print,
    switch,
)
from simpatico.wording import format_count, lower_first_letter

ABOUT = {
    "P": ("Psychological", "metrics from psychology"),
    "L": ("Learned", "trained on human reactions"),
    "T": ("Traditional", "text quality, length and overlap"),
    "O": ("Other", "metrics of other packages"),
}
PEOPLE_HERE = "users (human)"
SPOKES = 12
"""Axes of one radar; more metrics than that get another."""
MOST_SHAPES = 6
"""More outlines than this in one radar cannot be told apart."""


def systems_section(found: Findings, parties: Mapping[str, SystemStyle]) -> Section:
    """Each metric's means with their intervals."""
    groups = metric_groups(found, parties)
    views = [Option("Dots with intervals", small_multiples(groups))]
    views.append(Option("Radar", radar_view(found, groups, parties)))
    views.append(Option("Table", means_table(groups)))
    return make_section(
        "systems",
        "Systems side by side",
        color_names(stands_out(found), parties),
        intro(
            "Each panel is one metric on its own scale; rows are the systems, each with the mean "
            "of its dialogs and a 95% CI.",
            people_row(found),
        ),
        switch("view", "Show as", views),
    )


def people_row(found: Findings) -> str:
    if HUMAN in found.dialogs and HUMAN not in found.systems:
        return " User turns (“human”) are scored the same way, for comparison."
    return ""


def stands_out(found: Findings) -> list[TextPart]:
    """What the pairs together say of single systems."""
    if len(found.systems) < 2:
        return ["How ", SystemName(found.systems[0]), " scores"]
    if not found.pairs:
        return ["How the systems score"]
    every = [d for pair in found.pairs.values() for d in pair]
    told = [d for d in every if d.finding not in ("too_few", "same")]
    if not told:
        return ["Too few dialogs to compare any two systems"]
    clear = [d for d in told if d.finding in ("higher", "lower")]
    if not clear:
        if found.pairs_left_out:
            return ["No significant difference in the pairs shown"]
        return ["No significant difference between any two systems"]
    apart: dict[str, set[str]] = {}
    for system in found.systems:
        others = {d.score: set[str]() for d in told}
        for d in clear:
            if system in (d.a, d.b):
                others[d.score].add(d.b if d.a == system else d.a)
        apart[system] = {s for s, names in others.items() if len(names) == len(found.systems) - 1}
    best = max(found.systems, key=lambda s: len(apart[s]))
    if len(found.systems) > 2 and apart[best] and not found.pairs_left_out:
        titles = [lower_first_letter(found.titles[s]) for s in found.titles if s in apart[best]]
        return [SystemName(best), f" differs from every other system in {sentence_list(titles)}"]
    shown = "comparisons shown here" if found.pairs_left_out else "comparisons"
    show = "shows" if len(told) == 1 else "show"
    many = f"{len(clear)} of {len(told)} {shown} {show} a significant difference"
    if len(found.systems) == 2:
        return [many]
    busy = max(found.systems, key=lambda s: sum(s in (d.a, d.b) for d in clear))
    part = sum(busy in (d.a, d.b) for d in clear)
    return [
        f"{many}; ",
        SystemName(busy),
        f" is in {'it' if len(clear) == 1 else f'{part} of them'}",
    ]


def metric_groups(found: Findings, parties: Mapping[str, SystemStyle]) -> list[Group]:
    """The metrics by kind, each with one dot per system and, last, the people."""
    rows = {row["system"]: row for row in found.table.to_dicts()}
    shown = [(parties[s], rows[s]) for s in found.systems]
    if HUMAN in rows and HUMAN not in found.systems:
        shown.append((person_style(PEOPLE_HERE), rows[HUMAN]))
    groups = []
    for kind, (title, about) in ABOUT.items():
        own = [metric_panel(s, shown) for s in found.scores if s.kind == kind]
        if own:
            groups.append(Group(title, about, tuple(own)))
    return groups


def metric_panel(score: ScoreInfo, shown: Sequence[tuple[SystemStyle, Mapping[str, Any]]]) -> Panel:
    dots = tuple(system_dot(score.name, row, party) for party, row in shown)
    whole = "; of the system as a whole" if score.level == "system" else ""
    return Panel(score.title, score.direction + whole, dots)


def system_dot(score: str, row: Mapping[str, Any], party: SystemStyle) -> Dot:
    """A system's mean; why there is none, or no interval, where that is so."""
    value, n = row[score], row[f"{score}_n"] or 0
    low, high = row[f"{score}_low"], row[f"{score}_high"]
    lack = row.get(f"{score}_null") or "not scored in any dialog"
    why = lack.replace("_", " ") if value is None else ""
    if value is not None and low is None:
        why = "one dialog has no interval" if n < 2 else "all dialogs have the same value"
    return Dot(party, value, low, high, n, why)


def radar_view(
    found: Findings, groups: Sequence[Group], parties: Mapping[str, SystemStyle]
) -> Html:
    """One radar for each kind of metric that has enough of them; refused below its floor."""
    enough = radar_systems(found)
    drawn = [r for r in build_radars(groups, enough, parties) if len(r.spokes) >= RADAR_METRICS]
    legend = el("p", {"class": "legend"}, [styled_name(parties[s]) for s in enough])
    if not drawn or not enough:
        return el("div", None, radar_refusals(found, enough, parties))
    return el(
        "div",
        None,
        el("div", {"class": "radars"}, [radar(r) for r in drawn]),
        legend,
        small_print(
            "Axes have the same ranges as the dot plots, low at the centre. A radar shows no "
            "uncertainty, and its area and shape depend on the order of the axes: use it for an "
            "overview and the dot plots for decisions."
        ),
        radar_refusals(found, enough, parties),
    )


def radar_systems(found: Findings) -> list[str]:
    """The systems with dialogs enough for a radar; of too many only the two that are compared."""
    enough = [s for s in found.systems if found.dialogs[s] >= RADAR_DIALOGS]
    if found.main and len(enough) > MOST_SHAPES:
        return [s for s in found.main if s in enough]
    return enough


def build_radars(
    groups: Sequence[Group], systems: Sequence[str], parties: Mapping[str, SystemStyle]
) -> list[Radar]:
    """Metrics of few kinds share a radar; a metric without a mean for every system is left out."""
    small = [g for g in groups if len(complete_panels(g, systems)) < RADAR_METRICS]
    sets = [(g.title, complete_panels(g, systems)) for g in groups if g not in small]
    rest = [p for g in small for p in complete_panels(g, systems)]
    if rest and sets:
        title, first = sets[0]
        joint = " and ".join(
            [title, *(g.title.lower() for g in small if complete_panels(g, systems))]
        )
        sets[0] = (joint, [*first, *rest])
    elif rest:
        sets = [("All metrics", rest)]
    return [
        build_radar(
            title if i == 0 else f"{title}, continued", own[i : i + SPOKES], systems, parties
        )
        for title, own in sets
        for i in range(0, len(own), SPOKES)
    ]


def complete_panels(group: Group, systems: Sequence[str]) -> list[Panel]:
    known = [{d.style.name for d in p.dots if d.value is not None} for p in group.panels]
    return [p for p, names in zip(group.panels, known, strict=True) if set(systems) <= names]


def build_radar(
    title: str, own: Sequence[Panel], systems: Sequence[str], parties: Mapping[str, SystemStyle]
) -> Radar:
    shapes = []
    for system in systems:
        values = [next(d.value for d in p.dots if d.style.name == system) for p in own]
        axes = [panel_axis(p) for p in own]
        shares = [None if v is None else a.share(v) for a, v in zip(axes, values, strict=True)]
        shapes.append(RadarOutline(parties[system], tuple(shares)))
    return Radar(title, tuple(p.title for p in own), tuple(shapes))


def radar_refusals(
    found: Findings, drawn: Sequence[str], parties: Mapping[str, SystemStyle]
) -> list[Child]:
    """Which systems are not in the radar, and why."""
    told: list[Child] = []
    if len(found.scores) < RADAR_METRICS:
        have = format_count(len(found.scores), "metric")
        told.append(
            refusal("No radar.", f"It needs at least {RADAR_METRICS} metrics; the run has {have}.")
        )
    few = [s for s in found.systems if found.dialogs[s] < RADAR_DIALOGS]
    for system in few[:MOST_SHAPES]:
        n = format_count(found.dialogs[system], "dialog")
        told.append(
            refusal(
                [styled_name(parties[system]), " is not drawn."],
                f"It has {n}. A radar needs at least {RADAR_DIALOGS} per system; with fewer, "
                "its shape would be mostly noise.",
            )
        )
    if len(few) > MOST_SHAPES:
        rest = len(few) - MOST_SHAPES
        told.append(
            small_print(
                f"{format_count(rest, 'more system')} with fewer than {RADAR_DIALOGS} dialogs."
            )
        )
    left = [s for s in found.systems if s not in drawn and s not in few]
    if left:
        told.append(
            small_print(f"Only the two systems compared above are drawn; {len(left)} are not.")
        )
    return told
