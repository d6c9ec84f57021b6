"""The radar: points lie on their spokes at their shares, and labels keep clear of each other."""

import re
from itertools import combinations
from math import cos, hypot, pi, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.charts.radar import (
    MOST,
    Radar,
    RadarOutline,
    outline_path,
    place_labels,
    radar,
    radar_figure,
)
from simpatico.errors import BadValue
from tests.charts.charts import (
    HERON,
    JUNIPER,
    LONG,
    SLATE,
    elements_of,
    every,
    thirteen,
    tree,
    words,
)
from tests.charts.golden import golden

SPOKES = ("Engagement", "Language style matching", "Reply chance", "Relevance", "USL-H")
DRAWN = Radar(
    "Learned",
    SPOKES,
    (
        RadarOutline(HERON, (0.5, 0.25, 1.0, 0.0, 0.6)),
        RadarOutline(JUNIPER, (0.9, 0.4, None, 0.3, 0.2)),
        RadarOutline(SLATE, (None, None, None, None, 0.7)),
    ),
)


def test_golden():
    golden("radar.html", radar(DRAWN))
    golden("radar.svg", radar_figure(DRAWN, 340))


def test_shares_can_be_read_back():
    for markup in (radar(DRAWN), radar_figure(DRAWN, 340)):
        groups = [g for g in elements_of(tree(markup), "g", "s0") if len(list(every(g, "use"))) > 1]
        marks = list(every(groups[0], "use"))
        reach = 112.0
        for i, (mark, share) in enumerate(zip(marks, DRAWN.shapes[0].shares, strict=True)):
            x, y = float(mark.get("x", "")), float(mark.get("y", ""))
            angle = 2 * pi * i / 5 - pi / 2
            assert hypot(x, y) / reach == pytest.approx(share, abs=1e-3)
            assert (x, y) == pytest.approx(
                (reach * (share or 0) * cos(angle), reach * (share or 0) * sin(angle)), abs=0.01
            )


def test_what_is_null_is_not_drawn_but_said():
    root = tree(radar(DRAWN))
    assert [len(list(every(g, "use"))) for g in every(root, "g")] == [5, 4, 1]
    assert [words(p) for p in every(root, "p")] == [
        "juniper-2 has no value for Reply chance.",
        "slate-8b has no value for Engagement, Language style matching, Reply chance, Relevance.",
    ]


def test_a_line_is_open_where_a_value_is_missing():
    a, b, c = (0.0, 0.0), (1.0, 0.0), (0.0, 1.0)
    assert outline_path([a, b, c]) == "M0 0L1 0L0 1z"
    assert outline_path([a, b, c, None]) == "M0 0L1 0M1 0L0 1"
    assert outline_path([a, None, None]) == ""


def test_it_has_one_sentence_for_those_who_do_not_see():
    (svg,) = every(tree(radar(DRAWN)), "svg")
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == (
        "Learned: radar of heron-1, juniper-2, slate-8b on 5 metrics; the table has the numbers"
    )


def test_no_fill_and_a_dash_per_system():
    lines = elements_of(tree(radar(DRAWN)), "path", "o")
    assert [p.get("stroke-dasharray") for p in lines] == [None, "6 3"]


@pytest.mark.parametrize("n", [0, 2, 21])
def test_too_few_or_too_many_spokes(n):
    with pytest.raises(BadValue) as error:
        radar(Radar("r", ("a",) * n, ()))
    assert str(error.value) == f"a radar has 3 to 20 spokes, not {n}; draw the dots instead"


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["C"]), max_size=60), min_size=3, max_size=MOST
    )
)
def test_labels_never_meet(spokes):
    boxes = place_labels(spokes, 112)
    assert not [1 for a, b in combinations(boxes, 2) if a.overlaps(b)]
    assert all(len(b.lines) <= 2 for b in boxes)


def test_a_label_that_is_shortened_has_its_full_text_as_title():
    profile = Radar("r", ("Engagement of the person", "many words " * 20, "x"), ())
    boxes = place_labels(profile.spokes, 112)
    assert boxes[0].lines == ("Engagement", "of the person")
    assert "…" in boxes[1].lines[1]
    assert {words(t) for t in every(tree(radar(profile)), "title")} == {"many words " * 20}


def test_nothing_is_cut_off():
    long = Radar(
        LONG, (LONG, "many words " * 20, "x"), tuple(RadarOutline(p, (1, 1, 1)) for p in thirteen())
    )
    markup = radar(long)
    left, top, width, height = map(float, re.findall(r'viewBox="([^"]*)"', markup)[0].split())
    for box in place_labels(long.spokes, 112):
        assert left <= box.left
        assert box.right <= left + width
        assert top <= box.top
        assert box.bottom <= top + height
    tree(radar_figure(long, 300))
