"""Two numbers of many things against each other: a circle for each place, large for many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from simpatico.charts.axis import Axis, axis_around, tick_labels
from simpatico.charts.html import Child, Html, el
from simpatico.charts.svg import nested_svg, svg_document, text_line, text_lines, wrap_to_width

PLOT, LEFT, GAP, LINE = 150.0, 34.0, 26.0, 12.5
SMALLEST, LARGEST = 2.2, 9.0
"""Radii of one thing and of most things at one place."""


@dataclass(frozen=True)
class Bubbles:
    """Pairs of numbers; `across` and `up` say what they are."""

    title: str
    across: str
    up: str
    points: tuple[tuple[float, float], ...]


def bubbles_figure(drawn: Sequence[Bubbles], caption: str, width: float) -> Html:
    """The panels beside each other."""
    room = (width - GAP * (len(drawn) - 1)) / max(len(drawn), 1)
    heads = [wrap_to_width(one.title, room, bold=True) for one in drawn]
    top = max((len(h) for h in heads), default=1) * LINE + 8
    parts: list[Child] = []
    for i, (one, head) in enumerate(zip(drawn, heads, strict=True)):
        x = i * (room + GAP)
        parts += [text_line(x, LINE * (j + 1) - 2, line, "h") for j, line in enumerate(head)]
        parts.append(bubble_panel(one, (x, top), room))
    lines = wrap_to_width(caption, width)
    below = top + PLOT + 44
    return svg_document(width, below + LINE * len(lines), parts, text_lines(0, below, lines))


def bubble_panel(drawn: Bubbles, at: tuple[float, float], room: float) -> Html:
    """One plot with its scales."""
    plot = room - LEFT
    xs, ys = (axis_around([p[side] for p in drawn.points], 0.1) for side in (0, 1))
    inside = nested_svg(
        LEFT, 0, plot, PLOT, bubble_grid(xs, ys, plot), bubble_circles(drawn, xs, ys, plot)
    )
    turned = f"translate(9 {PLOT / 2:g}) rotate(-90)"
    names = [
        text_line(LEFT + plot / 2, PLOT + 28, drawn.across, "t", "middle"),
        el("text", {"class": "t", "text-anchor": "middle", "transform": turned}, drawn.up),
    ]
    return nested_svg(*at, room, PLOT + 32, inside, names)


def bubble_grid(xs: Axis, ys: Axis, plot: float) -> list[Child]:
    """Lines and numbers of both scales."""
    across, up = xs.ticks(6), ys.ticks(4)
    drawn: list[Child] = []
    for tick, text in zip(across, tick_labels(across), strict=True):
        x = xs.share(tick) * plot
        drawn.append(el("line", {"x1": x, "x2": x, "y1": 0, "y2": PLOT, "class": "grid"}))
        drawn.append(text_line(x, PLOT + 13, text, "t", "middle"))
    for tick, text in zip(up, tick_labels(up), strict=True):
        y = (1 - ys.share(tick)) * PLOT
        drawn.append(el("line", {"x1": 0, "x2": plot, "y1": y, "y2": y, "class": "grid"}))
        drawn.append(text_line(-5, y + 3.5, text, "t", "end"))
    return drawn


def bubble_circles(drawn: Bubbles, xs: Axis, ys: Axis, plot: float) -> list[Child]:
    """A circle for each place; its area says how many are there."""
    counts = Counter(drawn.points)
    most = max(counts.values(), default=1)
    step = LARGEST / sqrt(most) if most > 1 else SMALLEST
    return [
        el(
            "circle",
            {
                "cx": xs.share(x) * plot,
                "cy": (1 - ys.share(y)) * PLOT,
                "r": max(SMALLEST, step * sqrt(n)),
                "class": "ink",
                "fill-opacity": 0.35,
            },
        )
        for (x, y), n in counts.items()
    ]
