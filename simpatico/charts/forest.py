"""Metrics against raters: a dot and an interval each, beside what one more rater would reach."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

from simpatico.charts.axis import Axis
from simpatico.charts.html import Html, el, joined
from simpatico.charts.svg import (
    block,
    fitted,
    label,
    nested,
    printable,
    standalone,
    width_of,
    wrapped,
)
from simpatico.wording import NO_VALUE, format_correlation

ROW, THIN_ROW, TOP = 27.0, 17.0, 46.0
"""Heights of a row on the page, of one on paper, and of what stands above these."""

WIDE = 420.0
KINDS = {"P": "psychological", "L": "learned", "T": "traditional", "O": "other"}


@dataclass(frozen=True)
class Reach:
    """How far one metric follows the raters."""

    title: str
    kind: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    clear: bool
    """Its distance from zero outlives the correction for all that were tested."""
    why: str = ""


@dataclass(frozen=True)
class Forest:
    """Metrics against the raters of one quality."""

    rows: tuple[Reach, ...]
    one_more: tuple[float, float | None, float | None] | None
    """How well one more rater would predict the others, and the interval of that."""
    ceiling: float | None
    caption: str


def forest(drawn: Forest) -> Html:
    """A table with a plot in it; every number stands in a cell too."""
    axis = reach_axis(drawn)
    none = "No metric has anything to hold against the raters."
    empty = el("tr", None, el("td", {"colspan": 3, "class": "none"}, none))
    return el(
        "table",
        {"class": "forest"},
        el("caption", {"class": "vh"}, drawn.caption),
        head(drawn, axis),
        el("tbody", None, [table_row(r, drawn, axis) for r in drawn.rows] or empty),
    )


def tag(kind: str) -> Html:
    """The letter of a kind of metric in a box."""
    return el("span", {"class": f"tag {kind}", "title": KINDS.get(kind)}, kind)


def reach_axis(drawn: Forest) -> Axis:
    """From −.25, or lower in quarters where the data need it, to 1."""
    numbers = [n for r in drawn.rows for n in (r.value, r.low, r.high)]
    numbers += [*(drawn.one_more or ()), drawn.ceiling]
    known = [n for n in numbers if n is not None]
    return Axis(min([-0.25, *(floor(n * 4) / 4 for n in known)]), max([1.0, *known]))


def head(drawn: Forest, axis: Axis) -> Html:
    over = {"aria-hidden": "true", "class": "over", "width": "100%", "height": 52}
    plot = el("svg", over, references(drawn, axis), ticks(axis, 42))
    columns = [
        el("th", {"class": "nm", "scope": "col"}, hidden("metric")),
        el("th", {"class": "ax", "scope": "col"}, hidden(reference_words(drawn)), plot),
        el("th", {"class": "r c1", "scope": "col"}, el("i", None, "r")),
        el("th", {"class": "r c2", "scope": "col"}, "95%"),
        el("th", {"class": "r c3", "scope": "col"}, "of one rater"),
    ]
    return el("thead", None, el("tr", None, columns))


def reference_words(drawn: Forest) -> str:
    """What the lines in the plot stand for, for those who do not see them."""
    one = drawn.one_more and f"one more rater {format_correlation(drawn.one_more[0])}"
    ceiling = None if drawn.ceiling is None else f"ceiling {format_correlation(drawn.ceiling)}"
    return ", ".join(["plot", *filter(None, (one, ceiling))])


def references(drawn: Forest, axis: Axis) -> Html:
    """Names and numbers of both references, on lines of their own so that they never collide."""
    parts = []
    if drawn.ceiling is not None:
        parts.append(reference("100%", 10, "ceiling", drawn.ceiling, "end"))
    if drawn.one_more is not None:
        value = drawn.one_more[0]
        side = "end" if axis.share(value) > 0.7 else "middle"
        parts.append(reference(axis.at(value), 24, "one more rater", value, side))
    return joined(parts)


def reference(x: str, y: float, name: str, value: float, side: str) -> Html:
    strong = el("tspan", {"class": "h"}, format_correlation(value))
    place = {"x": x, "y": y, "class": "t", "text-anchor": side}
    return el("text", place, f"{name} ", strong)


def ticks(axis: Axis, y: float, step: float = 0.25) -> Html:
    """Round numbers below the names; quarters give way on narrow pages and on wide axes."""
    step = 0.5 if axis.high - axis.low > 1.5 else step
    marks = [i * step for i in range(-round(1 / step), round(1 / step) + 1)]
    inside = [v for v in marks if axis.low < v <= axis.high or v == axis.low < -0.25]
    return joined(
        label(
            axis.at(v),
            y,
            format_correlation(v) if v else "0",
            "t q" if v % 0.5 else "t",
            "end" if v == axis.high else "middle",
        )
        for v in inside
    )


def table_row(reach: Reach, drawn: Forest, axis: Axis) -> Html:
    name = el("th", {"class": "nm", "scope": "row"}, tag(reach.kind), el("bdi", None, reach.title))
    plot = el("svg", {"aria-hidden": "true"}, strip(reach, drawn, axis, ROW))
    why = None if reach.value is not None else el("span", {"class": "none"}, reach.why)
    unsure = None if reach.clear or reach.value is None else hidden(", not clear after correction")
    return el(
        "tr",
        None,
        name,
        el("td", {"class": "ax"}, plot, why),
        el(
            "td",
            {"class": "r c1", "title": f"n {reach.n:,}"},
            format_correlation(reach.value),
            unsure,
        ),
        el("td", {"class": "r c2 num"}, interval(reach)),
        el("td", {"class": "r c3"}, of_one(reach, drawn)),
    )


def strip(reach: Reach, drawn: Forest, axis: Axis, height: float) -> Html:
    """The plot of one metric, in percent of whatever width it is given."""
    return joined([ground(drawn, axis, height), mark(reach, axis, height)])


def mark(reach: Reach, axis: Axis, height: float) -> Html:
    """The dot and its interval; nothing where there is no value."""
    if reach.value is None:
        return joined([])
    middle, parts = height / 2, list[Html]()
    if reach.low is not None and reach.high is not None:
        ends = {"x1": axis.at(reach.low), "x2": axis.at(reach.high), "y1": middle, "y2": middle}
        parts.append(el("line", {**ends, "class": "ink reach"}))
    dot = {"cx": axis.at(reach.value), "cy": middle, "r": ROW / 6 if height >= ROW else 3.2}
    parts.append(el("circle", {**dot, "class": "ink dot" if reach.clear else "ink dot hollow"}))
    return joined(parts)


def ground(drawn: Forest, axis: Axis, height: float) -> Html:
    """What all rows share: grid, zero, the band of one more rater, and what is out of reach."""
    parts = [upright(axis, v / 4, height, "grid") for v in range(-4, 5) if axis.low < v / 4]
    if drawn.ceiling is not None:
        parts.append(band(axis, drawn.ceiling, axis.high, height))
    if drawn.one_more is not None:
        value, low, high = drawn.one_more
        if low is not None and high is not None:
            parts.append(band(axis, low, high, height))
        parts.append(upright(axis, value, height, "one"))
    return joined([*parts, upright(axis, 0, height, "zero null")])


def upright(axis: Axis, value: float, height: float, kind: str) -> Html:
    x = axis.at(value)
    return el("line", {"x1": x, "x2": x, "y1": 0, "y2": height, "class": kind})


def band(axis: Axis, low: float, high: float, height: float) -> Html:
    width = f"{100 * (axis.share(high) - axis.share(low)):.2f}%"
    return el(
        "rect", {"x": axis.at(low), "width": width, "y": 0, "height": height, "class": "ceil"}
    )


def interval(reach: Reach) -> str:
    if reach.low is None or reach.high is None:
        return NO_VALUE
    return f"{format_correlation(reach.low)} – {format_correlation(reach.high)}"


def bare_span(low: float | None, high: float | None) -> str:
    """An interval of correlations in brackets."""
    return (
        NO_VALUE
        if low is None or high is None
        else f"[{format_correlation(low)}, {format_correlation(high)}]"
    )


def of_one(reach: Reach, drawn: Forest) -> str:
    """The value as a share of what one more rater reaches; only where both are above zero."""
    one = drawn.one_more[0] if drawn.one_more else 0
    if not reach.clear or reach.value is None or reach.value <= 0 or one <= 0:
        return NO_VALUE
    return f"{100 * reach.value / one:.0f}%"


def hidden(text: str) -> Html:
    return el("span", {"class": "vh"}, text)


def figure(drawn: Forest, width: float) -> Html:
    """The same for a paper; the share of one rater needs more than one column's width."""
    axis, grid = reach_axis(drawn), columns_of(drawn, width)
    body = THIN_ROW * max(len(drawn.rows), 1)
    lines = wrapped(drawn.caption, width)
    heads = zip(grid.ends, ("r", "95%", "of one rater"), strict=False)
    return standalone(
        width,
        TOP + body + 8 + 12.5 * len(lines),
        el("title", None, printable(drawn.caption)),
        nested(grid.name, 0, grid.plot, TOP, references(drawn, axis), ticks(axis, 40, 0.5)),
        [label(x, 40, name, "t", "end") for x, name in heads],
        nested(grid.name, TOP, grid.plot, body, ground(drawn, axis, body)),
        [figure_row(r, TOP + i * THIN_ROW, drawn, grid) for i, r in enumerate(drawn.rows)],
        block(0, TOP + body + 16, lines),
    )


