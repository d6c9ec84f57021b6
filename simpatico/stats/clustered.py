"""Means and linear regression whose rows come in clusters, with sandwich standard errors.

The residuals of a cluster (the turns of a dialog) are added up before they are squared, so that
rows that resemble each other do not count as many (Liang & Zeger, Biometrika 73, 1986). With a
cluster for each row, the test of a mean is Student's t-test.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.stats.bootstrap import cluster_codes, sum_by_cluster
from simpatico.stats.draws import CONFIDENCE, SMALLEST_P
from simpatico.stats.regression import independent_columns
from simpatico.stats.result import Result, make_result, no_result
from simpatico.stats.superiority import share_with_interval

MIN_CLUSTERS = 10
"""With fewer, sandwich standard errors are far too small (Cameron & Miller 2015)."""


@dataclass(frozen=True)
class Estimate:
    """A mean or coefficient with its standard error and degrees of freedom (clusters - 1)."""

    value: float
    standard_error: float
    df: int
    n: int

    def result(self, method: str) -> Result:
        """With the t interval, and the two-sided p of 0."""
        from scipy.special import stdtr, stdtrit

        if not np.isfinite(self.value):
            return no_result("too_few", n=self.n, method=method)
        if self.df + 1 < MIN_CLUSTERS or not self.standard_error > 0:
            return make_result(self.value, n=self.n, method=method)
        reach = float(stdtrit(self.df, (1 + CONFIDENCE) / 2)) * self.standard_error
        p = 2 * float(stdtr(self.df, -abs(self.value / self.standard_error)))
        return make_result(
            self.value,
            n=self.n,
            method=f"{method}, t interval over {self.df + 1:,} clusters",
            interval=(self.value - reach, self.value + reach),
            p_value=max(p, SMALLEST_P),
        )

    def share(self, method: str) -> Result:
        """The mean of values from 0 to 1, with its interval within these.

        Where few clusters, or values that are all the same, give no t interval it is Wilson's of as
        many clusters: that none of 50 failed does not say that none ever will.
        """
        shown = self.result(method)
        if shown.value is None:
            return shown
        if shown.low is None or shown.high is None:
            return replace(share_with_interval(shown.value, self.df + 1, method), n=self.n)
        interval = max(shown.low, 0.0), min(shown.high, 1.0)
        return make_result(shown.value, n=self.n, method=shown.method, interval=interval)


def mean_of_groups(values: Floats, groups: Ints, clusters: Ints) -> Estimate:
    """The mean of the means of groups, each counting once; a cluster may be in several groups.

    SE² = C / (C - 1) Σ_c (Σ_{i in c} (x_i - mean of its group) / (G n_g))² over C clusters, G
    groups of n_g rows each: s² / n with one group and a row a cluster.
    """
    group, n_groups = cluster_codes(groups)
    code, n_clusters = cluster_codes(clusters)
    if not len(values):
        return Estimate(np.nan, np.nan, 0, 0)
    sizes = np.bincount(group)
    means = np.bincount(group, values) / sizes
    deviations = (values - means[group]) / (n_groups * sizes[group])
    square = float((np.bincount(code, deviations) ** 2).sum())
    error = np.sqrt(square * n_clusters / (n_clusters - 1)) if n_clusters > 1 else np.nan
    return Estimate(float(means.mean()), float(error), n_clusters - 1, len(values))


def clustered_regression(predictors: Floats, y: Floats, clusters: Ints) -> list[Estimate]:
    """Least-squares coefficients of the predictors, beside an intercept.

    Covariance: c (X'X)⁻¹ (Σ_c X_c' e_c e_c' X_c) (X'X)⁻¹, c = C / (C - 1) (n - 1) / (n - k) of C
    clusters, n rows and k columns. A predictor that never varies, or follows from those before it,
    has no estimate.
    """
    n = len(y)
    code, n_clusters = cluster_codes(clusters)
    columns = np.column_stack([np.ones(n), predictors])
    index = independent_columns(columns, range(columns.shape[1])) if n else np.zeros(0, np.int64)
    none = Estimate(np.nan, np.nan, n_clusters - 1, n)
    if n <= len(index) or n_clusters < 2:
        return [none] * predictors.shape[1]
    x = columns[:, index]
    bread = np.linalg.inv(x.T @ x)
    beta = bread @ (x.T @ y)
    scores = sum_by_cluster(x * (y - x @ beta)[:, None], code, n_clusters)
    factor = n_clusters / (n_clusters - 1) * (n - 1) / (n - x.shape[1])
    errors = np.sqrt(np.maximum(np.diag(factor * bread @ (scores.T @ scores) @ bread), 0))
    found = {
        int(i): Estimate(float(b), float(error), n_clusters - 1, n)
        for i, b, error in zip(index, beta, errors, strict=True)
    }
    return [found.get(i + 1, none) for i in range(predictors.shape[1])]
