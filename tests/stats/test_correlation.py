"""Correlations of two columns against R, scipy and papers."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from simpatico.stats.correlation import correlation
from simpatico.stats.correlation_bootstrap import bootstrap_correlation
from simpatico.stats.ranks import concordance, count_below, count_untied, mid_ranks
from simpatico.stats.result import Result

KINDS = ["pearson", "spearman", "kendall"]
X = [44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1]
Y = [2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8]
"""Hollander & Wolfe (1973), p. 187; the example of R's cor.test."""

TIED_X = [1, 2, 2, 3, 3, 3, 4, 5, 5, 4]
TIED_Y = [2, 1, 3, 3, 2, 4, 4, 5, 3, 5]

columns = st.lists(
    st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=3, max_size=40
).map(lambda rows: np.array(rows, dtype=float).T)
ORACLES = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": lambda x, y: stats.kendalltau(x, y, method="asymptotic"),
}


def sound(result: Result) -> bool:
    """Nothing but honest numbers: no NaN, no p of 0, no interval without width."""
    numbers = [v for v in (result.value, result.low, result.high, result.p_value) if v is not None]
    bounds = (result.low is None) == (result.high is None)
    return (
        bounds
        and bool(np.isfinite(numbers).all())
        and (result.p_value is None or 0 < result.p_value <= 1)
        and (result.low is None or result.low < result.high)
        and (result.value is None) == (result.status != "ok")
    )


def test_pearson_is_rs():
    """R 4.2.2: cor.test(x, y) gives these to 15 digits."""
    result = correlation(X, Y)
    assert result.value == pytest.approx(0.571181557563829, abs=1e-12)
    assert result.low == pytest.approx(-0.149742633036757, abs=1e-12)
    assert result.high == pytest.approx(0.895579461838739, abs=1e-12)
    assert result.p_value == pytest.approx(0.108173054349494, abs=1e-12)
    assert (result.n, result.status, result.method) == (9, "ok", "Pearson r, Fisher interval")


def test_spearman_by_hand():
    """R: cor(x, y, method = "spearman") = .6; t = .6 sqrt(7 / .64) = 1.9843, p = .0876228 (R: 2 * pt(-t, 7)).

    Bonett & Wright (2000): tanh(atanh .6 ± 1.959964 sqrt((1 + .36/2) / 6)).
    """
    result = correlation(X, Y, kind="spearman")
    reach = 1.959963984540054 * (1.18 / 6) ** 0.5
    assert result.value == pytest.approx(0.6, abs=1e-12)
    assert result.low == pytest.approx(np.tanh(np.arctanh(0.6) - reach), abs=1e-12)
    assert result.high == pytest.approx(np.tanh(np.arctanh(0.6) + reach), abs=1e-12)
    assert result.p_value == pytest.approx(0.08762282904140252, abs=1e-12)


def test_kendall_is_rs():
    """R: cor.test(x, y, method = "kendall", exact = FALSE): tau .4444, p .0952928380234565.

    C = 26 and D = 10 of 36 pairs: 16/36. Interval: tanh(atanh tau ± 1.959964 sqrt(.437 / 5)).
    """
    result = correlation(X, Y, kind="kendall")
    reach = 1.959963984540054 * (0.437 / 5) ** 0.5
    assert result.value == pytest.approx(16 / 36, abs=1e-12)
    assert result.p_value == pytest.approx(0.0952928380234565, abs=1e-12)
    assert result.low == pytest.approx(np.tanh(np.arctanh(16 / 36) - reach), abs=1e-12)


def test_ties_are_rs():
    """R: cor(u, v, method = ...) and cor.test(u, v, method = "kendall", exact = FALSE)."""
    assert correlation(TIED_X, TIED_Y, kind="kendall").value == pytest.approx(
        0.58974358974359, abs=1e-12
    )
    assert correlation(TIED_X, TIED_Y, kind="kendall").p_value == pytest.approx(
        0.0301032980377101, abs=1e-12
    )
    assert correlation(TIED_X, TIED_Y, kind="spearman").value == pytest.approx(
        0.699367088607595, abs=1e-12
    )


