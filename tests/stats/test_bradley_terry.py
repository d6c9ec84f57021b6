"""Bradley-Terry strengths: by hand, against an independent optimisation, and where none exist."""

from math import log

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from simpatico.stats.bradley_terry import (
    bradley_terry,
    comparable_groups,
    fit_strengths,
    linked_groups,
    reachable,
)

LADDER = np.array([[0.0, 2, 4], [1, 0, 2], [1, 1, 0]])
"""A beat B in 2 of 3, B beat C in 2 of 3, A beat C in 4 of 5."""


def test_three_of_four_is_the_logarithm_of_three():
    strengths = fit_strengths(np.array([[[0.0, 3], [1, 0]]]))
    assert strengths[0] == pytest.approx([log(3) / 2, -log(3) / 2])


def test_wins_that_odds_of_4_to_2_to_1_predict_give_these_odds():
    """4/6 = 2/3, 2/3, 4/5: every win is as expected, so log 4, log 2 and 0 solve the equations."""
    assert fit_strengths(LADDER[None])[0] == pytest.approx([log(2), 0, -log(2)], abs=1e-9)


def log_likelihood(strengths, wins):
    return -(wins * np.log1p(np.exp(strengths[None, :] - strengths[:, None]))).sum()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_no_other_optimiser_finds_a_higher_likelihood(seed, k):
    from scipy.optimize import minimize

    wins = np.random.default_rng(seed).integers(0, 9, (k, k)) / 2  # halves are ties
    np.fill_diagonal(wins, 0)
    assume(reachable(wins[None] > 0).all())
    strengths = fit_strengths(wins[None])[0]
    found = minimize(lambda s: -log_likelihood(s, wins), np.zeros(k), method="BFGS")
    assert log_likelihood(strengths, wins) >= -found.fun - 1e-7
    assert strengths == pytest.approx(found.x - found.x.mean(), abs=2e-3)
    assert strengths.sum() == pytest.approx(0, abs=1e-9)


def test_a_system_that_never_loses_has_no_strength_and_no_infinite_one():
    """D beat all: the others have the strengths that they have without D."""
    wins = np.zeros((4, 4))
    wins[:3, :3] = LADDER
    wins[3, :3] = 2
    assert np.isnan(fit_strengths(wins[None])).all()
    assert comparable_groups(wins).tolist() == [0, 0, 0, 1]
    assert linked_groups(wins).tolist() == [0, 0, 0, 0]
    strengths = bradley_terry(np.repeat(wins[None], 12, axis=0))
    assert [s.strength.value for s in strengths[:3]] == pytest.approx(
        [log(2), 0, -log(2)], abs=1e-6
    )
    assert (strengths[3].strength.value, strengths[3].strength.status) == (None, "degenerate")
    assert strengths[3].win_rate.value == 1.0
    assert strengths[3].strength.n == 12 * 6


def test_systems_that_nothing_links_have_strengths_of_their_own_group():
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 0], wins[2, 3], wins[3, 2] = 3, 1, 1, 1
    assert linked_groups(wins).tolist() == comparable_groups(wins).tolist() == [0, 0, 1, 1]
    values = [s.strength.value for s in bradley_terry(wins[None])]
    assert values == pytest.approx([log(3) / 2, -log(3) / 2, 0, 0], abs=1e-6)


def test_the_interval_covers_the_truth_and_needs_ten_clusters():
    """100 data sets of 60 prompts with one comparison of each pair; about 95 intervals of A − mean
    should hold its true strength."""
    truth, held = np.array([0.8, 0.0, -0.8]), 0
    chance = 1 / (1 + np.exp(truth[None, :] - truth[:, None]))
    rng = np.random.default_rng(0)
    for _ in range(100):
        upper = np.triu(rng.random((60, 3, 3)) < chance, 1)
        lower = np.triu(~upper, 1).transpose(0, 2, 1)
        strength = bradley_terry((upper | lower).astype(float))[0].strength
        held += strength.low <= truth[0] <= strength.high
    assert 88 <= held <= 100
    few = bradley_terry(np.repeat(LADDER[None], 9, axis=0))[0].strength
    assert (few.value, few.low) == (pytest.approx(log(2), abs=1e-6), None)
