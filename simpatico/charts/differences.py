"""Differences between two systems: a sentence each, plotted on one axis in standard deviations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from math import floor, isfinite, log10
from typing import Literal

from simpatico.charts.axis import Axis, tick_labels
from simpatico.charts.html import Child, Html, el
from simpatico.charts.svg import nested_svg, svg_document, text_line, text_width, wrap_to_width
from simpatico.charts.systems import SystemStyle, shorten_name, use_mark
from simpatico.wording import NO_VALUE, format_number

ROW = 34
SMALLEST_AXIS = 0.6
"""Standard deviations that the axis covers at least, so that small differences look small."""

SHORT_NOTE = 48
"""Characters of a note that is set in line with its sentence rather than below it."""

FIGURE_ROW, LINE = 20.0, 12.0
FIGURE_PLOT = 0.44
"""Share of a figure's width for the plot."""

AMOUNT = re.compile(r"\S+(?: [^\W\d]+)? \[[^\[\]]*\]\.?\Z")
"""A number with its unit and interval at the end of a sentence, which should stay in one line."""


@dataclass(frozen=True)
class DifferenceRow:
    """System `a` minus system `b` on one metric, in its unit.

    `low` and `high` are the confidence interval, `wide_low` and `wide_high` the one that allows for
    all comparisons; `times` is how often in 100 draws `a` is higher.
    """

    claim: Child
    note: str
    difference: float | None
    low: float | None
    high: float | None
    wide_low: float | None
    wide_high: float | None
    sd: float | None
    times: float | None
    tracks: str
    side: Literal["a", "b"] | None
    """The system with the higher value, whose colour it has; None where it is no finding."""


@dataclass(frozen=True)
class DifferenceChart:
    """All differences of two systems, in groups with a title; `a` is to the right."""

    a: SystemStyle
    b: SystemStyle
    groups: tuple[tuple[str, tuple[DifferenceRow, ...]], ...]
    caption: str
    with_tracks: bool
    unit: str = "dialog"
    confidence: float = 0.95


def symmetric_axis(chart: DifferenceChart) -> Axis:
    """An axis around zero that holds both ends of every interval."""
    rows = [row for _, rows in chart.groups for row in rows]
    extents = (abs(v) for row in rows for v in in_standard_deviations(row).values())
    reach = max(SMALLEST_AXIS, *extents, 0.0) * 1.06
    return Axis(-reach, reach)


def in_standard_deviations(row: DifferenceRow) -> dict[str, float]:
    """The difference ("x") and the ends of its intervals, as far as they are known."""
    if not row.sd or row.difference is None or not isfinite(row.difference):
        return {}
    values = {
        "x": row.difference,
        "low": row.low,
        "high": row.high,
        "from": row.wide_low,
        "to": row.wide_high,
    }
    return {n: v / row.sd for n, v in values.items() if v is not None and isfinite(v)}


def symmetric_ticks(axis: Axis) -> list[float]:
    """Zero and one round number on both sides, far enough from the edge for its label."""
    most = 0.8 * axis.high
    power = 10.0 ** floor(log10(most))
    step = max(m * power for m in (1, 2, 5) if m * power <= most * (1 + 1e-9))
    return [-step, 0.0, step]


def difference_table(chart: DifferenceChart) -> Html:
    """A row for each metric: sentence, plot, probability of superiority, r with human ratings."""
    axis = symmetric_axis(chart)
    columns = 4 if chart.with_tracks else 3
    bodies = []
    for title, rows in chart.groups:
        if rows:
            count = el("span", None, len(rows))
            name = el("th", {"colspan": columns, "scope": "rowgroup"}, title, count)
            lines = [difference_row(chart, axis, row) for row in rows]
            bodies.append(el("tbody", None, el("tr", {"class": "grp"}, name), lines))
    caption = el("caption", {"class": "vh"}, chart.caption)
    return el("table", {"class": "verdict"}, caption, difference_head(chart, axis), bodies)


def difference_head(chart: DifferenceChart, axis: Axis) -> Html:
    scale = el("svg", {"aria-hidden": "true"}, difference_scale(chart, axis))
    level = f"{100 * chart.confidence:.4g}%"
    plot = el("span", {"class": "vh"}, f"plot, in standard deviations between {chart.unit}s")
    tracks = el("th", {"class": "tr", "scope": "col"}, "r with human ratings")
    row = el(
        "tr",
        None,
        el("th", {"scope": "col"}, f"Difference in the metric’s unit [{level} CI]"),
        el("th", {"class": "ax", "scope": "col"}, plot, scale),
        el("th", {"class": "of r", "scope": "col"}, "higher in % of pairs"),
        tracks if chart.with_tracks else None,
    )
    return el("thead", None, row)


def difference_scale(chart: DifferenceChart, axis: Axis, longest: int = 13) -> list[Html]:
    """Which system is on which side, and the tick labels."""
    to_b = f"← {shorten_name(chart.b.name, longest)}"
    to_a = f"{shorten_name(chart.a.name, longest)} →"
    ticks = symmetric_ticks(axis)
    minus, _, plus = tick_labels(ticks)
    return [
        el("text", {"class": "t", "x": "49%", "y": 10, "text-anchor": "end"}, to_b),
        el("text", {"class": "t", "x": "51%", "y": 10}, to_a),
        *(
            el("text", {"class": "t", "x": axis.at(v), "y": 26, "text-anchor": "middle"}, text)
            for v, text in zip(ticks, (f"{minus} SD", "0", f"+{plus} SD"), strict=True)
        ),
    ]


