"""The part of `simpatico validate` for preferences: strengths of systems, accuracy of scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from simpatico.cli.output import note, show_table
from simpatico.comparison.verdict import CORRECTIONS
from simpatico.wording import (
    format_count,
)

if TYPE_CHECKING:
    from simpatico.stats.correction import Correction
    from simpatico.validation.preferences import PreferenceEvidence

RATINGS_ONLY = (
    *("columns", "traditional", "against", "correlation", "level", "clusters", "gold"),
    *("with_human", "attention", "standardise", "format", "verbose"),
)
"""Options that say nothing about preferences."""
COUNTS = ("ties", "nulls")


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
    """Agreement of judges, strengths of systems and accuracy of scores."""
    from simpatico.validation.preference_tables import HOW_TO_READ, preference_tables

    for text in evidence.notes:
        note(text)
    for table in preference_tables(evidence):
        show_table(table.title, table.columns, table.rows, keys=table.keys)
    family = format_count(max((r.family for r in evidence.accuracy), default=0), "score")
    ties, nulls = (max((getattr(r, c) for r in evidence.accuracy), default=0) for c in COUNTS)
    unscored = f"; up to {format_count(nulls, 'choice')} without a score are left out"
    note(
        f"{HOW_TO_READ} p: of accuracy .5, after {CORRECTIONS[correction]} correction for {family} "
        f"per quality; n: comparisons, or choices without {format_count(ties, 'tie')}"
        f"{unscored if nulls else ''}."
    )
