"""Incremental validity: adjusted R² of a traditional metric (T), a psychological (P), and both.

Adjusted R² = 1 − (1 − R²)(n − 1) / (n − k − 1) for k predictors: it can fall below zero, and a
second predictor can lower it, so that bars may start left of zero and gains may be losses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from simpatico.charts import svg
from simpatico.charts.axis import Axis
from simpatico.charts.html import Html, el, hidden_text
from simpatico.wording import NO_VALUE, format_correlation

BAR, THIN = 12.0, 10.0
"""Heights of a bar on the page and in a figure."""

T_ALONE, NUMBER, GAP = 34.0, 29.0, 8.0
"""In a figure: the widths of T, of a number, and between columns."""

BAR_BESIDE, NARROWEST = 72.0, 44.0
"""The narrowest column with its bar beside the number, not below it; and the narrowest of all."""

STEP = 12.5
"""Between lines of text."""
ABOUT = "Variance in human ratings explained by two metrics together"
KEY = (
    "Adjusted R² of P and T together. Grey: T alone; purple: gain from P; dashed: not significant."
)


@dataclass(frozen=True)
class GainCell:
    """R² of P and T together, and its gain over T alone."""

    pt: float | None
    gain: float | None
    low: float | None
    high: float | None
    clear: bool
    """Whether the gain is above zero beyond doubt."""
    why: str = ""


@dataclass(frozen=True)
class GainRow:
    """One traditional metric, with a cell for each psychological one."""

    title: str
    t: float | None
    cells: tuple[GainCell, ...]


@dataclass(frozen=True)
class GainBlock:
    """One quality; a column is a psychological metric with its R² alone."""

    title: str
    about: str
    columns: tuple[tuple[str, float | None], ...]
    rows: tuple[GainRow, ...]
    group: str = "P"
    """The letter of what is added: P, or L for learned metrics."""


def incremental_table(blocks: Sequence[GainBlock]) -> Html:
    """A table whose cells hold a number and a bar; all bars share one scale."""
    axis, widest = shared_axis(blocks), max([len(b.columns) for b in blocks], default=0)
    table = el(
        "table",
        {"class": "tp"},
        el("caption", {"class": "vh"}, f"{ABOUT}: adjusted R²."),
        [table_block(b, axis, widest) for b in blocks],
    )
    region = {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": ABOUT}
    return el("div", region, table)


def shared_axis(blocks: Sequence[GainBlock]) -> Axis:
    """From zero, or the lowest value where that is negative, to the highest."""
    rows = [row for block in blocks for row in block.rows]
    values = [c.pt for row in rows for c in row.cells] + [row.t for row in rows]
    present = [v for v in values if v is not None]
    low, high = min([0.0, *present]), max([0.0, *present])
    return Axis(low, high if high > low else low + 1)


def table_block(block: GainBlock, axis: Axis, widest: int) -> Html:
    """One quality: its head, and a row for each traditional metric."""
    heads = [("c nm", block.title, block.about), ("c r t1", "T", "alone")]
    group = block.group
    heads += [
        ("c p", title, f"{group} alone {format_r2(p)}, {group}+T:") for title, p in block.columns
    ]
    head = [
        el("th", {"class": kind, "scope": "col"}, el("b", None, title), about)
        for kind, title, about in heads
    ]
    rest = widest - len(block.columns)  # empty cells, so that all blocks have the same columns
    if rest:
        head.append(el("td", {"colspan": rest, "class": "c"}))
    rows = [el("tr", {"class": "c"}, head)]
    for row in block.rows:
        name = el("th", {"class": "nm", "scope": "row"}, el("bdi", None, row.title))
        cells = [gain_cell(row.t, cell, axis) for cell in row.cells]
        t = el("td", {"class": "r t1"}, format_r2(row.t))
        rows.append(el("tr", None, name, t, cells, el("td", {"colspan": rest}) if rest else None))
    return el("tbody", None, rows)


def gain_cell(t: float | None, cell: GainCell, axis: Axis) -> Html:
    """A number and a bar; the gain itself in the tooltip, and for screen readers."""
    if cell.pt is None:
        content = [el("b", None, NO_VALUE), el("small", None, cell.why)]
        return el("td", {"class": "p"}, el("div", {"class": "cell"}, content))
    gain = gain_words(cell)
    number = el("b", None, format_r2(cell.pt), hidden_text(f", {gain}"))
    plot = el("svg", {"aria-hidden": "true"}, gain_bar(t, cell, axis))
    kind = "cell sure" if cell.clear else "cell"
    return el("td", {"class": "p", "title": gain}, el("div", {"class": kind}, number, plot))


def gain_words(cell: GainCell) -> str:
    """The gain with its interval, and what that means."""
    if cell.gain is None:
        return f"gain {NO_VALUE}" + (f", {cell.why}" if cell.why else "")
    interval = ""
    if cell.low is not None and cell.high is not None:
        interval = f" [{format_r2(cell.low)}, {format_r2(cell.high)}]"
    meaning = "significant" if cell.clear else "not significant"
    return f"gain {format_r2(cell.gain)}{interval}, {meaning}"


def gain_bar(t: float | None, cell: GainCell, axis: Axis, height: float = BAR) -> list[Html]:
    """Grey for T, then what P adds; an outline where that may be nothing or is a loss."""
    if cell.pt is None:
        return []
    start = 0.0 if t is None else t
    gain = "gain" if cell.clear else "maybe"
    segments = [
        (0.0, max(0.0, min(start, cell.pt)), "tb"),
        (start, cell.pt, gain if cell.pt > start else "loss"),
    ]
    content = [svg.vertical_line(axis.at(0), height, "zero")] if axis.low < 0 else []
    for first, second, kind in segments:
        if first != second:
            low, high = sorted((first, second))
            inset = 1.0 if kind in ("tb", "gain") else 1.5  # outlines stay within the height
            width = f"{100 * (axis.share(high) - axis.share(low)):.2f}%"
            size = {"y": inset, "width": width, "height": height - 2 * inset}
            content.append(el("rect", {"x": axis.at(low), **size, "class": kind}))
    return content


def format_r2(value: float | None) -> str:
    """Three digits, as gains are often below .01."""
    return format_correlation(value, 3)


@dataclass(frozen=True)
class FigureColumns:
    """Sizes of a figure: its width, that of names, and that of a column with its gap."""

    width: float
    name: float
    column: float
    axis: Axis

    @property
    def bar_beside(self) -> bool:
        """Whether bars are beside the numbers; in narrow columns they are below."""
        return self.column >= BAR_BESIDE

    @property
    def row(self) -> float:
        """The height of a row."""
        return 17.0 if self.bar_beside else 27.0

    @property
    def t_end(self) -> float:
        """The right edge of the column of T alone."""
        return self.name + T_ALONE - GAP

    def x(self, column: int) -> float:
        """The left edge of a column."""
        return self.name + T_ALONE + GAP + column * self.column


def incremental_figure(blocks: Sequence[GainBlock], width: float) -> Html:
    """The same as a figure; narrow columns have the bar below the number, too many are split."""
    sizes, y, content = figure_columns(blocks, width), 0.0, list[Html]()
    fitting = round((width - sizes.x(0)) / sizes.column)
    for block in blocks:
        for i in range(0, max(len(block.columns), 1), fitting):
            rows = tuple(replace(r, cells=r.cells[i : i + fitting]) for r in block.rows)
            part = replace(block, columns=block.columns[i : i + fitting], rows=rows)
            head, below = figure_head(part, y, sizes)
            content += head
            for j, row in enumerate(part.rows):
                content += figure_row(row, below + j * sizes.row, sizes)
            y = below + len(part.rows) * sizes.row + GAP
    cells = (c for block in blocks for row in block.rows for c in row.cells)
    reasons = dict.fromkeys(c.why for c in cells if c.pt is None and c.why)
    missing = f" {NO_VALUE} {'; '.join(reasons)}." if reasons else ""
    key = svg.wrap_to_width(f"{KEY}{missing}", width)
    height, lines = y + 6 + STEP * len(key), svg.text_lines(0, y + 12, key)
    return svg.svg_document(width, height, el("title", None, ABOUT), content, lines)


def figure_columns(blocks: Sequence[GainBlock], width: float) -> FigureColumns:
    """Names get what they need up to a quarter; the columns share the rest, no word cut."""
    names = [svg.text_width(row.title) + 6 for block in blocks for row in block.rows]
    name = min(max([40.0, *names]), width / 4)
    room = width - name - T_ALONE - GAP
    most = max([1, *(len(b.columns) for b in blocks)])
    words = [svg.text_width(w) for b in blocks for title, _ in b.columns for w in title.split()]
    least = min(max([NARROWEST, *(w + GAP / 2 + 1 for w in words)]), room)
    parts = ceil(most / max(room // least, 1))
    return FigureColumns(width, name, room / ceil(most / parts), shared_axis(blocks))


def figure_head(block: GainBlock, y: float, sizes: FigureColumns) -> tuple[list[Html], float]:
    """The quality, the heads of the columns and a rule below them, and where that ends."""
    title = svg.shorten_to_width(block.title, sizes.width, bold=True)
    rest = max(sizes.width - svg.text_width(title, bold=True) - GAP, 0)
    about = svg.shorten_to_width(block.about, rest)
    name = el("tspan", {"class": "h"}, title)
    alone = " alone" if sizes.bar_beside else ""
    heads = []
    for column, p in block.columns:
        lines = [(line, "k") for line in svg.wrap_to_width(column, sizes.column - GAP / 2)]
        heads.append([*lines, (f"P{alone} {format_r2(p)}", "t")])
    t_alone = [("T", "k"), ("alone", "t")]
    end = y + STEP * max(len(lines) for lines in (t_alone, *heads)) + 18

    def column_head(x: float, lines: list[tuple[str, str]], anchor: str | None = None) -> Html:
        # The last line of every head is at the same height.
        return svg.text_lines(x, end - 6 - STEP * (len(lines) - 1), lines, STEP, anchor=anchor)

    content = [
        el("text", {"y": y + 10}, name, " ", about if about != "…" else None),
        column_head(sizes.t_end, t_alone, "end"),
        *(column_head(sizes.x(i), lines) for i, lines in enumerate(heads)),
        el("line", {"x2": sizes.width, "y1": end, "y2": end, "class": "zero"}),
    ]
    return content, end


def figure_row(row: GainRow, y: float, sizes: FigureColumns) -> list[Html]:
    """Name, R² of T alone, and the cells."""
    base, room = y + 12, sizes.column - GAP
    content = [
        svg.text_line(0, base, svg.shorten_to_width(row.title, sizes.name - 4), "k"),
        svg.text_line(sizes.t_end, base, format_r2(row.t), None, "end"),
    ]
    for i, cell in enumerate(row.cells):
        x = sizes.x(i)
        if cell.pt is None:
            content.append(svg.text_line(x, base, NO_VALUE))
            continue
        content.append(svg.text_line(x, base, format_r2(cell.pt), "h" if cell.clear else None))
        box = (x + NUMBER, y + 3, room - NUMBER) if sizes.bar_beside else (x, y + 14, room)
        content.append(svg.nested_svg(*box, THIN, gain_bar(row.t, cell, sizes.axis, THIN)))
    return content
