"""Prediction-powered means: a few ratings and a proxy for all units, in the raters' own unit.

    mean = Σ aᵢ yᵢ − λ (Σ aᵢ fᵢ − Σ bᵢ fᵢ)

y are ratings, f is the proxy, a the weights of the rated units of a group (system), which add up
to 1, and b is 1 / m for all its m units. Where rated units are a random sample, the estimate is
unbiased whatever the proxy: if they happen to score high, so do their ratings, and λ takes that
out. With equal weights it is PPI (Angelopoulos et al. 2023) at λ (m − n) / m = 1, n of m being
rated, and PPI++ (Angelopoulos, Duchi & Zrnic 2023) at the λ tuned here, the slope of ratings on the
proxy within groups.

The variance is that of sums of influences over whole clusters (dialogs, prompts), both of rated and
of unrated units; the interval is Student's t with the rated clusters less 1 as degrees of freedom.
`benchmarks/estimates.py` simulates its coverage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atanh, sqrt, tanh

import numpy as np
from scipy.sparse import csr_array

from simpatico.arrays import Bools, Floats, Ints
from simpatico.stats.draws import SMALLEST_P
from simpatico.stats.result import Result, make_result, no_result

MIN_RATED = 5
"""Rated clusters of a group for an estimate of its mean."""
FAR_OUTSIDE = 0.05
"""Share of unrated units beyond the rated range from which there is no estimate."""
NOT_BY_CHANCE = 0.001
"""Probability below which a random sample does not leave so many units outside its range."""


@dataclass(frozen=True)
class RatedUnits:
    """Units of several groups, numbered from 0: all have a proxy, some a rating (NaN elsewhere).

    `weights`: of rated units, inverse to their probability of being rated; equal if not given.
    `refits`: of a proxy that was fitted to the ratings, see `cross_fit`; a row a rated unit.
    """

    group: Ints
    ratings: Floats
    proxy: Floats
    cluster: Ints
    weights: Floats | None = None
    refits: Floats | None = None

    @property
    def groups(self) -> int:
        return int(self.group.max(initial=-1)) + 1

    @property
    def rated(self) -> Bools:
        return np.isfinite(self.ratings)

    def sum_by_group(self, values: Floats) -> Floats:
        sums = np.bincount(self.group, weights=values, minlength=self.groups)
        return np.asarray(sums, np.float64)


@dataclass(frozen=True)
class PoweredMeans:
    """The mean rating of each group, their covariances, and what the proxy was worth.

    `rated`: rated units of each group; `clusters`: rated clusters; `worth`: how many rated units
    would give the same precision without the proxy.
    """

    slope: float
    values: Floats
    covariance: Floats
    rated: Ints
    clusters: Ints
    worth: Result

    def estimate(self, groups: Sequence[int], confidence: float = 0.95) -> Result:
        """The mean of one group, or the difference of two."""
        if len(groups) == 1:
            return self.mean(groups[0], confidence)
        return self.difference(groups[0], groups[1], confidence)

    def mean(self, group: int, confidence: float = 0.95) -> Result:
        """The mean of a group with its t interval."""
        n = int(self.rated[group])
        if self.clusters[group] < MIN_RATED:
            return no_result("too_few", n=n, method=self.method)
        variance, df = self.covariance[group, group], float(self.clusters[group] - 1)
        return t_result(self.values[group], variance, df, confidence, n=n, method=self.method)

    def difference(self, a: int, b: int, confidence: float = 0.95) -> Result:
        """Group a minus group b; clusters that both have a part in make the variance smaller.

        Degrees of freedom by Welch (1947), as those of independent groups.
        """
        n = int(self.rated[a] + self.rated[b])
        if min(self.clusters[a], self.clusters[b]) < MIN_RATED:
            return no_result("too_few", n=n, method=self.method)
        own = self.covariance[[a, b], [a, b]]
        variance = max(own.sum() - 2 * self.covariance[a, b], 0.0)
        parts = own**2 / (self.clusters[[a, b]] - 1)
        df = float(own.sum() ** 2 / parts.sum()) if parts.sum() else float(n - 2)
        value = self.values[a] - self.values[b]
        return t_result(value, variance, df, confidence, n=n, method=self.method)

    @property
    def method(self) -> str:
        if not self.slope:
            return "mean of ratings; cluster-robust t interval"
        return f"prediction-powered, λ = {self.slope:.4g}; cluster-robust t interval"


def t_result(
    value: float, variance: float, df: float, confidence: float, *, n: int, method: str
) -> Result:
    """A value with its t interval and the two-sided p of 0."""
    from scipy.special import stdtr, stdtrit

    error = sqrt(variance)
    half = float(stdtrit(df, (1 + confidence) / 2)) * error
    p = max(2 * float(stdtr(df, -abs(value) / error)), SMALLEST_P) if error else None
    interval = (value - half, value + half)
    return make_result(value, n=n, method=method, interval=interval, p_value=p)


@dataclass(frozen=True)
class Influences:
    """What each cluster adds to the error of each group's mean, at any slope.

    `of_ratings` and `of_proxy` are clusters by groups; the influence at slope λ is the first minus
    λ times the second, and likewise the mean is `means` − λ `gaps`.
    """

    means: Floats
    gaps: Floats
    of_ratings: csr_array
    of_proxy: csr_array
    slope: float


def influences(units: RatedUnits) -> Influences:
    """Influences on the means, and the slope of ratings on the proxy within groups.

    λ = Σ aᵢ (aᵢ − bᵢ) (yᵢ − ȳ)(fᵢ − f̄) / Σ s² (aᵢ − bᵢ)², s² being the proxy's variance over all
    units of a group: it minimises the sum of the groups' variances.
    """
    rated, group = units.rated, units.group
    weights = np.where(rated, 1.0 if units.weights is None else units.weights, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):  # groups without ratings have no mean
        a = weights / units.sum_by_group(weights)[group]
    a[~rated] = 0.0
    sizes = units.sum_by_group(np.ones(len(group)))
    b = 1 / sizes[group]
    y = np.where(rated, units.ratings, 0.0)
    means, rated_proxy, all_proxy = (
        units.sum_by_group(part) for part in (a * y, a * units.proxy, b * units.proxy)
    )
    of_ratings = a * (y - means[group])
    from_rated, from_all = units.proxy - rated_proxy[group], units.proxy - all_proxy[group]
    of_proxy = a * from_rated - b * from_all
    if units.weights is None:
        # A random part and the rest have one mean, of which each has its own estimate: as in PPI.
        part = 2 * group + rated
        shift = np.bincount(part, weights=b * from_all) / np.maximum(np.bincount(part), 1)
        of_proxy += shift[part]
    variance = units.sum_by_group(from_all**2) / np.maximum(sizes - 1, 1)
    common = float(of_ratings @ ((a - b) * from_rated))
    spread = float(variance @ units.sum_by_group((a - b) ** 2))
    shape = (int(units.cluster.max(initial=-1)) + 1, units.groups)
    place = (units.cluster, group)
    return Influences(
        means,
        rated_proxy - all_proxy,
        csr_array((of_ratings, place), shape=shape),
        csr_array((of_proxy, place), shape=shape),
        common / spread if spread > 0 and np.isfinite(common / spread) else 0.0,
    )


def prediction_powered(
    units: RatedUnits, *, slope: float | None = None, positive: bool = False
) -> PoweredMeans:
    """The mean rating of each group; λ is tuned unless `slope` is given (0: ratings alone).

    A tuned λ counts as one more parameter, and is 0 where it would not make the variance smaller,
    or, if `positive`, where ratings fall as the proxy rises.
    """
    parts = influences(units)
    rated = units.sum_by_group(units.rated.astype(float)).astype(np.int64)
    pairs = np.unique(units.cluster[units.rated] * units.groups + units.group[units.rated])
    clusters = np.bincount(pairs % units.groups, minlength=units.groups)
    small = clusters / np.maximum(clusters - 1, 1)
    free = float(clusters.sum() - np.count_nonzero(clusters))
    alone, tuned, factor = parts.of_ratings, slope, small
    if tuned is None:
        tuned, factor = parts.slope, small * (free / max(free - 1, 1e-9))
        powered = variances(alone - tuned * parts.of_proxy, factor).sum()
        if not powered < variances(alone, small).sum() or (positive and tuned < 0):
            tuned, factor = 0.0, small
    influence = alone - tuned * parts.of_proxy
    scale = np.sqrt(factor)
    covariance = np.asarray((influence.T @ influence).todense()) * np.outer(scale, scale)
    total, left = variances(alone, small).sum(), covariance.trace()
    gain = float(total / left) if left > 0 else float("nan")
    worth = worth_of_proxy(units, gain, free, positive=positive)
    return PoweredMeans(tuned, parts.means - tuned * parts.gaps, covariance, rated, clusters, worth)


def variances(influence: csr_array, factor: Floats) -> Floats:
    """The variance of each group's mean."""
    return np.asarray((influence**2).sum(axis=0)).ravel() * factor


