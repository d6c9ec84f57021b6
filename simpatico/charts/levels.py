"""Figures beside each other on one scale: a dot and an interval each, and a tick for what others
printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from simpatico.charts.axis import Axis, around, labels
from simpatico.charts.html import Child, Html, el
from simpatico.charts.svg import TEXT, block, fitted, label, nested, standalone, width_of, wrapped
from simpatico.wording import format_correlation

ROW, LINE, GAP, VALUE = 16.0, 12.0, 16.0, 28.0
"""Heights of a row and of a line of text, and widths between panels and of a number."""
NAMES = 0.34
"""Share of the width that names take at most."""


@dataclass(frozen=True)
class Level:
    """One figure; `printed` is that of others, `own` says that it is ours."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    printed: float | None = None
    own: bool = True


@dataclass(frozen=True)
class Shelf:
    """Figures under a title."""

    title: str
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Shelves:
    """Panels that share rows and a scale; `reference` is what nothing at all would reach."""

    title: str
    shelves: tuple[Shelf, ...]
    reference: float = 0.0


def figure(groups: Sequence[Shelves], caption: str, width: float) -> Html:
    """All groups on one sheet, the names once before every row."""
    names = list(dict.fromkeys(v.name for g in groups for s in g.shelves for v in s.levels))
    left = min(max(map(width_of, names), default=0.0) + 10, NAMES * width)
    drawn, y = list[Child](), 0.0
    for group in groups:
        part, height = panels(group, names, left, width)
        drawn.append(nested(0, y, width, height, part))
        y += height + 12
    lines = wrapped(caption, width)
    return standalone(width, y + len(lines) * 12.5 + 4, drawn, block(0, y + 10, lines))


def panels(
    group: Shelves, names: Sequence[str], left: float, width: float
) -> tuple[list[Child], float]:
    """The panels of a group and how high they are."""
    axis, room = axis_of(group), (width - left + GAP) / max(len(group.shelves), 1) - GAP
    heads = [wrapped(shelf.title, room, bold=True) for shelf in group.shelves]
    top = LINE + 6 + max((len(h) for h in heads), default=0) * LINE + 14
    drawn: list[Child] = [label(0, LINE, group.title, "h")]
    for i, name in enumerate(names):
        drawn.append(label(0, top + i * ROW + 11, fitted(name, left - 8), "k"))
    for i, (shelf, head) in enumerate(zip(group.shelves, heads, strict=True)):
        x = left + i * (room + GAP)
        first = top - 16 - len(head) * LINE + LINE
        drawn += [label(x, first + j * LINE, line, "h") for j, line in enumerate(head)]
        plot = nested(x, top, room - VALUE, ROW * len(names), ground(axis, group, len(names)))
        drawn += [plot, *rows(shelf, names, axis, (x, top, room))]
    return drawn, top + ROW * len(names)


def axis_of(group: Shelves) -> Axis:
    """A scale that holds every number of a group."""
    levels = [level for shelf in group.shelves for level in shelf.levels]
    numbers = [n for v in levels for n in (v.value, v.low, v.high, v.printed)]
    return around([*numbers, group.reference], 0.04)


def ground(axis: Axis, group: Shelves, count: int) -> list[Child]:
    """Grid, numbers of the scale, and the line of what nothing would reach."""
    height = ROW * count
    ticks = axis.ticks(3)
    lines = [upright(axis, tick, height, "grid") for tick in ticks]
    texts = zip_longest(ticks, labels(ticks))
    numbers = [
        el("text", {"x": axis.at(t), "y": -4, "class": "t", "text-anchor": "middle"}, short(text))
        for t, text in texts
    ]
    return [*lines, *numbers, upright(axis, group.reference, height, "zero null")]


def short(text: str) -> str:
    """A number without the zero before its point, and nothing behind a zero."""
    if not text.strip("0."):
        return "0"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "−0.")) else text


def upright(axis: Axis, value: float, height: float, kind: str) -> Html:
    x = axis.at(value)
    return el("line", {"x1": x, "x2": x, "y1": 0, "y2": height, "class": kind})


def rows(
    shelf: Shelf, names: Sequence[str], axis: Axis, at: tuple[float, float, float]
) -> list[Child]:
    """The marks of a panel, level with their names."""
    x, top, room = at
    drawn: list[Child] = []
    for level in shelf.levels:
        y = top + names.index(level.name) * ROW
        drawn.append(nested(x, y, room - VALUE, ROW, mark(level, axis)))
        drawn.append(label(x + room, y + 11, format_correlation(level.value), "k", "end"))
    return drawn


def mark(level: Level, axis: Axis) -> list[Child]:
    """The interval, the dot, and the tick of what was printed."""
    middle, drawn = ROW / 2, list[Child]()
    kind = "ink" if level.own else "mute"
    if level.low is not None and level.high is not None:
        ends = {"x1": axis.at(level.low), "x2": axis.at(level.high), "y1": middle, "y2": middle}
        drawn.append(el("line", {**ends, "class": f"{kind} reach"}))
    if level.printed is not None:
        x = axis.at(level.printed)
        drawn.append(el("line", {"x1": x, "x2": x, "y1": 2, "y2": ROW - 2, "class": "s1 reach"}))
    if level.value is not None:
        dot = {"cx": axis.at(level.value), "cy": middle, "r": TEXT / 3}
        fill = "" if level.own else " hollow"
        drawn.append(el("circle", {**dot, "class": f"{kind} dot{fill}"}))
    return drawn
