"""Systems against each other: difference, interval, p, and how often one comes out higher.

The interval is Student's t of the pair differences, or Welch's. The p is a permutation test up to
100 units, where the shape of the scores matters, and the same t beyond, where both agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

import numpy as np

from simpatico.comparison.samples import Choice, Sample, Unit, UnitLevel, compared, samples, sides
from simpatico.comparison.testing import draws_for, method_of, testable, tested
from simpatico.metric import Better, wording
from simpatico.run import Run
from simpatico.stats.correction import Correction, correct
from simpatico.stats.means import LARGEST, Spread, mean, mean_difference, moments
from simpatico.stats.power import Design, detectable_with
from simpatico.stats.result import Result, Status, nothing, result
from simpatico.stats.superiority import at_random, in_pairs

Finding = Literal["higher", "lower", "hint", "unclear", "same", "too_few"]


@dataclass(frozen=True)
class Settings:
    """How differences are judged."""

    correction: Correction = "holm"
    confidence: float = 0.95
    seed: int = 0


@dataclass(frozen=True)
class Difference:
    """System `a` minus system `b` on one score, in the score's unit.

    `n_a` and `n_b` count prompts or dialogs, as `unit` says. `wide_low` and `wide_high` hold for
    all comparisons of the family at once (Bonferroni). `detectable` is the true difference that
    such a study finds 80 times in 100, null where it can find none. `title`, `more`, `less` and
    `score_unit` are the score's words, `kind` is its metric's; `sd` is the spread of the units
    within a system, null where they do not vary.
    """

    metric: str
    score: str
    level: UnitLevel
    a: str
    b: str
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_adjusted: float | None
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

    @property
    def finding(self) -> Finding:
        """Only the corrected p makes a finding; an uncorrected one is a hint."""
        alpha = 1 - self.confidence
        if self.status == "too_few":
            return "too_few"
        if self.difference is None or self.p_value is None:
            return "same"
        if not self.difference:  # exactly none, whatever the p
            return "unclear"
        if self.p_adjusted is not None and self.p_adjusted <= alpha:
            return "higher" if self.difference > 0 else "lower"
        beyond = self.low is not None and self.high is not None and not self.low <= 0 <= self.high
        return "hint" if beyond or self.p_value <= alpha else "unclear"


class Differences(list[Difference]):
    """What a comparison found, pair by pair in the order of the systems."""

    def _repr_html_(self) -> str:
        from simpatico.comparison.chart import notebook

        return notebook(self)


def compare(
    runs: Sequence[Run], choice: Choice | None = None, settings: Settings | None = None
) -> Differences:
    """Every pair of systems on every chosen score, with p corrected over all of them."""
    choice = choice or Choice()
    pairs = compared(sides(runs, choice), with_human=choice.with_human)
    return differences(samples(pairs), settings or Settings(), level=choice.level)


def differences(
    found: Sequence[Sample], settings: Settings, *, level: UnitLevel = "dialog"
) -> Differences:
    """The samples judged as one family."""
    spreads = [mean_difference(s) if s.enough else None for s in found]
    p_values = tested(found, spreads, settings.seed)
    adjusted, family = correct(p_values, settings.correction)
    judged = Differences()
    for sample, spread, p, corrected in zip(found, spreads, p_values, adjusted, strict=True):
        told = described(sample, estimate(sample, spread, p, settings), settings)
        whole = replace(told, p_adjusted=corrected, family=family, level=level)
        if told.difference is not None and spread is not None:
            whole = widened(weighed(whole, sample), spread)
        judged.append(replace(whole, method=method_of(sample, draws_for(family))))
    return judged


def estimate(
    sample: Sample, spread: Spread | None, p_value: float | None, settings: Settings
) -> Result:
    """The difference with its interval, or why there is none."""
    n = len(sample.first) if sample.paired else len(sample.first) + len(sample.second)
    if not sample.enough:
        return nothing("too_few", n=n, method="")
    if spread is None or not testable(spread):
        return nothing("degenerate", n=n, method="")
    reach = spread.reach(settings.confidence)
    interval = (spread.value - reach, spread.value + reach) if reach > 0 else None
    return result(spread.value, n=n, method="", interval=interval, p_value=p_value)


def described(sample: Sample, told: Result, settings: Settings) -> Difference:
    """The result with the names of what was compared."""
    words = wording(sample.measure.score, vars(sample.measure))
    return Difference(
        metric=sample.measure.metric,
        score=sample.measure.score,
        level="dialog",
        a=sample.a,
        b=sample.b,
        difference=told.value,
        low=told.low,
        high=told.high,
        p_value=told.p_value,
        p_adjusted=None,
        n_a=len(sample.first),
        n_b=len(sample.second),
        status=told.status,
        method=told.method,
        unit=sample.unit,
        paired=sample.paired,
        better=sample.measure.better,
        mean_a=mean(sample.first),
        mean_b=mean(sample.second),
        correction=settings.correction,
        confidence=settings.confidence,
        family=0,
        title=words["title"],
        more=words["more"],
        less=words["less"],
        score_unit=words["unit"],
        kind=sample.measure.kind,
        sd=pooled_sd(sample),
    )


def pooled_sd(sample: Sample) -> float | None:
    """Root of the mean of both systems' variances."""
    size = float(np.abs(np.concatenate([sample.first, sample.second])).max(initial=0.0))
    if min(len(sample.first), len(sample.second)) < 2 or not size < LARGEST:
        return None
    variances = [moments(values, size)[1] for values in (sample.first, sample.second)]
    return sqrt(sum(variances) / 2) or None


def weighed(told: Difference, sample: Sample) -> Difference:
    """With how often `a` is higher: within pairs, or in one value of each at random."""
    chance = in_pairs if sample.paired else at_random
    often = chance(sample.first, sample.second, told.confidence)
    shares = [None if v is None else 100 * v for v in (often.value, often.low, often.high)]
    return replace(told, times_in_100=shares[0], times_low=shares[1], times_high=shares[2])


def widened(told: Difference, spread: Spread) -> Difference:
    """With the interval that holds for the whole family, and what could have been detected."""
    if told.low is None:
        return told
    design = Design(paired=told.paired, family=told.family, alpha=1 - told.confidence)
    reach = spread.reach(1 - design.level)
    size = detectable_with(spread.error, spread.freedom, min(told.n_a, told.n_b), design=design)
    low, high = spread.value - reach, spread.value + reach
    return replace(told, wide_low=low, wide_high=high, detectable=size)