def worth_of_proxy(units: RatedUnits, gain: float, free: float, *, positive: bool) -> Result:
    """Rated units that would be as precise alone: n V₀ / V₁, the variances without and with it.

    With the correlation r of ratings and proxy within groups, and the share u that is unrated, it
    is n / (1 − r² u); the interval is that of r by Fisher's z, with cluster-robust standard error.
    That of a fitted proxy is at least the error that leaving out its folds gives, with Student's t.
    """
    n = int(units.rated.sum())
    method = "n × variance of ratings alone / variance with the proxy; Fisher's z"
    r, error = correlation_within(units)
    df = free
    if units.refits is not None and np.isfinite(error):
        method += ", jackknife of folds"
        error, df = max(error, refit_error(units, units.refits)), units.refits.shape[1] - 1.0
    if free < 2 or not np.isfinite(gain * error):
        return make_result(n * gain, n=n, method=method)
    if not positive:
        r = abs(r)
    unrated = 1 - n / len(units.group)

    def worth(z: float) -> float:
        return max(n / (1 - tanh(max(z, 0.0)) ** 2 * unrated) * (free - 1) / free, float(n))

    half = t_quantile(df) * error
    low, high = worth(atanh(r) - half), worth(atanh(r) + half)
    interval = min(low, n * gain), max(high, n * gain)
    return make_result(n * gain, n=n, method=method, interval=interval)


