"""Ridge regression against its textbook form and against refits without each row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.training.fit.ridge import (
    GRID,
    centre_kernel,
    fit_ridge,
    leave_one_out_residuals,
)


def data(seed: int, n: int = 12, p: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, p)) + 3
    return features, features @ rng.normal(size=p) + rng.normal(size=n)


def textbook(features: np.ndarray, target: np.ndarray, penalty: float) -> tuple[np.ndarray, float]:
    """Weights and free intercept of primal ridge regression."""
    mean = features.mean(axis=0)
    apart = features - mean
    weights = np.linalg.solve(
        apart.T @ apart + penalty * np.eye(apart.shape[1]), apart.T @ (target - target.mean())
    )
    return weights, float(target.mean() - mean @ weights)


@given(st.integers(0, 200))
def test_dual_equals_the_primal_closed_form(seed: int) -> None:
    features, target = data(seed)
    train = np.arange(9)
    kernel = centre_kernel(features @ features[train].T, train)
    result = fit_ridge(kernel[train], target[train])
    weights, intercept = textbook(features[train], target[train], result.penalty)
    assert result.mean + kernel @ result.dual == pytest.approx(intercept + features @ weights)


@given(st.integers(0, 200), st.sampled_from([0.01, 1.0, 100.0]))
def test_left_out_residuals_equal_refits(seed: int, penalty: float) -> None:
    features, target = data(seed)
    apart = features - features.mean(axis=0)
    values, vectors = np.linalg.eigh(apart @ apart.T)
    penalties = np.array([penalty])
    closed = leave_one_out_residuals(np.maximum(values, 0), vectors, target, penalties)[:, 0]
    for row in range(len(target)):
        rest = np.arange(len(target)) != row
        weights, intercept = textbook(features[rest], target[rest], penalty)
        assert closed[row] == pytest.approx(target[row] - intercept - features[row] @ weights)


def test_the_penalty_with_the_least_error_is_taken() -> None:
    features, target = data(1)
    kernel = centre_kernel(features @ features.T, np.arange(12))
    result = fit_ridge(kernel, target)
    each = [fit_ridge(kernel, target, grid=np.array([g])).error for g in GRID]
    assert result.error == pytest.approx(min(each), rel=1e-12)
    assert result.relative_penalty == GRID[int(np.argmin(each))]


def test_noise_gets_the_strongest_penalty() -> None:
    rng = np.random.default_rng(3)
    features, target = rng.normal(size=(200, 20)), rng.normal(size=200)
    result = fit_ridge(centre_kernel(features @ features.T, np.arange(200)), target)
    assert result.relative_penalty >= 10