@dataclass(frozen=True)
class Columns:
    """Where the parts of a row stand: the plot begins at `name`; numbers end at `ends`."""

    name: float
    plot: float
    ends: tuple[float, ...]


def columns_of(drawn: Forest, width: float) -> Columns:
    """Names get what they need up to two fifths, so that the plot stays the widest part."""
    name = min(max([width_of(r.title) for r in drawn.rows] or [0]) + 18, 0.42 * width)
    ends = (width - 118, width - 62, width) if width >= WIDE else (width - 56, width)
    return Columns(name, ends[0] - 28 - name, ends)


def figure_row(reach: Reach, y: float, drawn: Forest, grid: Columns) -> Html:
    base = y + THIN_ROW / 2 + 3.5
    letter = label(0, base, reach.kind, "h" if reach.kind == "P" else "t")
    name = label(12, base, fitted(reach.title, grid.name - 16), "k")
    end = grid.ends[-1]
    if reach.value is None:
        why = fitted(reach.why or NO_VALUE, end - grid.name - 8)
        return joined([letter, name, label(end, base, why, "t halo", "end")])
    plot = nested(grid.name, y, grid.plot, THIN_ROW, mark(reach, reach_axis(drawn), THIN_ROW))
    numbers = (
        format_correlation(reach.value),
        bare_span(reach.low, reach.high),
        of_one(reach, drawn),
    )
    cells = zip(grid.ends, numbers, ("k", None, None), strict=False)
    return joined([letter, name, plot, *(label(x, base, v, k, "end") for x, v, k in cells)])
