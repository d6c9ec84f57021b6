"""Mean ratings of systems: prediction-powered, or a yes/no judge corrected for its errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import polars as pl

from simpatico.arrays import Bools
from simpatico.comparison.estimates.dialogs import (
    BLEND,
    DialogTable,
    Proxy,
    find_proxy,
    stack_systems,
    with_weights,
)
from simpatico.comparison.estimates.rows import QualityEstimates, estimate_rows
from simpatico.comparison.samples import PERCENT, ComparedSystem, as_floats
from simpatico.errors import DataError
from simpatico.stats.correction import Correction
from simpatico.stats.prediction_powered import (
    MIN_RATED,
    OutsideRange,
    RatedUnits,
    outside_rated_range,
    prediction_powered,
)
from simpatico.stats.result import Result, make_result, no_result
from simpatico.stats.rogan_gladen import JudgeCounts, difference_of_shares, rogan_gladen
from simpatico.wording import format_count, format_number, join_with_and

EstimateMethod = Literal["ppi", "rogan-gladen"]
METHODS: tuple[EstimateMethod, ...] = get_args(EstimateMethod)


@dataclass(frozen=True)
class EstimateSettings:
    """How ratings are estimated, from which proxy, and how intervals and p are computed."""

    method: EstimateMethod = "ppi"
    proxy: str = BLEND
    confidence: float = 0.95
    correction: Correction = "holm"
    seed: int = 0


def estimate_ratings(
    systems: Sequence[ComparedSystem],
    settings: EstimateSettings,
    sample: pl.DataFrame | None = None,
) -> list[QualityEstimates]:
    """For each rated quality, the mean ratings of the systems; `sample`: dialog, system, weight."""
    table = stack_systems(systems)
    if not table.qualities:
        raise DataError(
            "people rated no dialog of these systems, so there is nothing to estimate from; give "
            "ratings of dialogs of this run (--judgements)"
        )
    if settings.method == "rogan-gladen":
        if sample is not None:
            raise DataError("--correct rogan-gladen takes no weights (--sample); use --correct ppi")
        return [estimate_shares(table, name, settings) for name in table.qualities]
    results = []
    for name in table.qualities:
        proxy = find_proxy(table, settings.proxy, name, settings.seed)
        units, notes = table.units(name, proxy), list(proxy.notes)
        if sample is not None:
            units, more = with_weights(table, units, sample)
            notes += more
        results.append(estimate_means(table, units, (name, proxy.name), notes, settings))
    return results


def estimate_means(
    table: DialogTable,
    units: RatedUnits,
    names: tuple[str, str],
    notes: list[str],
    settings: EstimateSettings,
) -> QualityEstimates:
    """Prediction-powered means of one quality; `names`: its column, and the proxy's name."""
    info, proxy = table.qualities[names[0]], names[1]
    powered = prediction_powered(units, positive=settings.proxy == BLEND)
    alone = prediction_powered(units, slope=0.0)
    few = [s for s, n in zip(table.systems, powered.clusters, strict=True) if n < MIN_RATED]
    if few:
        notes = [
            *notes,
            f"Fewer than {MIN_RATED} rated dialogs: {join_with_and(few)}; no estimate.",
        ]
    far = np.zeros(units.groups, dtype=bool)
    if powered.slope:
        for g, outside in enumerate(outside_rated_range(units)):
            if outside is not None and outside.is_unlikely:
                notes = [*notes, range_sentence(table.systems[g], proxy, outside)]
                far[g] = outside.is_far

    def estimate(groups: Sequence[int]) -> Result:
        result = powered.estimate(groups, settings.confidence)
        if far[list(groups)].any():
            return no_result("degenerate", n=result.n, method="beyond the rated range: no estimate")
        return result

    def people(groups: Sequence[int]) -> Result:
        return alone.estimate(groups, settings.confidence)

    rows = estimate_rows(table, units, (estimate, people), settings.correction)
    worth = None if far.any() else powered.worth
    n = int(units.rated.sum())
    return QualityEstimates(info.title, info.unit, proxy, n, worth, *rows, notes)


