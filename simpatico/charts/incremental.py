"""Incremental validity: adjusted R² of a traditional metric (T), a psychological (P), and both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from simpatico.charts.axis import Axis
from simpatico.charts.html import Html, el
from simpatico.charts.svg import (
    nested_svg,
    shorten_to_width,
    svg_document,
    text_line,
    text_lines,
    text_width,
    vertical_line,
    wrap_to_width,
)
from simpatico.wording import NO_VALUE, format_correlation

BAR, THIN = 12.0, 10.0
"""Heights of a bar on the page and in a figure."""

T_ALONE, NUMBER, GAP = 34.0, 29.0, 8.0
"""In a figure: the widths of T, of a number, and between columns."""

BAR_BESIDE, NARROWEST = 72.0, 44.0
"""The narrowest column with its bar beside the number, not below it; and the narrowest of all."""

STEP = 12.5
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
    known = [v for v in values if v is not None]
    low, high = min([0.0, *known]), max([0.0, *known])
    return Axis(low, high if high > low else low + 1)


def table_block(block: GainBlock, axis: Axis, widest: int) -> Html:
    about = el("th", {"class": "c nm", "scope": "col"}, el("b", None, block.title), block.about)
    alone = el("th", {"class": "c r t1", "scope": "col"}, el("b", None, "T"), "alone")
    columns = [
        el(
            "th",
            {"class": "c p", "scope": "col"},
            el("b", None, title),
            f"P alone {format_r2(p)}, P+T:",
        )
        for title, p in block.columns
    ]
    rest = widest - len(block.columns)  # empty cells, so that all blocks have the same columns
    filler = el("td", {"colspan": rest}) if rest else None
    head_filler = el("td", {"colspan": rest, "class": "c"}) if rest else None
    rows = [el("tr", {"class": "c"}, about, alone, columns, head_filler)]
    for row in block.rows:
        name = el("th", {"class": "nm", "scope": "row"}, el("bdi", None, row.title))
        cells = [gain_cell(row.t, cell, axis) for cell in row.cells]
        t = el("td", {"class": "r t1"}, format_r2(row.t))
        rows.append(el("tr", None, name, t, cells, filler))
    return el("tbody", None, rows)


def gain_cell(t: float | None, cell: GainCell, axis: Axis) -> Html:
    if cell.pt is None:
        content = [el("b", None, NO_VALUE), el("small", None, cell.why)]
        return el("td", {"class": "p"}, el("div", {"class": "cell"}, content))
    gain = gain_words(cell)
    number = el("b", None, format_r2(cell.pt), el("span", {"class": "vh"}, f", {gain}"))
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
    content = [vertical_line(axis.at(0), height, "zero")] if axis.low < 0 else []
    for first, second, kind in segments:
        if first != second:
            low, high = sorted((first, second))
            inset = 1.0 if kind in ("tb", "gain") else 1.5  # outlines stay within the height
            width = f"{100 * (axis.share(high) - axis.share(low)):.2f}%"
            size = {"y": inset, "width": width, "height": height - 2 * inset}
            content.append(el("rect", {"x": axis.at(low), **size, "class": kind}))
    return content


def format_r2(value: float | None) -> str:
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
        return self.column >= BAR_BESIDE

    @property
    def row(self) -> float:
        return 17.0 if self.bar_beside else 27.0

    @property
    def count(self) -> int:
        """How many columns fit."""
        return round((self.width - self.x(0)) / self.column)

    def x(self, column: int) -> float:
        """The left edge of a column."""
        return self.name + T_ALONE + GAP + column * self.column


def incremental_figure(blocks: Sequence[GainBlock], width: float) -> Html:
    """The same as a figure; narrow columns have the bar below the number, too many are split."""
    sizes, y, content = figure_columns(blocks, width), 0.0, list[Html]()
    for block in [part for whole in blocks for part in split_columns(whole, sizes.count)]:
        heads = column_heads(block, sizes)
        below = y + STEP * max(len(lines) for _, _, lines in heads) + 18
        content.append(block_heading(block, y + 10, width))
        for x, anchor, lines in heads:  # the last line of every head is at the same height
            top = below - 6 - STEP * (len(lines) - 1)
            content += [
                text_line(x, top + i * STEP, text, kind, anchor)
                for i, (text, kind) in enumerate(lines)
            ]
        content.append(el("line", {"x2": width, "y1": below, "y2": below, "class": "zero"}))
        for i, row in enumerate(block.rows):
            content += figure_row(row, below + i * sizes.row, sizes)
        y = below + len(block.rows) * sizes.row + GAP
    cells = (c for block in blocks for row in block.rows for c in row.cells)
    reasons = dict.fromkeys(c.why for c in cells if c.pt is None and c.why)
    missing = f" {NO_VALUE} {'; '.join(reasons)}." if reasons else ""
    key = wrap_to_width(f"{KEY}{missing}", width)
    title = el("title", None, ABOUT)
    height = y + 6 + STEP * len(key)
    return svg_document(width, height, title, content, text_lines(0, y + 12, key))


def figure_columns(blocks: Sequence[GainBlock], width: float) -> FigureColumns:
    """Names get what they need up to a quarter; the columns share the rest, no word cut."""
    names = [text_width(row.title) + 6 for block in blocks for row in block.rows]
    name = min(max([40.0, *names]), width / 4)
    room = width - name - T_ALONE - GAP
    most = max([1, *(len(b.columns) for b in blocks)])
    words = [text_width(w) for b in blocks for title, _ in b.columns for w in title.split()]
    least = min(max([NARROWEST, *(w + GAP / 2 + 1 for w in words)]), room)
    parts = ceil(most / max(room // least, 1))
    return FigureColumns(width, name, room / ceil(most / parts), shared_axis(blocks))


def split_columns(block: GainBlock, most: int) -> list[GainBlock]:
    """The block in parts of so many columns, one below the other."""
    return [
        replace(
            block,
            columns=block.columns[i : i + most],
            rows=tuple(replace(r, cells=r.cells[i : i + most]) for r in block.rows),
        )
        for i in range(0, max(len(block.columns), 1), most)
    ]


def block_heading(block: GainBlock, y: float, width: float) -> Html:
    title = shorten_to_width(block.title, width, bold=True)
    about = shorten_to_width(block.about, max(width - text_width(title, bold=True) - GAP, 0))
    strong = el("tspan", {"class": "h"}, title)
    return el("text", {"y": y}, strong, " ", about if about != "…" else None)


def column_heads(
    block: GainBlock, sizes: FigureColumns
) -> list[tuple[float, str | None, list[tuple[str, str]]]]:
    """For every column its x, its anchor, and the lines of its head, each with its class."""
    room, alone = sizes.column - GAP / 2, " alone" if sizes.bar_beside else ""
    heads: list[tuple[float, str | None, list[tuple[str, str]]]] = [
        (sizes.name + T_ALONE - GAP, "end", [("T", "k"), ("alone", "t")])
    ]
    for i, (title, p) in enumerate(block.columns):
        lines = [(line, "k") for line in wrap_to_width(title, room)]
        heads.append((sizes.x(i), None, [*lines, (f"P{alone} {format_r2(p)}", "t")]))
    return heads


def figure_row(row: GainRow, y: float, sizes: FigureColumns) -> list[Html]:
    """Name, R² of T alone, and the cells."""
    base, room = y + 12, sizes.column - GAP
    content = [
        text_line(0, base, shorten_to_width(row.title, sizes.name - 4), "k"),
        text_line(sizes.name + T_ALONE - GAP, base, format_r2(row.t), None, "end"),
    ]
    for i, cell in enumerate(row.cells):
        x = sizes.x(i)
        if cell.pt is None:
            content.append(text_line(x, base, NO_VALUE))
            continue
        content.append(text_line(x, base, format_r2(cell.pt), "h" if cell.clear else None))
        box = (x + NUMBER, y + 3, room - NUMBER) if sizes.bar_beside else (x, y + 14, room)
        content.append(nested_svg(*box, THIN, gain_bar(row.t, cell, sizes.axis, THIN)))
    return content
