"""Regressions of the same judgements on nested sets of scores, by sums of products of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.stats.cluster_draws import Draws, blocks, coded, summed

Model = Literal["t", "p", "pt"]
MODELS: tuple[Model, ...] = ("t", "p", "pt")

SPAN = 1e-7
"""A column whose part outside the span of earlier ones is smaller than this adds nothing."""


@dataclass(frozen=True)
class Nested:
    """Rows that have every score and a judgement, standardised, with what each model uses.

    `columns`: scores, then the judgement, each without the mean of its data set; `models`: the
    columns of T, P and P+T, less those that are constant or follow from the ones before; `code` and
    `place`: the cluster and the data set of each row.
    """

    columns: Floats
    models: dict[Model, Ints]
    code: Ints
    place: Ints
    nulls: int

    @property
    def n(self) -> int:
        return len(self.columns)

    @property
    def clusters(self) -> int:
        return int(self.code.max(initial=-1)) + 1

    @property
    def sets(self) -> int:
        return int(self.place.max(initial=-1)) + 1

    @property
    def added(self) -> int:
        """Coefficients that P+T has and T has not."""
        return len(self.models["pt"]) - len(self.models["t"])

    @property
    def dropped(self) -> int:
        """Scores that are constant or follow from others of their kind."""
        return int(self.columns.shape[1]) - 1 - len(self.models["t"]) - len(self.models["p"])

    def residuals(self, model: Model) -> Floats:
        """What least squares leaves of the standardised judgements."""
        x, y = self.columns[:, self.models[model]], self.columns[:, -1]
        return np.asarray(y - x @ fitted(x, y))


@dataclass(frozen=True)
class Moments:
    """Sums over rows, one entry per sample: of rows and columns by data set, and of products."""

    n: Floats
    first: Floats
    second: Floats

    def centred(self) -> Floats:
        """Products of the columns about the means of their data sets."""
        n = np.maximum(self.n, 1)[:, :, None]
        return np.asarray(self.second - np.einsum("dsi,dsj->dij", self.first / n, self.first))

    def adjusted_r2(self, model: Ints) -> Floats:
        """1 - (1 - R²) (n - means) / (n - means - columns), within data sets; NaN without one."""
        centred = self.centred()
        free = self.n.sum(axis=1) - (self.n > 0).sum(axis=1)
        r2 = 1 - unexplained(centred, model) / np.maximum(centred[:, -1, -1], 1e-300)
        left = free - len(model)
        varied = (left > 0) & (centred[:, -1, -1] > 1e-10 * free)
        return np.where(varied, 1 - (1 - r2) * free / np.where(varied, left, 1), np.nan)


def nested(
    scores: tuple[Floats, Floats], judgements: Floats, *, clusters: Ints, sets: Ints
) -> Nested:
    """Complete rows of the T columns, the P columns and the judgements, made ready for fitting."""
    width = scores[0].shape[1]
    columns = np.column_stack([*scores, judgements])
    whole = np.isfinite(columns).all(axis=1)
    code, place = coded(clusters[whole])[0], coded(sets[whole])[0]
    columns = standardised(columns[whole], place)
    last = columns.shape[1] - 1
    t, p = independent(columns, range(width)), independent(columns, range(width, last))
    models: dict[Model, Ints] = {"t": t, "p": p, "pt": independent(columns, [*t, *p])}
    return Nested(columns, models, code, place, int((~whole).sum()))


def standardised(columns: Floats, place: Ints) -> Floats:
    """Each column without the means of its data sets, deviation 1; zeros where it is constant."""
    if not len(columns):
        return columns
    size = np.abs(columns).max(axis=0)
    columns = columns / np.where(size > 0, size, 1)
    sets = int(place.max()) + 1
    for _ in range(2):  # the second time takes away what rounding left of large means
        means = summed(columns, place, sets) / np.bincount(place)[:, None]
        columns = columns - means[place]
    spread = columns.std(axis=0)
    return np.where(spread > 1e-12, columns / np.where(spread > 1e-12, spread, 1), 0.0)


def independent(columns: Floats, chosen: Iterable[int]) -> Ints:
    """Those of the chosen columns that do not follow from the ones before."""
    basis, kept = np.empty((len(columns), 0)), []
    for place in chosen:
        column = columns[:, place]
        size = float(np.linalg.norm(column))
        for _ in range(2):  # once is not enough where little is left
            column = column - basis @ (basis.T @ column)
        left = float(np.linalg.norm(column))
        if left > SPAN * size:
            kept.append(int(place))
            basis = np.column_stack([basis, column / left])
    return np.array(kept, dtype=np.int64)


def fitted(x: Floats, y: Floats) -> Floats:
    """Least-squares coefficients of columns that have mean 0."""
    return np.asarray(np.linalg.lstsq(x, y, rcond=None)[0])


def sums(data: Nested, code: Ints, groups: int) -> Floats:
    """The moments of each group of rows, flat: counts by set, columns by set, products."""
    member = np.eye(data.sets)[data.place]
    first = [summed(data.columns * m[:, None], code, groups) for m in member.T]
    # products are the same either way round: half of them will do
    second = [
        summed(data.columns[:, i:] * c[:, None], code, groups) for i, c in enumerate(data.columns.T)
    ]
    return np.hstack([summed(member, code, groups), *first, *second])


def moments(flat: Floats, sets: int) -> Moments:
    """Flat sums, one row per sample, by name."""
    size, rest = len(flat), flat[:, sets:]
    width = round(((2 * sets + 1) ** 2 / 4 + 2 * rest.shape[1]) ** 0.5 - sets - 0.5)
    second, (i, j) = np.empty((size, width, width)), np.triu_indices(width)
    second[:, i, j] = second[:, j, i] = rest[:, sets * width :]
    first = rest[:, : sets * width].reshape(size, sets, width)
    return Moments(flat[:, :sets], first, second)


def slopes(centred: Floats, model: Ints) -> Floats:
    """Least-squares coefficients of the model's columns, one row per sample."""
    inner, cross = centred[:, model[:, None], model], centred[:, model, -1]
    found = np.linalg.pinv(inner, rcond=1e-10, hermitian=True) @ cross[..., None]
    return np.asarray(found[..., 0])


def unexplained(centred: Floats, model: Ints) -> Floats:
    """The sum of squared residuals, one per sample."""
    told = (slopes(centred, model) * centred[:, model, -1]).sum(axis=1)
    return np.asarray(np.maximum(centred[:, -1, -1] - told, 0))


def adjusted_r2_draws(data: Nested, drawn: Floats) -> dict[Model, Floats]:
    """Adjusted R² of the three models in the same resamples, given the sums drawn in each."""
    sample = moments(drawn, data.sets)
    return {model: sample.adjusted_r2(columns) for model, columns in data.models.items()}


def resampled(parts: Sequence[Floats], draws: Draws) -> list[Floats]:
    """Sums of each table of clusters in the same resamples of whole clusters, a row per draw."""
    clusters, width = len(parts[0]), max(part.shape[1] for part in parts)
    whole = np.hstack(parts)
    drawn = np.empty((draws.n, whole.shape[1]))
    for rows, weights in blocks(clusters, draws, width=width):
        drawn[rows] = weights @ whole
    ends = np.cumsum([part.shape[1] for part in parts])[:-1]
    return np.split(drawn, ends, axis=1)
