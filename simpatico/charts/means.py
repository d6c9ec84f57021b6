"""What every system reached on every metric, and the table of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from simpatico.charts.axis import Axis, around
from simpatico.charts.html import Html, el
from simpatico.charts.systems import Party, named
from simpatico.wording import NO_VALUE, format_interval, format_number, interval_digits


@dataclass(frozen=True)
class Dot:
    """The mean of one system on one metric; `why` there is none."""

    party: Party
    value: float | None
    low: float | None
    high: float | None
    n: int
    why: str = ""


@dataclass(frozen=True)
class Panel:
    """One metric on its own scale. A dot of people (key sp) is a dotted line behind the rest."""

    title: str
    note: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True)
class Group:
    """Metrics of one kind."""

    title: str
    about: str
    panels: tuple[Panel, ...]


def window(panel: Panel) -> Axis:
    """The scale cut to where the systems lie, intervals and people included."""
    return around(v for d in panel.dots if known(d) for v in (d.value, d.low, d.high))


def known(dot: Dot) -> bool:
    return dot.value is not None and isfinite(dot.value)


def dot_of(panel: Panel, party: Party) -> Dot:
    missing = Dot(party, None, None, None, 0, "not scored")
    return next((d for d in panel.dots if d.party == party), missing)


def digits_of(panel: Panel) -> int:
    """As many digits for all dots as the narrowest interval supports."""
    real = [d for d in panel.dots if known(d) and interval(d)]
    if real:
        return max(max(interval_digits(d.low, d.high) - 1, 0) for d in real)
    axis = window(panel)
    return interval_digits(axis.low, axis.high)


def interval(dot: Dot) -> tuple[float, float] | None:
    """The ends, unless they are the same but for rounding."""
    if dot.low is None or dot.high is None or not isfinite(dot.high - dot.low):
        return None
    reach = dot.high - dot.low
    return (dot.low, dot.high) if reach > 1e-9 * max(abs(dot.low), abs(dot.high)) else None


SHEET = 6
"""Columns that fit a sheet of paper; a wider table is for the screen only."""


def means_table(groups: Sequence[Group]) -> Html:
    """The same numbers as a table: a row per metric, a column per system."""
    found = (d.party for g in groups for p in g.panels for d in p.dots)
    parties = sorted(dict.fromkeys(found), key=lambda p: p.key == "sp")
    heads = [el("th", {"scope": "col"}, named(p)) for p in parties]
    head = el("thead", None, el("tr", None, el("th", {"scope": "col"}, "metric"), heads))
    caption = el("caption", {"class": "vh"}, "Mean, 95% interval and number of values")
    bodies = [group_rows(g, parties) for g in groups]
    region = {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": "Means"}
    kind = "plain means many" if len(parties) > SHEET else "plain means"
    return el("div", region, el("table", {"class": kind}, caption, head, bodies))


def group_rows(group: Group, parties: Sequence[Party]) -> Html:
    head = el("th", {"scope": "colgroup", "colspan": len(parties) + 1}, group.title)
    rows = [means_row(panel, parties) for panel in group.panels]
    return el("tbody", None, el("tr", {"class": "gr"}, head), rows)


def means_row(panel: Panel, parties: Sequence[Party]) -> Html:
    digits = digits_of(panel)
    cells = [means_cell(dot_of(panel, p), digits) for p in parties]
    return el("tr", None, el("th", {"scope": "row"}, panel.title), cells)


def means_cell(dot: Dot, digits: int) -> Html:
    if not known(dot):
        return el("td", None, NO_VALUE, el("small", None, dot.why or "not scored"))
    ends = [" ", format_interval(dot.low, dot.high, digits)] if interval(dot) else None
    size = el("small", None, f"n {dot.n:,}")
    return el("td", None, format_number(dot.value, digits), ends, size)
