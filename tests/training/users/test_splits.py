"""Splits: cuts as late as they may be, and nothing on a side of which nobody knows when it was."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simpatico.training.users.splits import (
    ASIDE,
    CHECK,
    HELDOUT,
    LEARN,
    Cuts,
    at_cuts,
    in_order,
    latest,
)

NAN = float("nan")
TIMES = st.lists(st.none() | st.integers(0, 50), min_size=1, max_size=30)


def test_cuts_are_just_before_what_begins_next():
    begun = np.array([1.0, 2.0, 2.0, 5.0, NAN])
    later = latest(Cuts(1.0, 2.0), begun)
    assert 1.99 < later.learn < 2 < 4.99 < later.check < 5
    assert latest(Cuts(1.0, 5.0), begun).check > 1e300, "nothing begins after it"


def test_without_a_time_on_no_side_even_if_known():
    side, aside = at_cuts(np.array([NAN, 1.0, 7.0]), np.array([0.0, 2.0, 9.0]), Cuts(3.0, 5.0))
    assert side.tolist() == [ASIDE, LEARN, HELDOUT]
    assert aside == {"without a time": 1, "not known yet at a cut": 0}


def test_units_in_order():
    """Of units 5, 3, 4 and 6 nobody knows when 6 was; 4 has a time for one of its two."""
    unit, begun = np.array([5, 3, 4, 4, 6]), np.array([1.0, 9.0, 2.0, NAN, NAN])
    side, aside = in_order("aaaaa", unit, begun)
    assert side.tolist() == [LEARN, HELDOUT, CHECK, CHECK, ASIDE]
    assert aside == {"without a time": 1}
    side, aside = in_order("aaa", np.array([2, 0, 1]), np.full(3, NAN))
    assert side.tolist() == [HELDOUT, LEARN, CHECK], "by their numbers, without any time"
    assert aside == {"without a time": 0}


@given(TIMES)
def test_what_is_held_out_began_later(times):
    """Whatever is learned from began before all that decides, and that before what is held out."""
    begun = np.array([NAN if one is None else float(one) for one in times])
    side, _ = in_order([0] * len(begun), np.arange(len(begun)), begun)
    if not np.isnan(begun).all():
        assert not np.isnan(begun[side != ASIDE]).any()
        order = [begun[side == one] for one in (LEARN, CHECK, HELDOUT)]
        for sooner, later in pairwise(order):
            assert sooner.max(initial=-1) <= later.min(initial=99)
