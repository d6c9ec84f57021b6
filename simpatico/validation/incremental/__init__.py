"""What psychological scores add to traditional ones: the models T, P and P+T, and their tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats
from simpatico.errors import DataError
from simpatico.stats.bootstrap import DEFINED, FEWEST_CLUSTERS
from simpatico.stats.cluster_draws import Draws
from simpatico.stats.draws import percentile_interval
from simpatico.stats.nested import (
    MODELS,
    Model,
    Nested,
    adjusted_r2_draws,
    moments,
    nested,
    resampled,
    sums,
)
from simpatico.stats.result import Result, Status, nothing, result
from simpatico.validation.incremental.tests import (
    Tested,
    added_test,
    clustered_test,
    cross_validated,
    errors_of,
    paired_test,
    with_statistic,
)
from simpatico.validation.incremental.verdict import sentence

Labels = npt.NDArray[Any]

RESAMPLES = 2_000
ERRORS = 3
"""Columns of errors on rows held out: of no model, T and P+T."""
NAMES: dict[Model, str] = {"t": "T", "p": "P", "pt": "P+T"}


@dataclass(frozen=True)
class Settings:
    """How the models are compared.

    `sets`: the data set of each row, whose means are taken out (fixed effects); `folds` of the
    cross-validation; `unit`: what a cluster is, for the sentence.
    """

    sets: Labels | None = field(default=None, compare=False)
    seed: int = 0
    folds: int = 10
    unit: str = "dialog"

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise DataError(f"{self.folds} folds leave nothing to fit to; at least 2 are needed")


@dataclass(frozen=True)
class Incremental:
    """Adjusted R² of T, P and P+T over the same rows, the gain of P+T over T, and its tests.

    `paper`: the paired t-test of absolute residuals over rows; `clustered`: the same difference
    with errors clustered; `added`: a cluster-robust score test of the added coefficients, whose p
    the gain has; `held_out`: the gain in R² on clusters the models were not fitted to, the
    difference of `held_out_pt` and `held_out_t`. `nulls`: rows left out for want of a score or a
    judgement.
    """

    t: Result
    p: Result
    pt: Result
    gain: Result
    paper: Tested
    clustered: Tested
    added: Tested
    held_out: Result
    held_out_t: Result
    held_out_pt: Result
    n: int
    nulls: int
    clusters: int
    unit: str

    @property
    def verdict(self) -> str:
        """The paper's test and the honest ones in a sentence."""
        return sentence(self)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "verdict": self.verdict}


def incremental(
    traditional: Floats,
    psychological: Floats,
    judgements: Floats,
    *,
    clusters: Labels,
    how: Settings | None = None,
) -> Incremental:
    """Compare least-squares models of the judgements on T, on P and on both, standardised.

    One row per judged unit and one column per score; rows with a null anywhere are left out of all
    models. Rows of one cluster (a dialog, prompt or system) are resampled together.
    """
    data = prepared((traditional, psychological), judgements, clusters, how or Settings())
    return told_together([(data, how or Settings())])[0]


def prepared(
    given: tuple[Floats, Floats], judgements: Floats, clusters: Labels, how: Settings
) -> Nested:
    """The complete rows of T and P, made ready for the three models."""
    y, groups = np.asarray(judgements, dtype=np.float64), np.asarray(clusters)
    scores = matrix(given[0]), matrix(given[1])
    sets = np.zeros(len(y), dtype=np.int64) if how.sets is None else np.asarray(how.sets)
    if len({len(a) for a in (*scores, y, groups, sets)}) > 1:
        raise DataError(
            f"{len(scores[0])} rows of traditional scores, {len(scores[1])} of psychological "
            f"ones, {len(y)} judgements, {len(groups)} clusters and {len(sets)} data sets do not "
            "belong together; each needs one row per judged unit"
        )
    return nested(scores, y, clusters=groups, sets=sets)


def told_together(cases: Sequence[tuple[Nested, Settings]]) -> list[Incremental]:
    """Each comparison; those of as many clusters and one seed are over the same resamples."""
    told = {
        place: without(data, lack, how)
        for place, (data, how) in enumerate(cases)
        if (lack := lacking(data))
    }
    alike: dict[tuple[int, int], list[int]] = {}
    for place, (data, how) in enumerate(cases):
        if place not in told:
            alike.setdefault((data.clusters, how.seed), []).append(place)
    for (_, seed), places in alike.items():
        parts = [summands(*cases[place]) for place in places]
        drawn = resampled(parts, Draws(RESAMPLES, seed))
        for place, own, sample in zip(places, parts, drawn, strict=True):
            told[place] = compared(*cases[place], own, sample)
    return [told[place] for place in range(len(cases))]


