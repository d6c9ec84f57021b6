"""Differences between two systems: sentences with a picture on one axis in standard deviations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import unescape
from math import floor, isfinite, log10
from typing import Literal

from simpatico.charts.axis import Axis, labels
from simpatico.charts.html import Child, Html, el
from simpatico.charts.svg import label, nested, standalone, width_of, wrapped
from simpatico.charts.systems import Party, short, use
from simpatico.wording import NO_VALUE, format_number

ROW = 34
SMALLEST = 0.6
"""Standard deviations that the axis reaches at least, so that small differences look small."""

SHORT = 48
"""Characters of a note that stands beside its sentence rather than below it."""


@dataclass(frozen=True)
class Gap:
    """System `a` minus system `b` on one metric, in its unit; `side` has the higher value."""

    claim: Child
    note: str
    difference: float | None
    low: float | None
    high: float | None
    wide_low: float | None
    wide_high: float | None
    sd: float | None
    times: float | None
    tracks: str
    side: Literal["a", "b"] | None
    """Whose colour it has; hollow and grey where the difference is no finding."""


@dataclass(frozen=True)
class Gaps:
    """All differences of two systems, in groups with a title; `a` lies to the right."""

    a: Party
    b: Party
    groups: tuple[tuple[str, tuple[Gap, ...]], ...]
    caption: str
    with_tracks: bool
    unit: str = "dialog"
    confidence: float = 0.95


def axis_of(gaps: Gaps) -> Axis:
    """As far to the left as to the right, with every end of every interval inside."""
    reached = (abs(v) for _, group in gaps.groups for gap in group for v in standard(gap).values())
    reach = max(SMALLEST, *reached, 0.0) * 1.06
    return Axis(-reach, reach)


def standard(gap: Gap) -> dict[str, float]:
    """What there is to draw, in standard deviations."""
    if not gap.sd or gap.difference is None or not isfinite(gap.difference):
        return {}
    ends = {
        "x": gap.difference,
        "low": gap.low,
        "high": gap.high,
        "from": gap.wide_low,
        "to": gap.wide_high,
    }
    return {n: v / gap.sd for n, v in ends.items() if v is not None and isfinite(v)}


def ticks_of(axis: Axis) -> list[float]:
    """Zero and one round number on both sides, far enough from the edge for its label."""
    most = 0.8 * axis.high
    power = 10.0 ** floor(log10(most))
    step = max(m * power for m in (1, 2, 5) if m * power <= most * (1 + 1e-9))
    return [-step, 0.0, step]


def gaps_table(gaps: Gaps) -> Html:
    """The verdict: a sentence, its picture, wins in 100, and whether the metric tracks raters."""
    axis = axis_of(gaps)
    columns = 4 if gaps.with_tracks else 3
    bodies = [body(gaps, axis, title, rows, columns) for title, rows in gaps.groups if rows]
    caption = el("caption", {"class": "vh"}, gaps.caption)
    return el("table", {"class": "verdict"}, caption, head(gaps, axis), bodies)


def head(gaps: Gaps, axis: Axis) -> Html:
    picture = el("svg", {"aria-hidden": "true"}, scale(gaps, axis))
    level = f"{100 * gaps.confidence:.4g}%"
    plot = el("span", {"class": "vh"}, f"plot, in standard deviations between {gaps.unit}s")
    tracks = el("th", {"class": "tr", "scope": "col"}, "tracks raters? r")
    row = el(
        "tr",
        None,
        el("th", {"scope": "col"}, f"Difference, in the metric’s own unit [{level} interval]"),
        el("th", {"class": "ax", "scope": "col"}, plot, picture),
        el("th", {"class": "of r", "scope": "col"}, "wins in 100"),
        tracks if gaps.with_tracks else None,
    )
    return el("thead", None, row)


def scale(gaps: Gaps, axis: Axis, longest: int = 13) -> list[Html]:
    """Who is on which side, and the ticks."""
    ticks = ticks_of(axis)
    texts = [f"+{t}" if v > 0 else t for v, t in zip(ticks, labels(ticks), strict=True)]
    texts = ["0" if not v else f"{t} SD" for v, t in zip(ticks, texts, strict=True)]
    to_b, to_a = f"← {short(gaps.b.name, longest)}", f"{short(gaps.a.name, longest)} →"
    return [
        el("text", {"class": "t", "x": "49%", "y": 10, "text-anchor": "end"}, to_b),
        el("text", {"class": "t", "x": "51%", "y": 10}, to_a),
        *(
            el("text", {"class": "t", "x": axis.at(v), "y": 26, "text-anchor": "middle"}, t)
            for v, t in zip(ticks, texts, strict=True)
        ),
    ]


def body(gaps: Gaps, axis: Axis, title: str, rows: Sequence[Gap], columns: int) -> Html:
    name = el("th", {"colspan": columns, "scope": "rowgroup"}, title, el("span", None, len(rows)))
    lines = [row_of(gaps, axis, gap) for gap in rows]
    return el("tbody", None, el("tr", {"class": "grp"}, name), lines)


def row_of(gaps: Gaps, axis: Axis, gap: Gap) -> Html:
    beside = gap.side is None and len(gap.note) <= SHORT
    note = el("small", {"class": "in" if beside else None}, gap.note) if gap.note else None
    return el(
        "tr",
        None,
        el("td", {"class": "st"}, gap.claim, " " if note else None, note),
        el("td", {"class": "ax"}, picture(gaps, axis, gap)),
        el("td", {"class": "of r"}, format_number(gap.times, 0)),
        tracked(gap.tracks) if gaps.with_tracks else None,
    )


def tracked(words: str) -> Html:
    plain = words.startswith(("yes", "a little"))
    return el("td", {"class": "tr" if plain else "tr no"}, words or NO_VALUE)


def picture(gaps: Gaps, axis: Axis, gap: Gap) -> Html:
    """The cell of a row, or in words why it has no place on the axis."""
    drawn = cell(gaps, axis, gap, ROW)
    if drawn is None:
        return el("small", None, why_not(gap))
    return el("svg", {"aria-hidden": "true"}, grid(axis, ROW), drawn)


def why_not(gap: Gap) -> str:
    return "no difference known" if gap.difference is None else "no spread between dialogs"


def grid(axis: Axis, height: float) -> list[Html]:
    kinds = ("grid", "zero", "grid")
    places = zip(kinds, map(axis.at, ticks_of(axis)), strict=True)
    return [el("line", {"class": k, "x1": x, "x2": x, "y2": height}) for k, x in places]


def cell(gaps: Gaps, axis: Axis, gap: Gap, height: float) -> Html | None:
    """Thin and thick line and the mark; nothing where the difference has no place."""
    ends, middle = standard(gap), height / 2
    if "x" not in ends:
        return None
    party = {"a": gaps.a, "b": gaps.b}[gap.side] if gap.side else None
    dot = {"class": "hollow", "cx": axis.at(ends["x"]), "cy": middle, "r": 4, "stroke-width": 1.5}
    return el(
        "g",
        {"class": party.key if party else "mute"},
        bar(axis, "thin", (ends.get("from"), ends.get("to")), middle),
        bar(axis, "thick", (ends.get("low"), ends.get("high")), middle),
        use(party.key, axis.at(ends["x"]), middle) if party else el("circle", dot),
    )


def bar(
    axis: Axis, kind: str, ends: tuple[float | None, float | None], middle: float
) -> Html | None:
    low, high = ends
    if low is None or high is None:
        return None
    place = {"x1": axis.at(low), "x2": axis.at(high), "y1": middle, "y2": middle}
    return el("line", {"class": kind, **place})


FIGURE_ROW, LINE = 20.0, 12.0
AMOUNT = re.compile(r"\S+(?: [^\W\d]+)? \[[^\[\]]*\]\.?\Z")
"""A number with its unit and interval at the end, which should stay in one line."""

WIDE = 0.44
"""Share of a figure's width for the plot."""


