"""What psychological scores add to each traditional one, as rows for people, scripts and pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import UnknownName
from simpatico.stats.correction import CORRECTIONS, Correction, correct
from simpatico.stats.nested import Nested
from simpatico.stats.result import Row
from simpatico.validation.correlations import How, clusters_of, numbers
from simpatico.validation.incremental import Incremental, Settings, prepared, told_together
from simpatico.validation.matching import matched

ALL = "all"
ROOM = 20_000_000
"""Numbers that models held at once may take; those held together share their resamples."""


class Named(NamedTuple):
    """One score, or all of a kind, under one name."""

    name: str
    scores: tuple[str, ...]


class Corrected(NamedTuple):
    """The p-values of one family, corrected in three ways; null where there is no p."""

    bonferroni: list[float | None]
    bh: list[float | None]
    holm: list[float | None]
    family: int


@dataclass(frozen=True)
class IncrementalRow(Row):
    """The gain in adjusted R² of T and P over T alone, each one score or all of its kind.

    `score`: T; `added_name`: P, a psychological score or "all"; `added`: the scores this means.
    `p_value`: the cluster-robust test of the added coefficients; `p_paper`: the paired t-test of
    absolute residuals over rows; `p_clustered`: the same with errors clustered; `cv_gain`: the gain
    out of sample. Corrected over the `family`: all rows of a quality, those of single P and of all.
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
    how: How | None = None,
) -> list[IncrementalRow]:
    """Each traditional score and all of them, with and without each psychological one and all.

    `scores`: a table of turns or dialogs (`ScoreTable.at`); `gold`: `Judgements.gold()`; joined by
    unit key. Nothing where either kind has no score; a score without any value is left out.
    """
    how = how or How()
    both = matched(scores, gold, how.level)
    if unknown := sorted({*traditional, *psychological} - set(both.scores)):
        raise UnknownName(f"no score {unknown[0]!r}; there are {', '.join(both.scores)}")
    # a score that nothing has, such as one that needs references, must not empty the joint models
    known = {name for name in (*traditional, *psychological) if scores[name].count()}
    first, second = ([n for n in names if n in known] for names in (traditional, psychological))
    models = list(product(alone_and_all(first), alone_and_all(second)))
    asked = [(quality, *model) for quality in both.qualities for model in models]
    cases = (case(both.of(quality), t.scores, p.scores, how) for quality, t, p in asked)
    told = [one for batch in batches(cases) for one in told_together(batch)]
    rows = [row(quality, (t, p), one) for (quality, t, p), one in zip(asked, told, strict=True)]
    found: list[IncrementalRow] = []
    for quality in both.qualities:
        own = [replace(r, unmatched=both.unmatched[quality]) for r in rows if r.quality == quality]
        found += with_corrections(own, how.correction)
    return found


def alone_and_all(names: Sequence[str]) -> list[Named]:
    """Each score by itself, then all of them where there are several."""
    alone = [Named(name, (name,)) for name in names]
    return [*alone, Named(ALL, tuple(names))] if len(names) > 1 else alone


def case(
    frame: pl.DataFrame, traditional: Sequence[str], psychological: Sequence[str], how: How
) -> tuple[Nested, Settings]:
    """The models of one quality; rows that stand for themselves are clusters of one."""
    clusters = clusters_of(frame, how)
    settings = Settings(seed=how.seed, unit="row" if clusters is None else how.clusters or "row")
    data = prepared(
        (columns(frame, traditional), columns(frame, psychological)),
        numbers(frame["value"]),
        np.arange(frame.height) if clusters is None else clusters.to_numpy(),
        settings,
    )
    return data, settings


def batches(
    cases: Iterable[tuple[Nested, Settings]], room: int = ROOM
) -> Iterator[list[tuple[Nested, Settings]]]:
    """As many models at a time as there is room for the sums of their clusters."""
    batch: list[tuple[Nested, Settings]] = []
    held = 0
    for data, settings in cases:
        batch.append((data, settings))
        held += data.columns.size + data.clusters * (data.columns.shape[1] + 1) ** 2
        if held > room:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def columns(frame: pl.DataFrame, names: Sequence[str]) -> Floats:
    return np.column_stack([numbers(frame[name]) for name in names])


def row(quality: str, models: tuple[Named, Named], told: Incremental) -> IncrementalRow:
    """The figures under the names of what they are about, not corrected yet."""
    traditional, psychological = models
    return IncrementalRow(
        quality=quality,
        score=traditional.name,
        p_adjusted=None,
        nulls=told.nulls,
        unmatched=0,
        clusters=told.clusters,
        added=psychological.scores,
        added_name=psychological.name,
        adj_r2_t=told.t.value,
        adj_r2_p=told.p.value,
        adj_r2_pt=told.pt.value,
        p_paper=told.paper.p_value,
        p_clustered=told.clustered.p_value,
        cv_gain=told.held_out.value,
        cv_low=told.held_out.low,
        cv_high=told.held_out.high,
        verdict=told.verdict,
        **asdict(told.gain),
    )


def corrected(p_values: Sequence[float | None]) -> Corrected:
    """One family by Bonferroni (the paper's Tables 1 and 2), Benjamini-Hochberg (7 to 18), Holm."""
    ways = {how: correct(p_values, how)[0] for how in CORRECTIONS}
    return Corrected(**ways, family=correct(p_values)[1])


def with_corrections(rows: Sequence[IncrementalRow], how: Correction) -> list[IncrementalRow]:
    """The rows of one family with our p and the paper's corrected in every way."""
    ours, paper = corrected([r.p_value for r in rows]), corrected([r.p_paper for r in rows])
    adjusted, _ = correct([r.p_value for r in rows], how)
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
