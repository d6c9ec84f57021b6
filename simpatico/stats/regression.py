"""How much of people's ratings scores explain: adjusted R² of linear models, over clusters.

Adjusted R² = 1 - (1 - R²) (n - m) / (n - m - k) with k predictors and m means taken out (one, or
one per data set); Ezekiel (1930). Everything a fit needs is sums of products, so a resample of
clusters adds up the clusters' sums instead of going over rows.

`NestedModels` compares T (other scores), P (psychological scores) and P+T on the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.stats.bootstrap import cluster_codes, resample_clusters, sum_by_cluster
from simpatico.stats.draws import Draws
from simpatico.stats.result import Result, no_result

Model = Literal["t", "p", "pt"]
MODELS: tuple[Model, ...] = ("t", "p", "pt")

COLLINEAR = 1e-7
"""A column whose part outside the span of earlier ones is smaller than this adds nothing."""

R2_DRAWS = 2_000


@dataclass(frozen=True)
class NestedModels:
    """Rows that have every score and a rating, standardised, with the columns of each model.

    `columns`: scores, then the rating, each without the mean of its data set; `models`: the columns
    of T, P and P+T, less those that are constant or follow from the ones before; `code` and
    `dataset`: the cluster and the data set of each row; `nulls`: rows that were incomplete.
    """

    columns: Floats
    models: dict[Model, Ints]
    code: Ints
    dataset: Ints
    nulls: int

    @property
    def n(self) -> int:
        return len(self.columns)

    @property
    def clusters(self) -> int:
        return int(self.code.max(initial=-1)) + 1

    @property
    def datasets(self) -> int:
        return int(self.dataset.max(initial=-1)) + 1

    @property
    def n_added(self) -> int:
        """Coefficients that P+T has and T has not."""
        return len(self.models["pt"]) - len(self.models["t"])

    @property
    def n_dropped(self) -> int:
        """Scores that are constant or follow from others of their kind."""
        return int(self.columns.shape[1]) - 1 - len(self.models["t"]) - len(self.models["p"])

    def residuals(self, model: Model) -> Floats:
        """What least squares leaves of the standardised ratings."""
        x, y = self.columns[:, self.models[model]], self.columns[:, -1]
        return np.asarray(y - x @ least_squares(x, y))


@dataclass(frozen=True)
class ProductSums:
    """Sums over rows, one entry per sample: of rows and columns by data set, and of products."""

    n: Floats
    first: Floats
    second: Floats

    def centred_products(self) -> Floats:
        """Products of the columns about the means of their data sets."""
        n = np.maximum(self.n, 1)[:, :, None]
        return np.asarray(self.second - np.einsum("dsi,dsj->dij", self.first / n, self.first))

    def adjusted_r2(self, model: Ints) -> Floats:
        """Adjusted R² within data sets, one per sample; NaN where it does not exist."""
        products = self.centred_products()
        total = products[:, -1, -1]
        fit = (regression_coefficients(products, model) * products[:, model, -1]).sum(axis=1)
        residual = np.asarray(np.maximum(total - fit, 0))
        df = self.n.sum(axis=1) - (self.n > 0).sum(axis=1)
        r2 = 1 - residual / np.maximum(total, 1e-300)
        residual_df = df - len(model)
        valid = (residual_df > 0) & (total > 1e-10 * df)
        return np.where(valid, 1 - (1 - r2) * df / np.where(valid, residual_df, 1), np.nan)


def prepare_nested(
    scores: tuple[Floats, Floats], ratings: Floats, *, clusters: Ints, sets: Ints
) -> NestedModels:
    """Complete rows of the T columns, the P columns and the ratings, ready for fitting."""
    width = scores[0].shape[1]
    columns = np.column_stack([*scores, ratings])
    complete = np.isfinite(columns).all(axis=1)
    code, dataset = cluster_codes(clusters[complete])[0], cluster_codes(sets[complete])[0]
    columns = standardise_within_sets(columns[complete], dataset)
    last = columns.shape[1] - 1
    t = independent_columns(columns, range(width))
    p = independent_columns(columns, range(width, last))
    models: dict[Model, Ints] = {"t": t, "p": p, "pt": independent_columns(columns, [*t, *p])}
    return NestedModels(columns, models, code, dataset, int((~complete).sum()))


def standardise_within_sets(columns: Floats, dataset: Ints) -> Floats:
    """Each column without the means of its data sets, with SD 1; zeros where it is constant."""
    if not len(columns):
        return columns
    size = np.abs(columns).max(axis=0)
    columns = columns / np.where(size > 0, size, 1)
    sets = int(dataset.max()) + 1
    for _ in range(2):  # the second time removes what rounding left of large means
        means = sum_by_cluster(columns, dataset, sets) / np.bincount(dataset)[:, None]
        columns = columns - means[dataset]
    sd = columns.std(axis=0)
    return np.where(sd > 1e-12, columns / np.where(sd > 1e-12, sd, 1), 0.0)


def independent_columns(columns: Floats, candidates: Iterable[int]) -> Ints:
    """Those of the candidates that are linearly independent of the ones before (Gram-Schmidt)."""
    basis, independent = np.empty((len(columns), 0)), []
    for index in candidates:
        column = columns[:, index]
        size = float(np.linalg.norm(column))
        for _ in range(2):  # once is not enough where little is left
            column = column - basis @ (basis.T @ column)
        rest = float(np.linalg.norm(column))
        if rest > COLLINEAR * size:
            independent.append(int(index))
            basis = np.column_stack([basis, column / rest])
    return np.array(independent, dtype=np.int64)


def least_squares(x: Floats, y: Floats) -> Floats:
    """Least-squares coefficients of columns that have mean 0."""
    return np.asarray(np.linalg.lstsq(x, y, rcond=None)[0])


def product_sums(data: NestedModels, code: Ints, groups: int) -> Floats:
    """The sums of each group of rows, flat: counts by set, columns by set, products."""
    member = np.eye(data.datasets)[data.dataset]
    first = [sum_by_cluster(data.columns * m[:, None], code, groups) for m in member.T]
    # products are the same either way round: half of them will do
    second = [
        sum_by_cluster(data.columns[:, i:] * c[:, None], code, groups)
        for i, c in enumerate(data.columns.T)
    ]
    return np.hstack([sum_by_cluster(member, code, groups), *first, *second])


def unpack_sums(flat: Floats, sets: int) -> ProductSums:
    """Flat sums, one row per sample, by name.

    The number of columns w follows from the width of a row: sets w + w (w + 1) / 2 numbers follow
    the counts.
    """
    size, rest = len(flat), flat[:, sets:]
    width = round(((2 * sets + 1) ** 2 / 4 + 2 * rest.shape[1]) ** 0.5 - sets - 0.5)
    second, (i, j) = np.empty((size, width, width)), np.triu_indices(width)
    second[:, i, j] = second[:, j, i] = rest[:, sets * width :]
    first = rest[:, : sets * width].reshape(size, sets, width)
    return ProductSums(flat[:, :sets], first, second)


def regression_coefficients(products: Floats, model: Ints) -> Floats:
    """Least-squares coefficients of the model's columns, (X'X)⁺ X'y, one row per sample."""
    inner, cross = products[:, model[:, None], model], products[:, model, -1]
    # a resample may make columns collinear that were not: hence the pseudo-inverse
    coefficients = np.linalg.pinv(inner, rcond=1e-10, hermitian=True) @ cross[..., None]
    return np.asarray(coefficients[..., 0])


