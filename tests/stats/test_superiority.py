"""How often one system is the higher one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simpatico.stats.superiority import (
    newcombe_interval,
    superiority_at_random,
    superiority_in_pairs,
    superiority_variance,
)

Z = 1.959963984540054


def test_pairs_by_hand_with_a_tie_as_half():
    result = superiority_in_pairs(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 2.0, 5.0, 1.0]))
    assert result.value == 2.5 / 4


def test_wilson_interval_is_scipys():
    a = np.array([1.0] * 7 + [0.0] * 3)
    scipys = stats.binomtest(7, 10).proportion_ci(method="wilson")
    result = superiority_in_pairs(a, np.full(10, 0.5))
    assert (result.low, result.high) == pytest.approx((scipys.low, scipys.high), abs=1e-8)


def test_at_random_by_hand():
    # of 2 x 3 pairings: 1 over {0}, ties {1}, under {2}; 3 over all
    result = superiority_at_random(np.array([1.0, 3.0]), np.array([0.0, 1.0, 2.0]))
    assert result.value == pytest.approx((1 + 0.5 + 3) / 6)


@pytest.mark.parametrize("chance", [0.0, 0.1, 0.5, 0.72, 1.0])
def test_ends_of_newcombes_interval_are_z_of_their_own_errors_away(chance):
    low, high = newcombe_interval(chance, 12, 20, z=Z)
    assert low < high
    for end in (low, high):
        if 0 < end < 1:
            assert abs(end - chance) == pytest.approx(
                Z * superiority_variance(end, 12, 20) ** 0.5, abs=1e-8
            )


def test_interval_holds_the_truth_as_often_as_promised():
    """P(a > b) of two normals a third of a deviation apart is Φ(1/3 / √2)."""
    rng = np.random.default_rng(4)
    truth = stats.norm.cdf(1 / 3 / np.sqrt(2))
    results = [
        superiority_at_random(rng.normal(1 / 3, 1, 15), rng.normal(0, 1, 25)) for _ in range(1_000)
    ]
    coverage = np.mean([t.low <= truth <= t.high for t in results])
    assert 0.93 <= coverage <= 0.98


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=9),
    st.lists(st.integers(0, 5), min_size=1, max_size=9),
)
def test_mirror(a, b):
    a, b = np.array(a, float), np.array(b, float)
    one, other = superiority_at_random(a, b), superiority_at_random(b, a)
    assert one.value == pytest.approx(1 - other.value)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low))
    assert 0 <= one.low < one.high <= 1


def test_nothing_of_nothing():
    empty = np.array([])
    assert (
        superiority_in_pairs(empty, empty).status,
        superiority_at_random(empty, empty).status,
    ) == ("too_few", "too_few")
