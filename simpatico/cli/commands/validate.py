"""`simpatico validate`: scores against human ratings, and how far raters agree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.commands._controls import (
    control_options,
    controls_from_options,
    interval_cell,
    p_cell,
    show_controls,
)
from simpatico.cli.output import note, result, show_json, show_table

if TYPE_CHECKING:
    from simpatico.judgements import Judgements
    from simpatico.stats.result import Result
    from simpatico.validation.correlations import CorrelationRow
    from simpatico.validation.evidence import Evidence
    from simpatico.validation.incremental.rows import IncrementalRow

AGREEMENT_TITLES = {
    "krippendorff_alpha_ordinal": "Krippendorff's alpha, ordinal",
    "icc_2_1": "ICC(2,1)",
    "pairwise_pearson": "mean r of two judges",
    "one_more_judge": "one judge with the mean of the others",
    "ceiling": "ceiling: what a perfect score could reach",
    "inside_outside": "who took part with the mean of who looked on",
    "inside_outside_alone": "who took part with one who looked on",
    "inside_outside_ceiling": "ceiling: how far their mean can be trusted",
    "inside_outside_endless": "who took part with endlessly many who looked on",
}

ALPHA = 0.05
"""Corrected p-values below this are reported as findings."""


@click.command(name="validate")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--judgements", type=click.Path(path_type=Path), help="Their file.")
@control_options
@click.option("--quality", "qualities", multiple=True, help="Only this quality; repeatable.")
@click.option("--scores", default="", help="Only these scores, comma separated.")
@click.option("--traditional", default="", help="Scores to which the others may add something.")
@click.option("--against", help="The score that the others are held against.")
@click.option(
    "--kind",
    type=click.Choice(["pearson", "spearman", "kendall"]),
    default="pearson",
    show_default=True,
    help="Of correlation.",
)
@click.option("--level", type=click.Choice(["system"]), help="Correlate the means of systems.")
@click.option(
    "--clusters",
    type=click.Choice(["dialog", "system"]),
    default="dialog",
    show_default=True,
    help="What is resampled as a whole.",
)
@click.option("--gold", type=click.Choice(["median", "mean"]), default="median", show_default=True)
@click.option(
    "--judge-kind",
    type=click.Choice(["interlocutor", "outsider", "expert", "model"]),
    help="Only judges of this kind.",
)
@click.option("--with-human", is_flag=True, help="Also judgements of the people.")
@click.option("--attention", help="Quality that holds attention checks: who fails is left out.")
@click.option("--standardise", is_flag=True, help="Take each judge's mean and spread out first.")
@click.option("--correction", type=click.Choice(["holm", "bh"]), default="holm", show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="All figures, for scripts.")
def command(run: Path, judgements: Path | None, as_json: bool, **options: Any) -> None:
    """Hold the scores of RUN against human judgements, against wrong answers, or both."""
    if judgements is None and options["controls"] is None:
        raise click.UsageError("against what? add --judgements FILE, or --controls")
    if options["logs"] and options["controls"] is None:
        raise click.UsageError("--logs goes with --controls")
    scores = parse_names(options["scores"])
    evidence = evidence_from_options(run, judgements, options) if judgements else None
    controls = controls_from_options(run, options, scores) if options["controls"] else None
    if as_json:
        parts = [part.as_json() for part in (evidence, controls) if part]
        notes = [text for part in parts for text in part["notes"]]
        show_json({key: rows for part in parts for key, rows in part.items()} | {"notes": notes})
        return
    if evidence:
        show_evidence(evidence, options["correction"])
    if controls:
        show_controls(controls, options["correction"])


def evidence_from_options(run: Path, judgements: Path, options: dict[str, Any]) -> Evidence:
    """Validate the scores as the options ask."""
    from simpatico.readers.judgement_files import read_judgements
    from simpatico.run import Run
    from simpatico.validation.correlations import CorrelationSettings
    from simpatico.validation.evidence import Question, validate

    question = Question(
        options["qualities"],
        parse_names(options["scores"]),
        parse_names(options["traditional"]),
        options["against"],
        options["gold"],
        options["judge_kind"],
        options["with_human"],
    )
    settings = CorrelationSettings(
        level=options["level"] or "turn",
        kind=options["kind"],
        clusters=options["clusters"],
        correction=options["correction"],
        seed=options["seed"],
    )
    ratings = prepare_ratings(
        read_judgements(judgements), options["attention"], standardise=options["standardise"]
    )
    return validate(Run(run), ratings, question, settings)


def parse_names(text: str) -> tuple[str, ...]:
    """Comma separated names of an option."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def prepare_ratings(ratings: Judgements, attention: str | None, *, standardise: bool) -> Judgements:
    """The ratings without inattentive judges, and as z-scores; notes say who is left out."""
    from simpatico.validation.raters.preparation import drop_inattentive, standardise_judgements

    if attention:
        attentive = drop_inattentive(ratings, quality=attention)
        failed, n = attentive.n_judges_dropped, attentive.n_ratings_dropped
        note(f"{failed} judges failed {attention!r}: {n} ratings left out")
        ratings = attentive.judgements
    if standardise:
        scaled = standardise_judgements(ratings)
        constant = scaled.n_judges_dropped
        note(f"{constant} judges gave no spread to standardise: left out of that quality")
        ratings = scaled.judgements
    return ratings


def show_evidence(evidence: Evidence, correction: str) -> None:
    """Agreement first, since it bounds what correlations can reach."""
    for text in evidence.notes:
        note(text)
    show_rater_agreement(evidence)
    show_correlation_table(evidence, correction)
    show_system_statistics(evidence)
    show_contests(evidence)
    show_gains(evidence)
    show_single_gains(evidence)


