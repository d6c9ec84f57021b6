"""A radar for a first look: one outline per system, on the scales of the dot plots.

Outlines show neither uncertainty nor size: area grows with the square of the values, and depends
on the order of the axes. The page says so below every radar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, hypot, inf, isfinite, pi, sin

from simpatico.charts import svg
from simpatico.charts.html import Child, Html, el, value_text
from simpatico.charts.systems import DASHES, SystemStyle, use_mark
from simpatico.errors import BadValue

FEWEST, MOST = 3, 20
"""Axes: two enclose no shape, and labels of more than twenty do not fit around it."""

WIDEST = 134.0
"""Of a line of a label; longer ones go on in a second."""

TEXT, LINE = 13.0, 15.0
"""Font size of labels, and between their lines."""

BROAD = 440.0
"""Wider ones scroll on a telephone, since their letters would become too small."""

CLEAR = 3.0
"""Room between two labels."""


@dataclass(frozen=True)
class RadarOutline:
    """One system: where it stands on each axis, from 0 at the centre to 1."""

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


def radar(chart: Radar) -> Html:
    """The radar with its title, and in words what could not be drawn."""
    left, top, width, height, content = radar_layout(chart)
    systems = ", ".join(s.style.display_name for s in chart.shapes)
    size = f"{len(chart.spokes)} metrics; the table has the numbers"
    attributes = {
        "class": "broad" if width > BROAD else None,
        "viewBox": " ".join(value_text(v) for v in (left, top, width, height)),
        "width": width,
        "role": "img",
        "aria-label": f"{chart.title}: radar of {systems} on {size}",
    }
    picture = el("svg", attributes, content)
    notes = [el("p", None, note) for note in missing_value_sentences(chart)]
    return el("figure", {"class": "radar"}, el("h3", None, chart.title), picture, notes)


def radar_figure(chart: Radar, width: float) -> Html:
    """The radar on a sheet of its own, scaled to the width, with the names of the systems."""
    left, top, wide, high, content = radar_layout(chart)
    scale = min(1.0, width / wide)
    x, head = (width - wide * scale) / 2 - left * scale, 18.0
    place = f"translate({value_text(x)} {value_text(head - top * scale)}) scale({scale:.4g})"
    names, y = radar_legend(chart, width, head + high * scale + 16)
    notes = [n for text in missing_value_sentences(chart) for n in svg.wrap_to_width(text, width)]
    return svg.svg_document(
        width,
        round(y + 12 * len(notes), 2),
        svg.text_line(0, 11, chart.title, kind="h"),
        el("g", {"transform": place, "font-size": TEXT}, content),
        names,
        svg.text_lines(0, y, notes, 12),
    )


def radar_legend(chart: Radar, width: float, y: float) -> tuple[list[Html], float]:
    """Dash, mark and name of every system, in as many rows as they need, and where they end."""
    names, x = [], 0.0
    for shape in chart.shapes:
        key, label = shape.style.key, shape.style.display_name
        room = 34 + svg.text_width(label) + 18
        if x and x + room > width:
            x, y = 0.0, y + 15
        dash = {"class": f"{key} o", "d": "M0 6h26", "stroke-dasharray": dash_pattern(key)}
        mark = el("g", {"class": key}, use_mark(key, 13, 6, small=True))
        name = svg.text_line(32, 9.5, label, kind=f"{key} w")
        names.append(svg.nested_svg(x, y - 10, room, 12, el("path", dash), mark, name))
        x += room
    return names, y + 14


def missing_value_sentences(chart: Radar) -> list[str]:
    """Systems and metrics that have no value, in words."""
    sentences = []
    for shape in chart.shapes:
        shares = zip(chart.spokes, shape.shares, strict=True)
        if missing := ", ".join(spoke for spoke, share in shares if share is None):
            sentences.append(f"{shape.style.display_name} has no value for {missing}.")
    return sentences


def radar_layout(chart: Radar) -> tuple[float, float, float, float, list[Child]]:
    """Left, top, width and height of the room it needs, and the drawing around 0, 0."""
    n = len(chart.spokes)
    if not FEWEST <= n <= MOST:
        raise BadValue(f"a radar has {FEWEST} to {MOST} spokes, not {n}; draw the dots instead")
    reach = 112.0 if n <= 12 else 112.0 + 6 * (n - 12)
    boxes = place_labels(chart.spokes, reach)
    left = min(-reach, *(b.left for b in boxes)) - 4
    right = max(reach, *(b.right for b in boxes)) + 4
    top = min(-reach, *(b.top for b in boxes)) - 4
    bottom = max(reach, *(b.bottom for b in boxes)) + 4
    content: list[Child] = [radar_grid(boxes, reach)]
    for box in boxes:
        text = " ".join(box.lines)
        full = el("title", None, box.full) if text != full_label(box.full) else None
        for i, line in enumerate(box.lines):
            place = {"x": box.x, "text-anchor": box.anchor, "y": box.top + 11 + LINE * i}
            content.append(el("text", place, line, full))
    content += [system_outline(s, reach) for s in chart.shapes]
    return left, top, right - left, bottom - top, content


def polar_point(i: int, n: int, radius: float) -> tuple[float, float]:
    """The first of n axes points up, the others follow clockwise."""
    angle = 2 * pi * i / n - pi / 2
    return round(cos(angle) * radius, 2), round(sin(angle) * radius, 2)


def radar_grid(boxes: Sequence[LabelBox], reach: float) -> Html:
    """Rings and spokes as one path; a spoke goes on to a label that had to move out."""
    n = len(boxes)
    rings = [
        outline_path([polar_point(i, n, reach * share) for i in range(n)])
        for share in (0.25, 0.5, 0.75, 1)
    ]
    ends = [polar_point(i, n, max(reach, box.out - 9)) for i, box in enumerate(boxes)]
    spokes = [f"M0 0L{format_point(end)}" for end in ends]
    return el("path", {"class": "grid", "d": "".join([*rings, *spokes])})


def format_point(xy: tuple[float, float]) -> str:
    """A point of a path, its two numbers as short as the page writes them."""
    return f"{value_text(xy[0])} {value_text(xy[1])}"


def place_labels(spokes: Sequence[str], reach: float) -> list[LabelBox]:
    """Labels outside the outermost ring, moved out along the spoke until none meets another.

    Labels at the sides are placed first: they are wide, and those above and below have room.
    """
    n = len(spokes)
    from_the_side = sorted(range(n), key=lambda i: (abs(polar_point(i, n, 1.0)[1]), i))
    boxes: dict[int, LabelBox] = {}
    for i in from_the_side:
        out = reach + 14
        box = label_box(spokes[i], polar_point(i, n, out))
        while any(box.overlaps(other) for other in boxes.values()):
            out += 4
            box = label_box(spokes[i], polar_point(i, n, out))
        boxes[i] = box
    return [boxes[i] for i in range(n)]


def split_label(spoke: str) -> tuple[str, ...]:
    """The label in one line if it fits, or else in two of about the same length."""
    lines = svg.wrap_to_width(spoke, WIDEST, TEXT)
    if len(lines) <= 1:
        return tuple(lines or [""])
    narrow = (svg.wrap_to_width(spoke, room, TEXT) for room in range(50, int(WIDEST), 4))
    even = next((t for t in narrow if len(t) <= 2 and " ".join(t) == full_label(spoke)), lines)
    if len(even) <= 2:
        return tuple(even)
    return even[0], svg.shorten_to_width(" ".join(even[1:]), WIDEST, TEXT)


def full_label(spoke: str) -> str:
    """The label in one line, as it would be with any amount of room."""
    return " ".join(svg.wrap_to_width(spoke, inf, TEXT))


def label_box(spoke: str, place: tuple[float, float]) -> LabelBox:
    """The label at a place outside the rings, beside its spoke, or above or below the middle."""
    (x, y), lines = place, split_label(spoke)
    wide, high = max(svg.text_width(t, TEXT) for t in lines), LINE * len(lines)
    anchor = "middle" if abs(x) < 12 else "end" if x < 0 else "start"
    left = {"middle": x - wide / 2, "end": x - wide, "start": x}[anchor]
    out = hypot(x, y)
    top = y - high / 2 + y / out * (high / 2 - 4)
    return LabelBox(spoke, lines, x, anchor, left, left + wide, top, top + high, out)


def system_outline(shape: RadarOutline, reach: float) -> list[Child]:
    """The line of a system, open where it has no value, and its marks."""
    n, key = len(shape.shares), shape.style.key
    points = [
        polar_point(i, n, reach * v) if v is not None and isfinite(v) else None
        for i, v in enumerate(shape.shares)
    ]
    path = outline_path(points)
    line = el("path", {"class": f"{key} o", "d": path, "stroke-dasharray": dash_pattern(key)})
    marks = [use_mark(key, *p, small=True) for p in points if p]
    return [line if path else None, el("g", {"class": key}, marks)]


def dash_pattern(key: str) -> str | None:
    """The dashes of a system by the number in its key; users and systems beyond six have none."""
    return (DASHES[int(key[1])] or None) if key[1].isdigit() else None


def outline_path(points: Sequence[tuple[float, float] | None]) -> str:
    """A closed path, or pieces between neighbours that both have a value."""
    if all(points):
        return "M" + "L".join(format_point(p) for p in points if p) + "z"
    pairs = zip(points, [*points[1:], points[0]], strict=True)
    return "".join(f"M{format_point(p)}L{format_point(q)}" for p, q in pairs if p and q)
