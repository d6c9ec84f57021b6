"""`simpatico validate`: correlation with human ratings, and inter-rater agreement.

Printed are the main statistics; --json has all rows with all p-values. Values are rounded to two
digits, since with some hundred ratings the third one is noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands._controls import (
    control_options,
    controls_from_options,
    show_controls,
)
from simpatico.cli.commands._correlations import (
    show_agreement,
    show_contests,
    show_correlation_csv,
    show_correlations,
    show_legend,
)
from simpatico.cli.commands._judges import audit_from_options, judge_options, show_audit
from simpatico.cli.commands._preferences import preferences_from_options, show_preferences
from simpatico.cli.output import note, p_cell, result, show_json, show_table
from simpatico.cli.progress import ProgressDisplay
from simpatico.cli.table_formats import Shape, show_as
from simpatico.validation.chart import is_significant
from simpatico.wording import (
    format_correlation,
    format_correlation_interval,
    format_count,
)

if TYPE_CHECKING:
    from simpatico.judgements import Judgements
    from simpatico.run import Run
    from simpatico.validation.evidence import Evidence
    from simpatico.validation.incremental.rows import IncrementalRow
    from simpatico.validation.systems import SystemRow


@click.command(name="validate", cls=opt.accept_old_names(kind="correlation", most="max-dialogs"))
@click.argument("run", type=opt.PATH, required=False)
@opt.judgements
@opt.rating_columns
@judge_options
@control_options
@opt.repeatable("--quality", "Validate only against this rated quality.", "qualities")
@opt.names("--scores", "Use only these scores.")
@opt.traditional
@opt.option(
    "--against",
    "Test whether the other scores correlate more or less than this one.",
    metavar="SCORE",
)
@opt.correlation
@opt.choice("--level", ["system"], "Correlate means of systems.", default=None)
@opt.choice(
    "--clusters",
    ["dialog", "system"],
    "What the bootstrap resamples: dialogs, or all dialogs of a system together.",
)
@opt.choice("--gold", ["median", "mean"], "How the ratings of several judges are combined.")
@opt.choice(
    "--judge-kind",
    ["interlocutor", "outsider", "expert", "model"],
    "Use only judges of this kind.",
    default=None,
)
@opt.flag("--with-human", "Include ratings of the users' own turns.")
@opt.option(
    "--attention",
    "Quality that holds attention checks; judges who fail are excluded.",
    metavar="QUALITY",
)
@opt.flag("--standardise", "Standardise ratings per judge (z-scores).")
@opt.choice(
    "--correction", ["holm", "bh"], "Correction for multiple comparisons (bh = Benjamini-Hochberg)."
)
@opt.random_seed("Random seed of the resampling.")
@opt.flag("--verbose", "Print inter-rater agreement, all pairs of scores and every baseline.")
@opt.choice(
    "--format",
    ["table", "markdown", "latex", "csv"],
    "Output format; csv has every correlation at full precision.",
)
@opt.as_json
def command(run: Path | None, judgements: Path | None, as_json: bool, **options: Any) -> None:
    """Validate RUN's scores, or with --judges model judges, against human ratings.

    Prints one table per rated quality: each score's correlation with the ratings, strongest first,
    also with reply length held constant, and a verdict. --against tests whether other scores
    correlate more than a baseline (Williams' test); incremental validity is tested over all
    traditional scores. A file of preferences between two replies gives Bradley-Terry strengths of
    the systems, and how accurately each score predicts the preferred reply. --controls, with or
    without ratings, tests whether scores drop for replies made wrong on purpose. --judges audits
    model judges instead, and says whether they may stand in for a rater; it needs no RUN, but with
    one also looks for bias by length, system and model family.

    \b
    Examples:
      simpatico validate run --judgements ratings.csv
      simpatico validate run --judgements ratings.csv --against length \\
        --format latex
      simpatico validate run --judgements preferences.csv
      simpatico validate run --controls shuffled,generic
      simpatico validate run --judgements ratings.csv --judges judged.jsonl
    """
    if options["judges"]:
        show_audit(audit_from_options(run, judgements, options), options, as_json=as_json)
        return
    if run is None:
        raise click.UsageError("Missing argument 'RUN'; only --judges works without one.")
    if judgements is None and options["controls"] is None:
        raise click.UsageError("Missing --judgements FILE, or --controls.")
    if options["logs"] and options["controls"] is None:
        raise click.UsageError("--logs needs --controls.")
    if options["format"] != "table" and (as_json or judgements is None):
        raise click.UsageError(
            "--format prints correlations with ratings; leave it out with --json or --controls."
        )
    from simpatico.readers.judgement_files import has_preferences
    from simpatico.run.results import runs_or_results

    evidence, preferences, metrics = None, None, {}
    if judgements and has_preferences(judgements):
        preferences = preferences_from_options(run, judgements, options)
    elif judgements:
        with ProgressDisplay("validation"), runs_or_results([run]) as (opened,):
            evidence, metrics = evidence_from_options(opened, judgements, options), opened.facts
    controls = controls_from_options(run, options) if options["controls"] else None
    if as_json:
        parts = [part.as_json() for part in (evidence, preferences, controls) if part]
        notes = [text for part in parts for text in part["notes"]]
        show_json({key: rows for part in parts for key, rows in part.items()} | {"notes": notes})
        return
    if evidence:
        show_evidence(evidence, metrics["metrics"], options)
    if preferences:
        show_preferences(preferences, options["correction"])
    if controls:
        show_controls(controls, options["correction"])


def evidence_from_options(run: Run, judgements: Path, options: dict[str, Any]) -> Evidence:
    """Validate the scores as the options ask."""
    from simpatico.readers.judgement_files import read_judgements
    from simpatico.validation.correlations import CorrelationSettings
    from simpatico.validation.evidence import Question, validate

    names = ("qualities", "scores", "traditional", "against", "gold", "judge_kind", "with_human")
    question = Question(**{name: options[name] for name in names})
    settings = CorrelationSettings(
        level=options["level"] or "turn",
        kind=options["correlation"],
        **{name: options[name] for name in ("clusters", "correction", "seed")},
    )
    ratings = prepare_ratings(
        read_judgements(
            judgements, turns_from=options["turns_from"], columns=dict(options["columns"])
        ),
        options["attention"],
        standardise=options["standardise"],
    )
    return validate(run, ratings, question, settings)


def prepare_ratings(ratings: Judgements, attention: str | None, *, standardise: bool) -> Judgements:
    """The ratings without inattentive judges, and as z-scores; notes say who is left out."""
    from simpatico.validation.raters.preparation import drop_inattentive, standardise_judgements

    notes = ratings.notes
    if attention:
        selection = drop_inattentive(ratings, quality=attention)
        judges = format_count(selection.n_judges_dropped, "judge")
        n_ratings = format_count(selection.n_ratings_dropped, "rating")
        note(f"{judges} failed {attention!r}: {n_ratings} excluded.")
        ratings = selection.judgements
    if standardise:
        selection = standardise_judgements(ratings)
        note(
            f"{format_count(selection.n_judges_dropped, 'judge')} gave constant ratings, which "
            "cannot be standardised: excluded for that quality."
        )
        ratings = selection.judgements
    return replace(ratings, notes=notes)


def show_evidence(evidence: Evidence, metrics: dict[str, Any], options: dict[str, Any]) -> None:
    """A table a quality; agreement of raters, all pairs and all baselines with --verbose."""
    for text in evidence.notes:
        note(text)
    better = {s["name"]: s.get("better") for m in metrics.values() for s in m["scores"]}
    shape, kind, verbose = (options[name] for name in ("format", "correlation", "verbose"))
    if shape == "csv":
        show_correlation_csv(evidence, better)
        return
    if verbose:
        show_agreement(evidence, shape)
    show_correlations(evidence, better, kind=kind, shape=shape)
    every = verbose or bool(options["against"])
    show_contests(evidence.dependent, shape, every=every)
    if evidence.systems:
        show_rankings(evidence.systems, shape, every=every)
    show_gains(evidence.incremental, shape, verbose=verbose)
    show_legend(evidence, kind, options["correction"])
    if not evidence.dependent:
        note("Add --against SCORE to test which scores correlate more than it (Williams' test).")


def show_rankings(rows: Sequence[SystemRow], shape: Shape, *, every: bool) -> None:
    """How well scores rank systems, a table per quality, and which of two scores does better."""
    statistics = dict.fromkeys(r.statistic for r in rows if not r.against)
    cells = {(r.quality, r.score, r.statistic): ranking_cell(r) for r in rows if not r.against}
    columns = ["score", *(name.replace("_", " ") for name in statistics)]
    for quality in dict.fromkeys(r.quality for r in rows):
        own = [r for r in rows if r.quality == quality and not r.against]
        scores = dict.fromkeys(r.score for r in own)
        body = [[s, *(cells.get((quality, s, name)) for name in statistics)] for s in scores]
        inputs = max((r.inputs for r in own if r.inputs is not None), default=0)
        counts = f"{max(r.systems for r in own)} systems, {format_count(inputs, 'input')}"
        show_as(shape, f"Ranking of systems by {quality} [95% CI], {counts}", columns, body)
    note(
        "Over systems and inputs: 95% CI by BOOT-BOTH, tests by PERM-SYSTEMS; inputs: prompts that "
        "at least two systems replied to."
    )
    show_contests([r for r in rows if r.against], shape, where=" over systems", every=every)


def ranking_cell(r: SystemRow) -> str:
    """A statistic with its interval, or why it has no value."""
    if r.value is None and r.reason:
        return r.reason
    interval = "" if r.low is None else f" {format_correlation_interval(r.low, r.high)}"
    return f"{format_correlation(r.value)}{interval}"


def show_gains(rows: Sequence[IncrementalRow], shape: Shape, *, verbose: bool = False) -> None:
    """What psychological scores (P) add to traditional ones (T), and what learned ones (L) add."""
    for group, name in (("P", "psychological"), ("L", "learned")):
        own = [r for r in rows if r.group == group]
        show_group_gains(own, (group, name), shape, verbose=verbose)
    if shape == "table" and any(r.p_paper is not None for r in rows):
        note(
            "Gain: paired t: paired t-test of absolute residuals (Giorgi et al. 2023), p not "
            "corrected; clustered: the same with clustered standard errors; coefficients: test of "
            "the added coefficients; CV gain: gain in cross-validated R²."
        )


def show_gain_tests(rows: Sequence[IncrementalRow], group: str) -> None:
    """The three tests of each gain and the cross-validated gain; why, where there is no test."""
    tested = [r for r in rows if r.p_paper is not None]
    if tested:
        body = [
            [
                *(r.quality, r.score),
                *map(p_cell, (r.p_paper, r.p_clustered, r.p_value)),
                *(format_correlation(r.cv_gain), format_correlation_interval(r.cv_low, r.cv_high)),
            ]
            for r in tested
        ]
        tests = ["paired t", "clustered", "coefficients"]
        columns = ["quality", "over", *tests, "CV gain", "95% CI"]
        show_table(
            f"Tests of the gain of {group} over T: p, and the CV gain", columns, body, keys=2
        )
    for r in rows:
        if r.p_paper is None:
            result(f"{r.quality}, over {r.score}: {r.verdict}")


def show_group_gains(
    rows: Sequence[IncrementalRow], group_and_name: tuple[str, str], shape: Shape, *, verbose: bool
) -> None:
    """The joint gain of a group's scores over all traditional ones; with `verbose` over each."""
    group, name = group_and_name
    most = {r.level: max(len(o.added) for o in rows if o.level == r.level) for r in rows}
    joint = [r for r in rows if len(r.added) == most[r.level]]
    single = [r for r in rows if len(r.added) < most[r.level]] if verbose else []
    if not verbose:  # over all baselines together, or over the only one
        joint = list({(r.quality, r.level): r for r in joint}.values())
    if joint:
        body = [
            [
                *(r.quality, r.score),
                *map(format_correlation, (r.adj_r2_t, r.adj_r2_p, r.adj_r2_pt, r.value)),
                *(format_correlation_interval(r.low, r.high), r.n),
            ]
            for r in joint
        ]
        title = f"Incremental validity: adjusted R² of traditional (T), {name} ({group}), both"
        both = f"{group}+T"
        columns = ["quality", "traditional (T)", "T", group, both, "gain", "95% CI", "n"]
        show_as(shape, title, columns, body, keys=2)
        if shape == "table":
            show_gain_tests(joint, group)
    gains: dict[tuple[str, str], list[str]] = {}
    for r in single:
        if is_significant(r.p_adjusted):
            gains.setdefault((r.quality, r.added_name), []).append(r.score)
    texts = [f"{name} over {', '.join(to)} ({quality})" for (quality, name), to in gains.items()]
    if texts:
        result(f"Significant incremental validity of single {name} scores: {'; '.join(texts)}.")
    elif single:
        result(f"No single {name} score has significant incremental validity.")
    if single:
        family = format_count(max(r.family for r in rows), "pair")
        note(
            f"Single scores: p < .05 after correction for {family} of models per quality; "
            "--json has all."
        )
