"""`simpatico gate`: pass or fail a run by rules on its confidence bounds.

For CI: the exit code is the result. A mean alone never passes, so that a small run cannot pass by
luck, and what is undecided counts as failed: more dialogs decide it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import click

from simpatico.cli import options as opt
from simpatico.cli.output import note, result, show_json
from simpatico.comparison.gate import Check, Outcome, check_rules, select_systems
from simpatico.comparison.gate.junit import MARK, junit_xml
from simpatico.comparison.gate.rules import Rule, read_amounts, read_rule, rule_subject
from simpatico.comparison.samples import Selection, select_scores
from simpatico.files import write_atomically
from simpatico.run import Run
from simpatico.wording import format_count

OUTCOMES: dict[Outcome, str] = {
    "kept": "passed",
    "broken": "failed",
    "undecided": "undecided",
    "error": "error",
}


@click.command(name="gate")
@click.argument("run", type=opt.PATH)
@opt.repeatable("--rule", "Rule such as 'predicted_rating >= 3'.", "rules")
@opt.option("--system", "Check only this system.  [default: all but the users]")
@opt.path("--baseline", "Earlier run that RUN must not be worse than.")
@opt.repeatable(
    "--margin",
    "Non-inferiority margin: 0.02, or empathy=0.1 for one score.",
    "amounts",
    metavar="[SCORE=]NUMBER",
)
@opt.path("--junit", "Also write JUnit XML to this file.")
@opt.force
@opt.as_json
def command(run: Path, as_json: bool, junit: Path | None, **options: Any) -> None:
    """Check RUN against rules; exit code 1 unless all pass.

    A rule passes if the whole 95% CI meets it: for >= the lower bound, for <= the upper bound. It
    fails if the mean violates it, and is undecided if only part of the interval does. With
    --baseline, the 95% CI of the difference must stay within the margin (non-inferiority). The
    worse direction is taken from a --rule on the score, else from its metric; if neither has one,
    both directions count as worse.

    \b
    Examples:
      simpatico gate run --rule 'coherence >= 0.3' --rule 'repetition <= 0.1'
      simpatico gate run --baseline last-release --margin 0.02
    """
    place = junit and opt.out_file(junit, MARK, option="--junit")
    checks = run_checks(Run(run), **options)
    n_passed = sum(c.outcome == "kept" for c in checks)
    if as_json:
        show_json([c.as_json() for c in checks])
    else:
        for check in checks:
            result(f"{OUTCOMES[check.outcome]:<9}  {check.system}: {check.rule}: {check.reason}")
        outcome = "Passed" if n_passed == len(checks) else "Not passed"
        result(f"{outcome}: {n_passed} of {format_count(len(checks), 'check')} passed.")
    if place:
        write_atomically(place, junit_xml(checks).encode(), public=True)
    if n_passed < len(checks):
        click.get_current_context().exit(1)


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
    # a score of a system as a whole has no values of dialogs, and so no CI over them
    run.refuse_system_scores(rule_subject(text) for text in (*rules, *amounts))
    scores = select_scores(run, Selection(every=True))
    conditions = [read_rule(text, list(scores)) for text in rules]
    warn_of_vacuous_rules(conditions, {name: info.range for name, info in scores.items()})
    systems = select_systems(run, system)
    checks = check_rules(run, conditions, systems)
    if baseline:
        from simpatico.comparison.gate.baseline import check_baseline

        sizes = read_amounts("--margin", amounts, list(scores))
        checks += check_baseline((run, Run(baseline)), systems, conditions, sizes)
    return sorted(checks, key=lambda c: systems.index(c.system))


def warn_of_vacuous_rules(rules: Sequence[Rule], ranges: dict[str, tuple[float, float]]) -> None:
    """Note rules that no score in its range can break, or none can keep.

    Most often the scale is mistaken: 4 of 7 for a score between 0 and 1.
    """
    for rule in rules:
        low, high = ranges[rule.score]
        at_low, at_high = rule.holds_for(low), rule.holds_for(high)
        if isfinite(low) and isfinite(high) and at_low == at_high:
            always = f"the rule '{rule}' always {'passes' if at_low else 'fails'}"
            note(f"Note: {rule.score} ranges from {low:.4g} to {high:.4g}, so {always}.")
