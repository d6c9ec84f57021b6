"""The part of `simpatico validate` for preferences: strengths of systems, accuracy of scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from simpatico.cli.output import note, p_cell, show_table, value_with_interval
from simpatico.comparison.verdict import CORRECTIONS
from simpatico.wording import (
    format_correlation,
    format_correlation_interval,
    format_count,
    join_with_and,
)

if TYPE_CHECKING:
    from simpatico.stats.correction import Correction
    from simpatico.stats.result import Result
    from simpatico.validation.preferences import AccuracyRow, PreferenceEvidence

RATINGS_ONLY = (
    *("traditional", "against", "correlation", "level", "clusters", "gold"),
    *("with_human", "attention", "standardise"),
)
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
    rows: list[list[Any]] = [
        [r.quality, TITLES[r.score], *share_cells(r), r.n] for r in evidence.agreement
    ]
    show_table("Inter-rater agreement", columns, rows, keys=2)
    columns = ["quality", "system", "strength [95% CI]", "win rate", "95% CI", "n"]
    rows = [
        [
            *(r.quality, r.system),
            r.reason or value_with_interval(*r.value_and_interval, digits=2),
            *(*share_cells(r.win_rate), r.n),
        ]
        for r in evidence.strengths
    ]
    show_table("Bradley-Terry strengths of systems", columns, rows, keys=2)
    note(
        "Strength: log-odds against a system of mean strength; win rate: share of comparisons won, "
        "ties half; n: comparisons; 95% CI over prompts."
    )
    if evidence.accuracy:
        show_accuracy(evidence.accuracy, correction)


def show_accuracy(rows: Sequence[AccuracyRow], correction: Correction) -> None:
    """How accurately each score predicts the preferred reply."""
    columns = ["quality", "score", "accuracy", "95% CI", "p", "vs. length", "n"]
    body = [
        [
            *(r.quality, f"{r.score} (lower)" if r.better == "lower" else r.score),
            *(*share_cells(r), p_cell(r.p_adjusted)),
            *(format_correlation(r.over_length.value if r.over_length else None), r.n),
        ]
        for r in rows
    ]
    show_table("Accuracy of predicting the preferred reply", columns, body, keys=2)
    ties, nulls = max(r.ties for r in rows), max(r.nulls for r in rows)
    left_out = [f"{format_count(ties, 'tie')} of judges"] * bool(ties)
    left_out += [f"up to {format_count(nulls, 'choice')} without both scores"] * bool(nulls)
    family = format_count(max(r.family for r in rows), "score")
    note(
        "Accuracy: share of choices in which the preferred reply has the higher score (lower where "
        "marked), equal scores half; p: of accuracy .5, after "
        f"{CORRECTIONS[correction]} correction for {family} per quality; vs. length: accuracy less "
        "that of reply length (95% CI in --json); n: choices"
        + (f", left out are {join_with_and(left_out)}." if left_out else ".")
    )


def share_cells(result: Result) -> tuple[str, str]:
    """A share or alpha, and its interval."""
    return format_correlation(result.value), format_correlation_interval(result.low, result.high)
