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
from simpatico.cli.commands._preferences import preferences_from_options, show_preferences
from simpatico.cli.output import note, p_cell, result, show_json, show_table
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

AGREEMENT_TITLES = {  # the codes are those of the JSON
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
"""The heading of the column says which coefficient it is; their sizes are not comparable."""


@click.command(name="validate", cls=opt.accept_old_names(kind="correlation", most="max-dialogs"))
@click.argument("run", type=opt.PATH)
@opt.judgements
@opt.rating_columns
@control_options
@opt.repeatable("--quality", "Validate only against this rated quality.", "qualities")
@opt.names("--scores", "Use only these scores.")
@opt.traditional
@opt.option(
    "--against",
    "Test whether the other scores correlate more or less than this one.",
    metavar="SCORE",
)
@opt.choice("--correlation", ["pearson", "spearman", "kendall"], "Correlation coefficient.")
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
@opt.seed("Random seed of the resampling.")
@opt.as_json
def command(run: Path, judgements: Path | None, as_json: bool, **options: Any) -> None:
    """Validate RUN's scores against human ratings.

    Prints inter-rater agreement with the noise ceiling, and each score's correlation with the
    ratings, also with reply length held constant. --traditional adds incremental validity. A file
    of preferences between two replies gives Bradley-Terry strengths of the systems, and how
    accurately each score predicts the preferred reply. --controls, with or without ratings, tests
    whether scores drop for replies made wrong on purpose.

    \b
    Examples:
      simpatico validate run --judgements ratings.csv
      simpatico validate run --judgements preferences.csv
      simpatico validate run --controls shuffled,generic
    """
    if judgements is None and options["controls"] is None:
        raise click.UsageError("Missing --judgements FILE, or --controls.")
    if options["logs"] and options["controls"] is None:
        raise click.UsageError("--logs needs --controls.")
    from simpatico.readers.judgement_files import has_preferences

    evidence, preferences = None, None
    if judgements and has_preferences(judgements):
        preferences = preferences_from_options(run, judgements, options)
    elif judgements:
        evidence = evidence_from_options(run, judgements, options)
    controls = controls_from_options(run, options) if options["controls"] else None
    if as_json:
        parts = [part.as_json() for part in (evidence, preferences, controls) if part]
        notes = [text for part in parts for text in part["notes"]]
        show_json({key: rows for part in parts for key, rows in part.items()} | {"notes": notes})
        return
    if evidence:
        show_evidence(evidence, options["correction"], SYMBOLS[options["correlation"]])
    if preferences:
        show_preferences(preferences, options["correction"])
    if controls:
        show_controls(controls, options["correction"])


def evidence_from_options(run: Path, judgements: Path, options: dict[str, Any]) -> Evidence:
    """Validate the scores as the options ask."""
    from simpatico.readers.judgement_files import read_judgements
    from simpatico.run import Run
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
    return validate(Run(run), ratings, question, settings)


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


def show_evidence(evidence: Evidence, correction: Correction, symbol: str) -> None:
    """Agreement first, since it bounds what correlations can reach."""
    for text in evidence.notes:
        note(text)
    rows = [
        [r.quality, AGREEMENT_TITLES[r.score], *value_cells(r), r.n]
        for r in evidence.agreement
        if r.score in AGREEMENT_TITLES
    ]
    columns = ["quality", "statistic", "value", "95% CI", "units"]
    show_table("Inter-rater agreement", columns, rows, keys=2)
    show_correlation_table(evidence, correction, symbol)
    if evidence.systems:
        show_rankings(evidence.systems)
    show_contests(evidence.dependent, "correlation")
    show_gains(evidence.incremental)


def show_correlation_table(evidence: Evidence, correction: Correction, symbol: str) -> None:
    """Each score's correlation with each quality, next to the noise ceiling it could reach."""
    from simpatico.validation.evidence import agreement_value

    rows = []
    for r in evidence.correlations:
        value, interval = value_cells(r)
        mark = "*" if is_significant(r.p_adjusted) else ""
        ceiling = format_correlation(agreement_value(evidence.agreement, r, "ceiling"))
        constant = r.length_held_constant
        partial = format_correlation(constant.value if constant else None)
        rows.append(
            [
                r.quality,
                r.score,
                value + mark,
                interval,
                p_cell(r.p_adjusted),
                partial,
                r.n,
                ceiling,
            ]
        )
    columns = ["quality", "score", symbol, "95% CI", "p", "partial", "n", "ceiling"]
    show_table("Correlation with human ratings", columns, rows, keys=2)
    for quality, n in {r.quality: r.unmatched for r in evidence.correlations}.items():
        if n:
            note(f"{quality}: {format_count(n, 'rated unit')} without a score.")
    family = max((r.family for r in evidence.correlations), default=0)
    note(
        f"p: after {CORRECTIONS[correction]} correction for {format_count(family, 'score')} per "
        f"quality, * below .05; partial: {symbol} with words per turn held constant (95% CI in "
        "--json); n: units with score and rating; ceiling: noise ceiling."
    )


def show_rankings(rows: Sequence[SystemRow]) -> None:
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
        show_table(f"Ranking of systems by {quality} [95% CI], {counts}", columns, body)
    note(
        "Over systems and inputs: 95% CI by BOOT-BOTH, tests by PERM-SYSTEMS; inputs: prompts that "
        "at least two systems replied to."
    )
    show_contests([r for r in rows if r.against], "ranking", start="Over systems, ")


def ranking_cell(r: SystemRow) -> str:
    """A statistic with its interval, or why it has no value."""
    if r.value is None and r.reason:
        return r.reason
    interval = "" if r.low is None else f" {format_correlation_interval(r.low, r.high)}"
    return f"{format_correlation(r.value)}{interval}"


def show_contests(rows: Sequence[ContestRow | SystemRow], what: str, *, start: str = "") -> None:
    """Which of two scores agrees more with ratings; only significant differences in full.

    Both correlate with the same ratings, so the tests are for dependent correlations; to compare
    two intervals by eye would miss many differences.
    """
    significant = [r for r in rows if is_significant(r.p_adjusted)]
    for r in sorted(significant, key=lambda r: r.p_adjusted or 0):
        more = "more" if (r.value or 0) > 0 else "less"
        interval = format_correlation_interval(r.low, r.high)
        result(
            f"{start}{r.score} correlates {more} with {r.quality} than {r.against}: difference "
            f"{format_correlation(r.value)} (95% CI {interval}), p {format_p(r.p_adjusted)}"
            + ("." if start else f", n = {r.n:,}.")
        )
    if rest := len(rows) - len(significant):
        note(f"{format_count(rest, 'pair')} of scores: no significant difference in {what}.")


def show_gains(rows: Sequence[IncrementalRow]) -> None:
    """What psychological scores (P) add to traditional ones (T), and what learned ones (L) add."""
    for group, name in (("P", "psychological"), ("L", "learned")):
        show_group_gains([r for r in rows if r.group == group], group, name)


def show_group_gains(rows: Sequence[IncrementalRow], group: str, name: str) -> None:
    """The joint gain of all scores of a group over the traditional ones, then of single ones."""
    most = {r.level: max(len(o.added) for o in rows if o.level == r.level) for r in rows}
    joint = [r for r in rows if len(r.added) == most[r.level]]
    single = [r for r in rows if len(r.added) < most[r.level]]
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
        show_table(title, columns, body, keys=2)
        for r in joint:
            result(f"{r.quality}, over {r.score}: {r.verdict}")
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


def is_significant(p: float | None) -> bool:
    return p is not None and p < ALPHA


def value_cells(row: Result) -> tuple[str, str]:
    """A correlation or agreement and its interval; the reason where there is none."""
    if row.value is None and row.status != "ok":
        return NO_VALUE, row.status.replace("_", " ")
    return format_correlation(row.value), format_correlation_interval(row.low, row.high)
