"""Two numbers of many things against each other: a circle for each place, large for many.

Ratings take few values, so that points of a plain scatter plot would cover each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from simpatico.charts import svg
from simpatico.charts.axis import axis_around, tick_labels
from simpatico.charts.html import Child, Html, el

PLOT, LEFT, GAP, LINE = 150.0, 34.0, 26.0, 12.5
"""Height of a plot, room for its vertical scale, between panels, and height of a line of text."""
SMALLEST, LARGEST = 2.2, 9.0
"""Radii of one thing and of most things at one place."""


@dataclass(frozen=True)
class Bubbles:
    """Pairs of numbers; `across` and `up` say what they are."""

    title: str
    across: str
    up: str
    points: tuple[tuple[float, float], ...]


def bubbles_figure(charts: Sequence[Bubbles], caption: str, width: float) -> Html:
    """The panels beside each other."""
    room = (width - GAP * (len(charts) - 1)) / max(len(charts), 1)
    heads = [svg.wrap_to_width(chart.title, room, bold=True) for chart in charts]
    top = max((len(head) for head in heads), default=1) * LINE + 8
    parts: list[Child] = []
    for i, (chart, head) in enumerate(zip(charts, heads, strict=True)):
        x = i * (room + GAP)
        parts.append(svg.text_lines(x, LINE - 2, head, LINE, "h"))
        parts.append(svg.nested_svg(x, top, room, PLOT + 32, bubble_panel(chart, room - LEFT)))
    lines = svg.wrap_to_width(caption, width)
    below = top + PLOT + 44
    return svg.svg_document(
        width, below + LINE * len(lines), parts, svg.text_lines(0, below, lines)
    )


def bubble_panel(chart: Bubbles, width: float) -> list[Child]:
    """The grid, a circle for each place, and the names of both axes."""
    xs, ys = (axis_around([p[side] for p in chart.points], 0.1) for side in (0, 1))
    grid: list[Child] = []
    ticks = xs.ticks(6)
    for tick, text in zip(ticks, tick_labels(ticks), strict=True):
        x = xs.share(tick) * width
        grid.append(svg.vertical_line(x, PLOT, "grid"))
        grid.append(svg.text_line(x, PLOT + 13, text, "t", "middle"))
    ticks = ys.ticks(4)
    for tick, text in zip(ticks, tick_labels(ticks), strict=True):
        y = (1 - ys.share(tick)) * PLOT
        grid.append(svg.horizontal_line(0, width, y, "grid"))
        grid.append(svg.text_line(-5, y + 3.5, text, "t", "end"))
    counts = Counter(chart.points)
    most = max(counts.values(), default=1)
    unit = LARGEST / sqrt(most) if most > 1 else SMALLEST  # the area is proportional to the count
    circles = []
    for (x, y), n in counts.items():
        middle = {"cx": xs.share(x) * width, "cy": (1 - ys.share(y)) * PLOT}
        size = {"r": max(SMALLEST, unit * sqrt(n)), "class": "ink", "fill-opacity": 0.35}
        circles.append(el("circle", {**middle, **size}))
    upwards = f"translate(9 {PLOT / 2:g}) rotate(-90)"
    return [
        svg.nested_svg(LEFT, 0, width, PLOT, grid, circles),
        svg.text_line(LEFT + width / 2, PLOT + 28, chart.across, "t", "middle"),
        el("text", {"class": "t", "text-anchor": "middle", "transform": upwards}, chart.up),
    ]
