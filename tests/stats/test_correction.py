"""Corrected p-values against derivations by hand, scipy and R's p.adjust."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from simpatico.stats.correction import CORRECTIONS, correct_p_values

P = [0.01, 0.04, 0.03, 0.005]
families = st.lists(st.floats(1e-12, 1), min_size=1, max_size=40)


def bonferroni(p_values):
    return np.array(correct_p_values(p_values, "bonferroni")[0])


def holm(p_values):
    return np.array(correct_p_values(p_values, "holm")[0])


def benjamini_hochberg(p_values):
    return np.array(correct_p_values(p_values, "bh")[0])


def test_bonferroni_by_hand():
    """Four tests: each p four times."""
    assert bonferroni(P) == pytest.approx([0.04, 0.16, 0.12, 0.02], abs=1e-15)


def test_holm_by_hand():
    """Sorted .005 .01 .03 .04 times 4 3 2 1 = .02 .03 .06 .04; running maximum .02 .03 .06 .06.

    R: p.adjust(c(.01, .04, .03, .005), "holm") gives 0.03 0.06 0.06 0.02.
    """
    assert holm(P) == pytest.approx([0.03, 0.06, 0.06, 0.02], abs=1e-15)


def test_benjamini_hochberg_by_hand():
    """Sorted .005 .01 .03 .04 times 4/1 4/2 4/3 4/4 = .02 .02 .04 .04, minimum from the right."""
    assert benjamini_hochberg(P) == pytest.approx([0.02, 0.04, 0.04, 0.02], abs=1e-15)


def test_a_p_that_is_not_there_is_no_test():
    with_gap = [0.01, np.nan, 0.04, 0.03, 0.005]
    for how in CORRECTIONS:
        (first, gap, *rest), family = correct_p_values(with_gap, how)
        assert gap is None
        assert ([first, *rest], family) == correct_p_values(P, how)


def test_nulls_stay_null_and_the_family_is_counted():
    done, family = correct_p_values([0.01, None, 0.02])
    assert done == [pytest.approx(0.02), None, pytest.approx(0.02)]
    assert family == 2
    assert correct_p_values([]) == ([], 0)
    assert correct_p_values([None]) == ([None], 0)


@given(families)
def test_benjamini_hochberg_is_scipys(p_values):
    assert benjamini_hochberg(p_values) == pytest.approx(
        false_discovery_control(p_values), abs=1e-12
    )


@given(families)
def test_corrections_never_shrink_keep_order_and_rank_among_themselves(p_values):
    p = np.array(p_values)
    order = np.argsort(p, kind="stable")
    for how in CORRECTIONS:
        done = np.array(correct_p_values(p_values, how)[0])
        assert (done >= p - 1e-15).all()
        assert (done <= 1).all()
        assert (np.diff(done[order]) >= 0).all()
    assert (holm(p) <= bonferroni(p)).all()
    assert (benjamini_hochberg(p) <= holm(p) + 1e-15).all()
