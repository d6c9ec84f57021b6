"""Inter-rater agreement: alpha, kappas, ICCs and correlations with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Ints
from simpatico.stats.bootstrap import SUM_DRAWS, SumStatistic, bootstrap_sums
from simpatico.stats.result import Result, Row, no_result
from simpatico.validation.raters.alpha import MeasurementLevel, alpha_statistic, fleiss_statistic
from simpatico.validation.raters.icc import IccModel, icc_statistic
from simpatico.validation.raters.kappa import Weights, cohen_statistic, pearson_statistic
from simpatico.validation.raters.ratings import RatingMatrix, RatingViews


@dataclass(frozen=True)
class AgreementRow(Row):
    """One statistic of agreement as the command line and the page show it."""


def agreement_rows(ratings: RatingMatrix, quality: str, *, seed: int = 0) -> list[AgreementRow]:
    """Every statistic of agreement on a quality; `n` counts the units each could use."""
    return bootstrap_rows(all_statistics(ratings.views), ratings, quality, seed=seed)


def bootstrap_rows(
    statistics: Sequence[SumStatistic], ratings: RatingMatrix, quality: str, *, seed: int
) -> list[AgreementRow]:
    """The statistics with intervals over resamples of dialogs, whose units are not independent."""
    results = bootstrap_sums(statistics, ratings.dialogs, seed=seed)
    how = f"95% bootstrap over dialogs, {SUM_DRAWS:,} draws"
    if ratings.anonymous:
        how += "; judges told apart by position only"
    return [
        agreement_row(quality, statistic.name, r.with_method(f"{r.method}; {how}"))
        for statistic, r in zip(statistics, results, strict=True)
    ]


def agreement_row(quality: str, score: str, result: Result) -> AgreementRow:
    """A result under the names of its quality and statistic."""
    return AgreementRow(quality=quality, score=score, p_adjusted=None, **result.as_json())


def find_statistic(
    rows: Sequence[AgreementRow], quality: str, level: str | None, score: str
) -> AgreementRow | None:
    """One statistic of those who rated a quality; for systems it is that of their dialogs."""
    key = (quality, "turn" if level == "turn" else "dialog", score)
    return next((r for r in rows if (r.quality, r.level, r.score) == key), None)


def all_statistics(views: RatingViews) -> list[SumStatistic]:
    """The statistics, in the order in which they are shown."""
    levels: Sequence[MeasurementLevel] = ("nominal", "ordinal", "interval")
    weights: Sequence[Weights] = ("linear", "quadratic")
    models: Sequence[IccModel] = ("1", "2", "3")
    return [
        *(alpha_statistic(views, level) for level in levels),
        fleiss_statistic(views),
        *(cohen_statistic(views, weight) for weight in weights),
        # The models of Shrout and Fleiss: of one rating, then of the mean over judges.
        *(icc_statistic(views, model, mean=mean) for mean in (False, True) for model in models),
        pearson_statistic(views),
    ]


def krippendorff_alpha(
    matrix: npt.ArrayLike,
    level: MeasurementLevel = "ordinal",
    *,
    clusters: Ints | None = None,
    seed: int = 0,
) -> Result:
    """Krippendorff's alpha of units × judges; `clusters`: units that are resampled together."""
    return with_interval(alpha_statistic(RatingViews(matrix), level), clusters, seed=seed)


def cohen_kappa(
    matrix: npt.ArrayLike,
    weights: Weights = "quadratic",
    *,
    clusters: Ints | None = None,
    seed: int = 0,
) -> Result:
    """Weighted kappa of units × judges; the mean over pairs where there are more than two."""
    return with_interval(cohen_statistic(RatingViews(matrix), weights), clusters, seed=seed)


def with_interval(
    statistic: SumStatistic, clusters: Ints | None = None, *, seed: int = 0
) -> Result:
    """One statistic with its interval; without clusters, units are resampled."""
    if statistic.status != "ok":
        return no_result(statistic.status, n=statistic.n, method=statistic.method)
    codes = np.arange(statistic.summands.shape[0]) if clusters is None else clusters
    return bootstrap_sums([statistic], codes, seed=seed)[0]
