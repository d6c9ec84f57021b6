"""How metrics overlap: cells, tree and sentences say the same numbers."""

import re
from dataclasses import replace
from importlib import resources
from math import atanh, sqrt, tanh
from xml.etree import ElementTree

import pytest

from simpatico.charts.heatmap import (
    Heatmap,
    cell_description,
    cell_opacity,
    cell_positions,
    heatmap,
    heatmap_figure,
    heatmap_key,
    number_class,
)
from simpatico.charts.svg import mm_to_pixels
from tests.charts.golden import golden

TITLES = (
    "Agreeableness Emotional_consistency Emotion_matching Empathy Emotional_entropy Distinct-2 "
    "Language_style_matching BERTScore USL-H Relevance Reply_chance Engagement DialogRPT"
)
BELOW = """
34
32 41
28 28 33
11 7 4 20
3 -1 -6 7 44
2 9 11 -6 -32 -39
0 3 4 -8 -11 -20 28
0 9 2 -3 -1 -2 17 35
14 21 12 -2 -6 -5 14 27 30
16 26 11 9 5 6 1 14 22 41
24 32 16 11 12 11 -7 7 24 38 54
9 14 -1 1 15 15 -14 3 15 28 40 44
"""
STEPS = (
    (10, 11, 0.457), (4, 5, 0.558), (13, 12, 0.58), (1, 2, 0.589), (14, 6, 0.643), (9, 15, 0.645),
    (7, 8, 0.65), (0, 16, 0.667), (20, 3, 0.704), (19, 18, 0.821), (17, 22, 0.895), (21, 23, 0.907),
)  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"


def square(value, size):
    return tuple(tuple(value(i, j) for j in range(size)) for i in range(size))


def example(size=13):
    lower = [[], *([int(v) / 100 for v in line.split()] for line in BELOW.split("\n")[1:-1])]

    def r(i, j):
        return 1.0 if i == j else lower[max(i, j) % 13][min(i, j) % 13 % max(max(i, j) % 13, 1)]

    def bound(sign):
        return lambda i, j: None if i == j else tanh(atanh(r(i, j)) + sign * 1.96 / sqrt(1502))

    def safe(i, j):
        return r(i, j) if max(i, j) < 13 else (0.1 if i != j else 1.0)

    has_intervals = size <= 13
    titles = [t.replace("_", " ") for t in TITLES.split()]
    return Heatmap(
        titles=tuple((titles * 2)[:size]),
        kinds=tuple(("PLPPPTPTTLLLT" * 2)[:size]),
        r=square(r if has_intervals else safe, size),
        low=square(bound(-1) if has_intervals else lambda i, j: None, size),
        high=square(bound(1) if has_intervals else lambda i, j: None, size),
        n=square(lambda i, j: 1505, size),
        order=tuple(range(size)),
        linkage=tuple((*s, 2.0) for s in STEPS) if size == 13 else (),
        caption="Pearson r over 1,505 dialogs.",
    )


DRAWN = example()


def cells(grid):
    return ElementTree.fromstring(heatmap(grid)).findall("g[@class='cellr']")


def test_page():
    golden("heat.html", heatmap(DRAWN))


def test_figure():
    golden("heat.svg", heatmap_figure(DRAWN, mm_to_pixels(84)))


def test_key():
    golden("heat_key.svg", heatmap_key())


def test_every_pair_has_one_cell_with_its_number():
    pairs = cells(DRAWN)
    assert len(pairs) == 13 * 12 / 2
    for cell in pairs:
        i, j = int(cell.get("data-row")), int(cell.get("data-column"))
        label = cell.find("text").text.replace("−", "-")
        assert float(label) == pytest.approx(DRAWN.r[i][j], abs=0.005)
        assert cell.find("rect").get("class") == ("hp" if DRAWN.r[i][j] >= 0 else "hm")
        assert float(cell.find("rect").get("fill-opacity")) == pytest.approx(
            max(0.04, min(1, 1.59 * abs(DRAWN.r[i][j]))), abs=1e-3
        )


def test_a_cell_lies_in_the_row_and_column_of_its_metrics():
    grid = replace(DRAWN, order=(3, 1, 0, 2), linkage=())
    for cell in cells(grid):
        i, j = int(cell.get("data-row")), int(cell.get("data-column"))
        rect = cell.find("rect")
        assert (float(rect.get("x")), float(rect.get("y"))) == (4 + 36 * j + 1, 4 + 36 * i + 1)
        a, b = grid.titles[grid.order[i]], grid.titles[grid.order[j]]
        assert cell.get("data-say").startswith(f"{a} and {b}: ")


def test_one_cell_can_be_tabbed_to_the_arrow_keys_do_the_rest():
    assert [c.get("tabindex") for c in cells(DRAWN)] == ["0", *["-1"] * 77]
    assert {c.get("role") for c in cells(DRAWN)} == {"img"}
    assert all(c.get("aria-label") == c.get("data-say") for c in cells(DRAWN))