def difference_row(chart: DifferenceChart, axis: Axis, row: DifferenceRow) -> Html:
    in_line = row.side is None and len(row.note) <= SHORT_NOTE
    note = el("small", {"class": "in" if in_line else None}, row.note) if row.note else None
    mark = difference_mark(chart, axis, row, ROW)
    plot = (
        el("small", None, missing_difference(row))
        if mark is None
        else el("svg", {"aria-hidden": "true"}, difference_grid(axis, ROW), mark)
    )
    follows = row.tracks.endswith("(weak)") or row.tracks[-1:].isdigit()
    tracks = el("td", {"class": "tr" if follows else "tr no"}, row.tracks or NO_VALUE)
    return el(
        "tr",
        None,
        el("td", {"class": "st"}, row.claim, " " if note else None, note),
        el("td", {"class": "ax"}, plot),
        el("td", {"class": "of r"}, format_number(row.times, 0)),
        tracks if chart.with_tracks else None,
    )


def missing_difference(row: DifferenceRow) -> str:
    return "no difference available" if row.difference is None else "no variation between dialogs"


def difference_grid(axis: Axis, height: float) -> list[Html]:
    positions = map(axis.at, symmetric_ticks(axis))
    lines = zip(("grid", "zero", "grid"), positions, strict=True)
    return [el("line", {"class": k, "x1": x, "x2": x, "y2": height}) for k, x in lines]


def difference_mark(
    chart: DifferenceChart, axis: Axis, row: DifferenceRow, height: float
) -> Html | None:
    """Thin and thick interval and the mark; None where the difference cannot be drawn.

    A difference that is no finding is a hollow grey dot.
    """
    values, middle = in_standard_deviations(row), height / 2
    if "x" not in values:
        return None
    style = {"a": chart.a, "b": chart.b}[row.side] if row.side else None
    x = axis.at(values["x"])
    lines = []
    for kind, low, high in (("thin", "from", "to"), ("thick", "low", "high")):
        if low in values and high in values:
            ends = {"x1": axis.at(values[low]), "x2": axis.at(values[high])}
            lines.append(el("line", {"class": kind, **ends, "y1": middle, "y2": middle}))
    dot = {"class": "hollow", "cx": x, "cy": middle, "r": 4, "stroke-width": 1.5}
    return el(
        "g",
        {"class": style.key if style else "mute"},
        lines,
        use_mark(style.key, x, middle) if style else el("circle", dot),
    )


def difference_figure(chart: DifferenceChart, width: float) -> Html:
    """The table as a figure: sentences, plot, probability of superiority."""
    axis, plot, last = symmetric_axis(chart), width * FIGURE_PLOT, 48.0
    left = width - plot - last - 10
    content: list[Child] = [nested_svg(left, 0, plot, 30, difference_scale(chart, axis, 16))]
    content.append(text_line(width, 10, "higher in", anchor="end", kind="t"))
    content.append(text_line(width, 22, "% of pairs", anchor="end", kind="t"))
    y = 30.0
    for title, rows in chart.groups:
        if not rows:
            continue
        content.append(text_line(0, y + 14, title, kind="h"))
        after = text_width(title, bold=True) + 6
        content.append(text_line(after, y + 14, str(len(rows)), kind="t"))
        y += 22
        for row in rows:
            lines = difference_figure_lines(row, left - 12)
            height = max(FIGURE_ROW, len(lines) * LINE + 6)
            first = y + height / 2 - len(lines) * LINE / 2 + LINE - 3
            middle = height / 2 + 3.5
            mark = difference_mark(chart, axis, row, height)
            grid = difference_grid(axis, height) if mark else None
            reason = missing_difference(row)
            why = None if mark else text_line("50%", middle, reason, anchor="middle", kind="t")
            content += [
                el("line", {"class": "grid", "x2": width, "y1": y, "y2": y}),
                [text_line(0, first + i * LINE, t, kind=k) for i, (t, k) in enumerate(lines)],
                nested_svg(left, y, plot, height, grid, mark, why),
                text_line(width, y + middle, format_number(row.times, 0), anchor="end"),
            ]
            y += height
    return svg_document(width, y + 2, content)


def difference_figure_lines(row: DifferenceRow, room: float) -> list[tuple[str, str]]:
    """The lines of a row's sentence and note, each with its class."""
    text = plain_words(row.claim)
    amount = AMOUNT.search(text)
    if amount and text_width(text) > room:
        lines = wrap_to_width(text[: amount.start()], room) + wrap_to_width(amount[0], room)
    else:
        lines = wrap_to_width(text, room)
    return [(t, "k") for t in lines] + [(t, "t") for t in wrap_to_width(row.note, room)]


def plain_words(child: Child) -> str:
    """The text of a claim without its markup."""
    if isinstance(child, Html):
        return unescape(re.sub(r"<[^>]*>", "", child))
    if isinstance(child, Iterable) and not isinstance(child, str):
        return "".join(plain_words(c) for c in child)
    return "" if child is None else str(child)
