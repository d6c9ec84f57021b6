"""Differences between two systems: a sentence each, plotted on one axis in standard deviations.

Sentences give each difference in its metric's unit; the plot divides it by the standard deviation
between units (a standardised mean difference), which makes metrics comparable with each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from math import floor, isfinite, log10
from typing import Literal

from simpatico.charts import svg
from simpatico.charts.axis import Axis, tick_labels
from simpatico.charts.html import Child, Html, el, hidden_text
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
NARROW_FIGURE = 260.0
"""Pixels, 69 mm, below which sentences beside the plot would be columns of single words."""

AMOUNT = re.compile(r"\S+(?: [^\W\d]+){0,2} \[[^\[\]]*\]\.?\Z")
"""A number with its unit and interval at the end of a sentence."""


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
    rating_correlation: str
    side: Literal["a", "b"] | None
    """The system with the higher value, whose colour it has; None where it is no finding."""


@dataclass(frozen=True)
class DifferenceChart:
    """All differences of two systems, in groups with a title; `a` is to the right."""

    a: SystemStyle
    b: SystemStyle
    groups: tuple[tuple[str, tuple[DifferenceRow, ...]], ...]
    caption: str
    with_ratings: bool
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
    values = (row.difference, row.low, row.high, row.wide_low, row.wide_high)
    names = zip(("x", "low", "high", "from", "to"), values, strict=True)
    return {n: v / row.sd for n, v in names if v is not None and isfinite(v)}


def symmetric_ticks(axis: Axis) -> list[float]:
    """Zero and one round number on both sides, far enough from the edge for its label."""
    most = 0.8 * axis.high
    power = 10.0 ** floor(log10(most))
    step = max(m * power for m in (1, 2, 5) if m * power <= most * (1 + 1e-9))
    return [-step, 0.0, step]


def difference_table(chart: DifferenceChart) -> Html:
    """A row for each metric: sentence, plot, probability of superiority, r with human ratings."""
    axis = symmetric_axis(chart)
    scale = el("svg", {"aria-hidden": "true"}, difference_scale(chart, axis))
    level = f"{100 * chart.confidence:.4g}%"
    plot = hidden_text(f"plot, in standard deviations between {chart.unit}s")
    heads = [
        el("th", {"scope": "col"}, f"Difference in the metric’s unit [{level} CI]"),
        el("th", {"class": "ax", "scope": "col"}, plot, scale),
        el("th", {"class": "of r", "scope": "col"}, "higher in % of pairs"),
    ]
    if chart.with_ratings:
        heads.append(el("th", {"class": "tr", "scope": "col"}, "r with human ratings"))
    bodies = []
    for title, rows in chart.groups:
        if rows:
            count = el("span", None, len(rows))
            name = el("th", {"colspan": len(heads), "scope": "rowgroup"}, title, count)
            lines = [difference_row(chart, axis, row) for row in rows]
            bodies.append(el("tbody", None, el("tr", {"class": "grp"}, name), lines))
    caption = el("caption", {"class": "vh"}, chart.caption)
    head = el("thead", None, el("tr", None, heads))
    return el("table", {"class": "verdict"}, caption, head, bodies)


def difference_scale(chart: DifferenceChart, axis: Axis, longest: int = 13) -> list[Html]:
    """Which system is on which side, and the tick labels."""
    to_b = f"← {shorten_name(chart.b.name, longest)}"
    to_a = f"{shorten_name(chart.a.name, longest)} →"
    ticks = symmetric_ticks(axis)
    minus, _, plus = tick_labels(ticks)
    labels = zip(ticks, (f"{minus} SD", "0", f"+{plus} SD"), strict=True)
    return [
        el("text", {"class": "t", "x": "49%", "y": 10, "text-anchor": "end"}, to_b),
        el("text", {"class": "t", "x": "51%", "y": 10}, to_a),
        *(
            el("text", {"class": "t", "x": axis.at(v), "y": 26, "text-anchor": "middle"}, text)
            for v, text in labels
        ),
    ]


def difference_row(chart: DifferenceChart, axis: Axis, row: DifferenceRow) -> Html:
    """One metric: the sentence with its small line, the plot, and the two columns of numbers."""
    in_line = row.side is None and len(row.note) <= SHORT_NOTE
    note = el("small", {"class": "in" if in_line else None}, row.note) if row.note else None
    plot = el("small", None, missing_difference(row))
    if mark := difference_mark(chart, axis, row, ROW):
        plot = el("svg", {"aria-hidden": "true"}, difference_grid(axis, ROW), mark)
    # Anything but a plain or a weak correlation is grey: its brackets say what speaks against it.
    follows = row.rating_correlation.endswith("(weak)") or row.rating_correlation[-1:].isdigit()
    ratings = el("td", {"class": "tr" if follows else "tr no"}, row.rating_correlation or NO_VALUE)
    return el(
        "tr",
        None,
        el("td", {"class": "st"}, row.claim, " " if note else None, note),
        el("td", {"class": "ax"}, plot),
        el("td", {"class": "of r"}, format_number(row.times, 0)),
        ratings if chart.with_ratings else None,
    )


def missing_difference(row: DifferenceRow) -> str:
    """Why a difference is not plotted: there is none, or no standard deviation to divide it by."""
    return "no difference available" if row.difference is None else "no variation between dialogs"


def difference_grid(axis: Axis, height: float) -> list[Html]:
    """Zero and the tick on each side; rows repeat it, so that each can be read alone."""
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
    if style:
        return el("g", {"class": style.key}, lines, use_mark(style.key, x, middle))
    dot = {"class": "hollow", "cx": x, "cy": middle, "r": 4, "stroke-width": 1.5}
    return el("g", {"class": "mute"}, lines, el("circle", dot))


def difference_figure(chart: DifferenceChart, width: float) -> Html:
    """The table as a figure: sentences, plot, probability of superiority.

    In a narrow figure the sentences go above their plots: beside them no word would fit.
    """
    axis, plot, last = symmetric_axis(chart), width * FIGURE_PLOT, 48.0
    left = width - plot - last - 10
    room, longest, stacks = left - 12, 16, width < NARROW_FIGURE
    if stacks:
        left, plot, room, longest = 0.0, width - last - 10, width, 8
    scale = difference_scale(chart, axis, longest)
    content: list[Child] = [svg.nested_svg(left, 0, plot, 30, scale)]
    content.append(svg.text_lines(width, 10, ("higher in", "% of pairs"), LINE, anchor="end"))
    y = 30.0
    for title, rows in chart.groups:
        if not rows:
            continue
        content.append(svg.text_line(0, y + 14, title, kind="h"))
        after = svg.text_width(title, bold=True) + 6
        content.append(svg.text_line(after, y + 14, str(len(rows)), kind="t"))
        y += 22
        for row in rows:
            # A number stays in one line with its interval, below the sentence if need be.
            text = plain_words(row.claim)
            amount = AMOUNT.search(text)
            split = amount.start() if amount and svg.text_width(text) > room else len(text)
            claim = svg.wrap_to_width(text[:split], room) + svg.wrap_to_width(text[split:], room)
            lines = [(line, "k") for line in claim]
            lines += [(line, "t") for line in svg.wrap_to_width(row.note, room)]
            text_height = len(lines) * LINE + 6
            height = FIGURE_ROW if stacks else max(FIGURE_ROW, text_height)
            below = text_height if stacks else 0.0
            first = y + (below or height) / 2 - len(lines) * LINE / 2 + LINE - 3
            middle = height / 2 + 3.5
            mark = difference_mark(chart, axis, row, height)
            grid = difference_grid(axis, height) if mark else None
            reason = missing_difference(row)
            why = None if mark else svg.text_line("50%", middle, reason, anchor="middle", kind="t")
            content += [
                el("line", {"class": "grid", "x2": width, "y1": y, "y2": y}),
                svg.text_lines(0, first, lines, LINE),
                svg.nested_svg(left, y + below, plot, height, grid, mark, why),
                svg.text_line(width, y + below + middle, format_number(row.times, 0), anchor="end"),
            ]
            y += below + height
    return svg.svg_document(width, y + 2, content)


def plain_words(child: Child) -> str:
    """The text of a claim without its markup."""
    if isinstance(child, Html):
        return unescape(re.sub(r"<[^>]*>", "", child))
    if isinstance(child, Iterable) and not isinstance(child, str):
        return "".join(plain_words(c) for c in child)
    return "" if child is None else str(child)
