"""Prediction-powered means. Oracle: ppi-python 0.2.3, `ppi_mean_pointestimate`, `ppi_mean_ci`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from simpatico.stats.draws import draw_uniform
from simpatico.stats.prediction_powered import (
    MIN_RATED,
    RatedUnits,
    beta_binomial_tail,
    correlation_within,
    influences,
    outside_rated_range,
    prediction_powered,
    refit_error,
)

Z = 1.959963984540054

CASES = [
    # seed, rated, unrated, share; λ (null: tuned), mean, low, high at alpha .05
    (1, 20, 60, 0.6, 1.0, 2.8337200461945966, 2.513290977263268, 3.154149115125925),
    (1, 20, 60, 0.6, None, 2.8369277312786467, 2.5180791986846947, 3.155776263872599),
    (3, 100, 2000, 0.3, 1.0, 2.9561012559091853, 2.7322808503827543, 3.1799216614356163),
    (3, 100, 2000, 0.3, None, 3.0115256755741915, 2.806300459623854, 3.216750891524529),
    (7, 50, 400, 0.4, 1.0, 2.8249181322776344, 2.5438537202306724, 3.1059825443245965),
    (7, 50, 400, 0.4, None, 2.871985218886073, 2.5988611227602587, 3.145109315011887),
]


def made_case(seed, n, m, share):
    """Ratings 1 + 4 u to one decimal, and a proxy that mixes u with another uniform number."""
    t, e = draw_uniform(n + m, seed), draw_uniform(n + m, seed + 100)
    return np.round(1 + 4 * t, 1)[:n], 1 + 4 * (share * t + (1 - share) * e)


def as_units(ratings, proxy, **more):
    """One group whose first units are rated, each a cluster of its own."""
    n = len(proxy)
    full = np.full(n, np.nan)
    full[: len(ratings)] = ratings
    return RatedUnits(np.zeros(n, dtype=np.int64), full, proxy, np.arange(n), **more)


def plain_interval(units, powered):
    """Of the influences alone, as ppi-python has it: the normal quantile, variances over n."""
    parts = influences(units)
    total = parts.of_ratings - powered.slope * parts.of_proxy
    half = Z * np.sqrt((total**2).sum())
    return powered.values[0] - half, powered.values[0] + half


@pytest.mark.parametrize(("seed", "n", "m", "share", "lam", "mean", "low", "high"), CASES)
def test_mean_and_interval_are_ppi_python(seed, n, m, share, lam, mean, low, high):
    """Its λ is ours times the unrated share, as its second mean is over unrated units only."""
    units = as_units(*made_case(seed, n, m, share))
    powered = prediction_powered(units, slope=lam and lam * (n + m) / m)
    assert powered.values[0] == pytest.approx(mean, abs=1e-8)
    assert plain_interval(units, powered) == pytest.approx((low, high), abs=1e-8)
    # ours has Student's t and unbiased variances, and is a little wider
    ours = powered.mean(0)
    assert ours.low < low < high < ours.high
    assert ours.high - ours.low < 1.2 * (high - low)


@pytest.mark.slow
@pytest.mark.parametrize("lam", [1.0, None])
@pytest.mark.parametrize("seed", range(20, 30))
def test_mean_and_interval_are_those_of_the_package(seed, lam):
    ppi = pytest.importorskip("ppi_py", reason="ppi-python is not installed")
    n, m = 20 + 10 * (seed % 5), 300
    ratings, proxy = made_case(seed, n, m, 0.4)
    units = as_units(ratings, proxy)
    powered = prediction_powered(units, slope=lam and lam * (n + m) / m)
    mean = ppi.ppi_mean_pointestimate(ratings, proxy[:n], proxy[n:], lam=lam)
    theirs = ppi.ppi_mean_ci(ratings, proxy[:n], proxy[n:], alpha=0.05, lam=lam)
    assert powered.values[0] == pytest.approx(np.ravel(mean)[0], abs=1e-8)
    assert plain_interval(units, powered) == pytest.approx(np.ravel(theirs), abs=1e-8)


def test_by_hand():
    """Ratings 1, 3, 5 with proxies 2, 4, 6; others have 4, 6, 8.

    Covariance 8/3 over n; the six proxies have mean 5 and variance (9 + 1 + 1 + 1 + 1 + 9) / 5 =
    4.4; λ = (8/3) / 4.4 = .606, and the mean is 3 − .606 (4 − 5) = 3.606.
    """
    units = as_units([1.0, 3.0, 5.0], np.array([2.0, 4, 6, 4, 6, 8]))
    slope = influences(units).slope
    assert slope == pytest.approx(8 / 3 / 4.4)
    assert prediction_powered(units, slope=slope).values[0] == pytest.approx(3 + 8 / 3 / 4.4)


def two_groups(rng, n=60, rated=20):
    latent, group = rng.normal(size=2 * n), np.repeat([0, 1], n)
    ratings = np.where(np.tile(np.arange(n) < rated, 2), latent, np.nan)
    proxy = latent + rng.normal(size=2 * n)
    return RatedUnits(group, ratings, proxy, np.arange(2 * n))


def test_difference_is_that_of_means_and_welch():
    """Without shared clusters variances add up; without a proxy it is Welch's t."""
    from scipy.stats import ttest_ind

    units = two_groups(np.random.default_rng(2))
    made = prediction_powered(units, slope=0.0).difference(0, 1)
    own = [units.ratings[(units.group == g) & units.rated] for g in (0, 1)]
    theirs = ttest_ind(*own, equal_var=False)
    interval = theirs.confidence_interval()
    assert made.value == pytest.approx(own[0].mean() - own[1].mean())
    assert (made.low, made.high) == pytest.approx((interval.low, interval.high), abs=1e-10)
    assert made.p_value == pytest.approx(theirs.pvalue, abs=1e-10)


