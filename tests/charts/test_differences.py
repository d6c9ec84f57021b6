"""Differences on one axis: nothing is clipped, and every end can be read back."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.charts.axis import Axis
from simpatico.charts.differences import (
    DifferenceChart,
    DifferenceRow,
    difference_figure,
    difference_row,
    difference_table,
    plain_words,
    symmetric_axis,
    symmetric_ticks,
)
from simpatico.charts.html import el
from simpatico.charts.systems import SystemStyle
from tests.charts.charts import HERON, JUNIPER, LONG, elements_of, every, tree, value_at, words
from tests.charts.golden import golden

AMOUNT = el("span", {"class": "num"}, "+0.08 [0.03, 0.13]")
ENGAGING = DifferenceRow(
    ["juniper-2 is more engaging than heron-1: ", AMOUNT, "."],
    "Engagement",
    difference=0.08,
    low=0.03,
    high=0.13,
    wide_low=0.006,
    wide_high=0.154,
    sd=0.29,
    times=58.4,
    rating_correlation=".46",
    side="a",
)
LOWER = replace(
    ENGAGING,
    claim="juniper-2 is less engaging than heron-1: −0.08 [−0.13, −0.03].",
    difference=-0.08,
    low=-0.13,
    high=-0.03,
    wide_low=-0.154,
    wide_high=-0.006,
    times=41.6,
    side="b",
)
SAME = replace(
    ENGAGING,
    claim="Empathy",
    note="Smallest detectable difference (80% power): 0.06",
    side=None,
    rating_correlation=".05 (n.s.)",
)
NO_SPREAD = replace(SAME, claim="MAUVE", sd=None, times=None, rating_correlation="–")
UNKNOWN = DifferenceRow("Distinct-2", "", None, None, None, None, None, 0.1, None, "", None)
GAPS = DifferenceChart(
    JUNIPER,
    HERON,
    (
        ("Higher for juniper-2", (ENGAGING,)),
        (
            "Lower for juniper-2",
            (LOWER,),
        ),
        ("Suggestive, not significant after correction", ()),
        ("No significant difference", (SAME, NO_SPREAD, UNKNOWN)),
    ),
    "Differences between juniper-2 and heron-1",
    with_ratings=True,
)


def test_golden():
    golden("gaps.html", difference_table(GAPS))
    golden("gaps.svg", difference_figure(GAPS, 600))


def test_the_axis_comes_from_the_data():
    # The widest end, 0.154, is 0.531 standard deviations: less than the axis has in any case.
    assert symmetric_axis(GAPS) == Axis(-0.6 * 1.06, 0.6 * 1.06)
    far = replace(GAPS, groups=(("far", (replace(ENGAGING, wide_high=2.9),)),))
    assert symmetric_axis(far).high == pytest.approx(10 * 1.06)
    assert symmetric_axis(replace(GAPS, groups=())) == Axis(-0.6 * 1.06, 0.6 * 1.06)
    assert symmetric_ticks(symmetric_axis(GAPS)) == [-0.5, 0.0, 0.5]


def test_every_end_can_be_read_back():
    axis = symmetric_axis(GAPS)
    tr = tree(difference_row(GAPS, axis, ENGAGING))
    (thin,), (thick,), (mark,) = (
        elements_of(tr, "line", "thin"),
        elements_of(tr, "line", "thick"),
        every(tr, "use"),
    )
    places = [thin.get("x1"), thick.get("x1"), mark.get("x"), thick.get("x2"), thin.get("x2")]
    values = [value_at(axis, p) * 0.29 for p in places if p]
    assert values == pytest.approx([0.006, 0.03, 0.08, 0.13, 0.154], abs=1e-4)
    assert [words(e) for e in every(tr, "td")] == [
        "juniper-2 is more engaging than heron-1: +0.08 [0.03, 0.13]. Engagement",
        "",
        "58",
        ".46",
    ]


def test_the_colour_is_that_of_the_higher_system_and_grey_without_a_finding():
    rows = [r for r in every(tree(difference_table(GAPS)), "tr") if elements_of(r, "td", "ax")]
    kinds = [[g.get("class") for g in every(r, "g")] for r in rows]
    assert kinds == [["s1"], ["s0"], ["mute"], [], []]


def test_no_place_on_the_axis_is_said_in_words():
    rows = [r for r in every(tree(difference_table(GAPS)), "tr") if elements_of(r, "td", "ax")]
    assert [words(e) for e in every(rows[3], "td")][1:] == [
        "no variation between dialogs",
        "–",
        "–",
    ]
    assert [words(e) for e in every(rows[4], "td")][1:] == ["no difference available", "–", "–"]


def test_it_is_a_table_with_heads_and_a_caption():
    table = tree(difference_table(GAPS))
    assert words(next(every(table, "caption"))) == "Differences between juniper-2 and heron-1"
    assert [e.get("scope") for e in every(table, "th")] == ["col"] * 4 + ["rowgroup"] * 3
    without = tree(difference_table(replace(GAPS, with_ratings=False)))
    assert [e.get("colspan") for e in every(without, "th") if e.get("colspan")] == ["3"] * 3


def test_a_row_is_small():
    text = "juniper-2 is more engaging than heron-1: +0.08 [0.03, 0.13]. Engagement"
    assert len(difference_row(GAPS, symmetric_axis(GAPS), ENGAGING)) - len(text) < 700


def test_the_figure_prints_claims_and_wins():
    texts = " ".join(words(e) for e in every(tree(difference_figure(GAPS, 600)), "text"))
    assert "juniper-2 is more engaging than heron-1:" in texts
    assert "+0.08 [0.03, 0.13]." in texts
    assert " 58 " in texts
    assert "no variation between dialogs" in texts


def test_in_a_narrow_figure_sentences_go_above_their_plots():
    """At 40 mm a column beside the plot would be two letters wide."""
    texts = " ".join(words(e) for e in every(tree(difference_figure(GAPS, 151)), "text"))
    assert "juniper-2 is more engaging than heron-1: +0.08 [0.03, 0.13]. Engagement" in texts


def test_claims_without_markup():
    assert plain_words(["a ", el("b", None, "<x>"), None, [1]]) == "a <x>1"


def test_long_names_and_claims():
    long = replace(GAPS, a=SystemStyle(LONG, "s0"), b=SystemStyle(LONG, "sx"), caption=LONG)
    long = replace(long, groups=((LONG, (replace(ENGAGING, claim=LONG, note=LONG),)),))
    tree(difference_table(long))
    tree(difference_figure(long, 300))


@given(
    st.lists(st.floats(-1e4, 1e4, allow_subnormal=False), min_size=5, max_size=5),
    st.floats(1e-3, 1e3),
)
def test_nothing_is_ever_clipped(ends, sd):
    names = ("wide_low", "low", "difference", "high", "wide_high")
    gap = replace(ENGAGING, sd=sd, **dict(zip(names, sorted(ends), strict=True)))
    axis = symmetric_axis(replace(GAPS, groups=(("any", (gap,)),)))
    assert axis.low == -axis.high
    assert all(0 < axis.share(e / sd) < 1 for e in ends)
    assert all(axis.low <= t <= axis.high for t in symmetric_ticks(axis))
