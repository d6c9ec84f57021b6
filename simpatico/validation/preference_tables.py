"""Preferences as tables of text, the same on the command line and on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from simpatico.stats.result import Result
from simpatico.validation.preferences import PreferenceEvidence
from simpatico.wording import (
    format_correlation,
    format_correlation_interval,
    format_interval,
    format_number,
    format_p,
)

TITLES = {
    "krippendorff_alpha_ordinal": "Krippendorff's α (ordinal)",
    "pairwise_agreement": "pairwise agreement",
}
HOW_TO_READ = (
    "Strength: log-odds of being preferred to a system of mean strength; win rate: share of "
    "comparisons won, ties half. Accuracy: share of choices in which the preferred one has the "
    "higher score (lower where marked), equal scores half, ties of judges left out; vs. length: "
    "accuracy less that of reply length. 95% CI over prompts."
)


class TextTable(NamedTuple):
    """A table of formatted cells; its first `keys` columns name a row."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    keys: int = 2


def preference_tables(
    evidence: PreferenceEvidence, titles: Mapping[str, str] | None = None
) -> list[TextTable]:
    """Agreement first, since it bounds how accurate a score can be; `titles`: names of scores."""
    agreement: list[tuple[str, ...]] = [
        (r.quality, TITLES[r.score], *share_cells(r), f"{r.n:,}") for r in evidence.agreement
    ]
    strengths: list[tuple[str, ...]] = [
        (
            *(r.quality, r.system, r.reason or format_number(r.value)),
            *(format_interval(r.low, r.high), *share_cells(r.win_rate), f"{r.n:,}"),
        )
        for r in evidence.strengths
    ]
    accuracy: list[tuple[str, ...]] = [
        (
            *(r.quality, (titles or {}).get(r.score, r.score) + " (lower)" * (r.better == "lower")),
            *(*share_cells(r), format_p(r.p_adjusted).removeprefix("= ")),
            *(format_correlation(r.over_length.value if r.over_length else None), f"{r.n:,}"),
        )
        for r in evidence.accuracy
    ]
    heads = {
        "Inter-rater agreement": ("statistic", "value", "95% CI", "pairs"),
        "Bradley-Terry strengths": ("system", "strength", "95% CI", "win rate", "95% CI", "n"),
        "Accuracy of predicting the preferred one": (
            *("score", "accuracy", "95% CI", "p", "vs. length", "n"),
        ),
    }
    tables = zip(heads.items(), (agreement, strengths, accuracy), strict=True)
    return [TextTable(title, ("quality", *head), rows) for (title, head), rows in tables if rows]


def share_cells(result: Result) -> tuple[str, str]:
    """A share or alpha, and its interval."""
    return format_correlation(result.value), format_correlation_interval(result.low, result.high)
