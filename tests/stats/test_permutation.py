"""Permutation p-values against scipy and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simpatico.stats.permutation import relabel_p, sign_flip_p

RNG = np.random.default_rng(1)


def test_all_sign_flips_by_hand():
    # sums of ±1 ±2 ±3 that reach |1+2+3| = 6: two of eight
    assert sign_flip_p(np.array([[1.0], [2.0], [3.0]])).tolist() == [2 / 8]
    # 1 + 2 − 3 = 0 is reached by all
    assert sign_flip_p(np.array([[1.0], [2.0], [-3.0]])).tolist() == [1.0]


@pytest.mark.parametrize("n", [2, 3, 6, 12])
def test_all_sign_flips_are_scipys(n):
    gaps = RNG.normal(0.5, 1, n)
    scipys = stats.permutation_test(
        (gaps,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip_p(gaps[:, None])[0] == pytest.approx(scipys.pvalue, abs=1e-8)


@pytest.mark.parametrize(("n", "m"), [(4, 4), (3, 7), (6, 5)])
def test_all_relabellings_of_welchs_t_are_scipys(n, m):
    a, b = RNG.normal(1, 1, n), RNG.normal(0, 2, m)

    def size(x, y, axis):
        return np.abs(stats.ttest_ind(x, y, axis=axis, equal_var=False).statistic)

    scipys = stats.permutation_test(
        (a, b), size, vectorized=True, alternative="greater", n_resamples=np.inf
    )
    ours = relabel_p(np.concatenate([a, b])[:, None], n)[0]
    assert ours == pytest.approx(scipys.pvalue, abs=1e-8)


def test_draws_are_near_the_t_test_and_the_same_for_a_seed():
    gaps = RNG.normal(0.4, 1, (40, 1))
    p_values = sign_flip_p(gaps, seed=3)
    assert p_values == sign_flip_p(gaps, seed=3)
    assert p_values[0] == pytest.approx(stats.ttest_1samp(gaps[:, 0], 0).pvalue, abs=0.01)
    both = RNG.normal(0, 1, (60, 1)) + (np.arange(60) < 30)[:, None] * 0.5
    welch = stats.ttest_ind(both[:30, 0], both[30:, 0], equal_var=False).pvalue
    assert relabel_p(both, 30)[0] == pytest.approx(welch, abs=0.01)


def test_drawn_p_is_never_zero():
    assert sign_flip_p(np.ones((40, 1)), draws=99).tolist() == [1 / 100]
    gaps = np.repeat([[0.0], [1.0]], 30, axis=0)
    assert relabel_p(gaps, 30, draws=99).tolist() == [1 / 100]


def test_columns_share_draws_and_keep_their_own_p():
    gaps = RNG.normal(0.3, 1, (30, 5))
    both = sign_flip_p(gaps)
    assert both.tolist() == [sign_flip_p(gaps[:, [i]])[0] for i in range(5)]


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=6, max_size=9),
    st.floats(0.01, 100),
    st.randoms(use_true_random=False),
)
def test_order_and_scale_change_nothing(gaps, factor, random):
    shuffled = [g * factor for g in gaps]
    random.shuffle(shuffled)
    first, second = (sign_flip_p(np.array(x)[:, None])[0] for x in (gaps, shuffled))
    assert first == pytest.approx(second, abs=2 / 2 ** len(gaps))
    assert 0 < first <= 1


@pytest.mark.parametrize("draw", ["normal", "skewed", "ties"])
def test_no_more_false_findings_than_promised(draw):
    """5,000 data sets without a difference: of 100 tests about 5 come out below .05."""
    rng = np.random.default_rng(7)
    shape = (40, 5_000)
    values = {
        "normal": lambda: rng.normal(size=shape),
        "skewed": lambda: rng.exponential(size=shape),
        "ties": lambda: rng.integers(0, 21, shape).astype(float),
    }[draw]()
    gaps = values[:20] - values[20:]
    paired = (sign_flip_p(gaps, draws=999) <= 0.05).mean()
    free = (relabel_p(values, 20, draws=999) <= 0.05).mean()
    assert 0.040 <= paired <= 0.060
    assert 0.040 <= free <= 0.060


def test_unlike_spreads_do_not_make_false_findings():
    """Where two systems of unlike size vary unlike, relabelled means err; Welch's t does not."""
    rng = np.random.default_rng(8)
    values = np.concatenate([rng.normal(0, 3, (12, 2_000)), rng.normal(0, 1, (36, 2_000))])
    assert 0.040 <= (relabel_p(values, 12, draws=999) <= 0.05).mean() <= 0.060