def range_sentence(system: str, proxy: str, outside: OutsideRange) -> str:
    """How far the unrated dialogs of a system leave the rated range, and what follows from it."""
    low, high = (format_number(x, 3) for x in (outside.low, outside.high))
    sentence = (
        f"{system}: {100 * outside.share:.3g}% of the unrated dialogs are beyond the range of "
        f"{proxy} that was rated, {low} to {high}; of a random sample it would be about "
        f"{100 * outside.expected:.2g}%"
    )
    if not outside.is_far:
        return f"{sentence}. The rated dialogs may not represent the others."
    return (
        f"{sentence}. The rated dialogs do not represent the others, so there is no estimate; have "
        "dialogs rated that `simpatico sample` draws."
    )


def estimate_shares(table: DialogTable, name: str, settings: EstimateSettings) -> QualityEstimates:
    """Rogan-Gladen shares of yes of one quality, in percent, from a judge that says yes or no."""
    info = table.qualities[name]
    if settings.proxy == BLEND:
        raise DataError(
            "--correct rogan-gladen corrects one judge's yes and no: name it with --proxy"
        )
    proxy = find_proxy(table, settings.proxy, name)
    answers = as_floats(table.frame[settings.proxy])
    says = np.isfinite(answers)
    levels = set(answers[says])
    if info.unit != PERCENT or not (levels <= {0.0, 1.0} or levels <= {0.0, 100.0}):
        who = proxy.name if info.unit == PERCENT else f"people on {info.title!r}"
        raise DataError(
            f"--correct rogan-gladen needs answers of yes or no (1 or 0); {who} gave others, so "
            "use --correct ppi"
        )
    units = table.units(name, proxy)
    tied = units.ratings == 50
    shares, notes = list[Result](), list[str]()
    if tied.any():
        notes = [f"{format_count(int(tied.sum()), 'dialog')} left out: as many said yes as no."]
    for g, system in enumerate(table.systems):
        own = (units.group == g) & says & ~tied
        counts = count_answers(units.ratings[own] > 50, answers[own] > 0, units.rated[own])
        share = rogan_gladen(counts, settings.confidence)
        notes += refusal(system, proxy, counts) if share.value is None else []
        shares.append(share)
    alone = prediction_powered(units, slope=0.0)

    def estimate(groups: Sequence[int]) -> Result:
        own = [shares[g] for g in groups]
        share = own[0] if len(own) == 1 else difference_of_shares(own[0], own[1])
        return in_percent(share)

    def people(groups: Sequence[int]) -> Result:
        return alone.estimate(groups, settings.confidence)

    rows = estimate_rows(table, units, (estimate, people), settings.correction)
    n = int(units.rated.sum())
    return QualityEstimates(info.title, info.unit, proxy.name, n, None, *rows, notes)


def count_answers(people: Bools, judge: Bools, rated: Bools) -> JudgeCounts:
    """The counts that the correction needs, of one system's dialogs."""
    yes, no = rated & people, rated & ~people
    counts = (~rated, ~rated & judge, yes, yes & judge, no, no & ~judge)
    return JudgeCounts(*(int(rows.sum()) for rows in counts))


def refusal(system: str, proxy: Proxy, counts: JudgeCounts) -> list[str]:
    """Why a system's share cannot be estimated."""
    if not counts.usable:
        return [
            f"{system}: {counts.people_yes:,} rated dialogs with yes, {counts.people_no:,} with no "
            f"and {counts.unrated:,} unrated ones; rogan-gladen needs some of each."
        ]
    _, tpr, tnr = counts.rates
    return [
        f"{system}: {proxy.name} says yes to {100 * tpr:.0f}% of what people say yes to and no to "
        f"{100 * tnr:.0f}% of what they say no to; these add up to {100 * (tpr + tnr):.0f}%, and a "
        "coin's to 100%, so there is no estimate."
    ]


def in_percent(share: Result) -> Result:
    """A share as a percentage, the unit of people's yes and no."""
    if share.value is None or share.low is None or share.high is None:
        return share
    interval = (100 * share.low, 100 * share.high)
    return make_result(100 * share.value, n=share.n, method=share.method, interval=interval)