def test_clusters_that_both_groups_share_make_a_difference_more_precise():
    rng = np.random.default_rng(4)
    shared, group = np.tile(rng.normal(size=40), 2), np.repeat([0, 1], 40)
    ratings = shared + 0.1 * rng.normal(size=80)
    cluster = np.tile(np.arange(40), 2)
    apart = prediction_powered(RatedUnits(group, ratings, shared, np.arange(80)), slope=0.0)
    paired = prediction_powered(RatedUnits(group, ratings, shared, cluster), slope=0.0)
    widths = [made.high - made.low for made in (apart.difference(0, 1), paired.difference(0, 1))]
    assert widths[1] < 0.3 * widths[0]
    assert paired.mean(0) == apart.mean(0)


def test_repeated_rows_of_a_cluster_are_not_further_evidence():
    """Each unit three times: the same mean and, up to rounding, the same interval."""
    ratings, proxy = made_case(5, 30, 90, 0.5)
    once = as_units(ratings, proxy)
    thrice = RatedUnits(*(np.repeat(x, 3) for x in (once.group, once.ratings, proxy, once.cluster)))
    ours, theirs = (
        prediction_powered(once, slope=0.5).mean(0),
        prediction_powered(thrice, slope=0.5).mean(0),
    )
    assert theirs.numbers == pytest.approx(ours.numbers, abs=1e-10)


def test_weights_count_as_so_many_units():
    """Weights 2 and 1: the mean of 2 and 5 is (2 × 2 + 5) / 3 before the proxy."""
    units = as_units([2.0, 5.0], np.zeros(4), weights=np.array([2.0, 1.0, 1.0, 1.0]))
    assert prediction_powered(units).values[0] == pytest.approx(3.0)


numbers = st.lists(st.floats(-10, 10, width=32), min_size=2 * MIN_RATED, max_size=30)


