"""The part of `simpatico validate` for model judges: may they stand in for people, and for what?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from simpatico.cli import options as opt
from simpatico.cli.output import note, result, show_csv, show_json
from simpatico.cli.progress import ProgressDisplay
from simpatico.cli.table_formats import Shape, show_as

if TYPE_CHECKING:
    from simpatico.validation.judges.audit import JudgeAudit

SCORES_ONLY = (
    *("scores", "traditional", "against", "correlation", "level", "clusters", "gold"),
    *("with_human", "standardise", "controls", "logs", "correction"),
)
"""Options that say nothing about judges."""
SHORT = 12
"""Up to so many judges times qualities every table is printed; beyond, with --verbose."""
FIRST = 2
"""These tables are printed of many qualities too."""

judge_options = opt.combine(
    opt.judges,
    opt.option(
        "--epsilon",
        "Of --judges: advantage that a judge's lower price is worth.  [default: 0.2 where all "
        "raters are experts, else 0.1]",
        type=float,
    ),
    opt.flag("--expected", "Of --judges: use the mean weighted by answer probabilities."),
)


def audit_from_options(
    run: Path | None, judgements: Path | None, options: dict[str, Any]
) -> JudgeAudit:
    """Audit the judges as the options ask."""
    from simpatico.judge_answers import pairs_as_answers
    from simpatico.readers.judge_answer_files import read_judges
    from simpatico.readers.judgement_files import (
        has_preferences,
        read_judgements,
        read_preferences,
    )
    from simpatico.run import Run
    from simpatico.validation.judges.audit import AuditSettings, audit_judges

    if judgements is None:
        raise click.UsageError("--judges needs --judgements FILE, the ratings of people.")
    context = click.get_current_context()
    for name in SCORES_ONLY:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} does not apply with --judges.")
    settings = AuditSettings(
        **{name: options[name] for name in ("qualities", "judge_kind", "epsilon", "expected")},
        seed=options["seed"],
    )
    columns = dict(options["columns"])
    with ProgressDisplay("audit"):
        if has_preferences(judgements):
            preferences = read_preferences(judgements, turns_from=options["turns_from"])
            people = pairs_as_answers(preferences).judgements()
        else:
            people = read_judgements(judgements, turns_from=options["turns_from"], columns=columns)
        if options["attention"]:
            from simpatico.validation.raters.preparation import drop_inattentive

            people = drop_inattentive(people, quality=options["attention"]).judgements
        answers = read_judges(options["judges"])
        return audit_judges(people, answers, settings, run=Run(run) if run else None)


def show_audit(audit: JudgeAudit, options: dict[str, Any], *, as_json: bool) -> None:
    """The answer in three sentences, then the tables behind it."""
    from simpatico.validation.judges.tables import HOW_TO_READ, audit_tables

    shape: Shape = options["format"]
    if as_json:
        show_json(audit.as_json())
        return
    if shape == "csv":
        show_csv(audit.to_frame())
        return
    if shape == "table":
        for sentence in audit.answer:
            result(sentence)
        result("")
    for text in audit.notes:
        note(text)
    for v in audit.verdicts:
        if v.use in ("undecided", "none"):
            note(f"{v.quality}, {v.judge}: {v.reason}.")
    every = options["verbose"] or len(audit.verdicts) <= SHORT
    tables = audit_tables(audit)
    for table in tables if every else tables[:FIRST]:
        show_as(shape, table.title, table.columns, table.rows, keys=table.keys)
    if shape != "table":
        return
    for text in HOW_TO_READ:
        note(text)
    if not every:
        note("--verbose adds ε, consistency, bias, resemblance and which judge is best.")
