"""Numbers as people read them."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.wording import (
    format_correlation,
    format_count,
    format_difference,
    format_interval,
    format_number,
    format_p,
    format_significant,
    interval_digits,
)


def test_true_minus_and_no_minus_before_zero():
    assert [format_number(v) for v in (-0.5, -0.001, 1.0, None, nan, inf)] == [
        "−0.50",
        "0.00",
        "1.00",
        "–",
        "–",
        "–",
    ]


def test_signed():
    assert [format_difference(v) for v in (0.08, -0.04, 0.001, None, nan)] == [
        "+0.08",
        "−0.04",
        "0.00",
        "–",
        "–",
    ]


def test_correlations_have_no_zero_before_the_point():
    assert [format_correlation(v) for v in (0.46, -0.07, 1.0, 0.999, 10.5, None)] == [
        ".46",
        "−.07",
        "1.00",
        "1.00",
        "10.50",
        "–",
    ]


def test_span():
    assert format_interval(-0.01, 0.07) == "[−0.01, 0.07]"
    assert format_interval(None, 1.0) == "–"


@pytest.mark.parametrize(
    ("low", "high", "digits"),
    [
        (2.27, 2.35, 3),  # half-width 0.04 has its second digit at the third place
        (0, 300, 0),
        (-0.0004, 0.13, 4),  # −0.0004 would round to 0 with fewer
        (1.0, 1.0, 3),
        (None, 1.0, 3),
        (-inf, inf, 3),
        (nan, 1.0, 3),
    ],
)
def test_places(low, high, digits):
    assert interval_digits(low, high) == digits


@given(st.floats(allow_nan=True), st.floats(allow_nan=True))
def test_places_are_always_printable(low, high):
    assert 0 <= interval_digits(low, high) <= 12


def test_significant_chance_and_count():
    assert [format_significant(v) for v in (0.0123, 456.0, 0.0, nan)] == ["0.012", "456", "0", "–"]
    assert [format_p(p) for p in (0.0001, 0.04, 1.0, None)] == ["< .001", "= .040", "= 1", "–"]
    assert [
        format_count(1, "dialog"),
        format_count(1505, "dialog"),
        format_count(2, "reply", "replies"),
        format_count(0),
    ] == [
        "1 dialog",
        "1,505 dialogs",
        "2 replies",
        "0",
    ]
