"""Incremental validity of each psychological score over each traditional one, as rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from simpatico.comparison.samples import as_floats
from simpatico.progress import track_each
from simpatico.stats.correction import Correction, correct_p_values
from simpatico.stats.regression import NestedModels, prepare_nested
from simpatico.stats.result import Row
from simpatico.turns import Level
from simpatico.validation.correlations import CorrelationSettings, row_clusters
from simpatico.validation.incremental import Incremental, IncrementalSettings, compare_all
from simpatico.validation.matching import match_units

ALL = "all"
DENSE = 0.8
"""Share of rated units that a score must have: with less, its models are about other units."""
ROOM = 20_000_000
"""Numbers that the models of a batch may take; models of a batch share their resamples."""


Group = Literal["P", "L"]
"""What is added to traditional scores: psychological ones, or those of learned models."""
ScoreGroup = tuple[str, tuple[str, ...]]
"""One score, or all of a kind, under one name."""


WAYS: tuple[Correction, ...] = ("holm", "bh", "bonferroni")


class CorrectedPValues(NamedTuple):
    """The p-values of one family, corrected in three ways; null where there is no p."""

    bonferroni: list[float | None]
    bh: list[float | None]
    holm: list[float | None]
    family: int


@dataclass(frozen=True, kw_only=True)
class IncrementalRow(Row):
    """The gain in adjusted R² of T and P over T alone, each one score or all of its kind.

    `score`: T; `added_name`: P, a psychological score or "all"; `added`: the scores of P; `group`:
    "L" where these are scores of learned metrics, which have seen ratings, instead.
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
    p_bonferroni: float | None
    p_bh: float | None
    p_holm: float | None
    p_paper_bonferroni: float | None
    p_paper_bh: float | None
    p_paper_holm: float | None
    family: int
    group: Group = "P"


@dataclass(frozen=True)
class SparseScore:
    """A score that few rated units have: models with it would be fitted to these units only.

    Left out, unless it was asked for by name.
    """

    score: str
    level: Level
    n: int
    of: int
    left_out: bool

    @property
    def sentence(self) -> str:
        """What became of the units that lack it."""
        units = f"{self.n:,} of {self.of:,} rated {self.level}s"
        if self.left_out:
            return (
                f"{self.score} is left out of T, P and P+T, as only {units} have it; name it with "
                "--scores to fit the models to these"
            )
        return f"T, P and P+T with {self.score} are fitted to the {units} that have it"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def find_sparse_scores(
    scores: pl.DataFrame, gold: pl.DataFrame, level: Level, asked: Collection[str] = ()
) -> list[SparseScore]:
    """Scores that less than `DENSE` as many rated units have as have the most frequent score.

    Example: of 300 rated turns 300 have `length` and 135 `emotional_consistency`: 135 < .8 x 300.
    """
    units = match_units(scores, gold, level)
    counts = {name: units.frame[name].fill_nan(None).count() for name in units.scores}
    most = max(counts.values(), default=0)
    return [
        SparseScore(name, level, n, most, name not in asked)
        for name, n in counts.items()
        if 0 < n < DENSE * most
    ]


def incremental_rows(
    scores: pl.DataFrame,
    gold: pl.DataFrame,
    *,
    traditional: Sequence[str],
    psychological: Sequence[str],
    how: CorrelationSettings | None = None,
    group: Group = "P",
) -> list[IncrementalRow]:
    """Each traditional score and all of them, with and without each psychological one and all.

    `scores`: a table of turns or dialogs (`ScoreTable.at`); `gold`: `Judgements.gold()`; joined by
    unit key. Nothing where either kind has no score; a score without any value is left out.
    """
    how = how or CorrelationSettings()
    units = match_units(scores, gold, how.level)
    units.check_scores([*traditional, *psychological])
    groups: list[list[ScoreGroup]] = []
    for names in (traditional, psychological):
        # A score without any value, such as one that needs references, must not empty the models
        # of all scores.
        own = [name for name in names if scores[name].count()]
        single: list[ScoreGroup] = [(name, (name,)) for name in own]
        groups.append([*single, (ALL, tuple(own))] if len(own) > 1 else single)
    t_groups, p_groups = groups
    models = list(product(units.qualities, t_groups, p_groups))
    cases = (
        prepare_comparison(units.of_quality(quality), t_scores, p_scores, how)
        for quality, (_, t_scores), (_, p_scores) in track_each("incremental validity", models)
    )
    gains = [gain for batch in batch_by_size(cases) for gain in compare_all(batch)]
    rows: list[IncrementalRow] = []
    for quality in units.qualities:
        family = [
            (t, p, gain)
            for (own_quality, (t, _), p), gain in zip(models, gains, strict=True)
            if own_quality == quality
        ]
        rows += family_rows(quality, family, how.correction, unmatched=units.unmatched[quality])
    return [replace(row, group=group) for row in rows]


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
    ratings, one_set = as_floats(frame["value"]), np.zeros(frame.height, dtype=np.int64)
    return prepare_nested((t, p), ratings, clusters=codes, sets=one_set), settings


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


def correct_every_way(p_values: Sequence[float | None]) -> CorrectedPValues:
    """One family by Bonferroni (the paper's Tables 1 and 2), Benjamini-Hochberg (7 to 18), Holm."""
    ways = {how: correct_p_values(p_values, how)[0] for how in WAYS}
    return CorrectedPValues(**ways, family=correct_p_values(p_values)[1])


def family_rows(
    quality: str,
    comparisons: Sequence[tuple[str, ScoreGroup, Incremental]],
    how: Correction,
    *,
    unmatched: int,
) -> list[IncrementalRow]:
    """The comparisons of T with P on one quality, with our p and the paper's corrected over all."""
    own = correct_every_way([fit.gain.p_value for *_, fit in comparisons])
    paper = correct_every_way([fit.paper.p_value for *_, fit in comparisons])
    return [
        IncrementalRow(
            quality=quality,
            score=score,
            p_adjusted=getattr(own, how)[i],
            nulls=fit.nulls,
            unmatched=unmatched,
            clusters=fit.clusters,
            added=p_scores,
            added_name=p_name,
            adj_r2_t=fit.t.value,
            adj_r2_p=fit.p.value,
            adj_r2_pt=fit.pt.value,
            p_paper=fit.paper.p_value,
            p_clustered=fit.clustered.p_value,
            cv_gain=fit.held_out.value,
            cv_low=fit.held_out.low,
            cv_high=fit.held_out.high,
            verdict=fit.verdict,
            family=own.family,
            **{f"p_{way}": getattr(own, way)[i] for way in WAYS},
            **{f"p_paper_{way}": getattr(paper, way)[i] for way in WAYS},
            **asdict(fit.gain),
        )
        for i, (score, (p_name, p_scores), fit) in enumerate(comparisons)
    ]