def adjusted_r2_draws(data: NestedModels, sums: Floats) -> dict[Model, Floats]:
    """Adjusted R² of the three models in the same resamples, given the sums of each."""
    samples = unpack_sums(sums, data.datasets)
    return {model: samples.adjusted_r2(columns) for model, columns in data.models.items()}


def bootstrap_products(parts: Sequence[Floats], draws: Draws) -> list[Floats]:
    """Sums of each table of clusters in the same resamples of clusters, a row per draw."""
    table, width = np.hstack(parts), max(part.shape[1] for part in parts)
    sums = resample_clusters(lambda counts: counts @ table, len(parts[0]), draws, width=width)
    return np.split(sums, np.cumsum([part.shape[1] for part in parts])[:-1], axis=1)


def adjusted_r2(
    scores: Floats,
    ratings: Floats,
    clusters: Ints,
    *,
    sets: Ints | None = None,
    seed: int = 0,
) -> Result:
    """Adjusted R² of the regression of ratings on scores (one column each), rows without NaN.

    With `sets`, the mean of each data set is taken out of all columns first, and R² is what the
    scores explain within sets. The interval is the middle 95% over resamples of whole clusters,
    less their bias: every resample fits chance anew, so its R² is too high by mean(draws) - value
    (Efron & Tibshirani 1993, section 10.2).
    """
    rows = np.column_stack([np.ones(len(scores)), scores, ratings])
    complete = np.isfinite(rows).all(axis=1)
    rows, clusters = rows[complete], clusters[complete]
    n, predictors, means, method = len(rows), rows.shape[1] - 2, 1, "adjusted R²"
    if sets is not None and n:
        _, code = np.unique(sets[complete], return_inverse=True)
        sizes = np.bincount(code)
        set_means = np.stack([np.bincount(code, c) / sizes for c in rows[:, 1:].T], axis=1)
        rows[:, 1:], means = rows[:, 1:] - set_means[code], len(sizes)
    if n < predictors + 3:
        return no_result("too_few", n=n, method=method)
    if (np.ptp(rows[:, 1:], axis=0) == 0).any():
        return no_result("degenerate", n=n, method=method)
    rows[:, 1:] = (rows[:, 1:] - rows[:, 1:].mean(axis=0)) / rows[:, 1:].std(axis=0)
    _, cluster = np.unique(clusters, return_inverse=True)
    products = np.einsum("ij,ik->ijk", rows, rows).reshape(n, -1)
    sums = np.zeros((cluster.max() + 1, products.shape[1]))
    np.add.at(sums, cluster, products)
    side = rows.shape[1]
    value = float(r2_from_products(sums.sum(axis=0).reshape(1, side, side), means)[0])
    if len(sums) < 2:
        return Result(value, n=n, method=method)
    # NumPy's own multinomial draws: the published tables were made with them, and the streams of
    # `stats.draws` would move their intervals
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=R2_DRAWS)
    draws = r2_from_products((counts.astype(np.float64) @ sums).reshape(-1, side, side), means)
    draws = draws[np.isfinite(draws)]
    low, high = np.percentile(draws, [2.5, 97.5]) - (draws.mean() - value)
    return Result(value, float(low), float(high), n=n, method=method)


def r2_from_products(products: Floats, means: int) -> Floats:
    """Adjusted R² from products of (1, scores, rating), one square matrix per sample.

    `means` is how many means were taken out: 1, or one for each data set.
    """
    n = products[:, 0, 0]
    mean = products[:, 0, 1:] / n[:, None]
    about = products[:, 1:, 1:] - n[:, None, None] * np.einsum("ij,ik->ijk", mean, mean)
    inner, cross, total = about[:, :-1, :-1], about[:, :-1, -1], about[:, -1, -1]
    predictors = inner.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        beta = np.linalg.pinv(inner, hermitian=True) @ cross[..., None]
        r2 = (cross * beta[..., 0]).sum(axis=1) / total
        return np.asarray(1 - (1 - r2) * (n - means) / (n - predictors - means))
