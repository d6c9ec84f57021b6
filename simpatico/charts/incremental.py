"""What each psychological metric adds to a traditional one: adjusted R² of T, of P, and of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from simpatico.charts.axis import Axis
from simpatico.charts.html import Html, el, joined
from simpatico.charts.svg import block as text_block
from simpatico.charts.svg import fitted, label, nested, standalone, width_of, wrapped
from simpatico.wording import NO_VALUE, format_correlation

BAR, THIN = 12.0, 10.0
"""Heights of a bar on the page and on paper."""

T_ALONE, NUMBER, GAP = 34.0, 29.0, 8.0
"""On paper: the widths of T, of a number, and between columns."""

BESIDE, NARROWEST = 72.0, 44.0
"""The narrowest column with its bar beside the number, not below it; and the narrowest of all."""

STEP = 12.5
ABOUT = "How much more of the raters’ variation a metric explains together with another one"
KEY = (
    "Adjusted R² of P and T together. Grey: T alone; purple: what P adds; "
    "dashed: what could be nothing."
)


@dataclass(frozen=True)
class Cell:
    """Both together, and what that is more than T alone."""

    pt: float | None
    gain: float | None
    low: float | None
    high: float | None
    clear: bool
    """The interval of the gain stays above zero."""
    why: str = ""


@dataclass(frozen=True)
class Line:
    """One traditional metric beside every psychological one."""

    title: str
    t: float | None
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Block:
    """One quality; a column is a psychological metric with what it explains alone."""

    title: str
    about: str
    columns: tuple[tuple[str, float | None], ...]
    lines: tuple[Line, ...]


def tpt(blocks: Sequence[Block]) -> Html:
    """A table whose cells hold a number and a bar; all bars have one scale."""
    axis, widest = shared_axis(blocks), max([len(b.columns) for b in blocks], default=0)
    table = el(
        "table",
        {"class": "tp"},
        el("caption", {"class": "vh"}, f"{ABOUT}: adjusted R²."),
        [table_block(b, axis, widest) for b in blocks],
    )
    region = {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": ABOUT}
    return el("div", region, table)


def shared_axis(blocks: Sequence[Block]) -> Axis:
    """From zero, or below where the data are, to the highest."""
    cells = [c.pt for b in blocks for line in b.lines for c in line.cells]
    known = [v for v in cells + [line.t for b in blocks for line in b.lines] if v is not None]
    low, high = min([0.0, *known]), max([0.0, *known])
    return Axis(low, high if high > low else low + 1)


def table_block(block: Block, axis: Axis, widest: int) -> Html:
    about = el("th", {"class": "c nm", "scope": "col"}, el("b", None, block.title), block.about)
    alone = el("th", {"class": "c r t1", "scope": "col"}, el("b", None, "T"), "alone")
    columns = [
        el("th", {"class": "c p", "scope": "col"}, el("b", None, title), f"P alone {r2(p)}, P+T:")
        for title, p in block.columns
    ]
    rest = widest - len(block.columns)
    air = el("td", {"colspan": rest}) if rest else None
    over = el("td", {"colspan": rest, "class": "c"}) if rest else None
    head = el("tr", {"class": "c"}, about, alone, columns, over)
    return el("tbody", None, head, [table_row(line, axis, air) for line in block.lines])


def table_row(line: Line, axis: Axis, air: Html | None) -> Html:
    name = el("th", {"class": "nm", "scope": "row"}, el("bdi", None, line.title))
    cells = [table_cell(line.t, cell, axis) for cell in line.cells]
    return el("tr", None, name, el("td", {"class": "r t1"}, r2(line.t)), cells, air)


def table_cell(t: float | None, cell: Cell, axis: Axis) -> Html:
    if cell.pt is None:
        inside = [el("b", None, NO_VALUE), el("small", None, cell.why)]
        return el("td", {"class": "p"}, el("div", {"class": "cell"}, inside))
    said = gain_words(cell)
    number = el("b", None, r2(cell.pt), el("span", {"class": "vh"}, f", {said}"))
    plot = el("svg", {"aria-hidden": "true"}, bar(t, cell, axis))
    kind = "cell sure" if cell.clear else "cell"
    return el("td", {"class": "p", "title": said}, el("div", {"class": kind}, number, plot))


def gain_words(cell: Cell) -> str:
    """The gain with its interval, and what that means."""
    if cell.gain is None:
        return f"gain {NO_VALUE}" + (f", {cell.why}" if cell.why else "")
    known = cell.low is not None and cell.high is not None
    interval = f" [{r2(cell.low)}, {r2(cell.high)}]" if known else ""
    return f"gain {r2(cell.gain)}{interval}, {'above zero' if cell.clear else 'could be zero'}"


def bar(t: float | None, cell: Cell, axis: Axis, height: float = BAR) -> Html:
    """Grey what T explains, then what P adds; an outline where that may be nothing or is a loss."""
    if cell.pt is None:
        return joined([])
    zero = {"x1": axis.at(0), "x2": axis.at(0), "y1": 0, "y2": height, "class": "zero"}
    start = 0.0 if t is None else t
    gain = "gain" if cell.clear else "maybe"
    pieces = [
        (0.0, max(0.0, min(start, cell.pt)), "tb"),
        (start, cell.pt, gain if cell.pt > start else "loss"),
    ]
    rects = [piece(axis, p, height) for p in pieces if p[0] != p[1]]
    return joined([el("line", zero) if axis.low < 0 else None, *rects])


def piece(axis: Axis, part: tuple[float, float, str], height: float) -> Html:
    """A part of a bar between two values; outlines stay within the height."""
    (low, high), kind = sorted(part[:2]), part[2]
    inset = 1.0 if kind in ("tb", "gain") else 1.5
    width = f"{100 * (axis.share(high) - axis.share(low)):.2f}%"
    size = {"y": inset, "width": width, "height": height - 2 * inset}
    return el("rect", {"x": axis.at(low), **size, "class": kind})


def r2(value: float | None) -> str:
    return format_correlation(value, 3)


@dataclass(frozen=True)
class Sheet:
    """Sizes on paper: the whole width, the names', and that of a column with its air."""

    width: float
    name: float
    column: float
    axis: Axis

    @property
    def beside(self) -> bool:
        return self.column >= BESIDE

    @property
    def row(self) -> float:
        return 17.0 if self.beside else 27.0

    @property
    def columns(self) -> int:
        """How many columns stand side by side."""
        return round((self.width - self.x(0)) / self.column)

    def x(self, column: int) -> float:
        """Where a column begins."""
        return self.name + T_ALONE + GAP + column * self.column


