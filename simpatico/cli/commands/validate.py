"""`simpatico validate`: do the scores follow what people say, and how far do people agree?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.commands._controls import chance, control_options, controlled, show_controls
from simpatico.cli.output import note, result, show_json, show_table

if TYPE_CHECKING:
    from simpatico.judgements import Judgements
    from simpatico.validation.evidence import Evidence
    from simpatico.validation.incremental.rows import IncrementalRow

SHOWN = {
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
    held = held_against(run, judgements, options) if judgements else None
    wrong = controlled(run, options, names(options["scores"])) if options["controls"] else None
    if as_json:
        parts = [part.as_json() for part in (held, wrong) if part]
        notes = [told for part in parts for told in part["notes"]]
        show_json({key: rows for part in parts for key, rows in part.items()} | {"notes": notes})
        return
    if held:
        show_evidence(held, options["correction"])
    if wrong:
        show_controls(wrong, options["correction"])


def held_against(run: Path, judgements: Path, options: dict[str, Any]) -> Evidence:
    """What people's judgements say of the scores."""
    from simpatico.readers.judgement_files import read_judgements
    from simpatico.run import Run
    from simpatico.validation.correlations import How
    from simpatico.validation.evidence import Question, validate

    question = Question(
        options["qualities"],
        names(options["scores"]),
        names(options["traditional"]),
        options["against"],
        options["gold"],
        options["judge_kind"],
        options["with_human"],
    )
    how = How(
        level=options["level"] or "turn",
        kind=options["kind"],
        clusters=options["clusters"],
        correction=options["correction"],
        seed=options["seed"],
    )
    given = prepared(read_judgements(judgements), options["attention"], options["standardise"])
    return validate(Run(run), given, question, how)


def show_evidence(evidence: Evidence, correction: str) -> None:
    """All of it, in the order in which people ask."""
    for told in evidence.notes:
        note(told)
    show_agreement(evidence)
    show_correlations(evidence, correction)
    show_contests(evidence)
    show_gains(evidence)
    show_single_gains(evidence)


def names(given: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in given.split(",") if name.strip())


def prepared(judgements: Judgements, attention: str | None, standardise: bool) -> Judgements:
    """The judgements to go by; whoever is left out is told."""
    from simpatico.validation.raters.preparation import attentive, standardised

    if attention:
        kept = attentive(judgements, quality=attention)
        note(f"{kept.dropped} judges failed {attention!r}: {kept.ratings_dropped} ratings left out")
        judgements = kept.judgements
    if standardise:
        kept = standardised(judgements)
        note(f"{kept.dropped} judges gave no spread to standardise: left out of that quality")
        judgements = kept.judgements
    return judgements


def show_agreement(evidence: Evidence) -> None:
    """How far judges agree, the main figures."""
    rows = [
        [r.quality, SHOWN[r.score], r.value, span(r), r.n, said(r)]
        for r in evidence.agreement
        if r.score in SHOWN
    ]
    show_table("how far the judges agree", ["quality", "", "", "95%", "units", ""], rows)


def show_correlations(evidence: Evidence, correction: str) -> None:
    """Each score with each quality, beside what could be reached at all."""
    from simpatico.validation.evidence import reached

    rows = [
        [r.quality, r.score, r.value, span(r), chance(r.p_adjusted), r.n, top, verdict(r)]
        for r in evidence.correlations
        for top in [reached(evidence.agreement, r, "ceiling")]
    ]
    columns = ["quality", "score", "r", "95%", "p", "n", "ceiling", ""]
    show_table("scores against judgements", columns, rows)
    left = {r.quality: r.unmatched for r in evidence.correlations if r.unmatched}
    for quality, n in left.items():
        note(f"{quality}: {n:,} judged units were not scored")
    family = max((r.family for r in evidence.correlations), default=0)
    note(f"p: after {correction} over the {family} scores of a quality; n: units with both")


def show_contests(evidence: Evidence) -> None:
    """Which of two scores follows people more closely; only what can be told."""
    clear = [c for c in evidence.dependent if c.p_adjusted is not None and c.p_adjusted < 0.05]
    for c in sorted(clear, key=lambda c: c.p_adjusted or 0):
        more = "more" if (c.value or 0) > 0 else "less"
        result(
            f"{c.score} correlates {more} with {c.quality} than {c.against}: by "
            f"{abs(c.value or 0):.2f} (95% {span(c)}), p = {chance(c.p_adjusted)}, n = {c.n:,}"
        )
    rest = len(evidence.dependent) - len(clear)
    if rest:
        note(f"{rest} pairs of scores cannot be told apart in how they follow the judges")


def show_gains(evidence: Evidence) -> None:
    """What the other scores together add to the traditional ones."""
    told = [r for r in evidence.incremental if together(evidence, r)]
    rows = [
        [r.quality, r.score, r.adj_r2_t, r.adj_r2_p, r.adj_r2_pt, r.value, span(r), r.n]
        for r in told
    ]
    if rows:
        columns = ["quality", "traditional", "T", "P", "P+T", "gain", "95%", "n"]
        show_table("adjusted R²: traditional scores, all others, both", columns, rows)
        for r in told:
            result(r.verdict)


def show_single_gains(evidence: Evidence) -> None:
    """The scores that by themselves add something, in one line."""
    single = [r for r in evidence.incremental if not together(evidence, r)]
    clear = [r for r in single if r.p_adjusted is not None and r.p_adjusted < 0.05]
    found: dict[tuple[str, str], list[str]] = {}
    for r in clear:
        found.setdefault((r.quality, r.added_name), []).append(r.score)
    if found:
        listed = [f"{name} to {', '.join(to)} ({of})" for (of, name), to in found.items()]
        result(f"by itself (corrected p < .05) each of these adds something: {'; '.join(listed)}")
    elif single:
        result("no other score adds anything by itself with a corrected p < .05")
    family = max((r.family for r in evidence.incremental), default=0)
    if single:
        note(f"corrected over the {family} pairs of models of a quality; all are in --json")


def together(evidence: Evidence, row: IncrementalRow) -> bool:
    """Whether a row is about all scores that could be added at its level."""
    same = [r for r in evidence.incremental if r.level == row.level]
    return len(row.added) == max(len(r.added) for r in same)


def verdict(row: Any) -> str:
    """A correlation in words, if it can be had at all."""
    if row.value is None:
        return str(row.status).replace("_", " ")
    if row.p_adjusted is None or row.p_adjusted >= 0.05:
        return "can't tell"
    return "follows" if row.value > 0 else "runs against"


def said(row: Any) -> str:
    return "" if row.status == "ok" else str(row.status).replace("_", " ")


def span(row: Any) -> str:
    return "–" if row.low is None else f"[{row.low:.2f}, {row.high:.2f}]"
