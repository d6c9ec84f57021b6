"""A radar for a first look: one outline per system over the windows of the dots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, hypot, inf, isfinite, pi, sin

from simpatico.charts.html import Child, Html, el, value_text
from simpatico.charts.svg import (
    nested_svg,
    shorten_to_width,
    svg_document,
    text_line,
    text_width,
    wrap_to_width,
)
from simpatico.charts.systems import DASHES, SystemStyle, use_mark
from simpatico.errors import BadValue

FEWEST, MOST = 3, 20
WIDEST = 134.0
"""Of a line of a label; longer ones go on in a second."""

TEXT, LINE = 13.0, 15.0

BROAD = 440.0
"""Wider ones scroll on a telephone, since their letters would become too small."""

CLEAR = 3.0
"""Room between two labels."""


@dataclass(frozen=True)
class RadarOutline:
    """One system: where it stands within the window of each axis, from 0 to 1."""

    style: SystemStyle
    shares: tuple[float | None, ...]


@dataclass(frozen=True)
class Radar:
    """Axes in the order they are drawn, from the top to the right."""

    title: str
    spokes: tuple[str, ...]
    shapes: tuple[RadarOutline, ...]


@dataclass(frozen=True)
class LabelBox:
    """A label and the room it takes; `x` is its anchor, the others are edges."""

    full: str
    lines: tuple[str, ...]
    x: float
    anchor: str
    left: float
    right: float
    top: float
    bottom: float
    out: float
    """How far from the middle the spoke has to reach."""

    def overlaps(self, other: LabelBox) -> bool:
        across = self.left < other.right + CLEAR and other.left < self.right + CLEAR
        return across and self.top < other.bottom + CLEAR and other.top < self.bottom + CLEAR


def radar(drawn: Radar) -> Html:
    """The radar with its title, and in words what could not be drawn."""
    left, top, width, height, inside = radar_layout(drawn)
    who = ", ".join(s.style.display_name for s in drawn.shapes)
    said = (
        f"{drawn.title}: radar of {who} on {len(drawn.spokes)} metrics; the table has the numbers"
    )
    view = " ".join(value_text(v) for v in (left, top, width, height))
    kind = "broad" if width > BROAD else None
    svg = {"class": kind, "viewBox": view, "width": width, "role": "img", "aria-label": said}
    missing = [el("p", None, note) for note in missing_value_sentences(drawn)]
    return el(
        "figure", {"class": "radar"}, el("h3", None, drawn.title), el("svg", svg, inside), missing
    )


def radar_figure(drawn: Radar, width: float) -> Html:
    """The radar on a sheet of its own, scaled to the width, with the names of the systems."""
    left, top, wide, high, inside = radar_layout(drawn)
    scale = min(1.0, width / wide)
    moved = (width - wide * scale) / 2 - left * scale
    head = 18.0
    place = f"translate({value_text(moved)} {value_text(head - top * scale)}) scale({scale:.4g})"
    y = head + high * scale + 16
    notes = [line for note in missing_value_sentences(drawn) for line in wrap_to_width(note, width)]
    names, y = radar_legend(drawn, width, y)
    below = [text_line(0, y + 12 * i, line, kind="t") for i, line in enumerate(notes)]
    return svg_document(
        width,
        round(y + 12 * len(notes), 2),
        text_line(0, 11, drawn.title, kind="h"),
        el("g", {"transform": place, "font-size": TEXT}, inside),
        names,
        below,
    )


def radar_legend(drawn: Radar, width: float, y: float) -> tuple[list[Html], float]:
    """Dash, mark and name of every system, in as many rows as they need, and where they end."""
    found, x = [], 0.0
    for shape in drawn.shapes:
        room = 34 + text_width(shape.style.display_name) + 18
        if x and x + room > width:
            x, y = 0.0, y + 15
        dash = {
            "class": f"{shape.style.key} o",
            "d": "M0 6h26",
            "stroke-dasharray": dash_pattern(shape),
        }
        mark = el("g", {"class": shape.style.key}, use_mark(shape.style.key, 13, 6, small=True))
        name = text_line(32, 9.5, shape.style.display_name, kind=f"{shape.style.key} w")
        found.append(nested_svg(x, y - 10, room, 12, el("path", dash), mark, name))
        x += room
    return found, y + 14


def missing_value_sentences(drawn: Radar) -> list[str]:
    """Systems and metrics that have no value, in words."""
    gaps = [
        (
            shape.style.display_name,
            [s for s, v in zip(drawn.spokes, shape.shares, strict=True) if v is None],
        )
        for shape in drawn.shapes
    ]
    return [f"{name} has no value for {', '.join(spokes)}." for name, spokes in gaps if spokes]


def radar_layout(drawn: Radar) -> tuple[float, float, float, float, list[Child]]:
    """Left, top, width and height of the room it needs, and the drawing around 0, 0."""
    n = len(drawn.spokes)
    if not FEWEST <= n <= MOST:
        raise BadValue(f"a radar has {FEWEST} to {MOST} spokes, not {n}; draw the dots instead")
    reach = 112.0 if n <= 12 else 112.0 + 6 * (n - 12)
    boxes = place_labels(drawn.spokes, reach)
    left = min(-reach, *(b.left for b in boxes)) - 4
    right = max(reach, *(b.right for b in boxes)) + 4
    top, bottom = (
        min(-reach, *(b.top for b in boxes)) - 4,
        max(reach, *(b.bottom for b in boxes)) + 4,
    )
    inside: list[Child] = [radar_grid(boxes, reach), [draw_label(b) for b in boxes]]
    inside += [system_outline(s, reach) for s in drawn.shapes]
    return left, top, right - left, bottom - top, inside


def polar_point(i: int, n: int, radius: float) -> tuple[float, float]:
    angle = 2 * pi * i / n - pi / 2
    return round(cos(angle) * radius, 2), round(sin(angle) * radius, 2)


def radar_grid(boxes: Sequence[LabelBox], reach: float) -> Html:
    """Rings and spokes as one path; a spoke goes on to a label that had to move out."""
    n, parts = len(boxes), []
    for share in (0.25, 0.5, 0.75, 1):
        parts.append(
            "M" + "L".join(format_point(polar_point(i, n, reach * share)) for i in range(n)) + "z"
        )
    for i, box in enumerate(boxes):
        parts.append(f"M0 0L{format_point(polar_point(i, n, max(reach, box.out - 9)))}")
    return el("path", {"class": "grid", "d": "".join(parts)})


def format_point(xy: tuple[float, float]) -> str:
    return f"{value_text(xy[0])} {value_text(xy[1])}"


def place_labels(spokes: Sequence[str], reach: float) -> list[LabelBox]:
    """Labels outside the outermost ring, moved out along the spoke until none meets another."""
    n = len(spokes)
    from_the_side = sorted(range(n), key=lambda i: (abs(polar_point(i, n, 1.0)[1]), i))
    placed: dict[int, LabelBox] = {}
    for i in from_the_side:
        out = reach + 14
        box = label_box(spokes[i], polar_point(i, n, out))
        while any(box.overlaps(p) for p in placed.values()):
            out += 4
            box = label_box(spokes[i], polar_point(i, n, out))
        placed[i] = box
    return [placed[i] for i in range(n)]


def split_label(spoke: str) -> tuple[str, ...]:
    """The label in one line if it fits, or else in two of about the same length."""
    lines = wrap_to_width(spoke, WIDEST, TEXT)
    if len(lines) <= 1:
        return tuple(lines or [""])
    narrow = (wrap_to_width(spoke, room, TEXT) for room in range(50, int(WIDEST), 4))
    even = next((t for t in narrow if len(t) <= 2 and " ".join(t) == full_label(spoke)), lines)
    if len(even) <= 2:
        return tuple(even)
    return even[0], shorten_to_width(" ".join(even[1:]), WIDEST, TEXT)


def full_label(spoke: str) -> str:
    return " ".join(wrap_to_width(spoke, inf, TEXT))


def label_box(spoke: str, place: tuple[float, float]) -> LabelBox:
    """The label at a place outside the rings, beside its spoke, or above or below the middle."""
    (x, y), lines = place, split_label(spoke)
    wide, high = max(text_width(t, TEXT) for t in lines), LINE * len(lines)
    anchor = "middle" if abs(x) < 12 else "end" if x < 0 else "start"
    left = {"middle": x - wide / 2, "end": x - wide, "start": x}[anchor]
    out = hypot(x, y)
    top = y - high / 2 + y / out * (high / 2 - 4)
    return LabelBox(spoke, lines, x, anchor, left, left + wide, top, top + high, out)


def draw_label(box: LabelBox) -> list[Html]:
    place = {"x": box.x, "text-anchor": box.anchor}
    cut = " ".join(box.lines) != full_label(box.full)
    full = el("title", None, box.full) if cut else None
    return [
        el("text", {**place, "y": box.top + 11 + LINE * i}, line, full)
        for i, line in enumerate(box.lines)
    ]


def system_outline(shape: RadarOutline, reach: float) -> list[Child]:
    """The line of a system, open where it has no value, and its marks."""
    n = len(shape.shares)
    points = [
        polar_point(i, n, reach * v) if v is not None and isfinite(v) else None
        for i, v in enumerate(shape.shares)
    ]
    line = {
        "class": f"{shape.style.key} o",
        "d": outline_path(points),
        "stroke-dasharray": dash_pattern(shape),
    }
    marks = [use_mark(shape.style.key, p[0], p[1], small=True) for p in points if p]
    return [el("path", line) if line["d"] else None, el("g", {"class": shape.style.key}, marks)]


def dash_pattern(shape: RadarOutline) -> str | None:
    number = shape.style.key[1]
    return (DASHES[int(number)] or None) if number.isdigit() else None


def outline_path(points: Sequence[tuple[float, float] | None]) -> str:
    """A closed path, or pieces between neighbours that both have a value."""
    if all(points):
        return "M" + "L".join(format_point(p) for p in points if p) + "z"
    pairs = zip(points, [*points[1:], points[0]], strict=True)
    return "".join(f"M{format_point(p)}L{format_point(q)}" for p, q in pairs if p and q)
