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
            rows.append(make_row(quality, score, accuracy, "pairwise_accuracy"))
            rows.append(matrix_row("soft_pairwise_accuracy", quality, (score, None), matrices, how))
            rows.append(matrix_row("correlation", quality, (score, None), matrices, how))
        contests = [
            matrix_row("correlation_difference", quality, pair, matrices, how) for pair in pairs
        ]
        p_adjusted, _ = correct_p_values([row.p_value for row in contests], how.correction)
        rows += [replace(r, p_adjusted=p) for r, p in zip(contests, p_adjusted, strict=True)]
    return rows


def input_matrices(
    frame: pl.DataFrame, scores: Sequence[str], prompts: pl.DataFrame
) -> dict[str, Floats]:
    """Each score, and the ratings as `value`: systems × shared inputs, NaN for a missing cell.

    Cells are means of the rated units: turns within dialogs, dialogs within system and prompt.
    """
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
        floats = wide.select(pl.col(inputs).cast(pl.Float64)).fill_null(float("nan"))
        matrices[column] = floats.to_numpy()
    return matrices


def matrix_row(
    statistic: Statistic,
    quality: str,
    scores: tuple[str, str | None],
    matrices: dict[str, Floats],
    how: CorrelationSettings,
) -> SystemRow:
    """One statistic over systems × inputs, of a score or of the difference between two.

    Intervals hold for new systems and inputs (BOOT-BOTH), the p of a difference for new systems
    (PERM-SYSTEMS).
    """
    score, against = scores
    x, z = matrices[score], matrices["value"]
    systems, inputs = z.shape
    plan, reason = ResamplingPlan(coefficient=how.kind, over="both", seed=how.seed), None
    if inputs < MIN_INPUTS or systems < MIN_SYSTEMS:
        result = no_result("too_few", n=systems, method="")
        reason = "the systems share no inputs (prompts)" if inputs < MIN_INPUTS else None
    elif statistic == "soft_pairwise_accuracy":
        result = soft_pairwise_accuracy(x, z, seed=how.seed)
    elif against is None:
        result = matrix_interval(x, z, plan)
    else:
        result = matrix_interval(x, z, plan, minus=matrices[against])
        test = compare_metrics(x, matrices[against], z, replace(plan, over="systems"))
        method = f"{result.method}; p: {test.method}"
        result = replace(result, p_value=test.p_value, method=method)
    row = make_row(quality, score, result, statistic)
    return replace(row, inputs=inputs, against=against, reason=reason or row.reason)


def make_row(quality: str, score: str, result: Result, statistic: Statistic) -> SystemRow:
    """A result under the names of what it is about, with a reason if it has no value."""
    return SystemRow(
        quality=quality,
        score=score,
        p_adjusted=None,
        level="system",
        statistic=statistic,
        systems=result.n,
        inputs=None,
        reason=REASONS.get(result.status, result.status) if result.value is None else None,
        **asdict(result),
    )
