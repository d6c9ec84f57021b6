"""Metrics against raters: a forest plot of correlations, beside what one more rater would reach.

A correlation means little alone: raters who disagree bound what any metric can reach (the noise
ceiling), and one more rater of the same kind is what a metric competes with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor

from simpatico.charts import svg
from simpatico.charts.axis import Axis
from simpatico.charts.html import Html, el, hidden_text
from simpatico.wording import NO_VALUE, format_correlation, format_correlation_interval

ROW, THIN_ROW, TOP = 27.0, 17.0, 46.0
"""Heights of a row on the page, of one in a figure, and of a figure's head."""

WIDE_FIGURE = 420.0
"""Pixels from which a figure has room for the share of one rater."""

NARROWEST_PLOT = 60.0
"""Pixels below which the interval's column gives way, and only whole numbers are labelled."""

KINDS = {"P": "psychological", "L": "learned", "T": "traditional", "O": "other"}


@dataclass(frozen=True)
class ForestRow:
    """The correlation of one metric with the ratings."""

    title: str
    kind: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    clear: bool
    """Whether it differs from zero after correction for multiple testing."""
    why: str = ""
    partial: float | None = None
    """The correlation with reply length held constant."""


@dataclass(frozen=True)
class Forest:
    """Metrics against the raters of one quality."""

    rows: tuple[ForestRow, ...]
    one_more: tuple[float, float | None, float | None] | None
    """Correlation of one more rater with the others, and its interval."""
    ceiling: float | None
    caption: str
    symbol: str = "r"
    """The letter of the coefficient: r, ρ or τ."""


def forest_table(chart: Forest) -> Html:
    """A table with the plot in a column; every number has a cell too."""
    axis = forest_axis(chart)
    attributes = {"aria-hidden": "true", "class": "over", "width": "100%", "height": 52}
    plot = el("svg", attributes, reference_labels(chart, axis), forest_ticks(axis, 42))
    references = ["plot"]  # what the lines stand for, for screen readers
    if chart.one_more:
        references.append(f"one more rater {format_correlation(chart.one_more[0])}")
    if chart.ceiling is not None:
        references.append(f"noise ceiling {format_correlation(chart.ceiling)}")
    heads = (
        ("nm", hidden_text("metric")),
        ("ax", [hidden_text(", ".join(references)), plot]),
        ("r c1", el("i", None, "r")),
        ("r c2", "95% CI"),
        ("r c3", "of one rater"),
        *([("r c4", "length constant")] if has_partial(chart) else []),
    )
    columns = [el("th", {"class": kind, "scope": "col"}, content) for kind, content in heads]
    reason = "No metric can be correlated with the ratings."
    empty = el("tr", None, el("td", {"colspan": 3, "class": "none"}, reason))
    return el(
        "table",
        {"class": "forest partial" if has_partial(chart) else "forest"},
        el("caption", {"class": "vh"}, chart.caption),
        el("thead", None, el("tr", None, columns)),
        el("tbody", None, [forest_table_row(r, chart, axis) for r in chart.rows] or empty),
    )


def has_partial(chart: Forest) -> bool:
    """Whether a column shows correlations with reply length held constant."""
    return any(row.partial is not None for row in chart.rows)


def kinds_legend(kinds: Iterable[str]) -> str:
    """What the letters before the metrics stand for: `P psychological, T traditional`."""
    present = set(kinds)
    return ", ".join(f"{letter} {word}" for letter, word in KINDS.items() if letter in present)


def kind_tag(kind: str) -> Html:
    """The letter of a kind of metric in a box."""
    return el("span", {"class": f"tag {kind}", "title": KINDS.get(kind)}, kind)


def forest_axis(chart: Forest) -> Axis:
    """From −.25, or a lower multiple of .25 where the data need it, to 1."""
    values = [v for r in chart.rows for v in (r.value, r.low, r.high)]
    values += [*(chart.one_more or ()), chart.ceiling]
    present = [v for v in values if v is not None]
    return Axis(min([-0.25, *(floor(v * 4) / 4 for v in present)]), max([1.0, *present]))


def reference_labels(chart: Forest, axis: Axis) -> list[Html]:
    """Names and values of both references, at different heights so that they never collide."""
    labels = []
    if chart.ceiling is not None:
        labels.append(("100%", 10, "noise ceiling", chart.ceiling, "end"))
    if chart.one_more is not None:
        value = chart.one_more[0]
        anchor = "end" if axis.share(value) > 0.7 else "middle"
        labels.append((axis.at(value), 24, "one more rater", value, anchor))
    texts = []
    for x, y, name, value, anchor in labels:
        number = el("tspan", {"class": "h"}, format_correlation(value))
        place = {"x": x, "y": y, "class": "t", "text-anchor": anchor}
        texts.append(el("text", place, f"{name} ", number))
    return texts


def forest_ticks(axis: Axis, y: float, step: float = 0.25) -> list[Html]:
    """Round numbers; quarters (class q) give way on narrow pages and wide axes."""
    step = max(step, 0.5) if axis.high - axis.low > 1.5 else step
    steps = [i * step for i in range(-round(1 / step), round(1 / step) + 1)]
    ticks = []
    for v in steps:
        if axis.low < v <= axis.high or v == axis.low < -0.25:
            kind, anchor = "t q" if v % 0.5 else "t", "end" if v == axis.high else "middle"
            text = format_correlation(v) if v else "0"
            ticks.append(svg.text_line(axis.at(v), y, text, kind, anchor))
    return ticks


