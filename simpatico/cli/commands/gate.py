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
from simpatico.comparison.gate import Check, Outcome, check_rules, decide_rule, select_systems
from simpatico.comparison.gate.junit import MARK, junit_xml
from simpatico.comparison.gate.markdown import MARK as MARKDOWN_MARK
from simpatico.comparison.gate.markdown import markdown_verdict
from simpatico.comparison.gate.rules import Rule, read_amounts, read_rule, rule_subject
from simpatico.comparison.samples import Selection, select_scores
from simpatico.files import write_atomically
from simpatico.run import Run
from simpatico.run.results import runs_or_results
from simpatico.wording import format_count

OUTCOMES: dict[Outcome, str] = {
    "kept": "passed",
    "broken": "failed",
    "undecided": "undecided",
    "error": "error",
}


@click.command(name="gate")
@click.argument("run", type=opt.PATH, required=False)
@opt.repeatable("--rule", "Rule such as 'predicted_rating >= 3'.", "rules")
@opt.option("--system", "Check only this system.  [default: all but the users]")
@opt.path("--baseline", "Earlier run that RUN must not be worse than.")
@opt.repeatable(
    "--margin",
    "Non-inferiority margin: 0.02, or empathy=0.1 for one score.",
    "amounts",
    metavar="[SCORE=]NUMBER",
)
@opt.path("--judged", "Output of `simpatico judge`, for rules on judge.flips or judge.nulls.")
@opt.path("--lock", "Lock file of `simpatico judge` with the verdicts of before.")
@opt.path("--junit", "Also write JUnit XML to this file.")
@opt.path("--markdown", "Also write the verdict as Markdown to this file, as for a code review.")
@opt.force
@opt.as_json
def command(
    run: Path | None,
    as_json: bool,
    junit: Path | None,
    markdown: Path | None,
    judged: Path | None,
    lock: Path | None,
    **options: Any,
) -> None:
    """Check RUN against rules; exit code 1 unless all pass.

    A rule passes if the whole 95% CI meets it: for >= the lower bound, for <= the upper bound. It
    fails if the mean violates it, and is undecided if only part of the interval does. With
    --baseline, the 95% CI of the difference must stay within the margin (non-inferiority). The
    worse direction is taken from a --rule on the score, else from its metric; if neither has one,
    both directions count as worse. Rules on judge.flips and judge.nulls bound the share of locked
    verdicts that a judge has changed, or does not give any more; they need no RUN.

    \b
    Examples:
      simpatico gate run --rule 'coherence >= 0.3' --rule 'repetition <= 0.1'
      simpatico gate run --baseline last-release --margin 0.02
      simpatico gate --judged again.jsonl --lock judge.lock --rule 'judge.flips <= 0.1'
    """
    junit = junit and opt.out_file(junit, MARK, option="--junit")
    markdown = markdown and opt.out_file(markdown, MARKDOWN_MARK.encode(), option="--markdown")
    of_judge = [text for text in options["rules"] if rule_subject(text).startswith("judge.")]
    options["rules"] = [text for text in options["rules"] if text not in of_judge]
    checks = drift_checks(of_judge, judged, lock)
    if options["rules"] or options["baseline"] or not of_judge:
        if run is None:
            raise click.UsageError("Missing argument 'RUN'.")
        paths = [run, *filter(None, [options.pop("baseline")])]
        with runs_or_results(paths) as (checked, *earlier):
            baseline = earlier[0] if earlier else None
            checks = run_checks(checked, baseline=baseline, **options) + checks
    n_passed = sum(c.passed for c in checks)
    if as_json:
        show_json([c.as_json() for c in checks])
    else:
        for check in checks:
            result(f"{OUTCOMES[check.outcome]:<9}  {check.system}: {check.rule}: {check.reason}")
        outcome = "Passed" if n_passed == len(checks) else "Not passed"
        result(f"{outcome}: {n_passed} of {format_count(len(checks), 'check')} passed.")
    if junit:
        write_atomically(junit, junit_xml(checks).encode(), public=True)
    if markdown:
        write_atomically(markdown, markdown_verdict(checks).encode(), public=True)
    if n_passed < len(checks):
        click.get_current_context().exit(1)


def drift_checks(rules: Sequence[str], judged: Path | None, lock: Path | None) -> list[Check]:
    """The rules on how far a judge has drifted from its locked verdicts."""
    from simpatico.judging.lock import RATES, measure_drift, read_lock
    from simpatico.judging.runner import read_rows

    if not (rules or judged or lock):
        return []
    if not (rules and judged and lock):
        raise click.UsageError(
            "--judged FILE, --lock FILE and --rule 'judge.flips <= NUMBER' must be given together."
        )
    drift, checks = measure_drift(read_lock(lock), read_rows(judged)), list[Check]()
    for rule in [read_rule(text, RATES) for text in rules]:
        rate = drift.rate(rule.score)
        outcome, reason, n_needed = decide_rule(rule, rate)
        bounds = rate.value_and_interval
        checks.append(
            Check("judge", str(rule), rule.score, outcome, *bounds, rate.n, n_needed, reason)
        )
    return checks


def run_checks(
    run: Run,
    *,
    rules: Sequence[str],
    system: str | None,
    baseline: Run | None,
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
        checks += check_baseline((run, baseline), systems, conditions, sizes)
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
