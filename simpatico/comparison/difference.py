"""Pairwise comparison of systems: mean difference, interval, p and probability of superiority.

The interval is Student's t over the pair differences, or Welch's t. The p comes from a permutation
test up to 100 units, where the distribution of the scores matters, and from the same t beyond,
where the two agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from math import comb, isfinite, sqrt
from typing import Any, Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.comparison import samples
from simpatico.comparison.samples import (
    PEOPLE,
    ComparedSystem,
    ScoreInfo,
    Selection,
    TwoSamples,
    Unit,
    UnitLevel,
)
from simpatico.evidence import Grade, grade_of
from simpatico.frames import Tabular
from simpatico.metric import Better, score_wording
from simpatico.run import Run
from simpatico.stats import means
from simpatico.stats.correction import Correction, correct_p_values
from simpatico.stats.draws import DRAWS
from simpatico.stats.means import MeanDifference
from simpatico.stats.permutation import relabel_p, sign_flip_p
from simpatico.stats.power import Design, detectable_at_error
from simpatico.stats.result import Status
from simpatico.stats.superiority import superiority_at_random, superiority_in_pairs

Finding = Literal["higher", "lower", "hint", "unclear", "same", "too_few"]
Standing = Literal["people", "follows these raters"] | Grade
"""Whether a score follows people: it is people's ratings, follows those who rated this very run, or
those of public data sets."""

MAX_PERMUTED = 100
"""Units up to which labels or signs are permuted: with few, the distribution of the scores matters.

Beyond, t and permutation agree, and t needs no draws."""
MAX_DRAWS = 99_999
"""Cap on the draws, so that large families do not take minutes."""


@dataclass(frozen=True)
class ComparisonSettings:
    """Correction over the family of tests, confidence level, and seed of the permutations."""

    correction: Correction = "holm"
    confidence: float = 0.95
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Difference:
    """System `a` minus system `b` on one score, in the score's unit.

    `n_a` and `n_b` count prompts or dialogs, as `unit` says. `wide_low` and `wide_high` hold for
    all comparisons of the family at once (Bonferroni). `detectable` is the smallest true difference
    that a study of this size detects with 80% power, null where it can detect none. `title`,
    `more`, `less` and `score_unit` are the score's words, `kind` is its metric's; `sd` is the
    standard deviation of the units within a system, null where they do not vary. `times_in_100` is
    the probability of superiority of `a`, in percent; `evidence` says whether the score follows
    people. Field names and their order are the JSON.
    """

    metric: str
    score: str
    level: UnitLevel
    a: str
    b: str
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    n_a: int
    n_b: int
    status: Status
    method: str
    unit: Unit
    paired: bool
    better: Better
    mean_a: float | None
    mean_b: float | None
    correction: Correction
    confidence: float
    family: int
    title: str
    more: str
    less: str
    score_unit: str = ""
    kind: str = ""
    sd: float | None = None
    times_in_100: float | None = None
    times_low: float | None = None
    times_high: float | None = None
    wide_low: float | None = None
    wide_high: float | None = None
    detectable: float | None = None
    evidence: Standing = "descriptive"

    @property
    def finding(self) -> Finding:
        """A significant corrected p makes a finding, an uncorrected one is only suggestive."""
        alpha = 1 - self.confidence
        if self.status == "too_few":
            return "too_few"
        if self.difference is None or self.p_value is None:
            return "same"
        if not self.difference:  # exactly none, whatever the p
            return "unclear"
        if self.p_adjusted is not None and self.p_adjusted <= alpha:
            return "higher" if self.difference > 0 else "lower"
        # The t interval and a permutation p need not agree on which side of the level they are.
        excludes_0 = (
            self.low is not None and self.high is not None and not self.low <= 0 <= self.high
        )
        return "hint" if excludes_0 or self.p_value <= alpha else "unclear"


class Differences(list[Difference], Tabular):
    """The differences of a comparison: people's ratings first, then pair by pair, by name."""

    def to_frame(self) -> pl.DataFrame:
        """A row per pair of systems and score."""
        rows = [{**asdict(d), "finding": d.finding} for d in self]
        return pl.DataFrame(rows, infer_schema_length=None)

    def _repr_html_(self) -> str:
        from simpatico.comparison.chart import differences_notebook

        return differences_notebook(self)


