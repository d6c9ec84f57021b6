"""How metrics overlap: a triangle of correlations, names on its diagonal, a tree at the left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from simpatico.charts.forest import bare_span
from simpatico.charts.html import Html, el, joined
from simpatico.charts.svg import (
    TEXT,
    block,
    fitted,
    label,
    printable,
    standalone,
    width_of,
    wrapped,
)
from simpatico.wording import NO_VALUE, format_correlation

SIDE, TREE, EDGE = 36.0, 92.0, 4.0
"""A cell, the room of the tree, and the air around all."""

STRONG, FAINT, FULL = 0.48, 0.1, 1.59
"""From which |r| on numbers are light, below which they are faint, and how fast colour grows.

Only black and white reach 4.5:1 on every colour between, and only if they change places where the
colour has 18% of white's light; `FULL` and the colours of draw.css put that at `STRONG`."""

SMALL, SMALLEST, LETTERS = 20.0, 15.5, 9.3
"""On paper: sides of a cell below which it holds 100 r, or no number; 7 points for the former."""


@dataclass(frozen=True)
class Heat:
    """Correlations between metrics; all tables go by the place of a metric in `titles`."""

    titles: tuple[str, ...]
    kinds: tuple[str, ...]
    r: tuple[tuple[float | None, ...], ...]
    low: tuple[tuple[float | None, ...], ...]
    high: tuple[tuple[float | None, ...], ...]
    n: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    """Metrics from top to bottom, as the tree has its leaves."""
    linkage: tuple[tuple[float, ...], ...]
    """One step of the tree a row: two parts, their distance, how many metrics (as SciPy has it)."""
    caption: str


@dataclass(frozen=True)
class Grid:
    """Sizes: a cell's side, where the first one begins, and how far names may reach."""

    side: float
    left: float
    right: float

    def x(self, place: float) -> float:
        return self.left + place * self.side

    def y(self, place: float) -> float:
        return EDGE + place * self.side


def heat(drawn: Heat) -> Html:
    """For the page: cells can be reached by keyboard; each says its pair in a sentence."""
    grid = page_grid(drawn)
    width, height = grid.right, grid.y(len(drawn.order)) + EDGE
    size = {"width": width, "height": height, "viewBox": f"0 0 {width:g} {height:g}"}
    about = f"{drawn.caption} Arrow keys move between cells.".strip()
    return el(
        "svg",
        {"class": "heatmap", **size, "role": "group", "aria-label": about},
        tree(drawn, grid),
        names(drawn, grid),
        [cell(drawn, pair, grid) for pair in pairs(len(drawn.order))],
    )


def page_grid(drawn: Heat) -> Grid:
    """As wide as cells and the name that reaches farthest."""
    grid = Grid(SIDE, TREE if drawn.linkage else EDGE, 0)
    ends = [grid.x(i) + 34 + name_width(drawn, m, 12.5) for i, m in enumerate(drawn.order)]
    return replace(grid, right=max([300.0, *ends]))


def name_width(drawn: Heat, metric: int, size: float) -> float:
    return min(width_of(drawn.titles[metric], size, drawn.kinds[metric] == "P") * 1.06, 22 * size)


def pairs(size: int) -> list[tuple[int, int]]:
    """Row and column of every cell below the diagonal."""
    return [(i, j) for i in range(size) for j in range(i)]


def cell(drawn: Heat, pair: tuple[int, int], grid: Grid) -> Html:
    first = pair == (1, 0)
    said = sentence(drawn, pair)
    return el(
        "g",
        {
            "class": "cellr",
            "tabindex": 0 if first else -1,
            "role": "img",
            "aria-label": said,
            "data-say": said,
            "data-row": pair[0],
            "data-column": pair[1],
        },
        square(drawn, pair, grid),
    )


def square(drawn: Heat, pair: tuple[int, int], grid: Grid) -> Html:
    """The cell's colour and its number; an empty outline where there is none."""
    (i, j), side = pair, grid.side
    r = drawn.r[drawn.order[i]][drawn.order[j]]
    gap, size = (2.0, 12.0) if side >= SIDE else (1.0, LETTERS)
    edge = {"width": side - gap, "height": side - gap, "rx": gap}
    place = {"x": grid.x(j) + gap / 2, "y": grid.y(i) + gap / 2}
    opacity = None if r is None else f"{shade(r):.3f}"
    shown = (
        format_correlation(r) if side >= SMALL or r is None else f"{100 * r:.0f}".replace("-", "−")
    )
    middle = (grid.x(j) + side / 2, grid.y(i) + side / 2 + size / 3)
    number = label(*middle, shown, text_class(r), "middle") if side >= SMALLEST else None
    return joined([el("rect", {**place, **edge, "class": hue(r), "fill-opacity": opacity}), number])


