"""How metrics overlap: a triangle of correlations, names on the diagonal, a dendrogram left.

The matrix is symmetric, so that half of it says everything; names on the diagonal are read without
turning the head, and belong to the row at their left and the column below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from simpatico.charts import svg
from simpatico.charts.html import Html, el
from simpatico.wording import NO_VALUE, format_correlation, format_correlation_interval

SIDE, TREE, EDGE = 36.0, 92.0, 4.0
"""A cell's side, the width of the dendrogram, and the margin around all."""

STRONG, FAINT, OPACITY_PER_R = 0.48, 0.1, 1.59
"""|r| from which numbers are light, below which they are faint, and the colour's opacity per |r|.

Only black and white reach a contrast of 4.5:1 on every colour between, and only if they swap where
the colour has 18% of white's luminance; the opacity and the colours of charts.css put that at
`STRONG`."""

SMALL, SMALLEST, SMALL_FONT = 20.0, 15.5, 9.3
"""In a figure: sides of a cell below which it shows 100 r, or no number; 7 points for these."""


@dataclass(frozen=True)
class Heatmap:
    """Correlations between metrics; all tables are indexed by a metric's position in `titles`."""

    titles: tuple[str, ...]
    kinds: tuple[str, ...]
    r: tuple[tuple[float | None, ...], ...]
    low: tuple[tuple[float | None, ...], ...]
    high: tuple[tuple[float | None, ...], ...]
    n: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    """Metrics from top to bottom, in the order of the dendrogram's leaves."""
    linkage: tuple[tuple[float, ...], ...]
    """SciPy's linkage matrix: one merge a row, with two clusters, their distance and the size."""
    caption: str


@dataclass(frozen=True)
class HeatmapGrid:
    """Sizes: a cell's side, the left edge of the first cell, and the right edge of names."""

    side: float
    left: float
    right: float

    def x(self, position: float) -> float:
        return self.left + position * self.side

    def y(self, position: float) -> float:
        return EDGE + position * self.side


def heatmap(chart: Heatmap) -> Html:
    """For the page: cells can be reached by keyboard, and each describes its pair in a sentence."""
    left = TREE if chart.linkage else EDGE
    ends = [left + i * SIDE + 34 + title_width(chart, m, 12.5) for i, m in enumerate(chart.order)]
    grid = HeatmapGrid(SIDE, left, max([300.0, *ends]))
    cells = []
    for pair in cell_positions(len(chart.order)):
        description = cell_description(chart, pair)
        attributes = {
            "class": "cellr",
            # One stop of the tab key for all cells; arrow keys move between them (page.js).
            "tabindex": 0 if pair == (1, 0) else -1,
            "role": "img",
            "aria-label": description,
            "data-say": description,
            "data-row": pair[0],
            "data-column": pair[1],
        }
        cells.append(el("g", attributes, heatmap_square(chart, pair, grid)))
    width, height = grid.right, grid.y(len(chart.order)) + EDGE
    size = {"width": width, "height": height, "viewBox": f"0 0 {width:g} {height:g}"}
    about = f"{chart.caption} Arrow keys move between cells.".strip()
    frame = {"class": "heatmap", **size, "role": "group", "aria-label": about}
    return el("svg", frame, dendrogram(chart, grid), diagonal_names(chart, grid), cells)


def title_width(chart: Heatmap, metric: int, size: float) -> float:
    """6% more than Arial, for the page's Inter; the room of the kind's letter covers the rest."""
    width = svg.text_width(chart.titles[metric], size, chart.kinds[metric] == "P")
    return min(width * 1.06, 22 * size)


def cell_positions(size: int) -> list[tuple[int, int]]:
    """Row and column of every cell below the diagonal."""
    return [(i, j) for i in range(size) for j in range(i)]


def heatmap_square(chart: Heatmap, pair: tuple[int, int], grid: HeatmapGrid) -> list[Html]:
    """The cell's colour and its number; an empty outline where there is none."""
    (i, j), side = pair, grid.side
    r = chart.r[chart.order[i]][chart.order[j]]
    gap, size = (2.0, 12.0) if side >= SIDE else (1.0, SMALL_FONT)
    edge = {"width": side - gap, "height": side - gap, "rx": gap}
    square = colored_rect({"x": grid.x(j) + gap / 2, "y": grid.y(i) + gap / 2, **edge}, r)
    if side < SMALLEST:
        return [square]
    number = format_correlation(r)
    if side < SMALL and r is not None:
        number = f"{100 * r:.0f}".replace("-", "−")
    middle = (grid.x(j) + side / 2, grid.y(i) + side / 2 + size / 3)
    return [square, svg.text_line(*middle, number, number_class(r), "middle")]


def dendrogram(chart: Heatmap, grid: HeatmapGrid) -> list[Html]:
    """Which metrics correlate: each merge joins two clusters at their distance."""
    heights = [merge[2] for merge in chart.linkage]
    start, room = grid.left - grid.side / 5, grid.left - grid.side / 5 - 2
    nearest, farthest = (min(heights), max(heights)) if heights else (0.0, 0.0)
    extent = (farthest - nearest) or 1.0
    ends = {m: (start, grid.y(i + 0.5)) for i, m in enumerate(chart.order)}
    paths = []
    for step, (first, second, height, *_) in enumerate(chart.linkage):
        (ax, ay), (bx, by) = ends[int(first)], ends[int(second)]
        x = start - room * (0.1 + 0.9 * (height - nearest) / extent)
        # SciPy numbers the cluster of merge k as n + k.
        ends[len(chart.titles) + step] = (x, (ay + by) / 2)
        path = f"M{ax:.2f} {ay:.2f}H{x:.2f}V{by:.2f}H{bx:.2f}"
        paths.append(el("path", {"class": "den", "d": path}))
    return paths


