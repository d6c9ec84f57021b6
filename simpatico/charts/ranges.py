"""The whole range of a metric, where most dialogs lie in it, and the systems."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from simpatico.charts.axis import Axis, axis_around
from simpatico.charts.html import Html, el
from simpatico.charts.systems import SystemStyle, use_mark
from simpatico.wording import format_number, format_significant, interval_digits

MIDDLE = 10
ARROW = {"low": "M5 -4L0 0 5 4", "high": "M-5 -4L0 0 -5 4"}


@dataclass(frozen=True)
class RangeChart:
    """Bounds that are null are open; from `p5` to `p95` lie nine tenths of the dialogs."""

    low: float | None
    high: float | None
    p5: float | None
    p95: float | None
    marks: tuple[tuple[SystemStyle, float], ...]
    note: str


def range_axis(drawn: RangeChart) -> Axis:
    """From bound to bound; an open side ends where the data do, with some air."""
    data = [v for v in (drawn.p5, drawn.p95, *(v for _, v in drawn.marks)) if is_finite(v)]
    seen = axis_around([*data, finite_or_none(drawn.low), finite_or_none(drawn.high)])
    inner = [v for v in data if v is not None]
    low, high = finite_or_none(drawn.low), finite_or_none(drawn.high)
    first = seen.low if low is None else min([low, *inner])
    last = seen.high if high is None else max([high, *inner])
    return Axis(first, last) if last > first else axis_around([first])


def is_finite(value: float | None) -> bool:
    return value is not None and isfinite(value)


def finite_or_none(value: float | None) -> float | None:
    return value if is_finite(value) else None


def range_chart(drawn: RangeChart) -> Html:
    """The range as a line with its ends and its note below."""
    axis = range_axis(drawn)
    ends = [bound_text(drawn.low), bound_text(drawn.high)]
    line = el("line", {"class": "zero", "x2": "100%", "y1": MIDDLE, "y2": MIDDLE})
    open_ends = [
        open_end(side) for side, b in (("low", drawn.low), ("high", drawn.high)) if not is_finite(b)
    ]
    marks = [
        el("g", {"class": party.key}, use_mark(party.key, axis.at(value), MIDDLE, small=True))
        for party, value in drawn.marks
        if isfinite(value)
    ]
    svg = {"role": "img", "aria-label": range_description(drawn, axis)}
    below = el("p", None, [el("span", None, t) for t in (ends[0], drawn.note, ends[1])])
    picture = el("svg", svg, line, central_range_line(drawn, axis), open_ends, marks)
    return el("div", {"class": "rng"}, picture, below)


def bound_text(value: float | None) -> str:
    """A bound as short as it is; an open one in words."""
    if value is None or not isfinite(value):
        return "open"
    return format_number(value, 0) if value == int(value) else format_significant(value)


def central_range_line(drawn: RangeChart, axis: Axis) -> Html | None:
    if drawn.p5 is None or drawn.p95 is None or not isfinite(drawn.p95 - drawn.p5):
        return None
    ends = {"x1": axis.at(drawn.p5), "x2": axis.at(drawn.p95)}
    return el("line", {"class": "most", **ends, "y1": MIDDLE, "y2": MIDDLE})


def open_end(side: str) -> Html:
    """The line goes on."""
    place = {"x": "100%" if side == "high" else 0, "y": MIDDLE, "overflow": "visible"}
    return el("svg", place, el("path", {"class": "zero", "d": ARROW[side]}))


def range_description(drawn: RangeChart, axis: Axis) -> str:
    """The drawing in a sentence."""
    digits = interval_digits(axis.low, axis.high)
    low, high = bound_text(drawn.low), bound_text(drawn.high)
    parts = [f"possible range {low} to {high}" if low != high else f"range {low} on both sides"]
    if is_finite(drawn.p5) and is_finite(drawn.p95):
        nine = f"{format_number(drawn.p5, digits)} and {format_number(drawn.p95, digits)}"
        parts.append(f"90% of dialogs between {nine}")
    parts += [f"{p.display_name} {format_number(v, digits)}" for p, v in drawn.marks if isfinite(v)]
    return "; ".join(parts)