def compare(
    runs: Sequence[Run], choice: Selection | None = None, settings: ComparisonSettings | None = None
) -> Differences:
    """Every pair of systems on every selected score, with p corrected over all of them."""
    choice = choice or Selection()
    return compare_systems(samples.load_compared(runs, choice), choice, settings)


def compare_systems(
    systems: Sequence[ComparedSystem], choice: Selection, settings: ComparisonSettings | None = None
) -> Differences:
    """Every pair of these systems: people's ratings, if there are any, before all other scores.

    Ratings are the outcome of a study, and scores stand in for them: each is a family of its own,
    so that the p of the ratings does not depend on how many metrics were computed.
    """
    settings = settings or ComparisonSettings()
    pairs = samples.build_samples(samples.pair_systems(systems, with_human=choice.with_human))
    families = (
        [s for s in pairs if (s.measure.kind == PEOPLE) is ratings] for ratings in (True, False)
    )
    own = (compare_samples(family, settings, level=choice.level) for family in families)
    return Differences(chain.from_iterable(own))


def compare_samples(
    pairs: Sequence[TwoSamples], settings: ComparisonSettings, *, level: UnitLevel = "dialog"
) -> Differences:
    """The difference of each pair of samples; all of them are one family of tests."""
    estimates = [
        means.mean_difference(s.first, s.second, paired=s.paired) if s.large_enough else None
        for s in pairs
    ]
    p_values = compute_p_values(pairs, estimates, settings.seed)
    p_adjusted, family = correct_p_values(p_values, settings.correction)
    rows = Differences()
    for sample, estimate, p, own_p in zip(pairs, estimates, p_values, p_adjusted, strict=True):
        row = describe_samples(sample, settings, level=level, family=family)
        row = replace(row, p_value=p, p_adjusted=own_p)
        rows.append(row if estimate is None else with_estimate(row, sample, estimate))
    return rows


def compute_p_values(
    pairs: Sequence[TwoSamples], estimates: Sequence[MeanDifference | None], seed: int
) -> list[float | None]:
    """A p for each pair of samples that can be tested; those of one shape share their draws.

    One matrix of signs (or labels) then serves all scores of a pair of systems.
    """
    p_values: list[float | None] = [None] * len(pairs)
    by_shape: dict[tuple[bool, int, int], list[int]] = {}
    for i, (sample, estimate) in enumerate(zip(pairs, estimates, strict=True)):
        if estimate is None:
            continue
        if estimate.n > MAX_PERMUTED:
            p_values[i] = estimate.p_value
        else:
            first, second = values_by_name(sample)
            shape = sample.paired, len(first), len(second)
            by_shape.setdefault(shape, []).append(i)
    draws = draws_for_family(sum(estimate is not None for estimate in estimates))
    for (paired, n_first, _), indices in by_shape.items():
        group = [pairs[i] for i in indices]
        if paired:
            gaps = np.column_stack([s.first - s.second for s in group])
            group_p = sign_flip_p(gaps, draws=draws, seed=seed)
        else:
            values = np.column_stack([np.concatenate(values_by_name(s)) for s in group])
            group_p = relabel_p(values, n_first, draws=draws, seed=seed)
        for i, p in zip(indices, group_p, strict=True):
            p_values[i] = float(p)
    return p_values


def values_by_name(sample: TwoSamples) -> tuple[Floats, Floats]:
    """Both samples, the first by name first: a p does not depend on which system is given first."""
    both = sample.first, sample.second
    return both if sample.a <= sample.b else both[::-1]


def draws_for_family(family: int) -> int:
    """Enough draws that the smallest p, times the family, is far below any level in use.

    1 / (1 + draws) times the family is at most .01 up to MAX_DRAWS.
    """
    return int(np.clip(100 * family - 1, DRAWS, MAX_DRAWS))


