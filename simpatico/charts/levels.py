"""Values on one scale: a dot and an interval each, and a tick for the published value.

For reproductions: whether the published value lies inside our interval is seen at a glance.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from simpatico.charts import svg
from simpatico.charts.axis import Axis, axis_around, tick_labels
from simpatico.charts.html import Child, Html, el
from simpatico.wording import format_correlation

ROW, LINE, GAP, VALUE = 16.0, 12.0, 16.0, 28.0
"""Heights of a row and of a line of text, and widths between panels and of a value."""
WIDEST_NAMES = 0.34
"""Share of the width that names take at most."""


@dataclass(frozen=True)
class Level:
    """One value; `printed` is the published one, `own` says that it comes from our method."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    printed: float | None = None
    own: bool = True


@dataclass(frozen=True)
class LevelPanel:
    """Values under a title."""

    title: str
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class LevelGroup:
    """Panels that share rows and a scale; `reference` is the value of no relation at all."""

    title: str
    panels: tuple[LevelPanel, ...]
    reference: float = 0.0


def levels_figure(groups: Sequence[LevelGroup], caption: str, width: float) -> Html:
    """All groups as one figure, the names once before every row."""
    names = list(dict.fromkeys(v.name for g in groups for p in g.panels for v in p.levels))
    left = min(max(map(svg.text_width, names), default=0.0) + 10, WIDEST_NAMES * width)
    content, y = list[Child](), 0.0
    for group in groups:
        panels, height = level_panels(group, names, left, width)
        content.append(svg.nested_svg(0, y, width, height, panels))
        y += height + 12
    lines = svg.wrap_to_width(caption, width)
    return svg.svg_document(
        width, y + len(lines) * 12.5 + 4, content, svg.text_lines(0, y + 10, lines)
    )


def level_panels(
    group: LevelGroup, names: Sequence[str], left: float, width: float
) -> tuple[list[Child], float]:
    """The panels of a group and how high they are."""
    levels = [level for panel in group.panels for level in panel.levels]
    values = [n for v in levels for n in (v.value, v.low, v.high, v.printed)]
    axis = axis_around([*values, group.reference], 0.04)
    room = (width - left + GAP) / max(len(group.panels), 1) - GAP
    heads = [svg.wrap_to_width(panel.title, room, bold=True) for panel in group.panels]
    top = LINE + 6 + max((len(h) for h in heads), default=0) * LINE + 14
    height = ROW * len(names)
    content: list[Child] = [svg.text_line(0, LINE, group.title, "h")]
    for i, name in enumerate(names):
        content.append(
            svg.text_line(0, top + i * ROW + 11, svg.shorten_to_width(name, left - 8), "k")
        )
    for i, (panel, head) in enumerate(zip(group.panels, heads, strict=True)):
        x = left + i * (room + GAP)
        background = levels_background(axis, group.reference, height)
        content.append(svg.text_lines(x, top - 16 - (len(head) - 1) * LINE, head, LINE, "h"))
        content.append(svg.nested_svg(x, top, room - VALUE, height, background))
        for level in panel.levels:
            y = top + names.index(level.name) * ROW
            content.append(svg.nested_svg(x, y, room - VALUE, ROW, level_mark(level, axis)))
            content.append(
                svg.text_line(x + room, y + 11, format_correlation(level.value), "k", "end")
            )
    return content, top + height


def levels_background(axis: Axis, reference: float, height: float) -> list[Child]:
    """Grid, tick labels without a zero before the point, and the line of no relation."""
    ticks = axis.ticks(3)
    lines = [svg.vertical_line(axis.at(tick), height, "grid") for tick in ticks]
    labels = []
    for tick, text in zip(ticks, tick_labels(ticks), strict=True):
        short = re.sub(r"^(−?)0\.", r"\1.", text) if text.strip("0.") else "0"
        place = {"x": axis.at(tick), "y": -4, "class": "t", "text-anchor": "middle"}
        labels.append(el("text", place, short))
    return [*lines, *labels, svg.vertical_line(axis.at(reference), height, "zero null")]


def level_mark(level: Level, axis: Axis) -> list[Child]:
    """The interval, the tick of the published value, and the dot; hollow where not ours."""
    content: list[Child] = []
    kind = "ink" if level.own else "mute"
    if level.low is not None and level.high is not None:
        ends = axis.at(level.low), axis.at(level.high)
        content.append(svg.horizontal_line(*ends, ROW / 2, f"{kind} reach"))
    if level.printed is not None:
        x = axis.at(level.printed)
        content.append(el("line", {"x1": x, "x2": x, "y1": 2, "y2": ROW - 2, "class": "s1 reach"}))
    if level.value is not None:
        dot = {"cx": axis.at(level.value), "cy": ROW / 2, "r": svg.FONT_SIZE / 3}
        fill = "" if level.own else " hollow"
        content.append(el("circle", {**dot, "class": f"{kind} dot{fill}"}))
    return content