def forest_table_row(row: ForestRow, chart: Forest, axis: Axis) -> Html:
    """One metric; grid and references are in every row, so that they run through the table."""
    name = el("th", {"class": "nm", "scope": "row"}, kind_tag(row.kind), el("bdi", None, row.title))
    marks = forest_background(chart, axis, ROW), forest_mark(row, axis, ROW)
    plot = el("svg", {"aria-hidden": "true"}, marks)
    why = None if row.value is not None else el("span", {"class": "none"}, row.why)
    unsure = row.value is not None and not row.clear
    note = hidden_text(", not significant after correction") if unsure else None
    about = {"class": "r c1", "title": f"n {row.n:,}"}
    return el(
        "tr",
        None,
        name,
        el("td", {"class": "ax"}, plot, why),
        el("td", about, format_correlation(row.value), note),
        el("td", {"class": "r c2 num"}, format_correlation_interval(row.low, row.high)),
        el("td", {"class": "r c3"}, share_of_rater(row, chart)),
        el("td", {"class": "r c4"}, format_correlation(row.partial))
        if has_partial(chart)
        else None,
    )


def forest_mark(row: ForestRow, axis: Axis, height: float) -> list[Html]:
    """The dot and its interval; empty where there is no value."""
    if row.value is None:
        return []
    content = []
    if row.low is not None and row.high is not None:
        ends = axis.at(row.low), axis.at(row.high)
        content.append(svg.horizontal_line(*ends, height / 2, "ink reach"))
    dot = {"cx": axis.at(row.value), "cy": height / 2, "r": ROW / 6 if height >= ROW else 3.2}
    content.append(el("circle", {**dot, "class": "ink dot" if row.clear else "ink dot hollow"}))
    return content


def forest_background(chart: Forest, axis: Axis, height: float) -> list[Html]:
    """What all rows share: grid, zero, the interval of one more rater, and the noise ceiling."""
    quarters = [v / 4 for v in range(-4, 5) if axis.low < v / 4]
    content = [svg.vertical_line(axis.at(v), height, "grid") for v in quarters]
    if chart.ceiling is not None:
        content.append(shaded_band(axis, chart.ceiling, axis.high, height))
    if chart.one_more is not None:
        value, low, high = chart.one_more
        if low is not None and high is not None:
            content.append(shaded_band(axis, low, high, height))
        content.append(svg.vertical_line(axis.at(value), height, "one"))
    return [*content, svg.vertical_line(axis.at(0), height, "zero null")]


def shaded_band(axis: Axis, low: float, high: float, height: float) -> Html:
    """The grey between two values: an interval, or what lies above the noise ceiling."""
    width = f"{100 * (axis.share(high) - axis.share(low)):.2f}%"
    size = {"x": axis.at(low), "width": width, "y": 0, "height": height}
    return el("rect", {**size, "class": "ceil"})


def share_of_rater(row: ForestRow, chart: Forest) -> str:
    """The value as a share of what one more rater reaches; only where both are above zero."""
    one = chart.one_more[0] if chart.one_more else 0
    if not row.clear or row.value is None or row.value <= 0 or one <= 0:
        return NO_VALUE
    return f"{100 * row.value / one:.0f}%"


def forest_figure(chart: Forest, width: float) -> Html:
    """The same as a figure; columns of numbers give way until the plot has room.

    The share of one rater needs more than one column of a journal, the interval more than half.
    """
    axis = forest_axis(chart)
    # Names get what they need up to two fifths, so that the plot stays the widest part.
    left = min(max([svg.text_width(r.title) for r in chart.rows] or [0]) + 18, 0.42 * width)
    ends: tuple[float, ...] = (width - 56, width)
    if width >= WIDE_FIGURE:
        ends = (width - 118, width - 62, width)
    step = 0.5
    if ends[0] - 28 - left < NARROWEST_PLOT:
        ends, step = (width,), 1.0
    plot = ends[0] - 28 - left
    body = THIN_ROW * max(len(chart.rows), 1)
    heads = zip(ends, (chart.symbol, "95% CI", "of one rater"), strict=False)
    rows = []
    for i, row in enumerate(chart.rows):
        y = TOP + i * THIN_ROW
        base = y + THIN_ROW / 2 + 3.5
        rows.append(svg.text_line(0, base, row.kind, "h" if row.kind == "P" else "t"))
        rows.append(svg.text_line(12, base, svg.shorten_to_width(row.title, left - 16), "k"))
        if row.value is None:
            why = svg.shorten_to_width(row.why or NO_VALUE, ends[-1] - left - 8)
            rows.append(svg.text_line(ends[-1], base, why, "t halo", "end"))
            continue
        rows.append(svg.nested_svg(left, y, plot, THIN_ROW, forest_mark(row, axis, THIN_ROW)))
        cells = (
            (format_correlation(row.value), "k"),
            (format_correlation_interval(row.low, row.high), None),
            (share_of_rater(row, chart), None),
        )
        rows += [svg.text_line(x, base, *cell, "end") for x, cell in zip(ends, cells, strict=False)]
    labels = reference_labels(chart, axis), forest_ticks(axis, 40, step)
    caption = svg.wrap_to_width(chart.caption, width)
    return svg.svg_document(
        width,
        TOP + body + 8 + 12.5 * len(caption),
        el("title", None, svg.xml_text(chart.caption)),
        svg.nested_svg(left, 0, plot, TOP, labels),
        [svg.text_line(x, 40, name, "t", "end") for x, name in heads],
        svg.nested_svg(left, TOP, plot, body, forest_background(chart, axis, body)),
        rows,
        svg.text_lines(0, TOP + body + 16, caption),
    )
