"""Systems side by side: a dot and its interval per system, one small panel per metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simpatico.charts.axis import Axis, labels
from simpatico.charts.html import Child, Html, el
from simpatico.charts.means import (
    Dot,
    Group,
    Panel,
    digits_of,
    dot_of,
    interval,
    known,
    means_table,
    window,
)
from simpatico.charts.svg import TEXT, label, nested, standalone, width_of, wrapped
from simpatico.charts.systems import Party, named, use
from simpatico.wording import NO_VALUE, format_interval, format_number

__all__ = ["Dot", "Group", "Panel", "figure", "means_table", "multiples", "window"]

ROW = 20
ACROSS = 5
"""Panels beside each other on a wide screen; there the names stand once before them."""

WIDEST_LABELS = 13
"""Characters of tick labels that a narrow panel has room for."""


def rows_of(groups: Sequence[Group]) -> list[Party]:
    """Every system once, in the order of the first panel that has it."""
    found = (d.party for g in groups for p in g.panels for d in p.dots)
    return list(dict.fromkeys(p for p in found if p.key != "sp"))


def people(panel: Panel) -> list[Dot]:
    return [d for d in panel.dots if d.party.key == "sp" and known(d)]


def told(dot: Dot, digits: int) -> str:
    """The mean, its interval and how many values it comes from, or why there is none."""
    if not known(dot):
        return dot.why or "not scored"
    ends = f" {format_interval(dot.low, dot.high, digits)}" if interval(dot) else ""
    return f"{format_number(dot.value, digits)}{ends}, n = {dot.n:,}"


def multiples(groups: Sequence[Group]) -> Html:
    """The panels of all groups, with names, values and a key."""
    parties, cells = rows_of(groups), []
    place = free_place(groups)
    for at, group in enumerate(groups):
        about = [" · ", group.about] if group.about else None
        cells.append(el("h3", None, el("b", None, group.title), about))
        for i, panel in enumerate(group.panels):
            cells += [names(parties)] if i % ACROSS == 0 else []
            cells.append(panel_of(panel, parties))
        cells += [key(groups)] if at == place else []
    return el("div", {"class": "dots"}, el("div", {"class": "mult"}, cells))


def free_place(groups: Sequence[Group]) -> int:
    """The first group whose last row has room for the key, or else the last one."""
    with_room = (i for i, g in enumerate(groups) if len(g.panels) % ACROSS)
    return next(with_room, len(groups) - 1)


def names(parties: Iterable[Party]) -> Html:
    """The names before a row of panels; each panel has its own for those who do not see."""
    return el("div", {"class": "names", "aria-hidden": "true"}, [named(p) for p in parties])


def panel_of(panel: Panel, parties: Sequence[Party]) -> Html:
    axis, digits = window(panel), digits_of(panel)
    dots = [dot_of(panel, p) for p in parties]
    caption = el(
        "caption",
        None,
        el("h4", None, panel.title),
        el("p", None, panel.note) if panel.note else None,
        [el("p", None, reason) for reason in reasons(dots)],
    )
    behind = el("svg", {"class": "g", "aria-hidden": "true"}, scale(panel, axis, ROW * len(dots)))
    rows = [row(d, axis, digits, None if i else behind) for i, d in enumerate(dots)]
    return el("table", {"class": "pnl"}, caption, rows)


def reasons(dots: Sequence[Dot]) -> list[str]:
    """Why some systems have no value: each reason once, with names unless it is all of them."""
    without: dict[str, list[str]] = {}
    for dot in dots:
        if not known(dot):
            without.setdefault(dot.why or "not scored", []).append(dot.party.shown)
    return [f"{NO_VALUE} {whose(who, len(dots))}{why}" for why, who in without.items()]


def whose(who: Sequence[str], of: int) -> str:
    """Names as long as they are few."""
    if len(who) == of:
        return ""
    return f"{', '.join(who)}: " if len(who) <= 3 else f"{len(who)} of {of}: "


def scale(panel: Panel, axis: Axis, height: float, size: float | None = None) -> list[Child]:
    """Grid lines, the dotted line of people, and the labels below."""
    ticks = ticks_of(panel, axis)
    grid = [line(axis.at(t), height, "grid") for t in ticks]
    dotted = [line(axis.at(d.value), height, "ref") for d in people(panel) if d.value is not None]
    place = {"y": height + 11, "text-anchor": "middle", "class": "t", "font-size": size}
    text = [
        el("text", {"x": axis.at(t), **place}, label)
        for t, label in zip(ticks, labels(ticks), strict=True)
    ]
    return [grid, dotted, text]


def line(x: str, height: float, kind: str) -> Html:
    return el("line", {"class": kind, "x1": x, "x2": x, "y2": height})


def ticks_of(panel: Panel, axis: Axis) -> list[float]:
    """About three round numbers, fewer where their labels are long, none without a value."""
    if not any(known(d) for d in panel.dots):
        return []
    tried = [axis.ticks(about) for about in (4, 3, 5, 8)]
    tried += [[t[0], t[-1]] for t in tried if t]
    fitting = [t for t in tried if len(t) > 1 and len("".join(labels(t))) <= WIDEST_LABELS]
    return fitting[0] if fitting else tried[0][:1]


def row(dot: Dot, axis: Axis, digits: int, behind: Html | None = None) -> Html:
    """Name, plot and value; the first row carries the scale of all."""
    party = dot.party
    full = party.name if party.shown != party.name else None
    icon = el("svg", {"viewBox": "-6 -6 12 12", "aria-hidden": "true"}, use(party.key))
    head = el(
        "th",
        {"class": f"sys {party.key}", "scope": "row", "title": full},
        icon,
        el("bdi", None, party.shown),
    )
    drawn = el("svg", {"class": party.key, "aria-hidden": "true"}, mark(dot, axis, ROW / 2))
    cell = el("td", {"title": told(dot, digits)}, behind, drawn if known(dot) else None)
    return el("tr", None, head, cell, el("td", None, format_number(dot.value, digits)))


def mark(dot: Dot, axis: Axis, middle: float) -> list[Child]:
    """The interval and the mark of the system; nothing where there is no value."""
    if dot.value is None or not known(dot):
        return []
    ends, bar = interval(dot), None
    if ends:
        x1, x2 = map(axis.at, ends)
        bar = el("line", {"x1": x1, "x2": x2, "y1": middle, "y2": middle})
    return [bar, use(dot.party.key, axis.at(dot.value), middle, small=True)]


def people_names(groups: Sequence[Group]) -> list[str]:
    found = (d.party.shown for g in groups for p in g.panels for d in people(p))
    return list(dict.fromkeys(found))


def key(groups: Sequence[Group]) -> Html:
    """What line, mark and dotted line mean."""
    bar = el("line", {"x2": 40, "y1": 7, "y2": 7, "stroke-width": 2})
    mean = el("svg", {"class": "ink", "aria-hidden": "true"}, bar, use("s0", 20, 7, small=True))
    dotted = el("svg", {"aria-hidden": "true"}, el("line", REFERENCE))
    cut = "Each scale is cut to where the systems lie; the cards show the whole range."
    return el(
        "div",
        {"class": "key"},
        el("p", None, mean, "mean and its 95% interval"),
        [el("p", None, dotted, name) for name in people_names(groups)],
        el("p", None, cut),
    )


REFERENCE = {"class": "ref", "x1": 20, "x2": 20, "y1": -2, "y2": 16}


FIGURE_ROW, LINE, GAP = 15.0, 12.0, 20.0
NARROWEST = 100.0
"""Sizes of a figure, in CSS pixels."""


def figure(groups: Sequence[Group], width: float) -> Html:
    """All panels on one sheet, the names once before every row."""
    parties = rows_of(groups)
    left = max((width_of(p.shown) for p in parties), default=0.0) + 14 + GAP / 2
    most = max((len(g.panels) for g in groups), default=1)
    across = max(1, min(ACROSS, most, int((width - left + GAP) / (NARROWEST + GAP))))
    drawn, y = [], 0.0
    for group in groups:
        drawn.append(label(0, y + LINE, group.title, kind="h"))
        y += LINE + 8
        for i in range(0, len(group.panels), across):
            part = group.panels[i : i + across]
            below, height = figure_row(part, parties, left, (width - left + GAP) / across - GAP)
            drawn.append(nested(0, y, width, height, below))
            y += height + 14
    lines = wrapped(legend_of(groups), width)
    below = [label(0, y + 9 + i * LINE, line, kind="t") for i, line in enumerate(lines)]
    return standalone(width, y + len(lines) * LINE + 2, drawn, below)


def legend_of(groups: Sequence[Group]) -> str:
    """What the lines mean, in words."""
    dotted = "".join(f" Dotted: {name}." for name in people_names(groups))
    return f"Marks: means. Lines: their 95% intervals.{dotted} Each panel has its own scale."


def figure_row(
    panels: Sequence[Panel], parties: Sequence[Party], left: float, room: float
) -> tuple[list[Child], float]:
    """Panels beside each other, their rows level with the names, and how high that is."""
    heads = [head_of(p, [dot_of(p, q) for q in parties], room) for p in panels]
    top = max(len(h) for h in heads) * LINE + 6
    drawn: list[Child] = [name_of(p, top + i * FIGURE_ROW) for i, p in enumerate(parties)]
    for i, (panel, head) in enumerate(zip(panels, heads, strict=True)):
        x = left + i * (room + GAP)
        first = top - 6 - len(head) * LINE + LINE - 3
        drawn += [label(x, first + j * LINE, t, kind=k) for j, (t, k) in enumerate(head)]
        drawn.append(figure_panel(panel, parties, (x, top), room))
    return drawn, top + len(parties) * FIGURE_ROW + 16


def head_of(panel: Panel, dots: Sequence[Dot], room: float) -> list[tuple[str, str]]:
    """The lines above a panel and how they are painted."""
    title = [(t, "h") for t in wrapped(panel.title, room, bold=True)]
    return title + [(t, "t") for s in (panel.note, *reasons(dots)) for t in wrapped(s, room)]


def name_of(party: Party, y: float) -> Html:
    mark_and_name = [
        use(party.key, 5, 0, small=True),
        label(13, 3.5, party.shown, kind=f"{party.key} w"),
    ]
    return el("g", {"class": party.key, "transform": f"translate(0 {y + 7.5:g})"}, mark_and_name)


def figure_panel(
    panel: Panel, parties: Sequence[Party], at: tuple[float, float], room: float
) -> list[Child]:
    """Scale, marks and the column of values."""
    axis, digits = window(panel), digits_of(panel)
    dots = [dot_of(panel, p) for p in parties]
    values = [format_number(d.value, digits) for d in dots]
    plot = max(room - max(map(width_of, values), default=0.0) - 8, 20.0)
    height = FIGURE_ROW * len(dots)
    behind = nested(at[0], at[1], plot, height, scale(panel, axis, height, TEXT - 1))
    drawn: list[Child] = [behind]
    for i, (dot, value) in enumerate(zip(dots, values, strict=True)):
        y = at[1] + i * FIGURE_ROW
        inside = el("g", {"class": dot.party.key, "stroke-width": 2}, mark(dot, axis, 7.5))
        drawn.append(nested(at[0], y, plot, FIGURE_ROW, inside))
        drawn.append(label(at[0] + room, y + 11, value, anchor="end", kind="k"))
    return drawn