def correlation_within(units: RatedUnits) -> tuple[float, float]:
    """Pearson's r of ratings and proxy within groups, and the standard error of its Fisher's z.

    A unit moves r by x y − r (x² + y²) / 2, x and y standardised; units of a cluster are added up.
    Units count as they do in the means' variances, by their squared weights.
    """
    rated = units.rated
    group, cluster = units.group[rated], units.cluster[rated]
    weights = np.ones(len(group)) if units.weights is None else units.weights[rated]
    a = weights / np.bincount(group, weights=weights)[group]

    def standardise(values: Floats) -> Floats:
        deviations = values - np.bincount(group, weights=a * values)[group]
        squares, size = (float(np.sum(a**2 * part**2)) for part in (deviations, values))
        # below this share of their size, values differ by rounding only
        return deviations / (sqrt(squares) if squares > 1e-24 * size else np.nan)

    if not len(group):
        return 0.0, float("nan")
    x, y = standardise(units.proxy[rated]), standardise(units.ratings[rated])
    r = float(np.sum(a**2 * x * y))
    moves = np.bincount(cluster, weights=a**2 * (x * y - r * (x**2 + y**2) / 2))
    # a perfect correlation has no Fisher's z
    inside = min(max(r, -1 + 1e-9), 1 - 1e-9) if np.isfinite(r) else 0.0
    return inside, sqrt(float(np.sum(moves**2))) / (1 - inside**2)


def refit_error(units: RatedUnits, refits: Floats) -> float:
    """Standard error of Fisher's z of ratings and fitted proxy by the jackknife over folds.

    √((K − 1) / K Σ (z₍ₖ₎ − mean)²), z₍ₖ₎ without fold k of K, both as rated units and in the fit.
    """
    rows = np.flatnonzero(units.rated)
    z = []
    for proxy in refits.T:
        own = np.isfinite(proxy)
        at = rows[own]
        weights = None if units.weights is None else units.weights[at]
        cluster = units.cluster[at]
        part = RatedUnits(units.group[at], units.ratings[at], proxy[own], cluster, weights)
        z.append(atanh(correlation_within(part)[0]))
    return sqrt((len(z) - 1) * float(np.var(z)))


def t_quantile(df: float, confidence: float = 0.95) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + confidence) / 2))


@dataclass(frozen=True)
class OutsideRange:
    """How far the unrated units of a group leave the range of the proxy that was rated.

    `p_value`: that a random sample of as many leaves out this share or more.
    """

    low: float
    high: float
    share: float
    expected: float
    p_value: float

    @property
    def is_far(self) -> bool:
        return self.is_unlikely and self.share >= FAR_OUTSIDE

    @property
    def is_unlikely(self) -> bool:
        return self.p_value < NOT_BY_CHANCE


def outside_rated_range(units: RatedUnits) -> list[OutsideRange | None]:
    """For each group, how much of its unrated part lies beyond the rated range; null if unrated.

    Of n rated units at random, the share of others between the least and the largest is
    Beta(n − 1, 2) (Wilks 1941), so that the number outside among m is beta-binomial.
    """
    results: list[OutsideRange | None] = []
    for g in range(units.groups):
        own = units.group == g
        rated, others = units.proxy[own & units.rated], units.proxy[own & ~units.rated]
        if len(rated) < 2 or not len(others):
            results.append(None)
            continue
        low, high = float(rated.min()), float(rated.max())
        n_outside = int(((others < low) | (others > high)).sum())
        p = beta_binomial_tail(n_outside, len(others), len(rated))
        share, expected = n_outside / len(others), 2 / (len(rated) + 1)
        results.append(OutsideRange(low, high, share, expected, p))
    return results


def beta_binomial_tail(k: int, others: int, rated: int) -> float:
    """P(k or more of `others` outside the range of `rated`), all being one random sample."""
    from scipy.special import betaln, gammaln

    j = np.arange(k, others + 1)
    choose = gammaln(others + 1) - gammaln(j + 1) - gammaln(others - j + 1)
    log_p = choose + betaln(j + 2, others - j + rated - 1) - betaln(2, rated - 1)
    return min(1.0, float(np.exp(log_p).sum()))
