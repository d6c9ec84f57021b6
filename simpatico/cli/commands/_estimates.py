"""Mean ratings estimated with a proxy, as `simpatico compare --correct` prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simpatico.cli.output import (
    heading,
    note,
    p_cell,
    result,
    show_json,
    show_table,
    value_with_interval,
)
from simpatico.comparison.estimates.dialogs import BLEND
from simpatico.comparison.estimates.ratings import EstimateSettings, estimate_ratings
from simpatico.comparison.estimates.rows import QualityEstimates, RatingEstimate
from simpatico.comparison.estimates.sampling import read_sample
from simpatico.comparison.samples import Selection
from simpatico.judgements import Judgements
from simpatico.run import Run
from simpatico.validation.judge_scores import load_judged_systems, split_judges
from simpatico.wording import capitalize, format_count, interval_digits

MAX_PAIRS = 15
"""Pairs of systems beyond which only those are printed that differ."""


def show_estimates(
    run: Run,
    judgements: tuple[Judgements, Judgements | None],
    choice: Selection,
    options: dict[str, Any],
) -> None:
    """Each quality: what the proxy bought, the systems' mean ratings, and their differences.

    `judgements`: of people, and of judges where these have a file of their own.
    """
    people, models = split_judges(*judgements)
    settings = EstimateSettings(
        options["correct"],
        options["proxy"] or BLEND,
        options["confidence"],
        options["correction"],
        options["seed"],
    )
    sample = read_sample(options["sample"]) if options["sample"] else None
    systems = load_judged_systems(run, people, models, choice)
    estimates = estimate_ratings(systems, settings, sample)
    if options["as_json"]:
        show_json([own.as_json() for own in estimates])
        return
    percent = f"{100 * settings.confidence:.4g}%"
    for own in estimates:
        show_quality(own, percent, settings.confidence)
    note(
        "Estimates are in the raters' unit and generalise to further dialogs of these systems; "
        "“ratings alone” uses no proxy."
    )


def show_quality(own: QualityEstimates, percent: str, confidence: float) -> None:
    """The verdict, then the tables of one quality."""
    heading(capitalize(own.verdict))
    for text in own.notes:
        result(text)
    unit = f", {own.unit}" if own.unit else ""
    columns = [f"estimate [{percent} CI]", f"ratings alone [{percent} CI]", "rated", "unrated"]
    rows = [[row.a, *estimate_cells(row)] for row in own.means]
    show_table(f"Mean rating{unit}", ["system", *columns], rows)
    shown = own.differences
    if len(shown) > MAX_PAIRS:
        shown = [row for row in shown if is_difference(row, confidence)]
    rows = [
        [f"{row.a} − {row.b}", *estimate_cells(row)[:2], p_cell(row.p_adjusted)] for row in shown
    ]
    if rows:
        show_table(f"Differences{unit}", ["systems", *columns[:2], "p"], rows)
    if rest := len(own.differences) - len(shown):
        result(f"{format_count(rest, 'other pair')}: no significant difference, or no estimate.")
        result("")


def is_difference(row: RatingEstimate, confidence: float) -> bool:
    """Whether a corrected p, or an interval where there is no p, excludes 0."""
    if row.p_adjusted is not None:
        return row.p_adjusted <= 1 - confidence
    return row.low is not None and row.high is not None and not row.low <= 0 <= row.high


def estimate_cells(row: RatingEstimate) -> Sequence[str]:
    """The estimate, that of the ratings alone, and the numbers of dialogs."""
    digits = interval_digits(row.low, row.high)
    estimate = value_with_interval(row.value, row.low, row.high, digits)
    people = value_with_interval(row.people_value, row.people_low, row.people_high, digits)
    return [estimate, people, format_count(row.rated), format_count(row.unrated)]