def diagonal_names(chart: Heatmap, grid: HeatmapGrid) -> list[Html]:
    """Every metric where its row ends and its column begins, with the letter of its kind."""
    wide, names = grid.side >= SIDE, []
    size = 12.5 if wide else svg.FONT_SIZE
    for i, metric in enumerate(chart.order):
        kind, x = chart.kinds[metric], grid.x(i) + grid.side / 4
        room = grid.right - x - 2 * size
        title = svg.shorten_to_width(chart.titles[metric], room, size, kind == "P")
        letter = el("tspan", {"class": "t", "dx": 8 if wide else 4}, kind)
        place = {"x": x, "y": grid.y(i + 0.5) + size * 0.36}
        about = {"class": f"n {kind}", "data-place": i if wide else None}
        names.append(el("text", {**place, **about}, title, letter))
    return names


def colored_rect(size: Mapping[str, float], r: float | None) -> Html:
    """Purple for positive and gold for negative correlations; an outline without a value."""
    if r is None:
        return el("rect", {**size, "class": "void"})
    opacity = f"{cell_opacity(r):.3f}"
    return el("rect", {**size, "class": "hp" if r >= 0 else "hm", "fill-opacity": opacity})


def cell_opacity(r: float) -> float:
    """Full colour from |r| = .63; a trace of it even at 0, or the cell would not be seen."""
    return max(0.04, min(1.0, OPACITY_PER_R * abs(r)))


def number_class(r: float | None) -> str:
    """Light on strong cells, so that the number is readable on every colour."""
    if r is None or abs(r) < FAINT:
        return "v faint"
    return "v light" if abs(r) >= STRONG else "v"


def cell_description(chart: Heatmap, pair: tuple[int, int]) -> str:
    """The pair, its correlation, and what that means."""
    a, b = (chart.order[i] for i in pair)
    names, r, n = f"{chart.titles[a]} and {chart.titles[b]}", chart.r[a][b], chart.n[a][b]
    if r is None:
        few = f"{n:,} {'unit has' if n == 1 else 'units have'} both, which is too few"
        return f"{names}: {NO_VALUE}, {few if n < 3 else f'one of them is constant in all {n:,}'}"
    interval = format_correlation_interval(chart.low[a][b], chart.high[a][b])
    value = f"r {format_correlation(r)}" + ("" if interval == NO_VALUE else f" {interval}")
    meaning = "almost uncorrelated"
    if abs(r) >= FAINT:
        sign = ", negative correlation" if r < 0 else ""
        meaning = f"{100 * r * r:.0f}% shared variance{sign}"
    return f"{names}: {value}, n {n:,}: {meaning}"


def heatmap_key() -> Html:
    """The colours from −.5 to .5."""
    shades = (-0.5, -0.35, -0.2, -0.05, 0.05, 0.2, 0.35, 0.5)
    size = {"y": 2, "width": 20, "height": 10, "rx": 1}
    steps = [colored_rect({"x": i * 22, **size}, r) for i, r in enumerate(shades)]
    labels = ((10, "−.5"), (87, "0"), (164, ".5"))
    texts = [svg.text_line(x, 25, text, "t", "middle") for x, text in labels]
    frame = {"class": "heatkey", "viewBox": "0 0 174 28", "width": 174, "height": 28}
    about = {"role": "img", "aria-label": "gold: −.5, pale: 0, purple: .5"}
    return el("svg", {**frame, **about}, steps, texts)


def heatmap_figure(chart: Heatmap, width: float) -> Html:
    """The same as a figure; narrow ones show 100 r, and no numbers where not even that fits."""
    # Cells are as large as names leave room; names get a quarter of the width before cells shrink.
    left = min(0.09 * width, 40) if chart.linkage else 0
    sides = [
        (width - left - min(title_width(chart, m, svg.FONT_SIZE) + 20, width / 4)) / (i + 0.25)
        for i, m in enumerate(chart.order)
    ]
    grid = HeatmapGrid(min([30.0, *sides]), left, width)
    bottom = grid.y(len(chart.order))
    note = ""
    if len(chart.order) >= 2 and grid.side < SMALLEST:
        least = ceil(grid.right * SMALLEST / grid.side / 96 * 25.4)
        note = f"Too narrow for numbers in the cells: these need {least} mm."
    elif len(chart.order) >= 2 and grid.side < SMALL:
        note = "Cells show 100 r."
    lines = svg.wrap_to_width(f"{chart.caption} {note}", width)
    squares = [heatmap_square(chart, pair, grid) for pair in cell_positions(len(chart.order))]
    return svg.svg_document(
        width,
        bottom + 8 + 12.5 * len(lines),
        el("title", None, svg.xml_text(chart.caption)),
        dendrogram(chart, grid),
        diagonal_names(chart, grid),
        el("g", {"font-size": SMALL_FONT}, squares),
        svg.text_lines(0, bottom + 16, lines),
    )
