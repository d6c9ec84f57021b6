"""`simpatico gate`: pass or fail a run by rules on its confidence bounds."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import click

from simpatico.cli.output import note, result, show_json
from simpatico.comparison.gate import Check, Outcome, check_rules, select_systems
from simpatico.comparison.gate.rules import Rule, read_amounts, read_rule, rule_subject
from simpatico.comparison.samples import Selection, select_scores
from simpatico.errors import DataError
from simpatico.run import Run
from simpatico.wording import format_count

FOLDER = click.Path(path_type=Path)
OUTCOMES: dict[Outcome, str] = {
    "kept": "passed",
    "broken": "failed",
    "undecided": "undecided",
    "error": "error",
}


@click.command(name="gate")
@click.argument("run", type=FOLDER)
@click.option("--rule", "rules", multiple=True, help="Rule such as 'empathy >= 4'; repeatable.")
@click.option("--system", help="Check only this system; default: all but the users.")
@click.option("--baseline", type=FOLDER, help="Earlier run that RUN must not be worse than.")
@click.option(
    "--margin",
    "amounts",
    multiple=True,
    help="Non-inferiority margin: 0.02, or empathy=0.1 for one score; repeatable.",
)
@click.option("--junit", type=FOLDER, help="Also write JUnit XML to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(run: Path, as_json: bool, junit: Path | None, **options: Any) -> None:
    """Check RUN against rules; exit code 1 if one fails.

    A rule passes if the whole 95% CI meets it: for >= the lower bound, for <= the upper bound. With
    --baseline, the 95% CI of the difference must stay within the margin (non-inferiority). The
    worse direction is taken from a --rule on the score, else from its metric; if neither has one,
    both directions count as worse.
    """
    checks = run_checks(Run(run), **options)
    show_json([c.as_json() for c in checks]) if as_json else show_checks(checks)
    if junit:
        write_junit(junit, checks)
    if any(c.outcome != "kept" for c in checks):
        click.get_current_context().exit(1)


def write_junit(path: Path, checks: list[Check]) -> None:
    """Write the checks as JUnit XML."""
    from simpatico.comparison.gate.junit import junit_xml

    try:
        path.write_text(junit_xml(checks), encoding="utf-8")
    except OSError as error:
        raise DataError(f"Cannot write {path}: {error.strerror}.") from None


def run_checks(
    run: Run,
    *,
    rules: Sequence[str],
    system: str | None,
    baseline: Path | None,
    amounts: Sequence[str],
) -> list[Check]:
    """All checks, in the order of the systems."""
    if not rules and not baseline:
        raise click.UsageError(
            "Missing --rule 'SCORE >= NUMBER', or --baseline RUN with --margin NUMBER."
        )
    if bool(baseline) != bool(amounts):
        raise click.UsageError("--baseline RUN and --margin NUMBER must be given together.")
    run.refuse_system_scores(rule_subject(text) for text in (*rules, *amounts))
    scores = select_scores(run, Selection(every=True))
    parsed = [read_rule(text, list(scores)) for text in rules]
    warn_of_vacuous_rules(parsed, {name: info.range for name, info in scores.items()})
    systems = select_systems(run, system)
    checks = check_rules(run, parsed, systems)
    if baseline:
        from simpatico.comparison.gate.baseline import check_baseline

        sizes = read_amounts("--margin", amounts, list(scores))
        checks += check_baseline((run, Run(baseline)), systems, parsed, sizes)
    return sorted(checks, key=lambda c: systems.index(c.system))


def warn_of_vacuous_rules(rules: Sequence[Rule], ranges: dict[str, tuple[float, float]]) -> None:
    """Note rules that no score in its range can break, or none can keep."""
    for rule in rules:
        low, high = ranges[rule.score]
        if not (isfinite(low) and isfinite(high)):
            continue
        extent = f"{rule.score} ranges from {low:.4g} to {high:.4g}"
        if rule.holds_for(low) and rule.holds_for(high):
            note(f"Note: {extent}, so the rule '{rule}' always passes.")
        elif not rule.holds_for(low) and not rule.holds_for(high):
            note(f"Note: {extent}, so the rule '{rule}' always fails.")


def show_checks(checks: Sequence[Check]) -> None:
    """A line for each rule, and the overall outcome."""
    for check in checks:
        result(f"{OUTCOMES[check.outcome]:<9}  {check.system}: {check.rule}: {check.reason}")
    n_passed = sum(c.outcome == "kept" for c in checks)
    outcome = "Passed" if n_passed == len(checks) else "Failed"
    result(f"{outcome}: {n_passed} of {format_count(len(checks), 'check')} passed.")