@pytest.mark.parametrize(
    ("pair", "description"),
    [
        # tanh(atanh(.54) ± 1.96 / √1502) = .503, .574; .54² = .29
        (
            (11, 10),
            "Engagement and Reply chance: r .54 [.50, .57], n 1,505: 29% shared variance",
        ),
        (
            (6, 5),
            "Language style matching and Distinct-2: r −.39 [−.43, −.35], n 1,505: "
            "15% shared variance, negative correlation",
        ),
        (
            (5, 1),
            "Distinct-2 and Emotional consistency: r −.01 [−.06, .04], n 1,505: "
            "almost uncorrelated",
        ),
    ],
)
def test_a_cell_in_words(pair, description):
    assert cell_description(DRAWN, pair) == description


@pytest.mark.parametrize(
    ("n", "why"),
    [
        (0, "0 units have both, which is too few"),
        (1, "1 unit has both, which is too few"),
        (40, "one of them is constant in all 40"),
    ],
)
def test_no_value_is_a_dash_with_a_reason(n, why):
    empty = square(lambda i, j: None, 2)
    grid = Heatmap(("a", "b"), ("P", "T"), empty, empty, empty, ((n, n), (n, n)), (0, 1), (), "")
    (cell,) = cells(grid)
    assert cell.find("text").text == "–"
    assert cell.find("rect").get("class") == "void"
    assert cell.get("data-say") == f"b and a: –, {why}"
    ElementTree.fromstring(heatmap_figure(grid, 317))


def test_the_tree_joins_at_the_distances():
    """Steps stand as far left as their distance: a straight line through all of them."""
    paths = ElementTree.fromstring(heatmap(DRAWN)).findall("path[@class='den']")
    places = [float(re.findall(r"H([\d.]+)", p.get("d"))[0]) for p in paths]
    first, last = places[0], places[-1]
    for place, (_, _, distance) in zip(places, STEPS, strict=True):
        share = (distance - 0.457) / (0.907 - 0.457)
        assert place == pytest.approx(first + share * (last - first), abs=0.02)
    assert [re.findall(r"[MV ]([\d.]+)", paths[0].get("d"))[1:]] == [["382.00", "418.00"]]


@pytest.mark.parametrize("size", [0, 1, 2, 4, 13, 20, 26])
@pytest.mark.parametrize("width", [200, 317.48, 657])
def test_any_number_of_metrics_draws(size, width):
    grid = example(size)
    assert len(cells(grid)) == len(cell_positions(size))
    paper = ElementTree.fromstring(heatmap_figure(grid, width))
    rects = [r for r in paper.iter(f"{SVG}rect") if r.get("class")]
    assert len(rects) == len(cell_positions(size))
    assert all(float(r.get("x")) + float(r.get("width")) <= width for r in rects)


def test_a_figure_too_narrow_for_numbers_says_how_wide_it_must_be():
    grid = example(20)
    text = "".join(ElementTree.fromstring(heatmap_figure(grid, mm_to_pixels(84))).itertext())
    wide = re.search(r"these\s*need\s*(\d+)\s*mm", text)
    assert wide
    numbers = ElementTree.fromstring(heatmap_figure(grid, mm_to_pixels(int(wide[1]))))
    assert len([t for t in numbers.iter(f"{SVG}text") if "v" in t.get("class").split()]) == 190


def palette(dark):
    css = resources.files("simpatico.charts").joinpath("charts.css").read_text(encoding="utf-8")
    media = re.findall(
        r"@media screen and \(prefers-color-scheme:dark\)\{(.*?)\}\}", css, re.DOTALL
    )
    light = re.sub(r"@media[^{]*\{([^{}]*\{[^{}]*\})*[^{}]*\}", "", css)
    colours = dict(re.findall(r"--([\w-]+):(#[0-9a-f]{6})", light))
    return (
        colours | dict(re.findall(r"--([\w-]+):(#[0-9a-f]{6})", " ".join(media)))
        if dark
        else colours
    )


def light_of(colour):
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [c / 255 for c in colour]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def rgb(text):
    return [int(text[i : i + 2], 16) for i in (1, 3, 5)]


def contrast(r, colours, page):
    """Between the number of a cell and its colour, blended with the page."""
    hue, share = rgb(colours["hp" if r >= 0 else "hm"]), round(cell_opacity(r), 3)
    cell = [share * h + (1 - share) * p for h, p in zip(hue, rgb(page), strict=True)]
    ink = {"v": "onpale", "v faint": "ink2", "v light": "onstrong"}[number_class(r)]
    high, low = sorted([light_of(rgb(colours[ink])), light_of(cell)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("ground", ["light", "dark", "paper"])
def test_numbers_are_readable_on_their_cells(ground):
    colours = palette(ground == "dark")
    page = "#ffffff" if ground == "paper" else colours["bg"]
    assert min(contrast(r / 1000, colours, page) for r in range(-1000, 1001)) >= 4.5


def test_text_turns_light_at_48():
    assert [number_class(r) for r in (0.05, 0.47, 0.48, -0.48, None)] == [
        "v faint", "v", "v light", "v light", "v faint",
    ]  # fmt: skip