def figure(gaps: Gaps, width: float) -> Html:
    """The groups on one sheet: words left, plot in the middle, wins in 100 right."""
    axis, plot, last = axis_of(gaps), width * WIDE, 34.0
    left = width - plot - last - 10
    drawn: list[Child] = [nested(left, 0, plot, 30, scale(gaps, axis, 16))]
    drawn.append(label(width, 10, "wins", anchor="end", kind="t"))
    drawn.append(label(width, 22, "in 100", anchor="end", kind="t"))
    y = 30.0
    for title, rows in gaps.groups:
        if not rows:
            continue
        drawn.append(label(0, y + 14, title, kind="h"))
        drawn.append(label(width_of(title, bold=True) + 6, y + 14, str(len(rows)), kind="t"))
        y += 22
        for gap in rows:
            words = figure_words(gap, left - 12)
            height = max(FIGURE_ROW, len(words) * LINE + 6)
            drawn += figure_row(gaps, axis, gap, words, (left, y, plot, height))
            drawn.append(
                label(width, y + height / 2 + 3.5, format_number(gap.times, 0), anchor="end")
            )
            y += height
    return standalone(width, y + 2, drawn)


def figure_words(gap: Gap, room: float) -> list[tuple[str, str]]:
    """The lines left of a row and how they are painted."""
    text = plain(gap.claim)
    amount = AMOUNT.search(text)
    if amount and width_of(text) > room:
        lines = wrapped(text[: amount.start()], room) + wrapped(amount[0], room)
    else:
        lines = wrapped(text, room)
    return [(t, "k") for t in lines] + [(t, "t") for t in wrapped(gap.note, room)]


def plain(child: Child) -> str:
    """The words of a claim without its markup."""
    if isinstance(child, Html):
        return unescape(re.sub(r"<[^>]*>", "", child))
    if isinstance(child, Iterable) and not isinstance(child, str):
        return "".join(plain(c) for c in child)
    return "" if child is None else str(child)


def figure_row(
    gaps: Gaps,
    axis: Axis,
    gap: Gap,
    words: Sequence[tuple[str, str]],
    place: tuple[float, float, float, float],
) -> list[Child]:
    left, y, plot, height = place
    first = y + height / 2 - len(words) * LINE / 2 + LINE - 3
    text = [label(0, first + i * LINE, t, kind=k) for i, (t, k) in enumerate(words)]
    drawn = cell(gaps, axis, gap, height)
    lines = grid(axis, height) if drawn else None
    middle = height / 2 + 3.5
    why = None if drawn else label("50%", middle, why_not(gap), anchor="middle", kind="t")
    edge = el("line", {"class": "grid", "x2": left + plot + 44, "y1": y, "y2": y})
    return [edge, text, nested(left, y, plot, height, lines, drawn, why)]
