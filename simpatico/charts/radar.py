"""A radar for a first look: one outline per system over the windows of the dots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, hypot, inf, isfinite, pi, sin

from simpatico.charts.html import Child, Html, el, text_of
from simpatico.charts.svg import fitted, label, nested, standalone, width_of, wrapped
from simpatico.charts.systems import DASHES, Party, use
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
class Shape:
    """One system: where it stands within the window of each axis, from 0 to 1."""

    party: Party
    shares: tuple[float | None, ...]


@dataclass(frozen=True)
class Radar:
    """Axes in the order they are drawn, from the top to the right."""

    title: str
    spokes: tuple[str, ...]
    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class Box:
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

    def meets(self, other: Box) -> bool:
        across = self.left < other.right + CLEAR and other.left < self.right + CLEAR
        return across and self.top < other.bottom + CLEAR and other.top < self.bottom + CLEAR


def radar(drawn: Radar) -> Html:
    """The radar with its title, and in words what could not be drawn."""
    left, top, width, height, inside = outline(drawn)
    who = ", ".join(s.party.shown for s in drawn.shapes)
    said = (
        f"{drawn.title}: radar of {who} on {len(drawn.spokes)} metrics; the table has the numbers"
    )
    view = " ".join(text_of(v) for v in (left, top, width, height))
    kind = "broad" if width > BROAD else None
    svg = {"class": kind, "viewBox": view, "width": width, "role": "img", "aria-label": said}
    missing = [el("p", None, note) for note in without(drawn)]
    return el(
        "figure", {"class": "radar"}, el("h3", None, drawn.title), el("svg", svg, inside), missing
    )


def figure(drawn: Radar, width: float) -> Html:
    """The radar on a sheet of its own, scaled to the width, with the names of the systems."""
    left, top, wide, high, inside = outline(drawn)
    scale = min(1.0, width / wide)
    moved = (width - wide * scale) / 2 - left * scale
    head = 18.0
    place = f"translate({text_of(moved)} {text_of(head - top * scale)}) scale({scale:.4g})"
    y = head + high * scale + 16
    notes = [line for note in without(drawn) for line in wrapped(note, width)]
    names, y = named_row(drawn, width, y)
    below = [label(0, y + 12 * i, line, kind="t") for i, line in enumerate(notes)]
    return standalone(
        width,
        round(y + 12 * len(notes), 2),
        label(0, 11, drawn.title, kind="h"),
        el("g", {"transform": place, "font-size": TEXT}, inside),
        names,
        below,
    )


def named_row(drawn: Radar, width: float, y: float) -> tuple[list[Html], float]:
    """Dash, mark and name of every system, in as many rows as they need, and where they end."""
    found, x = [], 0.0
    for shape in drawn.shapes:
        room = 34 + width_of(shape.party.shown) + 18
        if x and x + room > width:
            x, y = 0.0, y + 15
        dash = {"class": f"{shape.party.key} o", "d": "M0 6h26", "stroke-dasharray": dashes(shape)}
        mark = el("g", {"class": shape.party.key}, use(shape.party.key, 13, 6, small=True))
        name = label(32, 9.5, shape.party.shown, kind=f"{shape.party.key} w")
        found.append(nested(x, y - 10, room, 12, el("path", dash), mark, name))
        x += room
    return found, y + 14


def without(drawn: Radar) -> list[str]:
    """Systems and metrics that have no value, in words."""
    gaps = [
        (
            shape.party.shown,
            [s for s, v in zip(drawn.spokes, shape.shares, strict=True) if v is None],
        )
        for shape in drawn.shapes
    ]
    return [f"{name} has no value for {', '.join(spokes)}." for name, spokes in gaps if spokes]


def outline(drawn: Radar) -> tuple[float, float, float, float, list[Child]]:
    """Left, top, width and height of the room it needs, and the drawing around 0, 0."""
    n = len(drawn.spokes)
    if not FEWEST <= n <= MOST:
        raise BadValue(f"a radar has {FEWEST} to {MOST} spokes, not {n}; draw the dots instead")
    reach = 112.0 if n <= 12 else 112.0 + 6 * (n - 12)
    boxes = labels_around(drawn.spokes, reach)
    left = min(-reach, *(b.left for b in boxes)) - 4
    right = max(reach, *(b.right for b in boxes)) + 4
    top, bottom = (
        min(-reach, *(b.top for b in boxes)) - 4,
        max(reach, *(b.bottom for b in boxes)) + 4,
    )
    inside: list[Child] = [web(boxes, reach), [written(b) for b in boxes]]
    inside += [outline_of(s, reach) for s in drawn.shapes]
    return left, top, right - left, bottom - top, inside


def point(i: int, n: int, radius: float) -> tuple[float, float]:
    angle = 2 * pi * i / n - pi / 2
    return round(cos(angle) * radius, 2), round(sin(angle) * radius, 2)


def web(boxes: Sequence[Box], reach: float) -> Html:
    """Rings and spokes as one path; a spoke goes on to a label that had to move out."""
    n, parts = len(boxes), []
    for share in (0.25, 0.5, 0.75, 1):
        parts.append("M" + "L".join(at(point(i, n, reach * share)) for i in range(n)) + "z")
    for i, box in enumerate(boxes):
        parts.append(f"M0 0L{at(point(i, n, max(reach, box.out - 9)))}")
    return el("path", {"class": "grid", "d": "".join(parts)})


def at(xy: tuple[float, float]) -> str:
    return f"{text_of(xy[0])} {text_of(xy[1])}"


def labels_around(spokes: Sequence[str], reach: float) -> list[Box]:
    """Labels outside the outermost ring, moved out along the spoke until none meets another."""
    n = len(spokes)
    from_the_side = sorted(range(n), key=lambda i: (abs(point(i, n, 1.0)[1]), i))
    placed: dict[int, Box] = {}
    for i in from_the_side:
        out = reach + 14
        box = boxed(spokes[i], point(i, n, out))
        while any(box.meets(p) for p in placed.values()):
            out += 4
            box = boxed(spokes[i], point(i, n, out))
        placed[i] = box
    return [placed[i] for i in range(n)]


def two_lines(spoke: str) -> tuple[str, ...]:
    """The label in one line if it fits, or else in two of about the same length."""
    lines = wrapped(spoke, WIDEST, TEXT)
    if len(lines) <= 1:
        return tuple(lines or [""])
    narrow = (wrapped(spoke, room, TEXT) for room in range(50, int(WIDEST), 4))
    even = next((t for t in narrow if len(t) <= 2 and " ".join(t) == in_full(spoke)), lines)
    if len(even) <= 2:
        return tuple(even)
    return even[0], fitted(" ".join(even[1:]), WIDEST, TEXT)


def in_full(spoke: str) -> str:
    return " ".join(wrapped(spoke, inf, TEXT))


def boxed(spoke: str, place: tuple[float, float]) -> Box:
    """The label at a place outside the rings, beside its spoke, or above or below the middle."""
    (x, y), lines = place, two_lines(spoke)
    wide, high = max(width_of(t, TEXT) for t in lines), LINE * len(lines)
    anchor = "middle" if abs(x) < 12 else "end" if x < 0 else "start"
    left = {"middle": x - wide / 2, "end": x - wide, "start": x}[anchor]
    out = hypot(x, y)
    top = y - high / 2 + y / out * (high / 2 - 4)
    return Box(spoke, lines, x, anchor, left, left + wide, top, top + high, out)


def written(box: Box) -> list[Html]:
    place = {"x": box.x, "text-anchor": box.anchor}
    cut = " ".join(box.lines) != in_full(box.full)
    full = el("title", None, box.full) if cut else None
    return [
        el("text", {**place, "y": box.top + 11 + LINE * i}, line, full)
        for i, line in enumerate(box.lines)
    ]


def outline_of(shape: Shape, reach: float) -> list[Child]:
    """The line of a system, open where it has no value, and its marks."""
    n = len(shape.shares)
    points = [
        point(i, n, reach * v) if v is not None and isfinite(v) else None
        for i, v in enumerate(shape.shares)
    ]
    line = {
        "class": f"{shape.party.key} o",
        "d": connected(points),
        "stroke-dasharray": dashes(shape),
    }
    marks = [use(shape.party.key, p[0], p[1], small=True) for p in points if p]
    return [el("path", line) if line["d"] else None, el("g", {"class": shape.party.key}, marks)]


def dashes(shape: Shape) -> str | None:
    number = shape.party.key[1]
    return (DASHES[int(number)] or None) if number.isdigit() else None


def connected(points: Sequence[tuple[float, float] | None]) -> str:
    """A closed path, or pieces between neighbours that both have a value."""
    if all(points):
        return "M" + "L".join(at(p) for p in points if p) + "z"
    pairs = zip(points, [*points[1:], points[0]], strict=True)
    return "".join(f"M{at(p)}L{at(q)}" for p, q in pairs if p and q)
