"""`simpatico compare`: systems against each other, or a plan for such a comparison.

The order of the output is that of a reader's questions: who is ahead (headline), by how much and
how surely (table), what that means (sentences), how to read it (note on stderr). Statistics are in
`comparison/`; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands._estimates import show_estimates
from simpatico.cli.output import (
    heading,
    note,
    p_cell,
    result,
    show_json,
    show_table,
    value_with_interval,
)
from simpatico.cli.progress import ProgressDisplay
from simpatico.comparison import headline as texts
from simpatico.comparison import plan, ranking, verdict
from simpatico.comparison.difference import (
    ComparisonSettings,
    Difference,
    Differences,
    Finding,
)
from simpatico.comparison.estimates.ratings import METHODS
from simpatico.comparison.gate.rules import read_amounts
from simpatico.comparison.plan import PilotSpread, PlannedComparison
from simpatico.comparison.samples import HUMAN, PEOPLE, Selection
from simpatico.comparison.slices import Slices
from simpatico.errors import DataError
from simpatico.judgements import Judgements
from simpatico.readers.judge_answer_files import read_judges
from simpatico.readers.judgement_files import has_preferences, read_judgements
from simpatico.run import Run
from simpatico.run.merge import open_runs
from simpatico.run.results import runs_or_results
from simpatico.stats.power import POWER, Design
from simpatico.validation.controls.saved import control_sentences
from simpatico.validation.evidence import correlate_with_ratings
from simpatico.validation.people import compare_by, compare_with_ratings
from simpatico.wording import (
    NO_VALUE,
    capitalize,
    format_count,
    format_p,
    format_significant,
)

MAX_PAIRS_IN_FULL = 6
"""Pairs of systems beyond which only significant and suggestive differences are printed."""
ALWAYS_SHOWN: tuple[Finding, ...] = ("higher", "lower", "hint")
RELIABLE_PILOT = 100
"""Pilot values from which an SD is known to about 15% (95% interval: ±1.96 / sqrt(2n))."""


@click.command(name="compare")
@click.argument("runs", nargs=-1, type=opt.PATH)
@opt.names("--scores", "Compare only these scores.")
@opt.flag("--every", "Include the component scores of each metric.")
@opt.option(
    "--pair", "Compare only these two systems.  [default: all]", nargs=2, metavar="SYSTEM SYSTEM"
)
@opt.with_human
@opt.by
@opt.judgements
@opt.rating_columns
@opt.choice(
    "--correct",
    METHODS,
    "Estimate mean ratings from few of them and a proxy for all: prediction-powered, or a yes/no "
    "judge corrected for its errors.",
    default=None,
)
@opt.proxy
@opt.judges
@opt.path("--sample", "File of `simpatico sample`, whose weights the estimate uses.")
@opt.choice(
    "--level",
    ["dialog", "turn"],
    "Compare dialog scores, or turn scores averaged within each dialog.",
)
@opt.choice(
    "--correction",
    ["holm", "bh", "bonferroni"],
    "Correction for multiple comparisons (bh = Benjamini-Hochberg).",
)
@opt.value(
    "--confidence",
    0.95,
    "Confidence level of the intervals; a corrected p of at most 1 minus it is significant.",
    type=click.FloatRange(0.5, 0.999),
)
@opt.random_seed("Random seed of the permutation tests.")
@opt.as_json
@opt.flag("--plan", "Power analysis: number of dialogs needed.")
@opt.repeatable(
    "--detect",
    "With --plan: difference to detect, 0.05 or coherence=0.1.",
    metavar="[SCORE=]NUMBER",
)
@opt.value(
    "--power",
    POWER,
    "With --plan: probability of detecting the difference.",
    type=click.FloatRange(0.1, 0.999),
)
@opt.option(
    "--family", "With --plan: number of comparisons to correct for.", type=click.IntRange(1)
)
@opt.option(
    "--sd",
    "With --plan: standard deviation, instead of a pilot run.",
    type=click.FloatRange(0, min_open=True),
)
def command(runs: tuple[Path, ...], **options: Any) -> None:
    """Compare the systems of RUNS: people's ratings first, then every metric.

    Prints each difference with its 95% CI, probability of superiority and p corrected for multiple
    comparisons. The headline goes by evidence: ratings (--judgements), scores that follow people,
    descriptions; what is not shown to follow people is exploratory. Tests are paired where the
    systems replied to the same prompts. With --plan, RUNS are a pilot for a power analysis.

    \b
    Examples:
      simpatico compare run
      simpatico compare run-a run-b --judgements ratings.csv
      simpatico compare run --by month
      simpatico compare run --judgements few-ratings.csv --correct ppi
      simpatico compare run --plan --detect coherence=0.1
    """
    pair = options["pair"] or ()
    with_human = options["with_human"] or HUMAN in pair
    choice = Selection(options["level"], options["scores"], options["every"], with_human, pair)
    check_correction(options)
    if options["plan"]:
        with runs_or_results(runs) as pilots:
            show_plan(pilots, choice, options)
        return
    if not runs:
        raise click.UsageError("Missing RUN, a folder such as `simpatico demo` makes.")
    settings = ComparisonSettings(options["correction"], options["confidence"], options["seed"])
    ratings = read_ratings(options["judgements"], options["turns_from"], dict(options["columns"]))
    if options["correct"] and ratings is not None:
        judges = read_judges(options["judges"]).judgements() if options["judges"] else None
        with open_runs(runs, choice.scores) as run:
            show_estimates(run, (ratings, judges), choice, options)
        return
    with open_runs(runs, choice.scores) as run:
        if absent := run.facts.get("left_out"):
            note(f"Left out, as not every run has it: {', '.join(absent)}")
        with ProgressDisplay("comparison"):
            correlations = correlate_with_ratings(run, ratings) if ratings else ()
            inputs = run, ratings, correlations, choice, settings
            slices = compare_by(options["by"], *inputs) if options["by"] else None
            if isinstance(slices, Differences):  # of one system, with each other
                differences = slices
            else:
                differences = compare_with_ratings(*inputs)
        controls = control_sentences(run)
    sliced = slices.rows if isinstance(slices, Slices) else []
    if options["as_json"]:
        rows = [verdict.difference_as_json(d) for d in differences]
        show_json([*rows, *(row.as_json() for row in sliced)])
        return
    show_differences(differences, controls)
    if isinstance(slices, Slices):
        own = ranking.group_by_pair(differences).values()
        facing = [(pair[0].a, pair[0].b) for pair in map(texts.orient_pair, own)]
        show_slices(slices.facing(facing), every=bool(choice.scores))


def check_correction(options: dict[str, Any]) -> None:
    """Refuse options of an estimate without the estimate, and an estimate without ratings."""
    if options["correct"]:
        if options["plan"]:
            raise click.UsageError("How many ratings are needed says simpatico sample --plan.")
        if not options["judgements"]:
            raise click.UsageError(
                "--correct needs people's ratings of some dialogs: --judgements FILE."
            )
        if options["by"]:
            raise click.UsageError("--correct estimates whole systems; leave out --by.")
        return
    if given := [name for name in ("proxy", "judges", "sample") if options[name]]:
        raise click.UsageError(f"--{given[0]} belongs to --correct ppi or --correct rogan-gladen.")


def read_ratings(
    path: Path | None, turns_from: int, columns: Mapping[str, str]
) -> Judgements | None:
    """The ratings of a file, if there is one; preferences are no ratings."""
    if path is None:
        return None
    if has_preferences(path):
        raise DataError(
            f"{path} holds preferences; simpatico report and validate show these, compare and "
            "sample take ratings (dialog, quality, value)"
        )
    ratings = read_judgements(path, turns_from=turns_from, columns=columns)
    for text in ratings.notes:
        note(text)
    return ratings


def show_differences(
    differences: Sequence[Difference], controls: Mapping[str, str] | None = None
) -> None:
    """The headline, then a table and sentences for each pair of systems."""
    controls = controls or {}
    main = texts.main_pair(differences)
    if main is None:
        result("These systems have no score in common.")
        return
    pairs = {
        pair: texts.orient_pair(own) for pair, own in ranking.group_by_pair(differences).items()
    }
    in_full = len(pairs) <= MAX_PAIRS_IN_FULL
    heading(texts.plain_text(texts.headline(pairs[main])))
    result(texts.plain_text(texts.lede(pairs[main])))
    for own in [pairs.pop(main), *pairs.values()]:
        result("")
        show_pair(own)
        for title, group in ranking.group_by_finding(own):
            if in_full or group[0].finding in ALWAYS_SHOWN:
                heading(title)
                for d in group:
                    control = controls.get(d.score) if d.finding in ALWAYS_SHOWN else None
                    result(f"  {finding_sentence(d)}{f' {control}.' if control else ''}")
    rest = [d for d in differences if d.finding not in ALWAYS_SHOWN]
    if rest and not in_full:
        unclear = sum(d.finding == "unclear" for d in rest)
        counts = {"no significant difference": unclear, "not compared": len(rest) - unclear}
        summary = ", ".join(f"{words} in {n:,}" for words, n in counts.items() if n)
        result(f"{format_count(len(rest), 'other comparison')}: {summary}.")
    units = [f"{d.unit}s" for d in differences if d.paired] or ["random pairs, one of each system,"]
    note(
        "Difference: first system minus second. PS: probability of superiority, the share of "
        f"{units[0]} in which the first is higher. {texts.family_note(differences)} Higher means "
        "better only where stated; see simpatico list NAME."
    )


def show_pair(own: Sequence[Difference]) -> None:
    """The numbers of one pair: a table for each kind of evidence, one row per score.

    The sample size is in the title; only where scores differ in it does it get a column.
    """
    first = own[0]
    uneven = len({(d.n_a, d.n_b) for d in own}) > 1
    interval = f"difference [{texts.confidence_percent(first)} CI]"
    columns = ["score", first.a, first.b, interval, "PS", "p", *(["n"] if uneven else [])]
    heading(f"{first.a} vs. {first.b}, {texts.sample_size_text(own)}")
    for title, group in ranking.group_by_evidence(own):
        rows = []
        for d in group:
            digits = verdict.difference_digits(d)
            difference = value_with_interval(d.difference, d.low, d.high, digits)
            superiority = NO_VALUE if d.times_in_100 is None else f"{d.times_in_100:.0f}%"
            row = [d.score, *mean_cells(d), difference, superiority, p_cell(d.p_adjusted)]
            if uneven:
                n_a, n_b = format_count(d.n_a), format_count(d.n_b)
                row.append(n_a if d.paired else f"{n_a}, {n_b}")
            rows.append(row)
        show_table(title, columns, rows)


def mean_cells(d: Difference) -> list[float | str | None]:
    """The means of both systems; of ratings as these are written, such as 50%."""
    means = (d.mean_a, d.mean_b)
    if d.evidence != PEOPLE:
        return [*means]
    return [None if mean is None else verdict.rating_text(mean, d) for mean in means]


def show_slices(slices: Slices, *, every: bool) -> None:
    """The differences within slices, a table per pair: what follows people, unless `every`."""
    shown = [r for r in slices.rows if every or ranking.leads(r.difference)] or slices.rows
    pairs = dict.fromkeys((r.difference.a, r.difference.b) for r in shown)
    for a, b in pairs:
        own = [r for r in shown if (r.difference.a, r.difference.b) == (a, b)]
        columns = ["score", slices.by, a, b, "difference [95% CI]", "p", "n"]
        rows = []
        ranked = sorted(
            own, key=lambda r: (ranking.RANKS[r.difference.evidence], r.difference.score)
        )
        for row in ranked:
            d, digits = row.difference, verdict.difference_digits(row.difference)
            difference = value_with_interval(d.difference, d.low, d.high, digits)
            n = format_count(d.n_a) if d.paired else f"{d.n_a:,}, {d.n_b:,}"
            cells = [*mean_cells(d), difference, p_cell(d.p_adjusted), n]
            rows.append([d.score, row.slice, *cells])
        result("")
        show_table(f"{a} vs. {b} by {slices.by}", columns, rows, keys=2)
    for text in slices.notes():
        note(text)
    if len(shown) < len(slices.rows):
        note("Scores that follow people are shown; --scores names others, --json has all.")


def finding_sentence(d: Difference) -> str:
    """The verdict, followed by what the table has no room for.

    A suggestive difference shows both p-values, since the correction is why it is no finding.
    """
    sentence = verdict.verdict_sentence(d).removesuffix(f" {verdict.HINT}.")
    if d.finding == "hint":
        before, after = format_p(d.p_value), p_cell(d.p_adjusted)
        return f"{sentence} p {before} before correction, {after} after."
    if d.finding in ("higher", "lower") and d.better:
        return f"{sentence} {capitalize(verdict.direction_text(d))}."
    return sentence


def show_plan(runs: Sequence[Run], choice: Selection, options: dict[str, Any]) -> None:
    """Detectable differences by number of dialogs, from a pilot run or a given SD."""
    if bool(runs) == bool(options["sd"]):
        raise click.UsageError("--plan needs a pilot RUN or --sd NUMBER, and not both.")
    if runs:
        spreads, family = plan.measure_pilot(runs, choice)
    else:
        spreads, family = [PilotSpread("any score", options["sd"], options["sd"], 0)], 1
    design = Design(
        family=options["family"] or family, alpha=1 - options["confidence"], power=options["power"]
    )
    amounts = read_amounts("--detect", options["detect"], [s.score for s in spreads])
    rows = plan.plan_comparisons(
        spreads, design, detect=lambda score: amounts.get(score, amounts.get(""))
    )
    if options["as_json"]:
        show_json([row.as_json() for row in rows])
        return
    for paired in (True, False):
        own = [row for row in rows if row.paired is paired and row.sd is not None]
        if own:
            show_planned(own, paired=paired)
    note(
        f"{100 * design.power:.4g}% power at p ≤ {f'{design.alpha:.4g}'.removeprefix('0')} after "
        f"Holm correction for {format_count(design.family, 'comparison')} (--power, --family)."
    )
    if runs and min(s.n for s in spreads) < RELIABLE_PILOT:
        note("The pilot is small: its SDs, and so these numbers, are only approximate.")
    if not amounts:
        note("To plan for a given difference: --detect 0.05, or --detect coherence=0.1.")


def show_planned(rows: Sequence[PlannedComparison], *, paired: bool) -> None:
    """One row per score: the difference that n can detect, and the n that a difference needs."""
    sizes = sorted({n for row in rows for n in row.shows})
    unit = "shared prompts (paired)" if paired else "dialogs of each system"
    sd = "paired SD" if paired else "SD"
    columns = ["score", sd, *(f"{n:,}" for n in sizes)]
    body = [[row.score, row.sd, *(amount_cell(row.shows.get(n)) for n in sizes)] for row in rows]
    show_table(f"Smallest detectable difference by number of {unit}", columns, body)
    if any(row.detect for row in rows):
        body = [
            [r.score, r.sd, amount_cell(r.detect), r.needed and format_count(r.needed)]
            for r in rows
        ]
        show_table(f"Number of {unit} needed", ["score", sd, "to detect", "needed"], body)


def amount_cell(value: float | None) -> str:
    return NO_VALUE if value is None else format_significant(value)
