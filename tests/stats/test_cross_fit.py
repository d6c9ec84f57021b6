"""The cross-fitted blend: nobody is predicted from their own rating."""

import numpy as np
import pytest

from simpatico.stats.cross_fit import FOLDS, cross_fit, ridge
from simpatico.stats.prediction_powered import RatedUnits

RNG = np.random.default_rng(11)


def made_units(n=200, rated=60, groups=2, columns=4):
    latent = RNG.normal(size=n)
    scores = latent[:, None] * np.linspace(1, 0, columns) + 0.5 * RNG.normal(size=(n, columns))
    ratings = np.where(np.arange(n) < rated, latent, np.nan)
    group = np.arange(n) % groups
    return scores, RatedUnits(group, ratings, np.zeros(n), np.arange(n))


def test_own_rating_changes_own_prediction_never():
    """Another rating of a unit moves predictions of others, as their models learn from it."""
    scores, units = made_units()
    before = cross_fit(scores, units).predictions
    ratings = units.ratings.copy()
    ratings[7] += 5
    after = cross_fit(
        scores, RatedUnits(units.group, ratings, units.proxy, units.cluster)
    ).predictions
    assert after[7] == pytest.approx(before[7], abs=1e-12)
    assert np.abs(after - before).max() > 0.01


def test_units_of_a_cluster_are_predicted_without_all_of_it():
    scores, units = made_units()
    cluster = np.arange(200) // 3
    units = RatedUnits(units.group, units.ratings, units.proxy, cluster)
    before = cross_fit(scores, units).predictions
    ratings = units.ratings.copy()
    ratings[[6, 7, 8]] += 5
    after = cross_fit(scores, RatedUnits(units.group, ratings, units.proxy, cluster)).predictions
    np.testing.assert_allclose(after[[6, 7, 8]], before[[6, 7, 8]], atol=1e-12)


def test_weights_are_those_of_least_squares_where_the_penalty_vanishes():
    """y = 2 x₁ − x₂ without noise: the smallest penalty, 10^-2.5 n, shrinks by 1 / (1 + 10^-2.5)."""
    x, _ = np.linalg.qr(RNG.normal(size=(40, 2)))
    x = (x - x.mean(axis=0)) * np.sqrt(40)
    group = np.zeros(40, dtype=np.int64)
    weights = ridge(x, x @ [2.0, -1.0], group)
    np.testing.assert_allclose(weights, [2.0, -1.0], atol=0.02)


def test_a_column_that_predicts_worse_than_the_mean_gets_no_weight():
    """y alternates and x rises with every second pair: their covariance is 0, and x only costs."""
    y, x = np.tile([1.0, -1.0], 20), np.tile([1.0, 1.0, -1.0, -1.0], 10)[:, None]
    assert ridge(x, y, np.zeros(40, dtype=np.int64))[0] == 0


def test_differences_between_groups_are_not_learned():
    """Ratings differ by group only, and so does the score: within groups there is nothing."""
    group = np.repeat([0, 1], 50)
    x = group[:, None] + 0.1 * RNG.normal(size=(100, 1))
    assert abs(ridge(x, 3.0 * group, group)[0]) < 1e-9


@pytest.mark.parametrize("rated", [0, 1, 2, FOLDS - 1])
def test_few_ratings_give_finite_predictions(rated):
    scores, units = made_units(rated=rated)
    assert np.isfinite(cross_fit(scores, units).predictions).all()


def test_the_seed_draws_the_folds():
    scores, units = made_units()
    first, again, other = (cross_fit(scores, units, seed).predictions for seed in (4, 4, 5))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0


def test_refits_are_those_of_ratings_without_the_fold():
    """Column k: neither the model nor the fold's own units; nothing there moves with its ratings."""
    scores, units = made_units()
    before = cross_fit(scores, units).refits
    assert before.shape == (60, FOLDS)
    assert (np.isnan(before).sum(axis=1) == 1).all()
    fold = np.isnan(before).argmax(axis=1)
    ratings = units.ratings.copy()
    ratings[:60][fold == 3] += 5
    changed = RatedUnits(units.group, ratings, units.proxy, units.cluster)
    after = cross_fit(scores, changed).refits
    np.testing.assert_allclose(after[:, 3], before[:, 3], atol=1e-12)
    assert np.nanmax(np.abs(after[:, 4] - before[:, 4])) > 0.01


def test_two_folds_have_no_refits():
    assert cross_fit(*made_units(rated=2)).refits is None
