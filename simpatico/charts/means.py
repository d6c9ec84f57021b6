"""The mean of every system on every metric, and the table of these.

Dots, panels and groups are also what the dot plots and radars are drawn from, so that the three
views of the page cannot show different numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from simpatico.charts.axis import Axis, axis_around
from simpatico.charts.html import Html, el
from simpatico.charts.systems import SystemStyle, styled_name
from simpatico.wording import NO_VALUE, format_interval, format_number, interval_digits

PAPER_COLUMNS = 6
"""Columns that fit a sheet of paper; a wider table is for the screen only."""


@dataclass(frozen=True)
class Dot:
    """The mean of one system on one metric with its interval; `why` says why there is none."""

    style: SystemStyle
    value: float | None
    low: float | None
    high: float | None
    n: int
    why: str = ""


@dataclass(frozen=True)
class Panel:
    """One metric on its own scale. A dot of people (key sp) is drawn as a dotted line."""

    title: str
    note: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True)
class Group:
    """Metrics of one kind."""

    title: str
    about: str
    panels: tuple[Panel, ...]


def panel_axis(panel: Panel) -> Axis:
    """The scale cut to the range of the means, their intervals and people included."""
    return axis_around(v for d in panel.dots if has_value(d) for v in (d.value, d.low, d.high))


def has_value(dot: Dot) -> bool:
    """Whether there is a mean; infinite ones, of a metric gone wrong, are not drawn."""
    return dot.value is not None and isfinite(dot.value)


def level_dots(panel: Panel, styles: Sequence[SystemStyle]) -> list[Dot]:
    """The dot of each system; an empty one where the panel has none, so that rows stay level."""
    dots = {d.style: d for d in reversed(panel.dots)}
    return [dots.get(s) or Dot(s, None, None, None, 0, "not scored") for s in styles]


def panel_digits(panel: Panel) -> int:
    """As many digits for all dots as the narrowest interval supports."""
    with_interval = [d for d in panel.dots if has_value(d) and dot_interval(d)]
    if with_interval:
        # One digit less than the interval's own: a mean beside its interval needs no more.
        return max(max(interval_digits(d.low, d.high) - 1, 0) for d in with_interval)
    axis = panel_axis(panel)
    return interval_digits(axis.low, axis.high)


def dot_interval(dot: Dot) -> tuple[float, float] | None:
    """Both ends; None where they are the same but for rounding errors."""
    if dot.low is None or dot.high is None or not isfinite(dot.high - dot.low):
        return None
    tolerance = 1e-9 * max(abs(dot.low), abs(dot.high))
    return (dot.low, dot.high) if dot.high - dot.low > tolerance else None


def means_table(groups: Sequence[Group]) -> Html:
    """The same numbers as a table: a row per metric, a column per system, people last."""
    by_dot = (d.style for g in groups for p in g.panels for d in p.dots)
    styles = sorted(dict.fromkeys(by_dot), key=lambda s: s.key == "sp")
    heads = [el("th", {"scope": "col"}, styled_name(s)) for s in styles]
    head = el("thead", None, el("tr", None, el("th", {"scope": "col"}, "metric"), heads))
    caption = el("caption", {"class": "vh"}, "Mean, 95% CI and number of values")
    bodies = []
    for group in groups:
        title = el("th", {"scope": "colgroup", "colspan": len(styles) + 1}, group.title)
        rows = [el("tr", {"class": "gr"}, title)]
        for panel in group.panels:
            digits = panel_digits(panel)
            cells = [means_cell(dot, digits) for dot in level_dots(panel, styles)]
            rows.append(el("tr", None, el("th", {"scope": "row"}, panel.title), cells))
        bodies.append(el("tbody", None, rows))
    region = {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": "Means"}
    kind = "plain means many" if len(styles) > PAPER_COLUMNS else "plain means"
    return el("div", region, el("table", {"class": kind}, caption, head, bodies))


def means_cell(dot: Dot, digits: int) -> Html:
    """Mean, interval and number of values, or why there is no mean."""
    if not has_value(dot):
        return el("td", None, NO_VALUE, el("small", None, dot.why or "not scored"))
    ends = [" ", format_interval(dot.low, dot.high, digits)] if dot_interval(dot) else None
    size = el("small", None, f"n {dot.n:,}")
    return el("td", None, format_number(dot.value, digits), ends, size)
