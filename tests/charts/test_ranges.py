"""The range of a metric."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.charts.ranges import RangeChart, range_axis, range_chart
from tests.charts.charts import HERON, JUNIPER, elements_of, every, tree, value_at, words
from tests.charts.golden import golden

ENTROPY = RangeChart(0, 3, 1.4, 2.8, ((HERON, 2.31), (JUNIPER, 2.44)), "higher is not better")
LENGTH = RangeChart(0, None, 10, 500, ((HERON, 31.0),), "")


def test_golden():
    golden("ranges.html", range_chart(ENTROPY) + range_chart(LENGTH))


def test_positions_can_be_read_back():
    root, axis = tree(range_chart(ENTROPY)), range_axis(ENTROPY)
    (most,) = elements_of(root, "line", "most")
    places = [most.get("x1"), most.get("x2"), *(u.get("x") for u in every(root, "use"))]
    assert [value_at(axis, p) for p in places if p] == pytest.approx(
        [1.4, 2.8, 2.31, 2.44], abs=1e-3
    )
    assert (axis.low, axis.high) == (0, 3)


def test_the_numbers_are_in_words():
    root = tree(range_chart(ENTROPY))
    assert next(every(root, "svg")).get("aria-label") == (
        "possible range 0 to 3; 90% of dialogs between 1.4 and 2.8; heron-1 2.3; juniper-2 2.4"
    )
    assert [words(e) for e in every(root, "span")] == ["0", "higher is not better", "3"]


def test_an_open_end_has_an_arrow_and_the_data_inside():
    root, axis = tree(range_chart(LENGTH)), range_axis(LENGTH)
    assert [words(e) for e in every(root, "span")] == ["0", "", "open"]
    assert [e.get("d") for e in every(root, "path")] == ["M-5 -4L0 0 -5 4"]
    assert axis.low == 0
    assert axis.high > 500


@pytest.mark.parametrize(
    "chart",
    [
        RangeChart(None, None, None, None, (), ""),
        RangeChart(1, 1, 1, 1, ((HERON, 1.0),), ""),
        RangeChart(0, 1, None, 0.5, (), "a note " * 40),
        RangeChart(float("-inf"), float("inf"), -1, 1, ((HERON, float("nan")),), ""),
    ],
)
def test_odd_ranges(chart):
    root = tree(range_chart(chart))
    assert "nan" not in words(root)
    assert range_axis(chart).low < range_axis(chart).high


NUMBER = st.none() | st.floats(-1e6, 1e6, allow_subnormal=False)


@given(NUMBER, NUMBER, st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), max_size=4))
def test_nothing_lies_outside(low, high, values):
    axis = range_axis(RangeChart(low, high, None, None, tuple((HERON, v) for v in values), ""))
    assert all(-1e-9 <= axis.share(v) <= 1 + 1e-9 for v in values)
