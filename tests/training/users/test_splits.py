"""Splits: cuts as late as they may be, and nothing on a split of which nobody knows when it was."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simpatico.training.users.splits import (
    EXCLUDED,
    TEST,
    TRAIN,
    VALIDATION,
    CutTimes,
    latest_cuts,
    split_at_cuts,
    split_in_order,
)

NAN = float("nan")
TIMES = st.lists(st.none() | st.integers(0, 50), min_size=1, max_size=30)


def test_cuts_are_just_before_what_begins_next():
    start = np.array([1.0, 2.0, 2.0, 5.0, NAN])
    later = latest_cuts(CutTimes(1.0, 2.0), start)
    assert 1.99 < later.train < 2 < 4.99 < later.validation < 5
    assert latest_cuts(CutTimes(1.0, 5.0), start).validation > 1e300, "nothing begins after it"


def test_without_a_time_on_no_side_even_if_known():
    split, excluded = split_at_cuts(
        np.array([NAN, 1.0, 7.0]), np.array([0.0, 2.0, 9.0]), CutTimes(3.0, 5.0)
    )
    assert split.tolist() == [EXCLUDED, TRAIN, TEST]
    assert excluded == {"without a time": 1, "not known yet at a cut": 0}


def test_units_in_order():
    """Of units 5, 3, 4 and 6 nobody knows when 6 was; 4 has a time for one of its two."""
    unit, start = np.array([5, 3, 4, 4, 6]), np.array([1.0, 9.0, 2.0, NAN, NAN])
    split, excluded = split_in_order("aaaaa", unit, start)
    assert split.tolist() == [TRAIN, TEST, VALIDATION, VALIDATION, EXCLUDED]
    assert excluded == {"without a time": 1}
    split, excluded = split_in_order("aaa", np.array([2, 0, 1]), np.full(3, NAN))
    assert split.tolist() == [TEST, TRAIN, VALIDATION], "by their numbers, without any time"
    assert excluded == {"without a time": 0}


@given(TIMES)
def test_what_is_held_out_began_later(times):
    """Whatever is learned from began before all that decides, and that before what is held out."""
    start = np.array([NAN if one is None else float(one) for one in times])
    split, _ = split_in_order([0] * len(start), np.arange(len(start)), start)
    if not np.isnan(start).all():
        assert not np.isnan(start[split != EXCLUDED]).any()
        order = [start[split == one] for one in (TRAIN, VALIDATION, TEST)]
        for sooner, later in pairwise(order):
            assert sooner.max(initial=-1) <= later.min(initial=99)