def describe_method(sample: TwoSamples, draws: int) -> str:
    """Which interval and which test, for the field `method`."""
    n, m = len(sample.first), len(sample.second)
    interval = "paired t interval" if sample.paired else "Welch interval"
    if (n if sample.paired else n + m) > MAX_PERMUTED:
        return f"{interval}; p by {'paired' if sample.paired else 'Welch'} t"
    # A pattern of signs and its opposite give the same |mean|, hence n - 1.
    patterns = 2 ** max(n - 1, 0) if sample.paired else comb(n + m, n)
    count = "all" if patterns <= draws + 1 else f"{draws:,}"
    test = "sign flips" if sample.paired else "relabellings of Welch t"
    return f"{interval}; p by {count} {test}"


def describe_samples(
    sample: TwoSamples, settings: ComparisonSettings, *, level: UnitLevel, family: int
) -> Difference:
    """What is compared, without a difference: the row of samples that cannot be tested."""
    measure = sample.measure
    words: dict[str, Any] = score_wording(measure.score, vars(measure))
    return Difference(
        metric=measure.metric,
        score=measure.score,
        level=level,
        a=sample.a,
        b=sample.b,
        n_a=len(sample.first),
        n_b=len(sample.second),
        status="degenerate" if sample.large_enough else "too_few",
        method=describe_method(sample, draws_for_family(family)),
        unit=sample.unit,
        paired=sample.paired,
        better=measure.better,
        mean_a=means.finite_mean(sample.first),
        mean_b=means.finite_mean(sample.second),
        correction=settings.correction,
        confidence=settings.confidence,
        family=family,
        score_unit=words.pop("unit"),
        **words,
        kind=measure.kind,
        sd=sd_within_systems(sample),
        evidence=standing_of(measure),
    )


def standing_of(measure: ScoreInfo) -> Standing:
    """Whether a score follows people, as far as its card and public data sets say."""
    if measure.kind == PEOPLE:
        return PEOPLE
    if measure.validity in ("weak", "unproven"):
        return measure.validity
    return grade_of(measure.score, measure.better)


def with_estimate(row: Difference, sample: TwoSamples, estimate: MeanDifference) -> Difference:
    """The row with its difference, intervals, superiority and detectable difference."""
    superiority = superiority_in_pairs if sample.paired else superiority_at_random
    probability = superiority(sample.first, sample.second, row.confidence)
    times, times_low, times_high = (
        None if share is None else 100 * share for share in probability.value_and_interval
    )
    row = replace(row, status="ok", difference=estimate.value)
    row = replace(row, times_in_100=times, times_low=times_low, times_high=times_high)
    half = estimate.half_width(row.confidence)
    low, high = estimate.value - half, estimate.value + half
    # An interval can vanish by rounding even where the standard error is above 0.
    if not (isfinite(low) and isfinite(high) and low < high):
        return row
    # Holm has no intervals that hold for all comparisons at once; Bonferroni has, and its level is
    # the one that the smallest p of Holm must reach, so that power is computed at the same.
    design = Design(paired=row.paired, family=row.family, alpha=1 - row.confidence)
    wide_half = estimate.half_width(1 - design.level)
    return replace(
        row,
        low=low,
        high=high,
        wide_low=estimate.value - wide_half,
        wide_high=estimate.value + wide_half,
        detectable=detectable_at_error(
            estimate.standard_error, estimate.df, min(row.n_a, row.n_b), design=design
        ),
    )


def sd_within_systems(sample: TwoSamples) -> float | None:
    """Root of the mean of both systems' variances; null where nothing varies.

    Both count the same, however many units each has, so that an effect size does not depend on
    which system was sampled more. It is also the SD of paired samples, whose differences vary
    less: effect sizes of paired and unpaired comparisons are then on one scale.
    """
    size = float(np.abs(np.concatenate([sample.first, sample.second])).max(initial=0.0))
    if min(len(sample.first), len(sample.second)) < 2 or not size < means.MAX_SQUARABLE:
        return None
    variances = (means.mean_and_variance(x, size)[1] for x in (sample.first, sample.second))
    return sqrt(sum(variances) / 2) or None
