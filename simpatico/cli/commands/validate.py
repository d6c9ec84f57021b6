"""`simpatico validate`: correlation with human ratings, and inter-rater agreement."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.commands._controls import (
    control_options,
    controls_from_options,
    p_cell,
    show_controls,
)
from simpatico.cli.options import renamed_options
from simpatico.cli.output import note, result, show_json, show_table
from simpatico.comparison.verdict import CORRECTIONS
from simpatico.wording import (
    NO_VALUE,
    format_correlation,
    format_correlation_interval,
    format_count,
    format_p,
)

if TYPE_CHECKING:
    from simpatico.judgements import Judgements
    from simpatico.stats.correction import Correction
    from simpatico.stats.result import Result
    from simpatico.validation.contests import ContestRow
    from simpatico.validation.evidence import Evidence
    from simpatico.validation.incremental.rows import IncrementalRow
    from simpatico.validation.systems import SystemRow

AGREEMENT_TITLES = {
    "krippendorff_alpha_ordinal": "Krippendorff's α (ordinal)",
    "icc_2_1": "ICC(2,1)",
    "pairwise_pearson": "mean pairwise rater correlation",
    "one_more_judge": "leave-one-out rater correlation",
    "ceiling": "noise ceiling",
    "inside_outside": "interlocutor vs. mean of outsiders",
    "inside_outside_alone": "interlocutor vs. one outsider",
    "inside_outside_ceiling": "noise ceiling of the outsiders' mean",
    "inside_outside_endless": "interlocutor vs. outsiders, corrected for attenuation",
}

ALPHA = 0.05
"""Corrected p-values below this are called significant."""
SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}


@click.command(name="validate", cls=renamed_options(kind="--correlation", most="--max-dialogs"))
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--judgements", type=click.Path(path_type=Path), help="Ratings: dialog, quality, value."
)
@control_options
@click.option(
    "--quality", "qualities", multiple=True, help="Validate only against this quality; repeatable."
)
@click.option("--scores", default="", help="Use only these scores (comma-separated).")
@click.option(
    "--traditional",
    default="",
    help="Baseline scores (comma-separated) for the incremental validity of the others.",
)
@click.option(
    "--against", help="Test whether the other scores correlate more or less than this one."
)
@click.option(
    "--correlation",
    type=click.Choice(["pearson", "spearman", "kendall"]),
    default="pearson",
    show_default=True,
    help="Correlation coefficient.",
)
@click.option("--level", type=click.Choice(["system"]), help="Correlate system means.")
@click.option(
    "--clusters",
    type=click.Choice(["dialog", "system"]),
    default="dialog",
    show_default=True,
    help="Clusters of the bootstrap.",
)
@click.option(
    "--gold",
    type=click.Choice(["median", "mean"]),
    default="median",
    show_default=True,
    help="How ratings of several judges are combined.",
)
@click.option(
    "--judge-kind",
    type=click.Choice(["interlocutor", "outsider", "expert", "model"]),
    help="Use only judges of this kind.",
)
@click.option("--with-human", is_flag=True, help="Include ratings of the users.")
@click.option("--attention", help="Quality with attention checks; judges who fail are excluded.")
@click.option("--standardise", is_flag=True, help="Standardise ratings per judge (z-scores).")
@click.option(
    "--correction",
    type=click.Choice(["holm", "bh"]),
    default="holm",
    show_default=True,
    help="Correction for multiple comparisons.",
)
@click.option("--seed", default=0, show_default=True, help="Random seed of the resampling.")
@click.option("--json", "as_json", is_flag=True, help="Print all results as JSON.")
def command(run: Path, judgements: Path | None, as_json: bool, **options: Any) -> None:
    """Validate RUN's scores against human ratings, negative controls, or both.

    Prints inter-rater agreement with the noise ceiling, and each score's correlation with the
    ratings. --traditional adds incremental validity, --controls tests scores on wrong replies.
    """
    if judgements is None and options["controls"] is None:
        raise click.UsageError("Missing --judgements FILE, or --controls.")
    if options["logs"] and options["controls"] is None:
        raise click.UsageError("--logs needs --controls.")
    scores = parse_names(options["scores"])
    evidence = evidence_from_options(run, judgements, options) if judgements else None
    controls = controls_from_options(run, options, scores) if options["controls"] else None
    if as_json:
        parts = [part.as_json() for part in (evidence, controls) if part]
        notes = [text for part in parts for text in part["notes"]]
        show_json({key: rows for part in parts for key, rows in part.items()} | {"notes": notes})
        return
    if evidence:
        show_evidence(evidence, options["correction"], SYMBOLS[options["correlation"]])
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
        kind=options["correlation"],
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
        note(
            f"{format_count(failed, 'judge')} failed {attention!r}: "
            f"{format_count(n, 'rating')} excluded."
        )
        ratings = attentive.judgements
    if standardise:
        scaled = standardise_judgements(ratings)
        constant = scaled.n_judges_dropped
        note(
            f"{format_count(constant, 'judge')} gave constant ratings, which cannot be "
            "standardised: excluded for that quality."
        )
        ratings = scaled.judgements
    return ratings


def show_evidence(evidence: Evidence, correction: Correction, symbol: str) -> None:
    """Agreement first, since it bounds what correlations can reach."""
    for text in evidence.notes:
        note(text)
    show_rater_agreement(evidence)
    show_correlation_table(evidence, correction, symbol)
    show_system_statistics(evidence)
    show_contests(evidence)
    show_gains(evidence)
    show_single_gains(evidence)


def show_rater_agreement(evidence: Evidence) -> None:
    """Inter-rater agreement, the main statistics."""
    rows = [
        [r.quality, AGREEMENT_TITLES[r.score], *value_cells(r), r.n]
        for r in evidence.agreement
        if r.score in AGREEMENT_TITLES
    ]
    show_table("Inter-rater agreement", ["quality", "statistic", "value", "95% CI", "units"], rows)


def show_correlation_table(evidence: Evidence, correction: Correction, symbol: str) -> None:
    """Each score's correlation with each quality, beside the noise ceiling."""
    from simpatico.validation.evidence import agreement_value

    rows = []
    for r in evidence.correlations:
        value, interval = value_cells(r)
        mark = "*" if is_significant(r.p_adjusted) else ""
        ceiling = format_correlation(agreement_value(evidence.agreement, r, "ceiling"))
        row = [r.quality, r.score, value + mark, interval, p_cell(r.p_adjusted), r.n, ceiling]
        rows.append(row)
    columns = ["quality", "score", symbol, "95% CI", "p", "n", "ceiling"]
    show_table("Correlation with human ratings", columns, rows)
    unmatched = {r.quality: r.unmatched for r in evidence.correlations if r.unmatched}
    for quality, n in unmatched.items():
        note(f"{quality}: {format_count(n, 'rated unit')} without a score.")
    family = max((r.family for r in evidence.correlations), default=0)
    note(
        f"p: after {CORRECTIONS[correction]} correction for {format_count(family, 'score')} per "
        "quality, * below .05; n: units with score and rating; ceiling: noise ceiling."
    )


