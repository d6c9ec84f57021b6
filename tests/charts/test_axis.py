"""From numbers to places and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.charts.axis import Axis, axis_around, rounded_step, tick_labels
from tests.charts.charts import value_at

NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)


def test_places_in_percent():
    axis = Axis(-1, 3)
    assert [axis.at(v) for v in (-1, 0, 1 / 3, 3, 4)] == ["0%", "25%", "33.33%", "100%", "125%"]
    assert Axis(0, 1).at(-1e-9) == "0%"


def test_ticks_are_round_and_inside():
    assert Axis(1.9, 2.7).ticks(3) == [2.0, 2.5]
    assert Axis(1.9, 2.7).ticks(4) == [2.0, 2.2, 2.4, 2.6]
    assert [rounded_step(s) for s in (0.3, 1, 1.01, 6)] == pytest.approx([0.5, 1, 2, 10])


def test_labels_have_the_digits_that_tell_them_apart():
    assert tick_labels([0.8, 0.85, 0.9]) == ["0.80", "0.85", "0.90"]
    assert tick_labels([-500.0, 0.0]) == ["−500", "0"]
    assert tick_labels([]) == []


def test_values_that_can_hardly_be_told_apart_are_taken_for_one():
    """Between -5e-324 and 5e-324 no step could be had: the axis is that of 0, 1 wide."""
    axis = axis_around([-5e-324, 5e-324])
    assert (axis.low, axis.high) == (-0.08, 0.08)
    assert axis.ticks()


def test_an_axis_without_values_or_with_one():
    assert axis_around([]) == Axis(-0.08, 1.08)
    assert axis_around([None, float("nan")]) == Axis(-0.08, 1.08)
    one = axis_around([5.0, 5.0])
    assert (one.low, one.high) == pytest.approx((4.96, 5.04))


@given(st.lists(NUMBERS, min_size=1))
def test_every_value_lies_inside(values):
    axis = axis_around(values)
    assert all(0 <= axis.share(v) <= 1 for v in values)


@given(st.lists(NUMBERS, min_size=2, unique=True), st.integers(2, 6))
def test_places_can_be_read_back(values, about):
    axis = axis_around(values)
    assert value_at(axis, axis.at(values[0])) == pytest.approx(
        values[0], abs=1e-4 * (axis.high - axis.low)
    )
    assert all(axis.low <= t <= axis.high + 1e-9 for t in axis.ticks(about)) or len(values) < 2
