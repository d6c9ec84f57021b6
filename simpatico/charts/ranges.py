"""The whole range of a metric, where most dialogs lie in it, and the systems.

The counterpart of the dot plots, whose scales are cut: it shows whether a difference that fills a
panel there is a hundredth of the range.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TypeGuard

from simpatico.charts.axis import Axis, axis_around
from simpatico.charts.html import Html, el
from simpatico.charts.systems import SystemStyle, use_mark
from simpatico.wording import format_number, format_significant, interval_digits

MIDDLE = 10
LEFT_ARROW, RIGHT_ARROW = "M5 -4L0 0 5 4", "M-5 -4L0 0 -5 4"
"""Where a bound is open, the line goes on."""


@dataclass(frozen=True)
class RangeChart:
    """Bounds that are null are open; from `p5` to `p95` lie nine tenths of the dialogs."""

    low: float | None
    high: float | None
    p5: float | None
    p95: float | None
    marks: tuple[tuple[SystemStyle, float], ...]
    note: str


def range_axis(chart: RangeChart) -> Axis:
    """From bound to bound; an open side ends where the data do, with some air."""
    data = [v for v in (chart.p5, chart.p95, *(v for _, v in chart.marks)) if is_finite(v)]
    low, high = (b if is_finite(b) else None for b in (chart.low, chart.high))
    around = axis_around([*data, low, high])
    # Values beyond a bound move the end of the axis: nothing is drawn outside the card.
    first = around.low if low is None else min([low, *data])
    last = around.high if high is None else max([high, *data])
    return Axis(first, last) if last > first else axis_around([first])


def is_finite(value: float | None) -> TypeGuard[float]:
    """Whether a bound or value exists; a range may be open at either end."""
    return value is not None and isfinite(value)


def range_chart(chart: RangeChart) -> Html:
    """The range as a line with its ends and its note below."""
    axis = range_axis(chart)
    digits = interval_digits(axis.low, axis.high)
    low, high = bound_text(chart.low), bound_text(chart.high)
    about = [f"possible range {low} to {high}" if low != high else f"range {low} on both sides"]
    parts = [el("line", {"class": "zero", "x2": "100%", "y1": MIDDLE, "y2": MIDDLE})]
    if is_finite(chart.p5) and is_finite(chart.p95):
        ends = {"x1": axis.at(chart.p5), "x2": axis.at(chart.p95)}
        parts.append(el("line", {"class": "most", **ends, "y1": MIDDLE, "y2": MIDDLE}))
        ends_text = f"{format_number(chart.p5, digits)} and {format_number(chart.p95, digits)}"
        about.append(f"90% of dialogs between {ends_text}")
    for x, bound, arrow in ((0, chart.low, LEFT_ARROW), ("100%", chart.high, RIGHT_ARROW)):
        if not is_finite(bound):
            place = {"x": x, "y": MIDDLE, "overflow": "visible"}
            parts.append(el("svg", place, el("path", {"class": "zero", "d": arrow})))
    for style, value in chart.marks:
        if isfinite(value):
            mark = use_mark(style.key, axis.at(value), MIDDLE, small=True)
            parts.append(el("g", {"class": style.key}, mark))
            about.append(f"{style.display_name} {format_number(value, digits)}")
    picture = el("svg", {"role": "img", "aria-label": "; ".join(about)}, parts)
    below = el("p", None, [el("span", None, text) for text in (low, chart.note, high)])
    return el("div", {"class": "rng"}, picture, below)


def bound_text(value: float | None) -> str:
    """A bound as short as it is; an open one in words."""
    if value is None or not isfinite(value):
        return "open"
    return format_number(value, 0) if value == int(value) else format_significant(value)
