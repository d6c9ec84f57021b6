"""The systems side by side: every metric on its own scale, as dots, as a radar, as a table.

There is no total score: metrics have different units and directions, and any weights would be
arbitrary. Dots with intervals come first, as a radar shows no uncertainty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simpatico.charts.dots import small_multiples
from simpatico.charts.html import Child, Html, el
from simpatico.charts.means import Dot, Group, Panel, means_table, panel_axis
from simpatico.charts.radar import Radar, RadarOutline, radar
from simpatico.charts.systems import SystemStyle, styled_name, user_style
from simpatico.comparison.chart import color_names
from simpatico.comparison.difference import Difference
from simpatico.comparison.headline import SystemName, TextPart
from simpatico.comparison.ranking import score_rows
from simpatico.comparison.samples import HUMAN
from simpatico.reporting.findings import Findings
from simpatico.reporting.minimum_data import RADAR_DIALOGS, RADAR_METRICS
from simpatico.reporting.sections import components as page
from simpatico.wording import format_count, lower_first_letter

ABOUT = {
    "P": ("Psychological", "metrics from psychology"),
    "L": ("Learned", "trained on human reactions"),
    "T": ("Traditional", "text quality, length and overlap"),
    "O": ("Other", "metrics of other packages"),
}
"""The kinds of metrics, each with its title and what it holds, in the order of the page."""
SPOKES = 12
"""Axes of one radar; more metrics than that get another."""
MOST_SHAPES = 6
"""More outlines than this in one radar cannot be told apart."""


def systems_section(findings: Findings) -> page.Section:
    """Each metric's means with their intervals."""
    groups = metric_groups(findings)
    views = [
        ("Dots with intervals", small_multiples(groups)),
        ("Radar", radar_view(findings, groups)),
        ("Table", means_table(groups)),
    ]
    users = " User turns (“human”) are scored the same way, for comparison."
    return page.make_section(
        "systems",
        "Systems side by side",
        color_names(systems_finding(findings), findings.styles),
        page.intro(
            "Each panel is one metric on its own scale; rows are the systems, each with the mean "
            "of its dialogs and a 95% CI.",
            users if HUMAN in findings.dialogs and HUMAN not in findings.systems else None,
        ),
        page.switch("view", "Show as", views),
    )


def systems_finding(findings: Findings) -> list[TextPart]:
    """The heading: a system that differs from all others, or how many comparisons differ.

    Where pairs were left out for want of room, "every other" cannot be claimed, and counts are
    those of the pairs shown.
    """
    systems, partial = findings.systems, findings.pairs_left_out > 0
    if len(systems) < 2:
        return ["How ", SystemName(systems[0]), " scores"]
    if not findings.pairs:
        return ["How the systems score"]
    every = [d for pair in findings.pairs.values() for d in score_rows(pair)]
    comparable = [d for d in every if d.finding not in ("too_few", "same")]
    if not comparable:
        return ["Too few dialogs to compare any two systems"]
    clear = [d for d in comparable if d.finding in ("higher", "lower")]
    if not clear:
        where = "in the pairs shown" if partial else "between any two systems"
        return [f"No significant difference {where}"]
    distinct = {s: distinct_scores(s, clear, len(systems) - 1) for s in systems}
    best = max(systems, key=lambda s: len(distinct[s]))
    if len(systems) > 2 and distinct[best] and not partial:
        titles = [lower_first_letter(t) for s, t in findings.titles.items() if s in distinct[best]]
        text = page.sentence_list(titles)
        return [SystemName(best), f" differs from every other system in {text}"]
    scope = "comparisons shown here" if partial else "comparisons"
    show = "shows" if len(comparable) == 1 else "show"
    summary = f"{len(clear)} of {len(comparable)} {scope} {show} a significant difference"
    if len(systems) == 2:
        return [summary]
    counts = {s: sum(s in (d.a, d.b) for d in clear) for s in systems}
    most = max(systems, key=lambda s: counts[s])
    part = "it" if len(clear) == 1 else f"{counts[most]} of them"
    return [f"{summary}; ", SystemName(most), f" is in {part}"]


def distinct_scores(system: str, clear: Sequence[Difference], others: int) -> set[str]:
    """The scores on which a system differs significantly from so many others, that is from all."""
    rivals: dict[str, set[str]] = {}
    for d in clear:
        if system in (d.a, d.b):
            rivals.setdefault(d.score, set()).add(d.b if d.a == system else d.a)
    return {score for score, names in rivals.items() if len(names) == others}


def metric_groups(findings: Findings) -> list[Group]:
    """The metrics by kind, each with one dot per system and, last, the users.

    Users are there as a reference: how people write who talk with these systems.
    """
    rows = {row["system"]: row for row in findings.table.to_dicts()}
    speakers = [(style, rows[name]) for name, style in findings.styles.items()]
    if HUMAN in rows and HUMAN not in findings.systems:
        speakers.append((user_style("users (human)"), rows[HUMAN]))
    groups = []
    for kind, (title, about) in ABOUT.items():
        panels = []
        for score in (s for s in findings.scores if s.kind == kind):
            dots = tuple(system_dot(score.name, row, style) for style, row in speakers)
            scope = "; of the system as a whole" if score.level == "system" else ""
            panels.append(Panel(score.title, score.direction + scope, dots))
        if panels:
            groups.append(Group(title, about, tuple(panels)))
    return groups


