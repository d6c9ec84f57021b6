"""Incremental validity of each psychological score over each traditional one, as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.comparison.samples import as_floats
from simpatico.errors import UnknownName
from simpatico.stats.correction import CORRECTIONS, Correction, correct_p_values
from simpatico.stats.regression import NestedModels
from simpatico.stats.result import Row
from simpatico.validation.correlations import CorrelationSettings, row_clusters
from simpatico.validation.incremental import (
    Incremental,
    IncrementalSettings,
    compare_all,
    prepare_models,
)
from simpatico.validation.matching import match_units

ALL = "all"
ROOM = 20_000_000
"""Numbers that the models of a batch may take; models of a batch share their resamples."""


class ScoreGroup(NamedTuple):
    """One score, or all of a kind, under one name."""

    name: str
    scores: tuple[str, ...]


class CorrectedPValues(NamedTuple):
    """The p-values of one family, corrected in three ways; null where there is no p."""

    bonferroni: list[float | None]
    bh: list[float | None]
    holm: list[float | None]
    family: int


@dataclass(frozen=True, kw_only=True)
class IncrementalRow(Row):
    """The gain in adjusted R² of T and P over T alone, each one score or all of its kind.

    `score`: T; `added_name`: P, a psychological score or "all"; `added`: the scores of P.
    `p_value`: the cluster-robust test of the added coefficients; `p_paper`: the paired t-test of
    absolute residuals over rows; `p_clustered`: the same with clustered errors; `cv_gain`: the
    cross-validated gain. Corrected over the `family`: all rows of a quality, single and joint.
    """

    nulls: int
    unmatched: int
    clusters: int
    added: tuple[str, ...]
    added_name: str
    adj_r2_t: float | None
    adj_r2_p: float | None
    adj_r2_pt: float | None
    p_paper: float | None
    p_clustered: float | None
    cv_gain: float | None
    cv_low: float | None
    cv_high: float | None
    verdict: str
    p_bonferroni: float | None = None
    p_bh: float | None = None
    p_holm: float | None = None
    p_paper_bonferroni: float | None = None
    p_paper_bh: float | None = None
    p_paper_holm: float | None = None
    family: int = 0


def incremental_rows(
    scores: pl.DataFrame,
    gold: pl.DataFrame,
    *,
    traditional: Sequence[str],
    psychological: Sequence[str],
    how: CorrelationSettings | None = None,
) -> list[IncrementalRow]:
    """Each traditional score and all of them, with and without each psychological one and all.

    `scores`: a table of turns or dialogs (`ScoreTable.at`); `gold`: `Judgements.gold()`; joined by
    unit key. Nothing where either kind has no score; a score without any value is left out.
    """
    how = how or CorrelationSettings()
    matched = match_units(scores, gold, how.level)
    if unknown := sorted({*traditional, *psychological} - set(matched.scores)):
        raise UnknownName(f"no score {unknown[0]!r}; there are {', '.join(matched.scores)}")
    # A score without any value, such as one that needs references, must not empty the joint models.
    t_groups, p_groups = (
        single_and_joint([name for name in names if scores[name].count()])
        for names in (traditional, psychological)
    )
    models = [
        (quality, t, p) for quality in matched.qualities for t, p in product(t_groups, p_groups)
    ]
    cases = (
        prepare_comparison(matched.of_quality(quality), t.scores, p.scores, how)
        for quality, t, p in models
    )
    gains = [gain for batch in batch_by_size(cases) for gain in compare_all(batch)]
    rows: list[IncrementalRow] = []
    for quality in matched.qualities:
        unmatched = matched.unmatched[quality]
        family = [
            incremental_row(quality, (t, p), gain, unmatched=unmatched)
            for (own, t, p), gain in zip(models, gains, strict=True)
            if own == quality
        ]
        rows += correct_rows(family, how.correction)
    return rows


def single_and_joint(names: Sequence[str]) -> list[ScoreGroup]:
    """Each score by itself, then all of them where there are several."""
    single = [ScoreGroup(name, (name,)) for name in names]
    return [*single, ScoreGroup(ALL, tuple(names))] if len(names) > 1 else single


def prepare_comparison(
    frame: pl.DataFrame,
    traditional: Sequence[str],
    psychological: Sequence[str],
    how: CorrelationSettings,
) -> tuple[NestedModels, IncrementalSettings]:
    """The models of one quality; independent rows are clusters of one."""
    clusters = row_clusters(frame, how)
    unit = "row" if clusters is None else how.clusters or "row"
    settings = IncrementalSettings(seed=how.seed, unit=unit)
    t, p = (
        np.column_stack([as_floats(frame[name]) for name in names])
        for names in (traditional, psychological)
    )
    codes = np.arange(frame.height) if clusters is None else clusters.to_numpy()
    return prepare_models((t, p), as_floats(frame["value"]), codes, settings), settings


def batch_by_size(
    cases: Iterable[tuple[NestedModels, IncrementalSettings]], room: int = ROOM
) -> Iterator[list[tuple[NestedModels, IncrementalSettings]]]:
    """As many models at a time as there is room for the sums of their clusters."""
    batch: list[tuple[NestedModels, IncrementalSettings]] = []
    size = 0
    for data, settings in cases:
        batch.append((data, settings))
        size += data.columns.size + data.clusters * (data.columns.shape[1] + 1) ** 2
        if size > room:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def incremental_row(
    quality: str, models: tuple[ScoreGroup, ScoreGroup], gain: Incremental, *, unmatched: int
) -> IncrementalRow:
    """The results under the names of what they are about, not corrected yet."""
    traditional, psychological = models
    return IncrementalRow(
        quality=quality,
        score=traditional.name,
        p_adjusted=None,
        nulls=gain.nulls,
        unmatched=unmatched,
        clusters=gain.clusters,
        added=psychological.scores,
        added_name=psychological.name,
        adj_r2_t=gain.t.value,
        adj_r2_p=gain.p.value,
        adj_r2_pt=gain.pt.value,
        p_paper=gain.paper.p_value,
        p_clustered=gain.clustered.p_value,
        cv_gain=gain.held_out.value,
        cv_low=gain.held_out.low,
        cv_high=gain.held_out.high,
        verdict=gain.verdict,
        **asdict(gain.gain),
    )


def correct_every_way(p_values: Sequence[float | None]) -> CorrectedPValues:
    """One family by Bonferroni (the paper's Tables 1 and 2), Benjamini-Hochberg (7 to 18), Holm."""
    ways = {how: correct_p_values(p_values, how)[0] for how in CORRECTIONS}
    return CorrectedPValues(**ways, family=correct_p_values(p_values)[1])


def correct_rows(rows: Sequence[IncrementalRow], how: Correction) -> list[IncrementalRow]:
    """The rows of one family, with our p and the paper's corrected by every method."""
    ours = correct_every_way([r.p_value for r in rows])
    paper = correct_every_way([r.p_paper for r in rows])
    adjusted, _ = correct_p_values([r.p_value for r in rows], how)
    return [
        replace(
            r,
            p_adjusted=adjusted[i],
            p_bonferroni=ours.bonferroni[i],
            p_bh=ours.bh[i],
            p_holm=ours.holm[i],
            p_paper_bonferroni=paper.bonferroni[i],
            p_paper_bh=paper.bh[i],
            p_paper_holm=paper.holm[i],
            family=ours.family,
        )
        for i, r in enumerate(rows)
    ]
