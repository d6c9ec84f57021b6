"""The part of `simpatico validate` for preferences: strengths of systems, accuracy of scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from simpatico.cli.output import note, p_cell, show_table, value_with_interval
from simpatico.comparison.verdict import CORRECTIONS
from simpatico.wording import (
    NO_VALUE,
    format_correlation,
    format_correlation_interval,
    format_count,
)

if TYPE_CHECKING:
    from simpatico.stats.correction import Correction
    from simpatico.validation.preferences import PreferenceEvidence

RATINGS_ONLY = ("traditional", "against", "correlation", "level", "clusters", "gold")
RATINGS_ONLY += ("with_human", "attention", "standardise")
"""Options that say nothing about preferences."""
TITLES = {
    "krippendorff_alpha_ordinal": "Krippendorff's α (ordinal)",
    "pairwise_agreement": "pairwise agreement",
}


def preferences_from_options(run: Path, path: Path, options: dict[str, Any]) -> PreferenceEvidence:
    """Validate the scores against preferences as the options ask."""
    from simpatico.readers.judgement_files import read_preferences
    from simpatico.run import Run
    from simpatico.validation.evidence import Question
    from simpatico.validation.preferences import validate_preferences

    context = click.get_current_context()
    for name in RATINGS_ONLY:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} needs ratings; {path.name} has preferences.")
    question = Question(**{name: options[name] for name in ("qualities", "scores", "judge_kind")})
    preferences = read_preferences(path, turns_from=options["turns_from"])
    settings = {name: options[name] for name in ("correction", "seed")}
    return validate_preferences(Run(run), preferences, question, **settings)


def show_preferences(evidence: PreferenceEvidence, correction: Correction) -> None:
    """Agreement first, since it bounds how accurate a score can be."""
    for text in evidence.notes:
        note(text)
    columns = ["quality", "statistic", "value", "95% CI", "pairs"]
    rows = [
        [
            *(r.quality, TITLES[r.score], format_correlation(r.value)),
            *(format_correlation_interval(r.low, r.high), r.n),
        ]
        for r in evidence.agreement
    ]
    show_table("Inter-rater agreement", columns, rows, keys=2)
    columns = ["quality", "system", "strength [95% CI]", "win rate [95% CI]", "n"]
    rows = [
        [
            *(r.quality, r.system),
            r.reason or value_with_interval(*r.value_and_interval, digits=2),
            f"{format_correlation(r.win_rate.value)} "
            f"{format_correlation_interval(r.win_rate.low, r.win_rate.high)}",
            r.n,
        ]
        for r in evidence.strengths
    ]
    show_table("Bradley-Terry strengths of systems", columns, rows, keys=2)
    columns = ["quality", "score", "accuracy", "95% CI", "p", "vs. length", "n"]
    rows = [
        [
            *(r.quality, r.score + (" (lower)" if r.better == "lower" else "")),
            *(format_correlation(r.value), format_correlation_interval(r.low, r.high)),
            *(p_cell(r.p_adjusted), r.n),
        ]
        for r in evidence.accuracy
    ]
    for r, row in zip(evidence.accuracy, rows, strict=True):
        gain = r.over_length
        row.insert(5, NO_VALUE if gain is None else format_correlation(gain.value))
    show_table("Accuracy of predicting the preferred reply", columns, rows, keys=2)
    ties, nulls = (
        max((getattr(r, x) for r in evidence.accuracy), default=0) for x in ("ties", "nulls")
    )
    note(
        "Strength: log-odds against a system of mean strength, ties half a win each; win rate: "
        "share of comparisons won. Accuracy: share of choices in which the preferred reply has the "
        "higher score (lower where marked), equal scores half; .5 is a coin. "
        f"{format_count(ties, 'tie')} of judges left out; up to {format_count(nulls, 'choice')} "
        "without both scores."
    )
    family = max((r.family for r in evidence.accuracy), default=0)
    note(
        f"p: of accuracy .5, after {CORRECTIONS[correction]} correction for "
        f"{format_count(family, 'score')} per quality; vs. length: accuracy less that of reply "
        "length (95% CI in --json); all over prompts as clusters."
    )
