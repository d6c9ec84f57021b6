"""Dependent correlations against published examples, cocor's test suite and R's psych.

cocor: Diedenhofen & Musch (2015), tests/testthat/tests.r of version 1.1-4, which cites the papers.
psych 2.2.9: r.test and paired.r, run under R 4.2.2.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from simpatico.stats.dependent import Overlapping, williams_t, williams_test
from simpatico.validation.contests import bootstrap_difference, compare_dependent

RNG = np.random.default_rng(0)


def test_williams_t():
    """DEPCOR (Silver, Hittner & May 2006) prints -1.0767, p .2843; psych::r.test the rest."""
    r = Overlapping(0.3, 0.4, 0.5, 100)
    assert williams_t(r) == pytest.approx(-1.07673563783735, abs=1e-12)
    assert williams_test(r).p_value == pytest.approx(0.2842690470032, abs=1e-12)
    r = Overlapping(0.2, 0.5, 0.1, 315)
    assert williams_t(r) == pytest.approx(-4.49499254102116, abs=1e-12)
    assert williams_test(r).p_value == pytest.approx(9.81813670288207e-06, abs=1e-15)


def test_zous_intervals():
    """Zou (2007), Psychological Methods 12, 399-413: -.093 to .517."""
    one = williams_test(Overlapping(0.396, 0.179, 0.088, 66))
    assert (round(one.low, 3), round(one.high, 3)) == (-0.093, 0.517)


@given(*[st.floats(-0.9, 0.9)] * 3, st.integers(4, 500))
def test_changing_places_changes_the_sign_only(jk, jh, kh, n):
    one, other = Overlapping(jk, jh, kh, n), Overlapping(jh, jk, kh, n)
    assume(one.fault is None)
    assert williams_t(one) == pytest.approx(-williams_t(other), rel=1e-9, abs=1e-9)
    a, b = williams_test(one), williams_test(other)
    assert a.p_value == pytest.approx(b.p_value, rel=1e-6)
    assert 0 < a.p_value <= 1
    if a.low is not None:
        assert a.low == pytest.approx(-b.high, abs=1e-9)


@pytest.mark.parametrize(
    ("r", "status"),
    [
        (Overlapping(0.3, 0.4, 0.5, 3), "too_few"),
        (Overlapping(0.3, 0.3, 1.0, 50), "degenerate"),
        (Overlapping(1.0, 0.4, 0.4, 50), "degenerate"),
        (Overlapping(0.9, -0.9, 0.9, 50), "degenerate"),
        (Overlapping(float("nan"), 0.4, 0.4, 50), "degenerate"),
        (Overlapping(0.3, 0.4, float("nan"), 50), "degenerate"),
    ],
)
def test_what_cannot_be_tested_says_why(r, status):
    result = williams_test(r)
    assert (result.status, result.value, result.p_value) == (status, None, None)


def three(n: int = 200):
    z = RNG.normal(size=n)
    return z + RNG.normal(size=n), z + 2 * RNG.normal(size=n), z


def test_columns_give_what_their_correlations_give():
    x, y, z = three()
    r = np.corrcoef([x, y, z])
    result = compare_dependent(x, y, z)
    expected = williams_test(Overlapping(r[0, 2], r[1, 2], r[0, 1], 200))
    assert result.numbers == pytest.approx(expected.numbers, abs=1e-9)
    assert result.p_value == pytest.approx(expected.p_value, rel=1e-9)
    assert result.method == "Pearson r, Williams t, Zou interval"
    gap = np.where(np.arange(200) < 5, np.nan, x)
    assert compare_dependent(gap, y, z) == compare_dependent(x[5:], y[5:], z[5:])
    assert compare_dependent(gap, y, z).n == 195


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall"])
def test_the_bootstrap_of_the_difference_agrees_with_the_formula(kind):
    x, y, z = three(400)
    interval = bootstrap_difference((x, y), z, np.arange(400), kind=kind)
    assert interval.low < interval.value < interval.high
    if kind == "kendall":  # which has no formula
        return
    formula = compare_dependent(x, y, z, kind=kind)
    assert interval.value == pytest.approx(formula.value, abs=1e-12)
    assert interval.low == pytest.approx(formula.low, abs=0.04)
    assert interval.high == pytest.approx(formula.high, abs=0.04)


def test_the_same_column_twice_is_no_contest():
    x, _, z = three(50)
    assert compare_dependent(x, x, z).status == "degenerate"
    same = bootstrap_difference((x, 2 * x), z, np.arange(50))
    assert (same.low, same.high, same.p_value) == (None, None, None)
    assert compare_dependent(x[:3], x[:3] ** 2, z[:3]).status == "too_few"
    assert compare_dependent(x[:2], x[:2], z[:2]).status == "too_few"
    assert bootstrap_difference((x[:2], x[:2]), z[:2], [0, 1]).status == "too_few"
    assert bootstrap_difference((x, -x), z, np.arange(50) // 10).p_value is None


def test_equal_scores_differ_significantly_one_time_in_twenty():
    """2,000 samples of n = 60 where both scores follow the judgement equally well: .040-.060."""
    rng, p_values = np.random.default_rng(3), []
    for _ in range(2_000):
        z, a, b = rng.normal(size=(3, 60))
        p_values.append(compare_dependent(z + a, z + b, z + rng.normal(size=60)).p_value)
    assert 0.040 <= np.mean(np.array(p_values) < 0.05) <= 0.060
