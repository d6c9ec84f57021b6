"""Exact sums: those of `fsum`, however the numbers are split and in whatever order they come."""

from fractions import Fraction
from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.stats import exact_sums
from simpatico.stats.exact_sums import ExactSum, exact_terms


@settings(max_examples=300)
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=60),
    st.integers(1, 20),
)
def test_no_bit_is_lost(numbers, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_sums, "SHORT", 0)
        terms = exact_terms(np.array(numbers))
        assert sum(map(Fraction, terms)) == sum(map(Fraction, numbers))
        patch.setattr(ExactSum, "most", 3)
        total, merged = ExactSum(), ExactSum()
        for start in range(0, len(numbers), size):
            part = ExactSum()
            for one in (total, part):
                one.add(np.array(numbers[start : start + size]))
            merged.merge(part)
    try:
        expected = fsum(numbers)
    except OverflowError:
        return
    assert total.mean == merged.mean == expected / len(numbers)


def test_many_numbers_take_few_terms():
    rng = np.random.default_rng(5)
    numbers = np.concatenate([rng.random(50_000), -rng.random(50_000) * 1e-12])
    terms = exact_terms(numbers)
    assert len(terms) < 8
    assert fsum(terms) == fsum(numbers)


def test_no_number_and_too_large_a_sum_have_no_mean():
    assert ExactSum().mean is None
    total = ExactSum()
    total.add(np.full(1_000, 1.5e308))
    assert total.mean is None
