"""Rogan-Gladen by hand, its interval step by step, and MOVER differences."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.stats.result import Result
from simpatico.stats.rogan_gladen import JudgeCounts, difference_of_shares, rogan_gladen


def test_share_and_interval_by_hand():
    """p = 120/200, TPR = 45/50, TNR = 40/50: (.6 + .8 − 1) / (.9 + .8 − 1) = .4 / .7.

    Interval, z = 1.96: n' = 203.841, p' = .598115; TPR' = 46/52, TNR' = 41/52, share' = .574343,
    δ = −.001828, half width .142889.
    """
    share = rogan_gladen(JudgeCounts(200, 120, 50, 45, 50, 40))
    assert share.value == pytest.approx(4 / 7, abs=1e-12)
    assert share.low == pytest.approx(0.42962582142961286, abs=1e-12)
    assert share.high == pytest.approx(0.7154043868325257, abs=1e-12)
    assert share.n == 100


@pytest.mark.parametrize(
    ("counts", "status"),
    [
        (JudgeCounts(200, 120, 50, 25, 50, 25), "degenerate"),  # TPR + TNR = 1: a coin
        (JudgeCounts(200, 120, 50, 10, 50, 10), "degenerate"),  # worse than one
        (JudgeCounts(200, 120, 0, 0, 50, 40), "too_few"),
        (JudgeCounts(0, 0, 50, 45, 50, 40), "too_few"),
    ],
)
def test_no_share_of_a_judge_no_better_than_a_coin(counts, status):
    share = rogan_gladen(counts)
    assert (share.value, share.status) == (None, status)


def test_a_share_is_never_below_0_or_above_1():
    """A judge who says yes less often than it does by mistake: (.1 + .8 − 1) / .7 < 0."""
    share = rogan_gladen(JudgeCounts(200, 20, 50, 45, 50, 40))
    assert share.value == share.low == 0.0
    assert 0 < share.high < 0.1


counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@given(counts, counts, counts)
def test_yes_and_no_change_places(unrated, yes, no):
    """With both answers called by the other's name the share is 1 minus it was."""
    (m, said), (n1, tp), (n0, tn) = unrated, yes, no
    share = rogan_gladen(JudgeCounts(m, said, n1, tp, n0, tn))
    other = rogan_gladen(JudgeCounts(m, m - said, n0, tn, n1, tp))
    if share.value is None:
        assert other.value is None
        return
    assert other.value == pytest.approx(1 - share.value, abs=1e-9)
    if share.low is None:  # all of it beyond 0 or 1
        assert other.low is None
        return
    assert other.low == pytest.approx(1 - share.high, abs=1e-9)
    assert 0 <= share.low <= share.high <= 1


def test_difference_by_hand():
    """.6 [.5, .8] − .3 [.2, .35]: .3 − √(.1² + .05²), .3 + √(.2² + .1²)."""
    a, b = Result(0.6, 0.5, 0.8, n=40), Result(0.3, 0.2, 0.35, n=60)
    made = difference_of_shares(a, b)
    assert made.value == pytest.approx(0.3)
    assert made.low == pytest.approx(0.3 - sqrt(0.0125))
    assert made.high == pytest.approx(0.3 + sqrt(0.05))
    assert made.n == 100


def test_no_difference_from_no_share():
    none = Result(None, n=4, status="too_few")
    made = difference_of_shares(Result(0.6, 0.5, 0.8, n=40), none)
    assert (made.value, made.status, made.n) == (None, "too_few", 44)