@given(numbers, st.floats(0.5, 4), st.floats(-3, 3), st.integers(0, 2**16))
def test_properties(values, scale, shift, seed):
    """No wider than ratings alone, whatever the proxy; its unit and the order of rows are nothing."""
    proxy = np.array(values)
    ratings = proxy[: len(values) // 2] + draw_uniform(len(values) // 2, seed)
    units = as_units(ratings, proxy)
    made, alone = prediction_powered(units), prediction_powered(units, slope=0.0)
    assert made.covariance[0, 0] <= alone.covariance[0, 0]
    assert made.worth.value is None or made.worth.value >= len(ratings) * (1 - 1e-9)
    moved = prediction_powered(as_units(ratings, scale * proxy + shift))
    assert moved.values[0] == pytest.approx(made.values[0], abs=1e-5)
    order = np.argsort(draw_uniform(len(values), seed + 1))
    rows = RatedUnits(units.group[order], units.ratings[order], proxy[order], order)
    assert prediction_powered(rows).values[0] == pytest.approx(made.values[0], abs=1e-9)


def test_a_perfect_proxy_gives_the_mean_of_all():
    ratings, _ = made_case(6, 50, 0, 1)
    made = prediction_powered(as_units(ratings[:20], ratings), slope=1.0)
    assert made.values[0] == pytest.approx(ratings.mean())


@pytest.mark.parametrize("proxy", [np.ones(30), -np.arange(30.0)])
def test_a_proxy_that_says_nothing_leaves_the_ratings(proxy):
    """A constant; and a falling one where ratings must rise with it."""
    ratings = np.arange(10.0)
    made = prediction_powered(as_units(ratings, proxy), positive=True)
    alone = prediction_powered(as_units(ratings, proxy), slope=0.0)
    assert made.slope == 0
    assert made.mean(0) == alone.mean(0)
    assert (made.worth.value, made.worth.low) == (10, None)


def test_worth_is_the_ratio_of_variances():
    """n times the variance of the mean without the proxy over that with it."""
    rng = np.random.default_rng(8)
    proxy = rng.normal(size=400)
    made_units = as_units(proxy[:50] + 0.5 * rng.normal(size=50), proxy)
    made, alone = prediction_powered(made_units), prediction_powered(made_units, slope=0.0)
    ratio = alone.covariance[0, 0] / made.covariance[0, 0]
    assert made.worth.value == pytest.approx(50 * ratio)
    assert 50 < made.worth.low < made.worth.value < made.worth.high


def test_worth_of_a_fitted_proxy_counts_the_fit():
    """r in six columns, each without one fold: √(5 var(z)) and t with 5 degrees of freedom."""
    rng = np.random.default_rng(9)
    proxy, fold = rng.normal(size=400), np.arange(60) % 6
    ratings = proxy[:60] + rng.normal(size=60)
    refits = proxy[:60, None] + rng.normal(0, 0.5, (60, 6))
    refits[np.arange(60), fold] = np.nan
    units = as_units(ratings, proxy, refits=refits)
    z = [np.arctanh(np.corrcoef(ratings[fold != k], refits[fold != k, k])[0, 1]) for k in range(6)]
    error = np.sqrt(5 * np.var(z))
    assert refit_error(units, refits) == pytest.approx(error, abs=1e-12)
    r, given = correlation_within(units)
    assert error > given
    made, taken = (
        prediction_powered(units).worth,
        prediction_powered(as_units(ratings, proxy)).worth,
    )
    assert (made.value, made.high > taken.high) == (taken.value, True)
    z = np.arctanh(r) + stdtrit(5, 0.975) * error
    assert made.high == pytest.approx(60 / (1 - np.tanh(z) ** 2 * 340 / 400) * 58 / 59)


@pytest.mark.parametrize("rated", range(MIN_RATED))
def test_few_rated_units_give_no_estimate(rated):
    made = prediction_powered(as_units(np.arange(float(rated)), np.arange(20.0)))
    assert (made.mean(0).value, made.mean(0).status) == (None, "too_few")


def test_no_difference_with_a_group_of_few():
    units = two_groups(np.random.default_rng(1), rated=MIN_RATED - 1)
    assert prediction_powered(units).difference(0, 1).status == "too_few"


def test_a_group_without_ratings_leaves_the_others_alone():
    units = two_groups(np.random.default_rng(1))
    ratings = np.where(units.group == 1, np.nan, units.ratings)
    made = prediction_powered(RatedUnits(units.group, ratings, units.proxy, units.cluster))
    assert made.mean(0).status == "ok"
    assert made.mean(1).status == "too_few"
    assert (
        outside_rated_range(RatedUnits(units.group, ratings, units.proxy, units.cluster))[1] is None
    )


@pytest.mark.parametrize(
    ("k", "others", "rated", "p"),
    [  # scipy.stats.betabinom.sf(k - 1, others, 2, rated - 1)
        (3, 50, 20, 0.6787036683589721),
        (0, 10, 5, 1.0),
        (40, 400, 60, 0.019112494832476568),
    ],
)
def test_tail_is_scipy(k, others, rated, p):
    assert beta_binomial_tail(k, others, rated) == pytest.approx(p, abs=1e-10)


def test_range_by_hand():
    """Rated 2 to 5; of 0, 3, 4, 9 two are outside; of 4 at random 2/5 would be."""
    (made,) = outside_rated_range(as_units([1.0] * 4, np.array([2.0, 3, 4, 5, 0, 3, 4, 9])))
    assert (made.low, made.high, made.share, made.expected) == (2, 5, 0.5, 0.4)
    assert not made.is_unlikely


def test_a_range_that_was_left_is_noticed_and_a_random_one_is_not():
    rng = np.random.default_rng(12)
    proxy = rng.normal(size=500)
    (random,) = outside_rated_range(as_units(np.zeros(60), proxy))
    (chosen,) = outside_rated_range(as_units(np.zeros(60), np.sort(proxy)))
    assert not random.is_unlikely
    assert chosen.is_far