def summands(data: Nested, how: Settings) -> Floats:
    """All that a resample adds up, a row per cluster: moments, then errors on rows held out."""
    none = np.zeros((data.clusters, ERRORS))
    tested = data.added and data.clusters >= FEWEST_CLUSTERS
    errors = errors_of(data, how.folds, how.seed) if tested else none
    return np.hstack([sums(data, data.code, data.clusters), errors])


def matrix(scores: npt.ArrayLike) -> Floats:
    """One column per score, also where there is one score."""
    given = np.asarray(scores, dtype=np.float64)
    return given[:, None] if given.ndim == 1 else given


def lacking(data: Nested) -> Status | None:
    """Why the three models cannot be fitted, if they cannot."""
    if data.n < data.columns.shape[1] + data.sets + 1:
        return "too_few"
    varied = data.columns[:, -1].any() and len(data.models["t"]) and len(data.models["p"])
    return None if varied else "degenerate"


def without(data: Nested, lack: Status, how: Settings) -> Incremental:
    """No figures, and why."""
    none = nothing(lack, n=data.n, method="least squares")
    return Incremental(
        t=none,
        p=none,
        pt=none,
        gain=none,
        paper=with_statistic(none),
        clustered=with_statistic(none),
        added=with_statistic(none),
        held_out=none,
        held_out_t=none,
        held_out_pt=none,
        n=data.n,
        nulls=data.nulls,
        clusters=data.clusters,
        unit=how.unit,
    )


def compared(data: Nested, how: Settings, parts: Floats, drawn: Floats) -> Incremental:
    """The models and their tests; without a test where P adds nothing that T has not.

    `parts`: the `summands`; `drawn`: their sums in each resample.
    """
    t, p, pt, gain = fits(data, drawn[:, :-ERRORS])
    models = replace(without(data, "degenerate", how), t=t, p=p, pt=pt)
    if not data.added:
        return models
    added = added_test(data)
    cross = cross_validated(data, how.folds, parts[:, -ERRORS:], drawn[:, -ERRORS:])
    return replace(
        models,
        gain=replace(gain, p_value=added.p_value, method=f"{gain.method}; p: {added.method}"),
        paper=paired_test(data),
        clustered=clustered_test(data),
        added=added,
        held_out=cross["gain"],
        held_out_t=cross["t"],
        held_out_pt=cross["pt"],
    )


def fits(data: Nested, moments_drawn: Floats) -> list[Result]:
    """Adjusted R² of T, P and P+T, and the gain, with intervals over the same resamples."""
    whole = moments(sums(data, np.zeros(data.n, dtype=np.int64), 1), data.sets)
    found = {m: float(whole.adjusted_r2(data.models[m])[0]) for m in MODELS}
    drawn = adjusted_r2_draws(data, moments_drawn)
    told = [fit(found[m], drawn[m], data, NAMES[m]) for m in MODELS]
    return [*told, fit(found["pt"] - found["t"], drawn["pt"] - drawn["t"], data, "P+T less T")]


def fit(value: float, drawn: Floats, data: Nested, name: str) -> Result:
    """An adjusted R² and the middle 95% of its draws less their bias, of ten clusters or more.

    Every resample fits chance anew, so its R² is too high by mean(draws) - value (Efron &
    Tibshirani 1993, section 10.2). Left in, the interval of a gain of nothing lies above 0 in 68 of
    100 samples of 100 clusters x 10 rows (intraclass correlation .5, five added scores); without
    it, in 3.
    """
    method = f"adjusted R² of {name}, bootstrap of {data.clusters:,} clusters less its bias"
    if data.sets > 1:
        method += f", within {data.sets} data sets"
    if data.dropped:
        method += f", without {data.dropped} scores that are constant or follow from others"
    usable = drawn[np.isfinite(drawn)]
    if data.clusters < FEWEST_CLUSTERS or len(usable) < DEFINED * len(drawn):
        return result(value, n=data.n, method=f"{method}: too few for an interval")
    bias = float(usable.mean()) - value
    low, high = percentile_interval(usable - bias)
    return result(value, n=data.n, method=method, interval=(low, high))
