"""Clustered means and regressions against scipy, statsmodels and hand derivations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from simpatico.stats.clustered import clustered_regression, mean_of_groups

VALUES = st.lists(st.integers(-5, 5), min_size=3, max_size=30).filter(lambda v: len(set(v)) > 1)


def groups(values):
    return np.zeros(len(values), np.int64)


@given(VALUES)
def test_with_a_cluster_for_each_row_it_is_the_t_test(values):
    x = np.array(values, float)
    estimate = mean_of_groups(x, groups(x), np.arange(len(x)))
    expected = ttest_1samp(x, 0.3)
    t = (estimate.value - 0.3) / estimate.standard_error
    assert t == pytest.approx(expected.statistic, abs=1e-8)
    assert estimate.df == expected.df


@given(VALUES)
def test_rows_repeated_within_their_cluster_are_no_further_evidence(values):
    x = np.array(values, float)
    once = mean_of_groups(x, groups(x), np.arange(len(x)))
    thrice = mean_of_groups(np.repeat(x, 3), groups(np.repeat(x, 3)), np.repeat(range(len(x)), 3))
    assert thrice.value == pytest.approx(once.value)
    assert thrice.standard_error == pytest.approx(once.standard_error)
    assert (thrice.n, thrice.df) == (3 * once.n, once.df)


def test_each_group_counts_once():
    """Means 1 and 4 of groups of 1 and 3 rows: 2.5, where the mean over rows would be 3.25."""
    estimate = mean_of_groups(np.array([1.0, 3, 4, 5]), np.array([0, 1, 1, 1]), np.arange(4))
    assert estimate.value == 2.5
    # deviations 0, -1, 0, 1, each over 2 x 3: SE² = 4/3 x 2/36
    assert estimate.standard_error == pytest.approx((8 / 108) ** 0.5)


def test_under_ten_clusters_there_is_no_interval():
    x = np.arange(9.0)
    result = mean_of_groups(x, groups(x), np.arange(9)).result("mean")
    assert (result.value, result.low, result.p_value) == (4.0, None, None)


def test_a_share_stays_within_0_and_1():
    """19 of 20 are 1: the t interval would end at 1.05. 20 of 20: Wilson's 1 / (1 + 1.96² / 20)."""
    x = np.r_[np.zeros(1), np.ones(19)]
    most = mean_of_groups(x, groups(x), np.arange(20))
    assert most.result("share").high > 1
    assert (most.share("share").low, most.share("share").high) == (most.result("share").low, 1.0)
    every = mean_of_groups(np.ones(20), groups(x), np.arange(20)).share("share")
    assert (every.value, every.high, every.n) == (1.0, 1.0, 20)
    assert every.low == pytest.approx(1 / (1 + 1.959964**2 / 20), abs=1e-7)


def test_regression_is_that_of_statsmodels():
    """statsmodels 0.14, OLS(...).fit(cov_type="cluster", use_t=True): bse, pvalues, conf_int."""
    x = np.arange(24.0)
    y = [1, 3, 2, 5, 4, 4, 6, 9, 7, 8, 6, 9, 12, 11, 10, 13, 15, 12, 14, 18, 16, 15, 19, 20]
    first, second = clustered_regression(
        np.column_stack([x, x * 7 % 5]), np.array(y, float), np.arange(24) // 2
    )
    assert first.value == pytest.approx(0.75265306, abs=1e-8)
    assert first.standard_error == pytest.approx(0.0368926, abs=1e-7)
    result = second.result("clustered regression")
    assert result.value == pytest.approx(0.23591837, abs=1e-8)
    assert result.p_value == pytest.approx(0.335555938, abs=1e-8)
    assert (result.low, result.high) == pytest.approx((-0.27970623, 0.75154297), abs=1e-8)


def test_what_never_varies_or_follows_from_others_has_no_estimate():
    x = np.arange(20.0)
    columns = np.column_stack([x, 2 * x, np.ones(20)])
    found = clustered_regression(columns, x**2, np.arange(20))
    assert [np.isfinite(one.value) for one in found] == [True, False, False]
    assert found[1].result("r").status == "too_few"
