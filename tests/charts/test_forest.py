"""Correlation with human ratings: every number can be read back out of the drawing."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.charts.forest import (
    Forest,
    ForestRow,
    forest_axis,
    forest_figure,
    forest_table,
    kind_tag,
)
from simpatico.charts.svg import mm_to_pixels
from tests.charts.golden import golden

VALUES = [
    ("Engagement", "L", 0.46, 0.37, 0.54, True),
    ("Reply chance", "L", 0.39, 0.29, 0.48, True),
    ("DialogRPT", "T", 0.36, 0.26, 0.45, True),
    ("Emotional consistency", "L", 0.34, 0.24, 0.44, True),
    ("Relevance", "L", 0.31, 0.20, 0.41, True),
    ("Agreeableness", "P", 0.29, 0.18, 0.39, True),
    ("Emotion matching", "P", 0.22, 0.11, 0.33, True),
    ("USL-H", "T", 0.18, 0.07, 0.29, True),
    ("Emotional entropy", "P", 0.15, 0.04, 0.26, False),
    ("Distinct-2", "T", 0.11, -0.01, 0.22, False),
    ("BERTScore", "T", 0.09, -0.08, 0.26, False),
    ("Empathy", "P", 0.05, -0.06, 0.17, False),
    ("Language style matching", "P", -0.07, -0.18, 0.05, False),
]
ROWS = tuple(ForestRow(t, k, v, lo, hi, 300, c) for t, k, v, lo, hi, c in VALUES)
NONE = ForestRow("MAUVE", "T", None, None, None, 3, False, "3 values are too few")
DRAWN = Forest(
    (*ROWS, NONE),
    (0.59, 0.54, 0.63),
    0.89,
    "Correlation with the mean of five raters, 300 dialogs.",
)
SVG = "{http://www.w3.org/2000/svg}"


def body(forest):
    return ElementTree.fromstring(forest_table(forest)).findall("tbody/tr")


def shares(svg, axis):
    """Values of the dot and of the ends of its line, from where they stand."""
    dot, line = svg.find("circle"), svg.find("line[@class='ink reach']")
    places = [dot.get("cx"), *((line.get("x1"), line.get("x2")) if line is not None else ())]
    return [axis.low + float(p.rstrip("%")) / 100 * (axis.high - axis.low) for p in places]


def text(node):
    return "".join(node.itertext())


def test_page():
    golden("forest.html", forest_table(DRAWN))


def test_figure():
    golden("forest.svg", forest_figure(DRAWN, mm_to_pixels(84)))


def test_places_are_the_numbers():
    axis = forest_axis(DRAWN)
    for row, reach in zip(body(DRAWN), ROWS, strict=False):
        positions = shares(row.find("td/svg"), axis)
        assert positions == pytest.approx([reach.value, reach.low, reach.high], abs=1e-4)


def test_cells_are_the_numbers():
    first, last = body(DRAWN)[0], body(DRAWN)[12]
    assert [text(c) for c in first] == ["LEngagement", "", ".46", "[.37, .54]", "78%"]  # .46 / .59
    assert [text(c) for c in last][2:] == [
        "−.07, not significant after correction",
        "[−.18, .05]",
        "–",
    ]
    assert first[2].get("title") == "n 300"


def test_hollow_dots_are_those_that_could_be_zero():
    hollow = ["hollow" in row.find("td/svg/circle").get("class") for row in body(DRAWN)[:13]]
    assert hollow == [not reach.clear for reach in ROWS]


def test_no_value_no_dot_but_a_reason():
    row = body(DRAWN)[13]
    assert row.find("td/svg/circle") is None
    assert [text(c) for c in row][1:] == ["3 values are too few", "–", "–", "–"]


def test_both_references_are_drawn_where_they_are_and_named():
    axis = forest_axis(DRAWN)
    head = ElementTree.fromstring(forest_table(DRAWN)).find("thead")
    assert [text(t) for t in head.iter("text")][:2] == ["noise ceiling .89", "one more rater .59"]
    ground = body(DRAWN)[0].find("td/svg")
    assert ground.find("line[@class='one']").get("x1") == axis.at(0.59)
    bands = [(r.get("x"), r.get("width")) for r in ground.findall("rect")]
    assert bands == [(axis.at(0.89), "8.80%"), (axis.at(0.54), "7.20%")]  # (1 − .89) / 1.25 …


def test_names_of_the_references_never_share_a_line():
    for one, ceiling in [(0.88, 0.89), (0.99, 1.0), (0.2, 0.21)]:
        forest = replace(DRAWN, one_more=(one, None, None), ceiling=ceiling)
        lines = ElementTree.fromstring(forest_table(forest)).findall("thead//text")[:2]
        assert lines[0].get("y") != lines[1].get("y")


def test_a_name_far_right_ends_at_its_line():
    forest = replace(DRAWN, one_more=(0.88, None, None))
    assert (
        ElementTree.fromstring(forest_table(forest)).findall("thead//text")[1].get("text-anchor")
        == "end"
    )


def test_axis_widens_in_quarters_and_nothing_is_clipped():
    assert (forest_axis(DRAWN).low, forest_axis(DRAWN).high) == (-0.25, 1)
    low = replace(DRAWN, rows=(replace(ROWS[0], low=-0.3),))
    assert forest_axis(low).low == -0.5


def test_share_of_one_rater_only_where_both_are_above_zero():
    negative = replace(ROWS[0], value=-0.4, low=-0.5, high=-0.3)
    for forest in (
        replace(DRAWN, rows=(negative,)),
        replace(DRAWN, one_more=None),
        replace(DRAWN, one_more=(-0.1, None, None)),
    ):
        assert text(body(forest)[0][4]) == "–"


def test_a_value_without_an_interval_is_a_dot():
    row = body(replace(DRAWN, rows=(replace(ROWS[0], low=None, high=None),)))[0]
    assert row.find("td/svg/line[@class='ink reach']") is None
    assert text(row[3]) == "–"


@pytest.mark.parametrize("rows", [(), ROWS[:1], (NONE,), ROWS[-1:], ROWS + ROWS[:7]])
@pytest.mark.parametrize("width", [200, 317, 660])
def test_any_number_of_rows_draws(rows, width):
    forest = Forest(rows, None, None, "")
    assert len(body(forest)) == max(len(rows), 1)
    paper = ElementTree.fromstring(forest_figure(forest, width))
    assert len(paper.findall(f".//{SVG}circle")) == sum(r.value is not None for r in rows)


def test_the_figure_has_the_same_numbers():
    words = [text(t) for t in ElementTree.fromstring(forest_figure(DRAWN, 660)).iter(f"{SVG}text")]
    at = words.index("Engagement")
    assert words[at - 1 : at + 4] == ["L", "Engagement", ".46", "[.37, .54]", "78%"]


def test_in_a_narrow_figure_the_interval_gives_way_to_the_plot():
    """Of 151 px, 40 mm, names take 63 and r 28."""
    root = ElementTree.fromstring(forest_figure(DRAWN, 151))
    words = [text(t) for t in root.iter(f"{SVG}text")]
    assert words[:5] == ["noise ceiling .89", "one more rater .59", "0", "1.00", "r"]
    assert "[.37, .54]" not in words
    plots = [float(e.get("width")) for e in root.iter(f"{SVG}svg") if e is not root]
    assert set(plots) == {59.58}


@given(st.floats(-1, 1), st.floats(0, 0.5), st.booleans())
def test_every_dot_and_line_lies_on_the_axis(value, half, clear):
    reach = ForestRow("a", "P", value, max(value - half, -1), min(value + half, 1), 30, clear)
    forest = Forest((reach,), (0.5, 0.4, 0.6), 0.8, "")
    axis = forest_axis(forest)
    positions = shares(body(forest)[0].find("td/svg"), axis)
    assert positions == pytest.approx([reach.value, reach.low, reach.high], abs=2e-4)
    assert all(axis.low - 1e-3 <= v <= axis.high + 1e-3 for v in positions)


def test_names_from_outside_stay_text():
    forest = replace(DRAWN, rows=(replace(ROWS[0], title="<script>x</script>"),))
    assert "<script" not in forest_table(forest) + forest_figure(forest, 317)


def test_a_badge_says_its_kind():
    assert kind_tag("P") == '<span class="tag P" title="psychological">P</span>'