def tree(drawn: Heat, grid: Grid) -> Html:
    """Which metrics move together: each step joins two parts at their distance."""
    heights = [step[2] for step in drawn.linkage]
    start, room = grid.left - grid.side / 5, grid.left - grid.side / 5 - 2
    nearest, farthest = (min(heights), max(heights)) if heights else (0.0, 0.0)
    reach = (farthest - nearest) or 1.0
    ends = {m: (start, grid.y(place + 0.5)) for place, m in enumerate(drawn.order)}
    parts = []
    for step, (first, second, height, *_) in enumerate(drawn.linkage):
        (ax, ay), (bx, by) = ends[int(first)], ends[int(second)]
        x = start - room * (0.1 + 0.9 * (height - nearest) / reach)
        ends[len(drawn.titles) + step] = (x, (ay + by) / 2)
        path = f"M{ax:.2f} {ay:.2f}H{x:.2f}V{by:.2f}H{bx:.2f}"
        parts.append(el("path", {"class": "den", "d": path}))
    return joined(parts)


def names(drawn: Heat, grid: Grid) -> Html:
    """Every metric where its row ends and its column begins, with the letter of its kind."""
    return joined(name(drawn, m, place, grid) for place, m in enumerate(drawn.order))


def name(drawn: Heat, metric: int, place: int, grid: Grid) -> Html:
    kind, wide = drawn.kinds[metric], grid.side >= SIDE
    x, size = grid.x(place) + grid.side / 4, 12.5 if wide else TEXT
    shown = fitted(drawn.titles[metric], grid.right - x - 2 * size, size, kind == "P")
    y = grid.y(place + 0.5) + size * 0.36
    letter = el("tspan", {"class": "t", "dx": 8 if wide else 4}, kind)
    at = {"x": x, "y": y, "class": f"n {kind}", "data-place": place if wide else None}
    return el("text", at, shown, letter)


def shade(r: float) -> float:
    """How solid the colour of a cell is."""
    return max(0.04, min(1.0, FULL * abs(r)))


def text_class(r: float | None) -> str:
    """Light on strong cells, so that the number is readable on every colour."""
    if r is None or abs(r) < FAINT:
        return "v faint"
    return "v light" if abs(r) >= STRONG else "v"


def sentence(drawn: Heat, pair: tuple[int, int]) -> str:
    """What a cell says in words."""
    a, b = (drawn.order[place] for place in pair)
    both, r, n = f"{drawn.titles[a]} and {drawn.titles[b]}", drawn.r[a][b], drawn.n[a][b]
    if r is None:
        return f"{both}: {NO_VALUE}, {why_none(n)}"
    interval = bare_span(drawn.low[a][b], drawn.high[a][b])
    shown = "" if interval == NO_VALUE else f" {interval}"
    return f"{both}: r {format_correlation(r)}{shown}, n {n:,}: {meaning(r)}"


def why_none(n: int) -> str:
    if n < 3:
        return f"{n:,} {'unit has' if n == 1 else 'units have'} both, which is too few"
    return f"one of them is the same in all {n:,}"


def meaning(r: float) -> str:
    if abs(r) < FAINT:
        return "next to nothing in common"
    opposite = ", in the opposite direction" if r < 0 else ""
    return f"knowing one explains {100 * r * r:.0f}% of the other{opposite}"


def scale_key() -> Html:
    """The colours from −.5 to .5."""
    values = (-0.5, -0.35, -0.2, -0.05, 0.05, 0.2, 0.35, 0.5)
    size = {"y": 2, "width": 20, "height": 10, "rx": 1}
    steps = [
        el("rect", {"x": i * 22, **size, "class": hue(v), "fill-opacity": f"{shade(v):.3f}"})
        for i, v in enumerate(values)
    ]
    place = {"class": "heatkey", "viewBox": "0 0 174 28", "width": 174, "height": 28}
    about = {"role": "img", "aria-label": "gold: −.5, pale: 0, purple: .5"}
    ends = [label(x, 25, text, "t", "middle") for x, text in ((10, "−.5"), (87, "0"), (164, ".5"))]
    return el("svg", {**place, **about}, steps, ends)


def hue(r: float | None) -> str:
    return "void" if r is None else "hp" if r >= 0 else "hm"


def figure(drawn: Heat, width: float) -> Html:
    """The same for a paper; narrow ones write 100 r, and none where not even that fits."""
    grid = paper_grid(drawn, width)
    bottom = grid.y(len(drawn.order))
    lines = wrapped(f"{drawn.caption} {note(drawn, grid)}", width)
    return standalone(
        width,
        bottom + 8 + 12.5 * len(lines),
        el("title", None, printable(drawn.caption)),
        tree(drawn, grid),
        names(drawn, grid),
        el("g", {"font-size": LETTERS}, [square(drawn, p, grid) for p in pairs(len(drawn.order))]),
        block(0, bottom + 16, lines),
    )


def paper_grid(drawn: Heat, width: float) -> Grid:
    """Cells as large as names leave them, which get a quarter of the width before cells shrink."""
    left = min(0.09 * width, 40) if drawn.linkage else 0
    sides = [
        (width - left - min(name_width(drawn, m, TEXT) + 20, width / 4)) / (i + 0.25)
        for i, m in enumerate(drawn.order)
    ]
    return Grid(min([30.0, *sides]), left, width)


def note(drawn: Heat, grid: Grid) -> str:
    if len(drawn.order) < 2 or grid.side >= SMALL:
        return ""
    if grid.side >= SMALLEST:
        return "Cells show 100 r."
    least = grid.right * SMALLEST / grid.side / 96 * 25.4
    return f"Too narrow for numbers in the cells: these need {ceil(least)} mm."
