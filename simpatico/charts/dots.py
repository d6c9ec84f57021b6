"""Systems side by side: a dot and its interval per system, one small panel per metric.

Small multiples (Tufte 1983): all panels have the same rows, so that a system is found at the same
height everywhere, while each metric has a scale of its own. Dots, not bars, as a cut scale would
make the lengths of bars lie.
"""

from __future__ import annotations

from collections.abc import Sequence

from simpatico.charts import svg
from simpatico.charts.axis import Axis, tick_labels
from simpatico.charts.html import Child, Html, el
from simpatico.charts.means import (
    Dot,
    Group,
    Panel,
    dot_interval,
    has_value,
    level_dots,
    panel_axis,
    panel_digits,
)
from simpatico.charts.systems import SystemStyle, styled_name, use_mark
from simpatico.wording import NO_VALUE, format_interval, format_number

ROW = 20
ACROSS = 5
"""Panels in a row on a wide screen; there the names stand once before them."""

WIDEST_LABELS = 13
"""Characters of tick labels that a narrow panel has room for."""

FIGURE_ROW, LINE, GAP = 15.0, 12.0, 20.0
NARROWEST = 100.0
"""Sizes of a figure, in CSS pixels: row, line of text, between panels, and the narrowest panel."""


def systems_in_order(groups: Sequence[Group]) -> list[SystemStyle]:
    """Every system once, in the order of the first panel that has it; people are no system."""
    styles = (d.style for g in groups for p in g.panels for d in p.dots)
    return list(dict.fromkeys(s for s in styles if s.key != "sp"))


def human_dots(panel: Panel) -> list[Dot]:
    """The values of people where they were scored: a line to compare with, not a row."""
    return [d for d in panel.dots if d.style.key == "sp" and has_value(d)]


def human_names(groups: Sequence[Group]) -> list[str]:
    """What the dotted lines are called in the key."""
    names = (d.style.display_name for g in groups for p in g.panels for d in human_dots(p))
    return list(dict.fromkeys(names))


def small_multiples(groups: Sequence[Group]) -> Html:
    """The panels of all groups, with names, values and a key."""
    styles, cells = systems_in_order(groups), []
    # The key goes to the first group whose last row has room for it, or else to the last one.
    with_room = (i for i, g in enumerate(groups) if len(g.panels) % ACROSS)
    key_group = next(with_room, len(groups) - 1)
    # Each panel has the names again, for screen readers and narrow screens.
    names = el("div", {"class": "names", "aria-hidden": "true"}, [styled_name(s) for s in styles])
    for position, group in enumerate(groups):
        about = [" · ", group.about] if group.about else None
        cells.append(el("h3", None, el("b", None, group.title), about))
        for i, panel in enumerate(group.panels):
            cells += [names] if i % ACROSS == 0 else []
            cells.append(dot_panel(panel, styles))
        cells += [dots_key(groups)] if position == key_group else []
    return el("div", {"class": "dots"}, el("div", {"class": "mult"}, cells))


def dot_panel(panel: Panel, styles: Sequence[SystemStyle]) -> Html:
    """A table: name, plot and value of every system, under the title of the metric."""
    axis, digits = panel_axis(panel), panel_digits(panel)
    dots = level_dots(panel, styles)
    notes = [panel.note, *missing_value_notes(dots)]
    lines = [el("p", None, note) for note in notes if note]
    caption = el("caption", None, el("h4", None, panel.title), lines)
    grid = panel_scale(panel, axis, ROW * len(dots))
    scale = el("svg", {"class": "g", "aria-hidden": "true"}, grid)
    rows = [dot_row(d, axis, digits, None if i else scale) for i, d in enumerate(dots)]
    return el("table", {"class": "pnl"}, caption, rows)


def missing_value_notes(dots: Sequence[Dot]) -> list[str]:
    """Why some systems have no value: each reason once, with names where it is up to three."""
    systems: dict[str, list[str]] = {}
    for dot in dots:
        if not has_value(dot):
            systems.setdefault(dot.why or "not scored", []).append(dot.style.display_name)
    notes = []
    for why, names in systems.items():
        few = f"{', '.join(names)}: " if len(names) <= 3 else f"{len(names)} of {len(dots)}: "
        notes.append(f"{NO_VALUE} {'' if len(names) == len(dots) else few}{why}")
    return notes


def panel_scale(panel: Panel, axis: Axis, height: float, plot: float | None = None) -> list[Child]:
    """Grid lines, the dotted line of people, and the tick labels below.

    In a figure the width of the plot is known: labels are smaller and only as many as fit.
    """
    # A digit of a figure's labels is 5 pixels wide.
    widest = WIDEST_LABELS if plot is None else min(WIDEST_LABELS, int(plot / 5))
    size = None if plot is None else svg.FONT_SIZE - 1
    ticks = panel_ticks(panel, axis, widest)
    people = [d.value for d in human_dots(panel) if d.value is not None]
    lines = [("grid", axis.at(t)) for t in ticks] + [("ref", axis.at(v)) for v in people]
    place = {"y": height + 11, "text-anchor": "middle", "class": "t", "font-size": size}
    labels = zip(ticks, tick_labels(ticks), strict=True)
    return [
        [el("line", {"class": kind, "x1": x, "x2": x, "y2": height}) for kind, x in lines],
        [el("text", {"x": axis.at(t), **place}, text) for t, text in labels],
    ]


def panel_ticks(panel: Panel, axis: Axis, widest: int) -> list[float]:
    """About three round numbers, fewer where their labels are long, none without a value."""
    if not any(has_value(d) for d in panel.dots):
        return []
    choices = [axis.ticks(about) for about in (4, 3, 5, 8)]
    choices += [[t[0], t[-1]] for t in choices if len(t) > 1]
    fitting = [t for t in choices if len(t) > 1 and len("".join(tick_labels(t))) <= widest]
    return fitting[0] if fitting else choices[0][:1]