def show_rater_agreement(evidence: Evidence) -> None:
    """Inter-rater agreement, the main statistics."""
    rows = [
        [r.quality, AGREEMENT_TITLES[r.score], r.value, interval_cell(r), r.n, status_cell(r)]
        for r in evidence.agreement
        if r.score in AGREEMENT_TITLES
    ]
    show_table("how far the judges agree", ["quality", "", "", "95%", "units", ""], rows)


def show_correlation_table(evidence: Evidence, correction: str) -> None:
    """Each score's correlation with each quality, beside the noise ceiling."""
    from simpatico.validation.evidence import agreement_value

    rows = [
        [
            *(r.quality, r.score, r.value, interval_cell(r), p_cell(r.p_adjusted), r.n),
            *(agreement_value(evidence.agreement, r, "ceiling"), verdict_cell(r)),
        ]
        for r in evidence.correlations
    ]
    columns = ["quality", "score", "r", "95%", "p", "n", "ceiling", ""]
    show_table("scores against judgements", columns, rows)
    unmatched = {r.quality: r.unmatched for r in evidence.correlations if r.unmatched}
    for quality, n in unmatched.items():
        note(f"{quality}: {n:,} judged units were not scored")
    family = max((r.family for r in evidence.correlations), default=0)
    note(f"p: after {correction} over the {family} scores of a quality; n: units with both")


def show_system_statistics(evidence: Evidence) -> None:
    """How well scores rank systems, and which of two does better, at level system only."""
    if not evidence.systems:
        return
    contests = [r for r in evidence.systems if r.against]
    rows = [
        [
            *(r.quality, r.score, r.statistic.replace("_", " "), r.value, interval_cell(r)),
            *(r.systems, "–" if r.inputs is None else r.inputs, r.reason or ""),
        ]
        for r in evidence.systems
        if not r.against
    ]
    columns = ["quality", "score", "", "", "95% CI", "systems", "inputs", ""]
    show_table("ranking of systems", columns, rows)
    significant = [r for r in contests if r.p_adjusted is not None and r.p_adjusted < ALPHA]
    for r in significant:
        more = "more" if (r.value or 0) > 0 else "less"
        result(
            f"{r.score} correlates {more} with {r.quality} over systems than {r.against}: by "
            f"{abs(r.value or 0):.2f} (95% CI {interval_cell(r)}), p = {p_cell(r.p_adjusted)}"
        )
    note(
        "over systems and inputs: 95% CI by BOOT-BOTH, tests by PERM-SYSTEMS; inputs: prompts that "
        "at least two systems replied to"
    )
    if rest := len(contests) - len(significant):
        note(f"{rest} pairs of scores do not differ significantly in how they rank systems")


def show_contests(evidence: Evidence) -> None:
    """Which of two scores correlates more with ratings; only significant differences."""
    significant = [
        r for r in evidence.dependent if r.p_adjusted is not None and r.p_adjusted < ALPHA
    ]
    for r in sorted(significant, key=lambda r: r.p_adjusted or 0):
        more = "more" if (r.value or 0) > 0 else "less"
        result(
            f"{r.score} correlates {more} with {r.quality} than {r.against}: by "
            f"{abs(r.value or 0):.2f} (95% {interval_cell(r)}), p = {p_cell(r.p_adjusted)}, "
            f"n = {r.n:,}"
        )
    rest = len(evidence.dependent) - len(significant)
    if rest:
        note(f"{rest} pairs of scores cannot be told apart in how they follow the judges")


def show_gains(evidence: Evidence) -> None:
    """The joint gain of all other scores over the traditional ones."""
    joint = [r for r in evidence.incremental if is_joint(evidence, r)]
    rows = [
        [r.quality, r.score, r.adj_r2_t, r.adj_r2_p, r.adj_r2_pt, r.value, interval_cell(r), r.n]
        for r in joint
    ]
    if rows:
        columns = ["quality", "traditional", "T", "P", "P+T", "gain", "95%", "n"]
        show_table("adjusted R²: traditional scores, all others, both", columns, rows)
        for r in joint:
            result(r.verdict)


def show_single_gains(evidence: Evidence) -> None:
    """The scores with a significant gain of their own, in one line."""
    single = [r for r in evidence.incremental if not is_joint(evidence, r)]
    gains: dict[tuple[str, str], list[str]] = {}
    for r in single:
        if r.p_adjusted is not None and r.p_adjusted < ALPHA:
            gains.setdefault((r.quality, r.added_name), []).append(r.score)
    if gains:
        texts = [f"{name} to {', '.join(to)} ({quality})" for (quality, name), to in gains.items()]
        result(f"by itself (corrected p < .05) each of these adds something: {'; '.join(texts)}")
    elif single:
        result("no other score adds anything by itself with a corrected p < .05")
    family = max((r.family for r in evidence.incremental), default=0)
    if single:
        note(f"corrected over the {family} pairs of models of a quality; all are in --json")


def is_joint(evidence: Evidence, row: IncrementalRow) -> bool:
    """Whether a row is about all scores that could be added at its level."""
    same_level = [r for r in evidence.incremental if r.level == row.level]
    return len(row.added) == max(len(r.added) for r in same_level)


def verdict_cell(row: CorrelationRow) -> str:
    """A correlation in words, or why there is none."""
    if row.value is None:
        return status_cell(row)
    if row.p_adjusted is None or row.p_adjusted >= ALPHA:
        return "can't tell"
    return "follows" if row.value > 0 else "runs against"


def status_cell(row: Result) -> str:
    """Why a statistic has no value, in words; empty where it has one."""
    return "" if row.status == "ok" else row.status.replace("_", " ")
