"""Dependent correlations against published examples, cocor's test suite and R's psych.

cocor: Diedenhofen & Musch (2015), tests/testthat/tests.r of version 1.1-4, which cites the papers.
psych 2.2.9: r.test and paired.r, run under R 4.2.2.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from simpatico.stats.dependent import Overlapping, hotelling, steiger, williams
from simpatico.validation.contests import bootstrap_difference, compare_dependent

RNG = np.random.default_rng(0)


def test_williams_t():
    """DEPCOR (Silver, Hittner & May 2006) prints -1.0767, p .2843; psych::r.test the rest."""
    found = williams(Overlapping(0.3, 0.4, 0.5, 100))
    assert found.statistic == pytest.approx(-1.07673563783735, abs=1e-12)
    assert found.difference.p_value == pytest.approx(0.2842690470032, abs=1e-12)
    assert found.df == 97
    found = williams(Overlapping(0.2, 0.5, 0.1, 315))
    assert found.statistic == pytest.approx(-4.49499254102116, abs=1e-12)
    assert found.difference.p_value == pytest.approx(9.81813670288207e-06, abs=1e-15)


@pytest.mark.parametrize(
    ("kh", "t"),
    [(0, 1.73), (0.1, 1.80), (0.2, 1.89), (0.3, 2.01), (0.4, 2.17), (0.5, 2.38), (0.8, 4.07)],
)
def test_hotelling_t_of_may_and_hittner(kh, t):
    """May & Hittner (1997), Psychological Reports 80, 475-480: r .5 and .2, n = 50."""
    assert round(hotelling(Overlapping(0.5, 0.2, kh, 50)).statistic, 2) == t


def test_hotelling_t_of_text_books():
    """Glass & Stanley (1984) p. 311; Guilford & Fruchter (1978) p. 164."""
    assert round(hotelling(Overlapping(0.612, 0.541, 0.466, 157)).statistic, 3) == 1.158
    assert round(hotelling(Overlapping(0.55, 0.45, 0.60, 200)).statistic, 2) == 1.91


def test_steigers_z():
    """Steiger (1980) p. 249, case A: the paper, rounding on the way, has -.891, cocor -.8887185.

    DEPCOR prints -1.0718 for the second.
    """
    case_a = steiger(Overlapping(jk=0.4, jh=0.5, kh=0.1, n=103))
    assert case_a.statistic == pytest.approx(-0.8887185, abs=5e-8)
    overlapping = steiger(Overlapping(0.3, 0.4, 0.5, 100))
    assert round(overlapping.statistic, 4) == -1.0718
    assert round(overlapping.difference.p_value, 4) == 0.2838


def test_zous_intervals():
    """Zou (2007), Psychological Methods 12, 399-413: -.093 to .517."""
    one = williams(Overlapping(0.396, 0.179, 0.088, 66)).difference
    assert (round(one.low, 3), round(one.high, 3)) == (-0.093, 0.517)


@given(*[st.floats(-0.9, 0.9)] * 3, st.integers(4, 500))
def test_changing_places_changes_the_sign_only(jk, jh, kh, n):
    one, other = Overlapping(jk, jh, kh, n), Overlapping(jh, jk, kh, n)
    assume(one.fault is None)
    for test in (williams, hotelling, steiger):
        a, b = test(one), test(other)
        if a.statistic is None:
            continue
        assert a.statistic == pytest.approx(-b.statistic, rel=1e-9, abs=1e-9)
        assert a.difference.p_value == pytest.approx(b.difference.p_value, rel=1e-6)
        assert 0 < a.difference.p_value <= 1
        if a.difference.low is not None:
            assert a.difference.low == pytest.approx(-b.difference.high, abs=1e-9)


@pytest.mark.parametrize(
    ("r", "status"),
    [
        (Overlapping(0.3, 0.4, 0.5, 3), "too_few"),
        (Overlapping(0.3, 0.3, 1.0, 50), "degenerate"),
        (Overlapping(1.0, 0.4, 0.4, 50), "degenerate"),
        (Overlapping(0.9, -0.9, 0.9, 50), "degenerate"),
        (Overlapping(float("nan"), 0.4, 0.4, 50), "degenerate"),
    ],
)
def test_what_cannot_be_tested_says_why(r, status):
    for test in (williams, hotelling, steiger):
        found = test(r)
        assert (found.difference.status, found.difference.value) == (status, None)
        assert (found.statistic, found.difference.p_value) == (None, None)


def three(n: int = 200):
    z = RNG.normal(size=n)
    return z + RNG.normal(size=n), z + 2 * RNG.normal(size=n), z


def test_columns_give_what_their_correlations_give():
    x, y, z = three()
    r = np.corrcoef([x, y, z])
    found = compare_dependent(x, y, z)
    expected = williams(Overlapping(r[0, 2], r[1, 2], r[0, 1], 200))
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.difference.method == "Pearson r, Williams t, Zou interval"
    gap = np.where(np.arange(200) < 5, np.nan, x)
    assert (
        compare_dependent(gap, y, z).difference == compare_dependent(x[5:], y[5:], z[5:]).difference
    )
    assert compare_dependent(gap, y, z).as_json()["df"] == 192


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall"])
def test_the_bootstrap_of_the_difference_agrees_with_the_formula(kind):
    x, y, z = three(400)
    drawn = bootstrap_difference((x, y), z, np.arange(400), kind=kind)
    assert drawn.low < drawn.value < drawn.high
    if kind == "kendall":
        assert compare_dependent(x, y, z, kind=kind).difference.status == "degenerate"
        return
    formula = compare_dependent(x, y, z, kind=kind).difference
    assert drawn.value == pytest.approx(formula.value, abs=1e-12)
    assert drawn.low == pytest.approx(formula.low, abs=0.04)
    assert drawn.high == pytest.approx(formula.high, abs=0.04)


def test_the_same_column_twice_is_no_contest():
    x, _, z = three(50)
    assert compare_dependent(x, x, z).difference.status == "degenerate"
    same = bootstrap_difference((x, 2 * x), z, np.arange(50))
    assert (same.low, same.high, same.p_value) == (None, None, None)
    assert compare_dependent(x[:3], x[:3] ** 2, z[:3]).difference.status == "too_few"
    assert compare_dependent(x[:2], x[:2], z[:2]).difference.status == "too_few"
    assert bootstrap_difference((x[:2], x[:2]), z[:2], [0, 1]).status == "too_few"
    assert bootstrap_difference((x, -x), z, np.arange(50) // 10).p_value is None


@pytest.mark.parametrize("test", ["williams", "steiger"])
def test_equal_scores_differ_significantly_one_time_in_twenty(test):
    """2,000 samples of n = 60 where both scores follow the judgement equally well: .040-.060."""
    rng, found = np.random.default_rng(3), []
    for _ in range(2_000):
        z, a, b = rng.normal(size=(3, 60))
        found.append(
            compare_dependent(z + a, z + b, z + rng.normal(size=60), test=test).difference.p_value
        )
    assert 0.040 <= np.mean(np.array(found) < 0.05) <= 0.060