def show_system_statistics(evidence: Evidence) -> None:
    """How well scores rank systems, and which of two does better, at level system only."""
    if not evidence.systems:
        return
    contests = [r for r in evidence.systems if r.against]
    rows = [
        [
            *(r.quality, r.score, r.statistic.replace("_", " "), format_correlation(r.value)),
            format_correlation_interval(r.low, r.high),
            *(r.systems, r.inputs, r.reason or ""),
        ]
        for r in evidence.systems
        if not r.against
    ]
    columns = ["quality", "score", "statistic", "value", "95% CI", "systems", "inputs", ""]
    show_table("Ranking of systems", columns, rows)
    significant = [r for r in contests if is_significant(r.p_adjusted)]
    for r in significant:
        result(f"Over systems, {contest_text(r)}.")
    note(
        "Over systems and inputs: 95% CI by BOOT-BOTH, tests by PERM-SYSTEMS; inputs: prompts that "
        "at least two systems replied to."
    )
    if rest := len(contests) - len(significant):
        note(f"{format_count(rest, 'pair')} of scores: no significant difference in ranking.")


def show_contests(evidence: Evidence) -> None:
    """Which of two scores correlates more with ratings; only significant differences."""
    significant = [r for r in evidence.dependent if is_significant(r.p_adjusted)]
    for r in sorted(significant, key=lambda r: r.p_adjusted or 0):
        result(f"{contest_text(r)}, n = {r.n:,}.")
    if rest := len(evidence.dependent) - len(significant):
        note(f"{format_count(rest, 'pair')} of scores: no significant difference in correlation.")


def contest_text(r: ContestRow | SystemRow) -> str:
    """Which of two scores correlates more with a quality, by how much, and p."""
    return (
        f"{r.score} correlates {'more' if (r.value or 0) > 0 else 'less'} with {r.quality} than "
        f"{r.against}: difference {format_correlation(r.value)} "
        f"(95% CI {format_correlation_interval(r.low, r.high)}), p {format_p(r.p_adjusted)}"
    )


def show_gains(evidence: Evidence) -> None:
    """The joint gain of all other scores over the traditional ones."""
    joint = [r for r in evidence.incremental if is_joint(evidence, r)]
    rows = [
        [
            *(r.quality, r.score),
            *(format_correlation(v) for v in (r.adj_r2_t, r.adj_r2_p, r.adj_r2_pt, r.value)),
            *(format_correlation_interval(r.low, r.high), r.n),
        ]
        for r in joint
    ]
    if rows:
        columns = ["quality", "traditional (T)", "T", "P", "P+T", "gain", "95% CI", "n"]
        show_table(
            "Incremental validity: adjusted R² of T, of all others (P), of both", columns, rows
        )
        for r in joint:
            result(f"{r.quality}: {r.verdict}")


def show_single_gains(evidence: Evidence) -> None:
    """The scores with a significant gain of their own, in one line."""
    single = [r for r in evidence.incremental if not is_joint(evidence, r)]
    gains: dict[tuple[str, str], list[str]] = {}
    for r in single:
        if is_significant(r.p_adjusted):
            gains.setdefault((r.quality, r.added_name), []).append(r.score)
    if gains:
        texts = [
            f"{name} over {', '.join(to)} ({quality})" for (quality, name), to in gains.items()
        ]
        result(f"Significant incremental validity of single scores: {'; '.join(texts)}.")
    elif single:
        result("No single score has significant incremental validity.")
    family = max((r.family for r in evidence.incremental), default=0)
    if single:
        note(
            f"Single scores: p < .05 after correction for {format_count(family, 'pair')} of models "
            "per quality; --json has all."
        )


def is_joint(evidence: Evidence, row: IncrementalRow) -> bool:
    """Whether a row is about all scores that could be added at its level."""
    same_level = [r for r in evidence.incremental if r.level == row.level]
    return len(row.added) == max(len(r.added) for r in same_level)


def is_significant(p: float | None) -> bool:
    return p is not None and p < ALPHA


def value_cells(row: Result) -> tuple[str, str]:
    """A correlation or agreement and its interval; the reason where there is none."""
    if row.value is None and row.status != "ok":
        return NO_VALUE, row.status.replace("_", " ")
    return format_correlation(row.value), format_correlation_interval(row.low, row.high)
