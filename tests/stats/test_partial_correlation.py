"""Partial correlations by hand, by regression residuals, and over clusters."""

from math import atanh, sqrt, tanh

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.stats.correlation import correlation_coefficient
from simpatico.stats.partial_correlation import partial_correlations, partial_r
from simpatico.stats.ranks import mid_ranks

X = np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 12])
Z, Y = X**2 - 3 * X, np.sin(X) + X


def residuals(column, constant):
    design = np.column_stack([np.ones(len(constant)), constant])
    return column - design @ np.linalg.lstsq(design, column, rcond=None)[0]


def test_three_correlations_by_hand():
    """(.5 - .4 x .3) / sqrt((1 - .16)(1 - .09)) = .38 / .8743 = .4346."""
    value = partial_r(np.array([0.5]), np.array([0.3]), np.array([0.4]))[0]
    assert value == pytest.approx(0.38 / sqrt(0.84 * 0.91))


def test_it_is_the_correlation_of_what_a_regression_on_the_constant_leaves():
    (partial,) = partial_correlations(X[:, None], Y, Z)
    assert partial.value == pytest.approx(np.corrcoef(residuals(X, Z), residuals(Y, Z))[0, 1])
    (rank,) = partial_correlations(X[:, None], Y, Z, kind="spearman")
    rx, ry, rz = (mid_ranks(c) for c in (X, Y, Z))
    by_ranks = np.corrcoef(residuals(rx, rz), residuals(ry, rz))[0, 1]
    assert rank.value == pytest.approx(by_ranks)


def test_the_interval_has_one_degree_of_freedom_less():
    """tanh(atanh r ± 1.96 / sqrt(n - 1 - 3)), n = 12; p of t with n - 3 = 9 degrees of freedom."""
    from scipy.stats import t as student

    (partial,) = partial_correlations(X[:, None], Y, Z)
    r, reach = partial.value, 1.959964 / sqrt(8)
    bounds = tanh(atanh(r) - reach), tanh(atanh(r) + reach)
    assert (partial.low, partial.high) == pytest.approx(bounds, abs=1e-6)
    p = 2 * student.sf(abs(r) * sqrt(9 / (1 - r**2)), 9)
    assert (partial.n, partial.p_value) == (12, pytest.approx(p))
    assert partial.method == "partial Pearson r, Fisher interval"


def test_nothing_is_left_of_a_column_that_is_the_constant_or_never_varies():
    same, flat, few = partial_correlations(
        np.column_stack([2 * Z + 1, np.ones(12), np.where(X < 3, X, np.nan)]), Y, Z
    )
    assert (same.value, same.status) == (None, "degenerate")
    assert (flat.value, flat.status) == (None, "degenerate")
    assert (few.value, few.status, few.n) == (None, "too_few", 2)


def test_three_rows_are_too_few():
    """Three points lie on a plane, so that the partial correlation of any three is 1 or −1."""
    (three,) = partial_correlations(X[:3, None], np.array([2.0, 1, 5]), np.array([1.0, 4, 2]))
    assert (three.value, three.status, three.n) == (None, "too_few", 3)


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall"])
def test_columns_with_gaps_are_as_if_their_rows_were_not_there(kind):
    rng = np.random.default_rng(3)
    z, codes = rng.normal(size=60), np.repeat(np.arange(20), 3)
    x, y = z + rng.normal(size=60), z + rng.normal(size=60)
    gaps = np.where(np.arange(60) % 7 == 0, np.nan, x)
    both = partial_correlations(np.column_stack([x, gaps]), y, z, codes, kind=kind)
    present = np.isfinite(gaps)
    for result, rows in zip(both, (slice(None), present), strict=True):
        pairs = ((x, y), (z, y), (x, z))
        three = [np.array(correlation_coefficient(a[rows], b[rows], kind)) for a, b in pairs]
        assert result.value == pytest.approx(float(partial_r(*three)))
        assert result.low < result.value < result.high
    assert (both[0].n, both[1].n) == (60, int(present.sum()))
    assert both[0].method.endswith("bootstrap of 20 clusters")


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_it_stays_within_one_and_a_constant_of_noise_changes_little(seed):
    rng = np.random.default_rng(seed)
    x, y, z = rng.normal(size=(3, 400))
    (partial,) = partial_correlations(x[:, None], y, z)
    assert -1 <= partial.low < partial.value < partial.high <= 1
    assert partial.value == pytest.approx(np.corrcoef(x, y)[0, 1], abs=0.06)