def figure(blocks: Sequence[Block], width: float) -> Html:
    """The same for a paper; narrow columns have the bar below the number, too many are folded."""
    sheet, y, parts = sheet_of(blocks, width), 0.0, list[Html]()
    for block in (band for whole in blocks for band in folded(whole, sheet.columns)):
        heads = stacks(block, sheet)
        below = y + STEP * max(map(len, heads)) + 18
        parts += [headline(block, y + 10, width), *(stack.at(below - 6) for stack in heads)]
        parts.append(el("line", {"x2": width, "y1": below, "y2": below, "class": "zero"}))
        parts += [paper_row(r, below + i * sheet.row, sheet) for i, r in enumerate(block.lines)]
        y = below + len(block.lines) * sheet.row + GAP
    lines = wrapped(" ".join([KEY, *reasons(blocks)]), width)
    title = el("title", None, ABOUT)
    return standalone(width, y + 6 + STEP * len(lines), title, parts, text_block(0, y + 12, lines))


def reasons(blocks: Sequence[Block]) -> list[str]:
    """Why some cells have no number, each reason once."""
    cells = (c for b in blocks for line in b.lines for c in line.cells)
    found = dict.fromkeys(c.why for c in cells if c.pt is None and c.why)
    return [f"{NO_VALUE} {'; '.join(found)}."] if found else []


def sheet_of(blocks: Sequence[Block], width: float) -> Sheet:
    """Names get what they need up to a quarter; the columns share the rest, no word cut."""
    names = [width_of(line.title) + 6 for block in blocks for line in block.lines]
    name = min(max([40.0, *names]), width / 4)
    room = width - name - T_ALONE - GAP
    most = max([1, *(len(b.columns) for b in blocks)])
    words = [width_of(w) for b in blocks for title, _ in b.columns for w in title.split()]
    least = min(max([NARROWEST, *(w + GAP / 2 + 1 for w in words)]), room)
    bands = ceil(most / max(room // least, 1))
    return Sheet(width, name, room / ceil(most / bands), shared_axis(blocks))


def folded(block: Block, most: int) -> list[Block]:
    """The block in bands of so many columns, one below the other."""
    starts = range(0, max(len(block.columns), 1), most)
    return [
        replace(
            block,
            columns=block.columns[i : i + most],
            lines=tuple(replace(r, cells=r.cells[i : i + most]) for r in block.lines),
        )
        for i in starts
    ]


def headline(block: Block, y: float, width: float) -> Html:
    title = fitted(block.title, width, bold=True)
    about = fitted(block.about, max(width - width_of(title, bold=True) - GAP, 0))
    strong = el("tspan", {"class": "h"}, title)
    return el("text", {"y": y}, strong, " ", about if about != "…" else None)


@dataclass(frozen=True)
class Stack:
    """Lines of a head, the dark ones first."""

    x: float
    dark: list[str]
    plain: list[str]
    anchor: str | None = None

    def __len__(self) -> int:
        return len(self.dark) + len(self.plain)

    def at(self, bottom: float) -> Html:
        """The lines above one another, the last with its baseline at the bottom."""
        kinds = [(t, "k") for t in self.dark] + [(t, "t") for t in self.plain]
        top = bottom - STEP * (len(self) - 1)
        return joined(
            label(self.x, top + i * STEP, text, kind, self.anchor)
            for i, (text, kind) in enumerate(kinds)
        )


def stacks(block: Block, sheet: Sheet) -> list[Stack]:
    """The heads of all columns of a block."""
    room, alone = sheet.column - GAP / 2, " alone" if sheet.beside else ""
    return [
        Stack(sheet.name + T_ALONE - GAP, ["T"], ["alone"], "end"),
        *(
            Stack(sheet.x(i), wrapped(title, room), [f"P{alone} {r2(p)}"])
            for i, (title, p) in enumerate(block.columns)
        ),
    ]


def paper_row(line: Line, y: float, sheet: Sheet) -> Html:
    base = y + 12
    parts = [
        label(0, base, fitted(line.title, sheet.name - 4), "k"),
        label(sheet.name + T_ALONE - GAP, base, r2(line.t), None, "end"),
    ]
    cells = [paper_cell(line.t, c, (sheet.x(i), y), sheet) for i, c in enumerate(line.cells)]
    return joined([*parts, *cells])


def paper_cell(t: float | None, cell: Cell, place: tuple[float, float], sheet: Sheet) -> Html:
    (x, y), room = place, sheet.column - GAP
    if cell.pt is None:
        return label(x, y + 12, NO_VALUE)
    number = label(x, y + 12, r2(cell.pt), "h" if cell.clear else None)
    bars = (x + NUMBER, y + 3, room - NUMBER) if sheet.beside else (x, y + 14, room)
    return joined([number, nested(*bars, THIN, bar(t, cell, sheet.axis, THIN))])
