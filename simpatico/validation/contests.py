"""Which of two scores correlates more with the ratings: tests of dependent correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.comparison.samples import as_floats
from simpatico.progress import track_each
from simpatico.stats.bootstrap import MIN_CLUSTERS, MIN_DEFINED, bootstrap_p, cluster_codes
from simpatico.stats.correction import correct_p_values
from simpatico.stats.correlation import NAMES, Kind, correlation_coefficient, missing_reason
from simpatico.stats.correlation_bootstrap import correlation_draws
from simpatico.stats.dependent import Overlapping, williams_test
from simpatico.stats.draws import percentile_interval
from simpatico.stats.result import Result, Row, make_result, no_result
from simpatico.validation.correlations import CorrelationSettings, row_clusters
from simpatico.validation.matching import match_units


@dataclass(frozen=True, kw_only=True)
class ContestRow(Row):
    """How much more `score` correlates with a quality than `against` does, on the same units."""

    against: str


def contest_rows(
    scores: pl.DataFrame,
    gold: pl.DataFrame,
    pairs: Sequence[tuple[str, str]],
    *,
    how: CorrelationSettings | None = None,
) -> list[ContestRow]:
    """Each pair of scores on each quality, joined by unit key; p corrected over a quality's pairs.

    Rows in clusters: bootstrap of whole clusters; independent rows: Williams' t, which tau-b lacks.
    """
    how = how or CorrelationSettings()
    units = match_units(scores, gold, how.level)
    units.check_scores(name for pair in pairs for name in pair)
    rows: list[ContestRow] = []
    for quality in track_each("tests between scores", units.qualities):
        frame = units.of_quality(quality)
        clusters, results = row_clusters(frame, how), []
        for pair in pairs:
            a, b, ratings = (as_floats(frame[name]) for name in (*pair, "value"))
            if clusters is None and how.kind != "kendall":
                results.append(compare_dependent(a, b, ratings, kind=how.kind))
                continue
            codes = np.arange(frame.height) if clusters is None else clusters.to_numpy()
            results.append(
                bootstrap_difference((a, b), ratings, codes, kind=how.kind, seed=how.seed)
            )
        p_adjusted, _ = correct_p_values([r.p_value for r in results], how.correction)
        rows += [
            ContestRow(quality=quality, score=a, against=b, p_adjusted=p, **asdict(result))
            for (a, b), result, p in zip(pairs, results, p_adjusted, strict=True)
        ]
    return rows


def compare_dependent(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    target: npt.ArrayLike,
    *,
    kind: Literal["pearson", "spearman"] = "pearson",
) -> Result:
    """How much more a correlates with the target than b, over rows where all three have a value.

    Rows are taken as independent. With Spearman, Williams' test is used on correlations of ranks
    (Myers & Sirois 2006); for tau-b there is none, see `bootstrap_difference`.
    """
    table = np.array([np.asarray(c, dtype=np.float64) for c in (a, b, target)])
    x, y, z = table[:, np.isfinite(table).all(axis=0)]
    if (missing := missing_reason(x, y, z)) is not None:
        return no_result(missing, n=len(z), method=NAMES[kind])
    r_xz, r_yz = correlation_coefficient(z, x, kind), correlation_coefficient(z, y, kind)
    r = Overlapping(r_xz, r_yz, correlation_coefficient(x, y, kind), len(z))
    result = williams_test(r)
    return result.with_method(f"{NAMES[kind]}, {result.method}")


def bootstrap_difference(
    columns: tuple[npt.ArrayLike, npt.ArrayLike],
    target: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    kind: Kind = "pearson",
    seed: int = 0,
) -> Result:
    """The same difference over resamples of whole clusters of rows."""
    table = np.array([np.asarray(c, dtype=np.float64) for c in (*columns, target)])
    complete = np.isfinite(table).all(axis=0)
    x, y, z = table[:, complete]
    code, groups = cluster_codes(np.asarray(clusters)[complete])
    method = f"{NAMES[kind]}, difference, bootstrap of {groups:,} clusters"
    if (missing := missing_reason(x, y, z)) is not None:
        return no_result(missing, n=len(z), method=method)
    value = correlation_coefficient(x, z, kind) - correlation_coefficient(y, z, kind)
    without_interval = make_result(value, n=len(z), method=f"{method}: too few for an interval")
    if groups < MIN_CLUSTERS:
        return without_interval
    draws = correlation_draws(np.column_stack([x, y]), z, code, kind=kind, seed=seed)
    differences = draws[:, 0] - draws[:, 1]
    differences = differences[np.isfinite(differences)]
    # Two scores with the same ranks differ in no resample; such draws are no distribution.
    if len(differences) < MIN_DEFINED * len(draws) or np.ptp(differences) < 1e-12:
        return without_interval
    interval, p_value = percentile_interval(differences), bootstrap_p(differences)
    return make_result(value, n=len(z), method=method, interval=interval, p_value=p_value)
