"""Cases counted out by hand, and every pattern of flips."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.errors import DataError
from simpatico.stats.draws import draw_uniform
from simpatico.stats.systems.pairwise_accuracy import pairwise_accuracy, soft_pairwise_accuracy

nan = float("nan")
FUNCTIONS = (pairwise_accuracy, soft_pairwise_accuracy)


def column(*values):
    """Systems by one input."""
    return np.array(values, dtype=float)[:, None]


def test_pairwise_accuracy_of_means_by_hand():
    """Means 2 3 1 and 5, 6, 5.5: pairs up/up, down/up, down/down, so two of three."""
    x = np.array([[1.0, 3], [3, 3], [nan, 1]])
    z = np.array([[5.0, 5], [6, nan], [5, 6]])
    result = pairwise_accuracy(x, z, draws=999)
    assert result.value == pytest.approx(2 / 3)
    assert (result.n, result.status) == (3, "ok")


def test_a_tie_of_means_is_right_only_if_the_judges_tie_too():
    z = column(1, 1, 2)
    assert pairwise_accuracy(column(5, 5, 9), z).value == 1
    assert pairwise_accuracy(column(5, 6, 9), z).value == pytest.approx(2 / 3)
    assert pairwise_accuracy(column(0.1 + 0.2, 0.3, 9), z).value == 1


def exact(x, z):
    """Soft pairwise accuracy over every pattern of flips."""
    parts = []
    for i, k in combinations(range(len(x)), 2):
        ps = []
        for each in (x, z):
            gaps = each[i] - each[k]
            gaps = gaps[np.isfinite(gaps)]
            sums = [np.dot(s, gaps) for s in product((-1, 1), repeat=len(gaps))]
            ps.append(np.mean(np.array(sums) >= gaps.sum() - 1e-9))
        parts.append(1 - abs(ps[1] - ps[0]))
    return float(np.mean(parts))


def test_soft_pairwise_accuracy_against_every_flip():
    draw = draw_uniform(48, seed=5).reshape(2, 4, 6)
    x, z = draw + np.arange(4)[:, None] / 6
    assert soft_pairwise_accuracy(x, z, draws=40_000).value == pytest.approx(exact(x, z), abs=0.008)
    x[1, 2], z[3, 4] = nan, nan
    assert soft_pairwise_accuracy(x, z, draws=40_000).value == pytest.approx(exact(x, z), abs=0.008)


def test_soft_pairwise_accuracy_by_hand():
    """One input: a pair ahead has p = 1/2, one behind or tied 1, the + 1 aside.

    Judges 1 2 3, all three pairs behind: p = 1. The metric turns the last pair round: p = 1/2
    there, so 1 - (0 + 0 + 1/2) / 3.
    """
    result = soft_pairwise_accuracy(column(1, 3, 2), column(1, 2, 3), draws=9_999)
    assert result.value == pytest.approx(1 - 0.5 / 3, abs=0.01)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_perfect_scores(function):
    z = draw_uniform(60, seed=1).reshape(6, 10)
    result = function(z * 3 + 1, z, draws=99)
    assert (result.value, result.low, result.high) == (pytest.approx(1), None, None)


def test_intervals_and_methods():
    draw = draw_uniform(200, seed=2).reshape(2, 10, 10)
    x, z = draw[0] + draw[1], draw[1]
    for function in FUNCTIONS:
        result = function(x, z, draws=499)
        assert result.low < result.value < result.high
        assert result == function(x, z, draws=499)
    assert pairwise_accuracy(x, z, draws=9).method == (
        "pairwise accuracy of system means, BOOT-SYSTEMS, 9 draws, seed 0"
    )
    assert soft_pairwise_accuracy(x, z, draws=9).method == (
        "soft pairwise accuracy, BOOT-SYSTEMS, 9 draws, seed 0"
    )


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    "x",
    [
        np.zeros((0, 0)),
        np.zeros((3, 0)),
        np.ones((1, 4)),
        np.full((4, 2), nan),
        np.full((4, 2), np.inf),
    ],
    ids=["none", "no inputs", "one system", "missing", "infinite"],
)
def test_too_few(function, x):
    result = function(x, np.zeros(x.shape), draws=9)
    assert (result.value, result.low, result.high, result.status) == (None, None, None, "too_few")


def test_constant_scores_are_right_where_judges_tie():
    flat = np.ones((3, 4))
    z = np.array([[1.0] * 4, [1.0] * 4, [2.0] * 4])
    assert pairwise_accuracy(flat, z, draws=9).value == pytest.approx(1 / 3)
    assert soft_pairwise_accuracy(flat, flat, draws=9).value == 1


def test_draws_must_be_some():
    for function in FUNCTIONS:
        with pytest.raises(DataError, match="the number of draws must be at least 1"):
            function(np.eye(3), np.eye(3), draws=0)


def test_shapes_must_agree():
    for function in FUNCTIONS:
        with pytest.raises(DataError, match="matrices of systems by inputs must have one shape"):
            function(np.zeros((3, 2)), np.zeros((3, 3)))


@given(slope=st.floats(1e-3, 1e3), shift=st.floats(-1e3, 1e3), order=st.permutations(range(6)))
@settings(max_examples=25, deadline=None)
def test_units_and_order_change_nothing(slope, shift, order):
    draw = draw_uniform(48, seed=3).reshape(2, 6, 4)
    x, z = np.round(draw[0], 1), np.round(draw[1], 1)
    rows = list(order)
    value = pairwise_accuracy(x, z, draws=9).value
    rescaling, reordering = (slope * x + shift, z), (x[rows], z[rows])
    for columns in (rescaling, reordering):
        assert pairwise_accuracy(*columns, draws=9).value == pytest.approx(value, abs=1e-9)
