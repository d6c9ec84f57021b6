"""System-level validation over systems × inputs: does a score rank systems as raters do?

Pairwise accuracy is the share of pairs of systems that a score's means order as the raters' means
do (Kocmi et al., WMT 2021); soft pairwise accuracy also credits how surely each pair is ordered
(Thompson et al., WMT 2024). What is redrawn decides what a result generalises to. The claim here is
about new systems, so intervals resample systems and inputs (BOOT-BOTH) and the test between two
scores swaps whole systems (PERM-SYSTEMS) (Deutsch, Dror & Roth, TACL 2021); docs/statistics.md
shows how often these schemes hold what they promise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

import polars as pl

from simpatico.arrays import Floats
from simpatico.comparison.samples import as_floats
from simpatico.stats.correction import correct_p_values
from simpatico.stats.result import Result, Row, no_result
from simpatico.stats.systems.pairwise_accuracy import pairwise_accuracy, soft_pairwise_accuracy
from simpatico.stats.systems.resampling import ResamplingPlan, compare_metrics, matrix_interval
from simpatico.turns import Level
from simpatico.validation.correlations import CorrelationSettings
from simpatico.validation.matching import match_units, mean_by_system

Statistic = Literal[
    "pairwise_accuracy", "soft_pairwise_accuracy", "correlation", "correlation_difference"
]

MIN_SYSTEMS = 3
"""Two systems are one pair, whose order is right or wrong by a coin toss."""
MIN_INPUTS = 2
"""One input says nothing of others, so that there is nothing to resample."""

REASONS = {
    "too_few": f"fewer than {MIN_SYSTEMS} systems have both scores and ratings",
    "degenerate": "the means of scores or ratings do not vary",
}


@dataclass(frozen=True, kw_only=True)
class SystemRow(Row):
    """One statistic of a score over systems and inputs.

    `against`: the other score of a `correlation_difference`, else null; `systems` and `inputs`:
    how many the statistic rests on (the means of a `pairwise_accuracy` need no shared inputs, then
    `inputs` is null); `reason`: why there is no value.
    """

    statistic: Statistic
    against: str | None = None
    systems: int
    inputs: int | None
    reason: str | None = None


@dataclass(frozen=True)
class SystemMatrices:
    """Scores and ratings as matrices of systems × shared inputs, NaN for a missing cell."""

    ratings: Floats
    scores: dict[str, Floats]

    @property
    def lack(self) -> str | None:
        """Why nothing can be resampled, if so."""
        if self.ratings.shape[1] < MIN_INPUTS:
            return "the systems share no inputs (prompts)"
        return REASONS["too_few"] if len(self.ratings) < MIN_SYSTEMS else None


def system_rows(
    scores: pl.DataFrame,
    gold: pl.DataFrame,
    pairs: Sequence[tuple[str, str]],
    *,
    prompts: pl.DataFrame,
    how: CorrelationSettings,
) -> list[SystemRow]:
    """Every score, and every pair of scores, on each quality; p corrected over a quality's pairs.

    `scores`: a table of turns or dialogs; `prompts`: dialog, system, prompt. Inputs are prompts
    that at least two systems replied to.
    """
    level: Level = "turn" if "turn" in scores.columns else "dialog"
    units = match_units(scores, gold, level)
    means = mean_by_system(units.frame, units.scores)
    rows: list[SystemRow] = []
    for quality in units.qualities:
        matrices = input_matrices(units.of_quality(quality), units.scores, prompts)
        systems = means.filter(pl.col("quality") == quality)
        for score in units.scores:
            # The same means that are correlated, as matrices of one input.
            x, z = (as_floats(systems[name])[:, None] for name in (score, "value"))
            accuracy = pairwise_accuracy(x, z, seed=how.seed)
            rows.append(make_row(quality, score, accuracy, statistic="pairwise_accuracy"))
            rows += matrix_rows(quality, score, matrices, how)
        contests = [metric_difference_row(quality, pair, matrices, how) for pair in pairs]
        p_adjusted, _ = correct_p_values([row.p_value for row in contests], how.correction)
        rows += [replace(r, p_adjusted=p) for r, p in zip(contests, p_adjusted, strict=True)]
    return rows


def input_matrices(
    frame: pl.DataFrame, scores: Sequence[str], prompts: pl.DataFrame
) -> SystemMatrices:
    """Cell means of the rated units: turns within dialogs, dialogs within system and prompt."""
    columns = [*scores, "value"]
    means = pl.col(columns).fill_nan(None).mean()
    cells = (
        frame.filter(pl.col("system").is_not_null())
        .group_by("system", "dialog", maintain_order=True)
        .agg(means)
        .join(prompts, on=["dialog", "system"], how="inner", maintain_order="left")
        .filter(pl.col("prompt").is_not_null(), pl.col("value").is_not_null())
        .group_by("system", "prompt", maintain_order=True)
        .agg(means)
        .filter(pl.len().over("prompt") > 1)
        .sort("prompt", "system")
    )
    inputs = cells["prompt"].unique().sort().to_list()
    matrices = {}
    for column in columns:
        wide = cells.pivot("prompt", index="system", values=column).sort("system")
        matrices[column] = wide.select(pl.col(inputs).cast(pl.Float64)).fill_null(float("nan"))
    ratings = matrices.pop("value").to_numpy()
    return SystemMatrices(ratings, {name: frame.to_numpy() for name, frame in matrices.items()})


def matrix_rows(
    quality: str, score: str, matrices: SystemMatrices, how: CorrelationSettings
) -> list[SystemRow]:
    """Soft pairwise accuracy, and the correlation with an interval for new systems and inputs."""
    soft = correlation = no_result("too_few", n=len(matrices.ratings), method="")
    if not matrices.lack:
        x, z = matrices.scores[score], matrices.ratings
        soft = soft_pairwise_accuracy(x, z, seed=how.seed)
        plan = ResamplingPlan(coefficient=how.kind, over="both", seed=how.seed)
        correlation = matrix_interval(x, z, plan)
    return [
        make_row(quality, score, soft, statistic="soft_pairwise_accuracy", matrices=matrices),
        make_row(quality, score, correlation, statistic="correlation", matrices=matrices),
    ]


def metric_difference_row(
    quality: str, pair: tuple[str, str], matrices: SystemMatrices, how: CorrelationSettings
) -> SystemRow:
    """How much more one score correlates with the ratings: BOOT-BOTH interval, PERM-SYSTEMS p."""
    score, against = pair
    result = no_result("too_few", n=len(matrices.ratings), method="")
    if not matrices.lack:
        x, y, z = matrices.scores[score], matrices.scores[against], matrices.ratings
        plan = ResamplingPlan(coefficient=how.kind, over="both", seed=how.seed)
        result = matrix_interval(x, z, plan, minus=y)
        test = compare_metrics(x, y, z, replace(plan, over="systems"))
        method = f"{result.method}; p: {test.method}"
        result = replace(result, p_value=test.p_value, method=method)
    row = make_row(quality, score, result, statistic="correlation_difference", matrices=matrices)
    return replace(row, against=against)


def make_row(
    quality: str,
    score: str,
    result: Result,
    *,
    statistic: Statistic,
    matrices: SystemMatrices | None = None,
) -> SystemRow:
    """A result under the names of what it is about, with a reason if it has no value."""
    reason = matrices.lack if matrices else None
    if result.value is None:
        reason = reason or REASONS.get(result.status, result.status)
    return SystemRow(
        quality=quality,
        score=score,
        p_adjusted=None,
        level="system",
        statistic=statistic,
        systems=result.n,
        inputs=matrices.ratings.shape[1] if matrices else None,
        reason=reason,
        **asdict(result),
    )
