"""The correlation of every score with every rated quality, as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
import polars as pl

from simpatico.comparison.samples import as_floats
from simpatico.progress import track_each
from simpatico.stats.correction import Correction, correct_p_values
from simpatico.stats.correlation import Kind, correlation
from simpatico.stats.correlation_bootstrap import bootstrap_correlations
from simpatico.stats.partial_correlation import partial_correlations
from simpatico.stats.result import Result, Row
from simpatico.turns import Level
from simpatico.validation.matching import match_units
from simpatico.validation.run_scores import LENGTH, WORDS

Clusters = Literal["dialog", "system"]


@dataclass(frozen=True, kw_only=True)
class CorrelationRow(Row):
    """One score's correlation with one quality.

    `nulls`: rated units that have no score or no rating; `unmatched`: rated units that are not
    among the scored ones at all; `family`: tests that `p_adjusted` accounts for, tests without a p
    not counted; `length_held_constant`: the partial correlation with words per turn held constant,
    null for `length` itself and where lengths are not known.
    """

    nulls: int
    unmatched: int
    family: int
    length_held_constant: Result | None = None


@dataclass(frozen=True)
class CorrelationSettings:
    """Which correlation, over what units, and how its uncertainty is found.

    `clusters`: rows of one dialog (or system) are resampled together; where every row is a cluster
    of its own, or with null, rows are independent and the interval is Fisher's.
    """

    level: Level = "turn"
    kind: Kind = "pearson"
    clusters: Clusters | None = "dialog"
    correction: Correction = "holm"
    seed: int = 0


def correlation_rows(
    scores: pl.DataFrame,
    gold: pl.DataFrame,
    how: CorrelationSettings | None = None,
    *,
    lengths: pl.DataFrame | None = None,
) -> list[CorrelationRow]:
    """Each score with each quality, joined by unit key; p corrected over a quality's scores.

    `scores`: a table of turns or dialogs (`ScoreTable.at`); `gold`: `Judgements.gold()`; `lengths`:
    the column `WORDS` of the same units (`read_lengths`).
    """
    how = how or CorrelationSettings()
    if lengths is not None:
        key = [c for c in lengths.columns if c != WORDS]
        scores = scores.join(lengths, on=key, how="left", maintain_order="left")
    units = match_units(scores, gold, how.level)
    names = [s for s in units.scores if s != WORDS]
    rows: list[CorrelationRow] = []
    for quality in track_each("correlations", units.qualities):
        frame = units.of_quality(quality)
        ratings, columns = as_floats(frame["value"]), [as_floats(frame[s]) for s in names]
        clusters = row_clusters(frame, how)
        partial: dict[str, Result] = {}
        if lengths is not None and (others := [s for s in names if s != LENGTH]):
            partial = partial_by_score(frame, others, clusters, how)
        if clusters is None or not columns:
            results = [correlation(x, ratings, kind=how.kind) for x in columns]
        else:
            matrix, codes = np.column_stack(columns), clusters.to_numpy()
            results = bootstrap_correlations(matrix, ratings, codes, kind=how.kind, seed=how.seed)
        p_adjusted, family = correct_p_values([r.p_value for r in results], how.correction)
        rows += [
            CorrelationRow(
                quality=quality,
                score=score,
                p_adjusted=p,
                nulls=frame.height - result.n,
                unmatched=units.unmatched[quality],
                family=family,
                length_held_constant=partial.get(score),
                **asdict(result),
            )
            for score, result, p in zip(names, results, p_adjusted, strict=True)
        ]
    return rows


def partial_by_score(
    frame: pl.DataFrame, names: Sequence[str], clusters: pl.Series | None, how: CorrelationSettings
) -> dict[str, Result]:
    """The correlation of each score with the ratings, words per turn held constant."""
    results = partial_correlations(
        np.column_stack([as_floats(frame[name]) for name in names]),
        as_floats(frame["value"]),
        as_floats(frame[WORDS]),
        None if clusters is None else clusters.to_numpy(),
        kind=how.kind,
        seed=how.seed,
    )
    return dict(zip(names, results, strict=True))


def row_clusters(frame: pl.DataFrame, how: CorrelationSettings) -> pl.Series | None:
    """A number for each row's cluster; null where rows are independent."""
    if how.level == "system" or how.clusters is None:
        return None
    clusters = frame[how.clusters]
    if clusters.n_unique() == len(clusters):
        return None
    return clusters.rank("dense").fill_null(0).cast(pl.Int64)
