"""Tests of incremental validity: the paper's t-test, cluster-robust tests, cross-validation."""

from __future__ import annotations

import numpy as np
from scipy.special import fdtrc, stdtr, stdtrit

from simpatico.arrays import Floats, Ints
from simpatico.stats import regression
from simpatico.stats.bootstrap import MIN_CLUSTERS, sum_by_cluster
from simpatico.stats.draws import SMALLEST_P, draw_uniform, percentile_interval
from simpatico.stats.regression import Model, NestedModels
from simpatico.stats.result import Result, make_result, no_result

FOLDS_STREAM = 2**32
"""The random stream of the folds, far from those of the resamples."""


def residual_reduction(data: NestedModels) -> Floats:
    """|residual of T| - |residual of P+T| of each row, in SDs of the rating."""
    return np.asarray(np.abs(data.residuals("t")) - np.abs(data.residuals("pt")))


def paired_t_test(data: NestedModels) -> Result:
    """Paired t-test of absolute residuals over rows, t = mean(d) / (sd(d) / √n), df = n - 1.

    Giorgi et al. (2023), section 7.2. It treats rows as independent and residuals of one fit as
    observations, though the larger model has the smaller ones by construction.
    """
    differences = residual_reduction(data)
    error = float(differences.std(ddof=1)) / data.n**0.5
    return t_test_result(differences, error, data.n - 1, "paired t-test of absolute residuals")


def clustered_t_test(data: NestedModels) -> Result:
    """The same mean with a CR1 standard error, t on G - 1 degrees of freedom.

    V = G / (G - 1) Σ_g (Σ_i in g (d_i - mean d))² / n² (Liang & Zeger 1986). Under a true null it
    rejects less than 5 in 100, since residuals of nested models hardly differ then.
    """
    method = f"absolute residuals, CR1 errors of {data.clusters:,} clusters, t"
    if data.clusters < MIN_CLUSTERS:
        return no_result("too_few", n=data.n, method=method)
    differences, groups = residual_reduction(data), data.clusters
    within = sum_by_cluster((differences - differences.mean())[:, None], data.code, groups)
    error = float(np.sqrt(groups / (groups - 1) * (within**2).sum())) / data.n
    return t_test_result(differences, error, groups - 1, method)


def t_test_result(differences: Floats, error: float, df: int, method: str) -> Result:
    """The mean of the differences with interval and two-sided p by Student's t."""
    n, mean = len(differences), float(differences.mean())
    if error <= 1e-12:
        return no_result("degenerate", n=n, method=method)
    t, half = mean / error, float(stdtrit(df, 0.975)) * error
    p = max(2 * float(stdtr(df, -abs(t))), SMALLEST_P)
    return make_result(mean, n=n, method=method, interval=(mean - half, mean + half), p_value=p)


def score_test(data: NestedModels) -> Result:
    """Cluster-robust score test that all q added coefficients are 0; the value is F.

    s_g = Σ_i in g u_i e_i, u the added columns less their fit on T, e the residuals of T;
    Q = S' (Σ_g s_g s_g')^-1 S with S = Σ_g s_g; F = (Q / q) / ((G - Q) / (G - q)) on q and G - q
    degrees of freedom, the regression of 1 on the s_g (Wooldridge 1991), that is Hotelling's T² of
    them. The usual Wald test with CR1 errors rejects a true null in 7 to 12% for q = 3 and
    40 to 100 clusters, this one in 4 to 5%.
    """
    q, groups = data.n_added, data.clusters
    method = f"score test of {q} added coefficients over {groups:,} clusters, Hotelling's F"
    if groups < max(MIN_CLUSTERS, q + 2):
        return no_result("too_few", n=data.n, method=method)
    t, p_columns = data.columns[:, data.models["t"]], data.columns[:, data.models["pt"][-q:]]
    residual = p_columns - t @ regression.least_squares(t, p_columns)
    residual /= np.linalg.norm(residual, axis=0) / data.n**0.5
    scores = sum_by_cluster(residual * data.residuals("t")[:, None], data.code, groups)
    total, products = scores.sum(axis=0), scores.T @ scores
    degenerate = no_result("degenerate", n=data.n, method=method)
    if np.trace(products) <= 1e-16 * data.n or np.linalg.matrix_rank(products, hermitian=True) < q:
        return degenerate
    quadratic = float(total @ np.linalg.solve(products, total))
    if groups - quadratic <= 1e-10 * groups:
        return degenerate
    f = quadratic / q / ((groups - quadratic) / (groups - q))
    p = max(float(fdtrc(q, groups - q, f)), SMALLEST_P)
    return make_result(f, n=data.n, method=method, p_value=p)


def cross_validate(data: NestedModels, folds: int, errors: Floats, draws: Floats) -> Result:
    """The gain in R² of P+T over T on clusters left out of the fit.

    R² = 1 - squared errors / squared errors of the training rows' means (of each data set).
    `errors`: a row per cluster for no model, T and P+T. The interval resamples whole clusters
    (`draws`: the sums of their errors) without fitting anew.
    """
    method = f"{min(folds, data.clusters)}-fold cross-validation over {data.clusters:,} clusters"
    if data.clusters < MIN_CLUSTERS:
        return no_result("too_few", n=data.n, method=method)
    baseline, t, pt = np.vstack([errors.sum(axis=0), draws]).T
    gains = (t - pt) / np.where(baseline > 0, baseline, np.nan)
    interval = percentile_interval(gains[1:])
    return make_result(float(gains[0]), n=data.n, method=method, interval=interval)


def folds_by_cluster(data: NestedModels, folds: int, seed: int) -> Ints:
    """The fold of each row: clusters of each data set in random order, dealt out in turn."""
    dataset = np.zeros(data.clusters, dtype=np.int64)
    dataset[data.code] = data.dataset
    order = np.lexsort([draw_uniform(data.clusters, seed, FOLDS_STREAM), dataset])
    fold = np.empty(data.clusters, dtype=np.int64)
    fold[order] = np.arange(data.clusters) % folds
    return np.asarray(fold[data.code])


def cross_validation_errors(data: NestedModels, fold: Ints) -> Floats:
    """Squared errors of each row for no model, T and P+T, each fitted to the other folds.

    A data set that is in no other fold is predicted from the mean of all rows there.
    """
    own = regression.product_sums(data, fold, int(fold.max()) + 1)
    train = regression.unpack_sums(own.sum(axis=0) - own, data.datasets)
    overall = train.first.sum(axis=1) / train.n.sum(axis=1)[:, None]
    in_train = train.n[:, :, None] > 0.5
    own_means = train.first / np.maximum(train.n, 1)[:, :, None]
    means = np.where(in_train, own_means, overall[:, None, :])
    deviations = data.columns - means[fold, data.dataset]
    products, errors = train.centred_products(), [deviations[:, -1]]
    models: tuple[Model, ...] = ("t", "pt")
    for model in models:
        columns = data.models[model]
        coefficients = regression.regression_coefficients(products, columns)[fold]
        errors.append(deviations[:, -1] - (deviations[:, columns] * coefficients).sum(axis=1))
    return np.asarray(np.column_stack(errors) ** 2)
