"""The whole range of a metric, where most dialogs lie in it, and the systems."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from simpatico.charts.axis import Axis, around
from simpatico.charts.html import Html, el
from simpatico.charts.systems import Party, use
from simpatico.wording import format_number, format_significant, interval_digits

MIDDLE = 10
ARROW = {"low": "M5 -4L0 0 5 4", "high": "M-5 -4L0 0 -5 4"}


@dataclass(frozen=True)
class Range:
    """Bounds that are null are open; from `p5` to `p95` lie nine tenths of the dialogs."""

    low: float | None
    high: float | None
    p5: float | None
    p95: float | None
    marks: tuple[tuple[Party, float], ...]
    note: str


def axis_of(drawn: Range) -> Axis:
    """From bound to bound; an open side ends where the data do, with some air."""
    data = [v for v in (drawn.p5, drawn.p95, *(v for _, v in drawn.marks)) if finite(v)]
    seen = around([*data, bound(drawn.low), bound(drawn.high)])
    inner = [v for v in data if v is not None]
    low, high = bound(drawn.low), bound(drawn.high)
    first = seen.low if low is None else min([low, *inner])
    last = seen.high if high is None else max([high, *inner])
    return Axis(first, last) if last > first else around([first])


def finite(value: float | None) -> bool:
    return value is not None and isfinite(value)


def bound(value: float | None) -> float | None:
    return value if finite(value) else None


def ranges(drawn: Range) -> Html:
    """The range as a line with its ends and its note below."""
    axis = axis_of(drawn)
    ends = [end_text(drawn.low), end_text(drawn.high)]
    line = el("line", {"class": "zero", "x2": "100%", "y1": MIDDLE, "y2": MIDDLE})
    open_ends = [
        arrow(side) for side, b in (("low", drawn.low), ("high", drawn.high)) if not finite(b)
    ]
    marks = [
        el("g", {"class": party.key}, use(party.key, axis.at(value), MIDDLE, small=True))
        for party, value in drawn.marks
        if isfinite(value)
    ]
    svg = {"role": "img", "aria-label": told(drawn, axis)}
    below = el("p", None, [el("span", None, t) for t in (ends[0], drawn.note, ends[1])])
    picture = el("svg", svg, line, most(drawn, axis), open_ends, marks)
    return el("div", {"class": "rng"}, picture, below)


def end_text(value: float | None) -> str:
    """A bound as short as it is; an open one in words."""
    if value is None or not isfinite(value):
        return "open"
    return format_number(value, 0) if value == int(value) else format_significant(value)


def most(drawn: Range, axis: Axis) -> Html | None:
    if drawn.p5 is None or drawn.p95 is None or not isfinite(drawn.p95 - drawn.p5):
        return None
    ends = {"x1": axis.at(drawn.p5), "x2": axis.at(drawn.p95)}
    return el("line", {"class": "most", **ends, "y1": MIDDLE, "y2": MIDDLE})


def arrow(side: str) -> Html:
    """The line goes on."""
    place = {"x": "100%" if side == "high" else 0, "y": MIDDLE, "overflow": "visible"}
    return el("svg", place, el("path", {"class": "zero", "d": ARROW[side]}))


def told(drawn: Range, axis: Axis) -> str:
    """The drawing in a sentence."""
    digits = interval_digits(axis.low, axis.high)
    low, high = end_text(drawn.low), end_text(drawn.high)
    parts = [f"possible range {low} to {high}" if low != high else f"range {low} on both sides"]
    if finite(drawn.p5) and finite(drawn.p95):
        nine = f"{format_number(drawn.p5, digits)} and {format_number(drawn.p95, digits)}"
        parts.append(f"90% of dialogs between {nine}")
    parts += [f"{p.shown} {format_number(v, digits)}" for p, v in drawn.marks if isfinite(v)]
    return "; ".join(parts)