def dot_row(dot: Dot, axis: Axis, digits: int, scale: Html | None = None) -> Html:
    """Name, plot and value; the first row carries the scale of all."""
    plot, about = None, dot.why or "not scored"
    if has_value(dot):
        mark = dot_mark(dot, axis, ROW / 2)
        plot = el("svg", {"class": dot.style.key, "aria-hidden": "true"}, mark)
        ends = f" {format_interval(dot.low, dot.high, digits)}" if dot_interval(dot) else ""
        about = f"{format_number(dot.value, digits)}{ends}, n = {dot.n:,}"
    cell = el("td", {"title": about}, scale, plot)
    value = el("td", None, format_number(dot.value, digits))
    return el("tr", None, styled_name(dot.style, "th", "row"), cell, value)


def dot_mark(dot: Dot, axis: Axis, middle: float) -> list[Child]:
    """The interval and the mark of the system; empty where there is no value."""
    if dot.value is None or not has_value(dot):
        return []
    ends = dot_interval(dot)
    line = svg.horizontal_line(axis.at(ends[0]), axis.at(ends[1]), middle) if ends else None
    return [line, use_mark(dot.style.key, axis.at(dot.value), middle, small=True)]


def dots_key(groups: Sequence[Group]) -> Html:
    """What line, mark and dotted line mean, and that scales are cut."""
    line = el("line", {"x2": 40, "y1": 7, "y2": 7, "stroke-width": 2})
    mark = use_mark("s0", 20, 7, small=True)
    mean = el("svg", {"class": "ink", "aria-hidden": "true"}, line, mark)
    reference = el("line", {"class": "ref", "x1": 20, "x2": 20, "y1": -2, "y2": 16})
    dots = el("svg", {"aria-hidden": "true"}, reference)
    return el(
        "div",
        {"class": "key"},
        el("p", None, mean, "mean and 95% CI"),
        [el("p", None, dots, name) for name in human_names(groups)],
        el("p", None, "Each scale covers the systems’ values; the cards show the full range."),
    )


def dots_figure(groups: Sequence[Group], width: float) -> Html:
    """All panels as one figure, the names once before every row."""
    styles = systems_in_order(groups)
    left = max((svg.text_width(s.display_name) for s in styles), default=0.0) + 14 + GAP / 2
    most = max((len(g.panels) for g in groups), default=1)
    across = max(1, min(ACROSS, most, int((width - left + GAP) / (NARROWEST + GAP))))
    room = (width - left + GAP) / across - GAP
    content, y = [], 0.0
    for group in groups:
        content.append(svg.text_line(0, y + LINE, group.title, kind="h"))
        y += LINE + 8
        for i in range(0, len(group.panels), across):
            row, height = dots_figure_row(group.panels[i : i + across], styles, left, room)
            content.append(svg.nested_svg(0, y, width, height, row))
            y += height + 14
    people = "".join(f" Dotted: {name}." for name in human_names(groups))
    legend = f"Marks: means. Lines: 95% CIs.{people} Each panel has its own scale."
    lines = svg.wrap_to_width(legend, width)
    below = svg.text_lines(0, y + 9, lines, LINE)
    return svg.svg_document(width, y + len(lines) * LINE + 2, content, below)


def dots_figure_row(
    panels: Sequence[Panel], styles: Sequence[SystemStyle], left: float, room: float
) -> tuple[list[Child], float]:
    """Panels in a row, level with the names, and how high that is."""
    heads = []
    for panel in panels:
        notes = (panel.note, *missing_value_notes(level_dots(panel, styles)))
        title = [(line, "h") for line in svg.wrap_to_width(panel.title, room, bold=True)]
        heads.append(
            title + [(line, "t") for note in notes for line in svg.wrap_to_width(note, room)]
        )
    top = max(len(head) for head in heads) * LINE + 6
    content: list[Child] = []
    for i, style in enumerate(styles):
        mark = use_mark(style.key, 5, 0, small=True)
        name = svg.text_line(13, 3.5, style.display_name, kind=f"{style.key} w")
        place = f"translate(0 {top + i * FIGURE_ROW + 7.5:g})"
        content.append(el("g", {"class": style.key, "transform": place}, mark, name))
    for i, (panel, head) in enumerate(zip(panels, heads, strict=True)):
        x = left + i * (room + GAP)
        content.append(svg.text_lines(x, top - 9 - (len(head) - 1) * LINE, head, LINE))
        content.append(dots_figure_panel(panel, styles, (x, top), room))
    return content, top + len(styles) * FIGURE_ROW + 16


def dots_figure_panel(
    panel: Panel, styles: Sequence[SystemStyle], at: tuple[float, float], room: float
) -> list[Child]:
    """Scale, marks and the column of values."""
    (x, top), axis, digits = at, panel_axis(panel), panel_digits(panel)
    dots = level_dots(panel, styles)
    values = [format_number(d.value, digits) for d in dots]
    plot = max(room - max(map(svg.text_width, values), default=0.0) - 8, 20.0)
    height = FIGURE_ROW * len(dots)
    scale = panel_scale(panel, axis, height, plot)
    content: list[Child] = [svg.nested_svg(x, top, plot, height, scale)]
    for i, (dot, value) in enumerate(zip(dots, values, strict=True)):
        y = top + i * FIGURE_ROW
        mark = el("g", {"class": dot.style.key, "stroke-width": 2}, dot_mark(dot, axis, 7.5))
        content.append(svg.nested_svg(x, y, plot, FIGURE_ROW, mark))
        content.append(svg.text_line(x + room, y + 11, value, anchor="end", kind="k"))
    return content