@pytest.mark.parametrize("kind", KINDS)
@given(table=columns)
def test_value_and_p_are_scipys(kind, table):
    x, y = table
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    result, (value, p) = correlation(x, y, kind=kind), ORACLES[kind](x, y)
    assert result.value == pytest.approx(value, abs=1e-10)
    if result.p_value is not None and abs(value) < 1 - 1e-9:
        assert result.p_value == pytest.approx(p, abs=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@given(table=columns, scale=st.floats(0.01, 100), shift=st.floats(-100, 100))
def test_order_of_rows_and_units_of_measurement_do_not_matter(kind, table, scale, shift):
    x, y = table
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    order = np.random.default_rng(0).permutation(len(x))
    one, other = (
        correlation(x, y, kind=kind),
        correlation(x[order] * scale + shift, y[order], kind=kind),
    )
    assert one.value == pytest.approx(other.value, abs=1e-9)
    assert correlation(y, x, kind=kind).value == pytest.approx(one.value, abs=1e-12)
    assert correlation(-x, y, kind=kind).value == pytest.approx(-one.value, abs=1e-12)
    assert sound(one)


@given(columns)
def test_pairs_counted_by_bits_are_all_pairs(table):
    x, y = table
    smaller = (x[:, None] > x) & (y[:, None] > y)
    signs = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    assert count_below(x, y).tolist() == smaller.sum(axis=1).tolist()
    assert concordance(x, y).tolist() == signs.sum(axis=1).tolist()
    assert count_untied(x).tolist() == (x[:, None] != x).sum(axis=1).tolist()
    assert mid_ranks(x).tolist() == stats.rankdata(x).tolist()


DEGENERATE = {
    "nobody": ([], [], "too_few"),
    "one": ([1.0], [2.0], "too_few"),
    "two": ([1.0, 2.0], [2.0, 1.0], "too_few"),
    "constant": ([1.0] * 9, list(range(9)), "degenerate"),
    "constant but for rounding": ([0.1 + 0.2, 0.3, 0.3, 0.3], [1, 2, 3, 4], "degenerate"),
    "two constants": ([1.0] * 5, [2.0] * 5, "degenerate"),
    "zeros": ([0.0] * 5, [1, 2, 3, 4, 5], "degenerate"),
    "all missing": ([np.nan] * 9, list(range(9)), "too_few"),
    "never both": ([1, 2, 3, np.nan, np.nan, np.nan], [np.nan] * 3 + [1, 2, 3], "too_few"),
    "infinities are no numbers": ([np.inf, 1, -np.inf, 2], [1, 2, 3, 4], "too_few"),
    "three": ([1.0, 2, 4], [1.0, 3, 2], "ok"),
    "identical": (X, X, "ok"),
    "opposite": (X, [-v for v in X], "ok"),
    "huge": ([1e300, -1e300, 1.7e308, 3.0], [1, 2, 3, 4.5], "ok"),
    "tiny": ([1e-310, 2e-310, 5e-310, 3e-310], [1, 2, 3, 4.5], "ok"),
    "all tied but one": ([1.0] * 8 + [2], list(range(9)), "ok"),
    "duplicated rows": (X * 3, Y * 3, "ok"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_data_give_a_status_and_no_false_number(case, kind):
    x, y, status = DEGENERATE[case]
    result = correlation(x, y, kind=kind)
    assert result.status == status
    assert sound(result)
    resampled = bootstrap_correlation(x, y, np.arange(len(x)), kind=kind)
    assert (resampled.status, resampled.n) == (status, result.n)
    assert sound(resampled)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_with_a_gap_are_left_out_and_seen_in_n(kind):
    x, y = [*X, np.nan, 3.0, np.inf], [*Y, 2.0, np.nan, 1.0]
    assert correlation(x, y, kind=kind) == correlation(X, Y, kind=kind)


def test_a_perfect_fit_has_neither_interval_nor_p_and_four_points_no_fisher_interval():
    assert (correlation(X, X).value, correlation(X, X).low, correlation(X, X).p_value) == (
        1.0,
        None,
        None,
    )
    assert correlation(X[:4], Y[:4], kind="kendall").low is None
    assert correlation(X[:3], Y[:3]).low is None


def test_a_p_too_small_for_the_machine_is_not_zero():
    x = np.arange(20_000.0)
    y = x + np.random.default_rng(0).normal(size=20_000) * 2_000
    for kind in KINDS:
        assert 0 < correlation(x, y, kind=kind).p_value < 1e-300


@pytest.mark.parametrize("kind", KINDS)
def test_without_association_one_test_in_twenty_is_significant(kind):
    """2,000 samples of n = 50: within .040-.060 (RELIABILITY.md check 39)."""
    rng = np.random.default_rng(7)
    p = [correlation(*rng.normal(size=(2, 50)), kind=kind).p_value for _ in range(2_000)]
    assert 0.040 <= np.mean(np.array(p) < 0.05) <= 0.060


HUMAN_TURN, EVALUATOR_TURN = [0.8511, 0.8617, 0.6525], [0.8085, 0.8865, 0.6879]
HUMAN_DIALOG, EVALUATOR_MID = [0.8942, 0.9117, 0.6442], [0.7669, 0.8729, 0.6653]
"""Liu et al., Tables 1 and 5: human, Blenderbot, DialoGPT-large."""


def test_the_emotional_consistency_papers_correlations_are_over_three_systems():
    """Paper: .9375 and .8882, no p, no n. R's cor.test gives p = .2262499 and .3038777."""
    turn, dialog = correlation(EVALUATOR_TURN, HUMAN_TURN), correlation(EVALUATOR_MID, HUMAN_DIALOG)
    assert (round(turn.value, 4), round(dialog.value, 4)) == (0.9375, 0.8882)
    assert turn.p_value == pytest.approx(0.226249945534103, abs=1e-10)
    assert dialog.p_value == pytest.approx(0.303877685134131, abs=1e-10)
    assert (turn.n, turn.status, turn.low, turn.high) == (3, "ok", None, None)