def system_dot(score: str, row: Mapping[str, Any], style: SystemStyle) -> Dot:
    """A system's mean; with the reason where there is none, or no interval.

    The table of systems has a score's mean, interval, number and reason in columns beside it.
    """
    value, n = row[score], row[f"{score}_n"] or 0
    low, high = row[f"{score}_low"], row[f"{score}_high"]
    reason = ""
    if value is None:
        reason = (row.get(f"{score}_null") or "not scored in any dialog").replace("_", " ")
    elif low is None:
        reason = "one dialog has no interval" if n < 2 else "all dialogs have the same value"
    return Dot(style, value, low, high, n, reason)


def radar_view(findings: Findings, groups: Sequence[Group]) -> Html:
    """One radar for each kind of metric that has enough of them, and what is not drawn.

    The caution below it is part of the chart: the shape depends on the order of the axes.
    """
    refusals = radar_refusals(findings)
    radars = build_radars(findings, groups)
    if not radars:
        return el("div", None, refusals)
    names = [styled_name(findings.styles[s]) for s in radar_systems(findings)]
    return el(
        "div",
        None,
        el("div", {"class": "radars"}, [radar(r) for r in radars]),
        el("p", {"class": "legend"}, names),
        page.small_print(
            "Axes have the same ranges as the dot plots, low at the centre. A radar shows no "
            "uncertainty, and its area and shape depend on the order of the axes: use it for an "
            "overview and the dot plots for decisions."
        ),
        refusals,
    )


def radar_systems(findings: Findings) -> list[str]:
    """The systems with dialogs enough for a radar; of too many only the two that are compared."""
    systems = [s for s in findings.systems if findings.dialogs[s] >= RADAR_DIALOGS]
    if findings.main and len(systems) > MOST_SHAPES:
        return [s for s in findings.main if s in systems]
    return systems


def build_radars(findings: Findings, groups: Sequence[Group]) -> list[Radar]:
    """Radars of at least three axes; none where no system has enough dialogs.

    Kinds with too few metrics for a radar of their own join that of the first kind. A metric
    without a mean for every system is left out, or outlines would have holes.
    """
    systems = radar_systems(findings)
    if not systems:
        return []
    complete = {g.title: [p for p in g.panels if has_all(p, systems)] for g in groups}
    sets = [(t, panels) for t, panels in complete.items() if len(panels) >= RADAR_METRICS]
    small = {t: panels for t, panels in complete.items() if 0 < len(panels) < RADAR_METRICS}
    rest = [p for panels in small.values() for p in panels]
    if rest and sets:
        title, first = sets[0]
        sets[0] = (" and ".join([title, *(t.lower() for t in small)]), [*first, *rest])
    elif rest:
        sets = [("All metrics", rest)]
    radars = []
    for title, panels in sets:
        for i in range(0, len(panels), SPOKES):
            part = panels[i : i + SPOKES]
            outlines = tuple(
                RadarOutline(findings.styles[s], tuple(axis_share(p, s) for p in part))
                for s in systems
            )
            name = title if i == 0 else f"{title}, continued"
            radars.append(Radar(name, tuple(p.title for p in part), outlines))
    return [r for r in radars if len(r.spokes) >= RADAR_METRICS]


def has_all(panel: Panel, systems: Sequence[str]) -> bool:
    """Whether every system has a mean on a metric."""
    return set(systems) <= {d.style.name for d in panel.dots if d.value is not None}


def axis_share(panel: Panel, system: str) -> float | None:
    """Where the mean of a system lies on the scale of the dot plot, from 0 to 1."""
    value = next(d.value for d in panel.dots if d.style.name == system)
    return None if value is None else panel_axis(panel).share(value)


def radar_refusals(findings: Findings) -> list[Child]:
    """Which systems are not in the radar, and why: too few dialogs, or too many outlines."""
    notes: list[Child] = []
    if len(findings.scores) < RADAR_METRICS:
        have = format_count(len(findings.scores), "metric")
        reason = f"It needs at least {RADAR_METRICS} metrics; the run has {have}."
        notes.append(page.refusal("No radar.", reason))
    few = [s for s in findings.systems if findings.dialogs[s] < RADAR_DIALOGS]
    for system in few[:MOST_SHAPES]:
        n = format_count(findings.dialogs[system], "dialog")
        reason = (
            f"It has {n}. A radar needs at least {RADAR_DIALOGS} per system; with fewer, its shape "
            "would be mostly noise."
        )
        title = [styled_name(findings.styles[system]), " is not drawn."]
        notes.append(page.refusal(title, reason))
    if len(few) > MOST_SHAPES:
        rest = format_count(len(few) - MOST_SHAPES, "more system")
        notes.append(page.small_print(f"{rest} with fewer than {RADAR_DIALOGS} dialogs."))
    left = len(findings.systems) - len(few) - len(radar_systems(findings))
    if left:
        text = f"Only the two systems compared above are drawn; {left} are not."
        notes.append(page.small_print(text))
    return notes
