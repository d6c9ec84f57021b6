"""How far judges agree, by the statistics that people ask for, each with a bootstrap interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Ints
from simpatico.judgements import JudgeKind, Judgements
from simpatico.stats.bootstrap_sums import DRAWS, Sums, resampled
from simpatico.stats.result import Result, Row, nothing
from simpatico.validation.raters.alpha import Measure, alpha, fleiss
from simpatico.validation.raters.icc import Model, icc
from simpatico.validation.raters.kappa import Weights, cohen, pearson
from simpatico.validation.raters.ratings import Rated, Ratings, ratings

By = Literal["dialog", "unit"]
"""What is drawn anew for an interval; units of one dialog are not independent."""

Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
FORMS: dict[Form, tuple[Model, bool]] = {
    "1,1": ("1", False),
    "2,1": ("2", False),
    "3,1": ("3", False),
    "1,k": ("1", True),
    "2,k": ("2", True),
    "3,k": ("3", True),
}
"""The model of Shrout and Fleiss, and whether the mean over judges is meant."""


@dataclass(frozen=True)
class AgreementRow(Row):
    """One statistic of agreement as the command line and the page show it."""


def agreement(
    judgements: Judgements,
    quality: str,
    *,
    judge_kind: JudgeKind | None = None,
    by: By = "dialog",
    seed: int = 0,
) -> list[AgreementRow]:
    """Every statistic of agreement on a quality; `n` counts the units each could use."""
    found = ratings(judgements, quality, judge_kind=judge_kind)
    statistics = every(Rated(found.matrix))
    results = resampled(statistics, drawn(found, by), seed=seed)
    return [
        row(quality, s.name, r.named(f"{r.method}; {about(found, by)}"))
        for s, r in zip(statistics, results, strict=True)
    ]


def statistic(
    rows: Sequence[AgreementRow], quality: str, level: str | None, score: str
) -> AgreementRow | None:
    """One statistic of those who judged a quality; of systems it is that of their dialogs."""
    same = (quality, "turn" if level == "turn" else "dialog", score)
    return next((r for r in rows if (r.quality, r.level, r.score) == same), None)


def row(quality: str, score: str, found: Result) -> AgreementRow:
    return AgreementRow(quality=quality, score=score, p_adjusted=None, **found.as_json())


def drawn(found: Ratings, by: By) -> Ints:
    """The cluster of each unit."""
    return found.dialogs if by == "dialog" else np.arange(len(found.matrix))


def about(found: Ratings, by: By, draws: int = DRAWS) -> str:
    """How the interval was made, and whether columns are people."""
    text = f"95% bootstrap over {by}s, {draws:,} draws"
    return f"{text}; judges told apart by position only" if found.anonymous else text


def every(rated: Rated) -> list[Sums]:
    """The statistics, in the order in which they are shown."""
    measures: Sequence[Measure] = ("nominal", "ordinal", "interval")
    weights: Sequence[Weights] = ("linear", "quadratic")
    return [
        *(alpha(rated, measure) for measure in measures),
        fleiss(rated),
        *(cohen(rated, weight) for weight in weights),
        *(icc(rated, model, mean=mean) for model, mean in FORMS.values()),
        pearson(rated),
    ]


def krippendorff_alpha(
    matrix: npt.ArrayLike,
    measure: Measure = "ordinal",
    *,
    clusters: Ints | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Result:
    """Krippendorff's alpha of units × judges; `clusters` are units that are drawn together."""
    return single(alpha(Rated(matrix), measure), clusters, draws=draws, seed=seed)


def fleiss_kappa(
    matrix: npt.ArrayLike,
    *,
    clusters: Ints | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Result:
    """Fleiss' kappa of units × judges, who may differ in number from unit to unit."""
    return single(fleiss(Rated(matrix)), clusters, draws=draws, seed=seed)


def cohen_kappa(
    matrix: npt.ArrayLike,
    weights: Weights = "quadratic",
    *,
    clusters: Ints | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Result:
    """Weighted kappa of units × judges; the mean over pairs where there are more than two."""
    return single(cohen(Rated(matrix), weights), clusters, draws=draws, seed=seed)


def intraclass_correlation(
    matrix: npt.ArrayLike,
    form: Form = "2,1",
    *,
    clusters: Ints | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Result:
    """ICC of units × judges, in one of Shrout and Fleiss' six forms."""
    rated, (model, mean) = Rated(matrix), FORMS[form]
    return single(icc(rated, model, mean=mean), clusters, draws=draws, seed=seed)


def pairwise_pearson(
    matrix: npt.ArrayLike,
    *,
    clusters: Ints | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Result:
    """The mean correlation of two judges of units × judges."""
    return single(pearson(Rated(matrix)), clusters, draws=draws, seed=seed)


def single(statistic: Sums, clusters: Ints | None, *, draws: int, seed: int) -> Result:
    """One statistic with its interval."""
    if statistic.status != "ok":
        return nothing(statistic.status, n=statistic.n, method=statistic.method)
    own = np.arange(statistic.parts.shape[0]) if clusters is None else clusters
    return resampled([statistic], own, draws=draws, seed=seed)[0]
