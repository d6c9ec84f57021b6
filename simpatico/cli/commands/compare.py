"""`simpatico compare`: systems against each other, or a plan for such a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from simpatico.cli.output import heading, note, result, show_json, show_table
from simpatico.comparison.difference import ComparisonSettings, Difference, Finding, compare
from simpatico.comparison.gate.rules import read_amounts
from simpatico.comparison.headline import (
    confidence_percent,
    family_note,
    group_by_finding,
    group_by_pair,
    headline,
    lede,
    main_pair,
    orient_pair,
    plain_text,
    sample_size_text,
)
from simpatico.comparison.plan import (
    PilotSpread,
    PlannedComparison,
    measure_pilot,
    plan_comparisons,
)
from simpatico.comparison.samples import Selection
from simpatico.comparison.verdict import (
    HINT,
    difference_as_json,
    difference_digits,
    verdict_sentence,
)
from simpatico.run import Run
from simpatico.stats.power import POWER, Design
from simpatico.wording import (
    NO_VALUE,
    format_count,
    format_number,
    format_p,
    format_significant,
)

MAX_PAIRS_IN_FULL = 6
"""Pairs of systems beyond which only findings and hints are printed as sentences."""
ALWAYS_SHOWN: tuple[Finding, ...] = ("higher", "lower", "hint")
RELIABLE_PILOT = 100
"""Pilot values from which an SD is known to about 15% (95% interval: ±1.96 / sqrt(2n))."""
WORDS: dict[Finding, str] = {
    "higher": "higher",
    "lower": "lower",
    "hint": "a hint",
    "unclear": "can't tell",
    "same": "the same",
    "too_few": "too few",
}


@click.command(name="compare")
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path))
@click.option("--scores", default="", help="Only these scores, comma separated.")
@click.option("--every", is_flag=True, help="Also the parts of each metric.")
@click.option("--with-human", is_flag=True, help="Also the people in the dialogs.")
@click.option(
    "--level",
    type=click.Choice(["dialog", "turn"]),
    default="dialog",
    show_default=True,
    help="Scores of dialogs, or scores of turns averaged within each dialog.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "bh", "bonferroni"]),
    default="holm",
    show_default=True,
    help="For the number of comparisons.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0.5, 0.999),
    default=0.95,
    show_default=True,
    help="Of the intervals; a finding needs a corrected p of 1 minus this.",
)
@click.option("--seed", default=0, show_default=True, help="Of the permutations.")
@click.option("--json", "as_json_", is_flag=True, help="For scripts.")
@click.option("--plan", "planning", is_flag=True, help="How many dialogs a comparison needs.")
@click.option(
    "--detect", multiple=True, help="Plan: a difference, 0.05 or empathy=0.2; repeatable."
)
@click.option(
    "--power",
    type=click.FloatRange(0.1, 0.999),
    default=POWER,
    show_default=True,
    help="Plan: how surely it is to be found.",
)
@click.option("--family", type=click.IntRange(1), help="Plan: comparisons to correct for.")
@click.option(
    "--sd", type=click.FloatRange(0, min_open=True), help="Plan: a spread, in place of a run."
)
def command(runs: tuple[Path, ...], **options: Any) -> None:
    """Compare the systems of RUNS on every metric.

    In pairs where the systems answered the same prompts; an interval for each difference, a p
    corrected for the number of comparisons, and a verdict. With --plan, RUNS are a pilot.
    """
    scores = tuple(s.strip() for s in options["scores"].split(",") if s.strip())
    choice = Selection(options["level"], scores, options["every"], options["with_human"])
    folders = [Run(run) for run in runs]
    if options["planning"]:
        show_plan(folders, choice, options)
        return
    if not runs:
        raise click.UsageError("name a run folder, such as the one `simpatico demo` makes")
    settings = ComparisonSettings(options["correction"], options["confidence"], options["seed"])
    differences = compare(folders, choice, settings)
    if options["as_json_"]:
        show_json([difference_as_json(d) for d in differences])
    else:
        show_differences(differences)


def show_differences(differences: Sequence[Difference]) -> None:
    """The headline, then a table and sentences for each pair of systems."""
    main = main_pair(differences)
    if main is None:
        result("These systems have no score in common; nothing to compare.")
        return
    pairs = {pair: orient_pair(own) for pair, own in group_by_pair(differences).items()}
    in_full = len(pairs) <= MAX_PAIRS_IN_FULL
    heading(plain_text(headline(pairs[main])))
    result(plain_text(lede(pairs[main])))
    for own in pairs.values():
        result("")
        show_pair(own)
        for title, group in group_by_finding(own):
            if in_full or group[0].finding in ALWAYS_SHOWN:
                heading(title)
                for d in group:
                    result(f"  {verdict_sentence(d).removesuffix(f' {HINT}.')}")
    rest = [d for d in differences if d.finding not in ALWAYS_SHOWN]
    if rest and not in_full:
        unclear = sum(d.finding == "unclear" for d in rest)
        counts = {"can't be told apart": unclear, "not compared": len(rest) - unclear}
        summary = ", ".join(f"{n:,} {words}" for words, n in counts.items() if n)
        result(f"{format_count(len(rest), 'other comparison')}: {summary}.")
    note(reading_note(differences))


def show_pair(own: Sequence[Difference]) -> None:
    """The numbers of one pair, one row per score."""
    first = own[0]
    uneven = len({(d.n_a, d.n_b) for d in own}) > 1
    columns = ["", first.a, first.b, "a − b", confidence_percent(first), "of 100", "p", "verdict"]
    rows = []
    for d in own:
        value, low, high = (
            format_number(v, difference_digits(d)) for v in (d.difference, d.low, d.high)
        )
        row = [
            d.score,
            d.mean_a,
            d.mean_b,
            value,
            NO_VALUE if d.low is None else f"{low} to {high}",
            format_number(d.times_in_100, 0),
            adjusted_p_cell(d),
            finding_cell(d),
        ]
        if uneven:
            n_a, n_b = format_count(d.n_a), format_count(d.n_b)
            row.append(n_a if d.paired else f"{n_a}, {n_b}")
        rows.append(row)
    columns += ["n"] if uneven else []
    show_table(f"{first.a} against {first.b}, {sample_size_text(own)}", columns, rows)


def adjusted_p_cell(d: Difference) -> str:
    """The corrected p; of a hint also the uncorrected one."""
    adjusted, uncorrected = (format_p(p).removeprefix("= ") for p in (d.p_adjusted, d.p_value))
    return f"{adjusted} ({uncorrected} alone)" if d.finding == "hint" else adjusted


def finding_cell(d: Difference) -> str:
    """The finding in a word; better or worse only where the score has a direction."""
    if d.better is None or d.finding not in ("higher", "lower"):
        return WORDS[d.finding]
    return f"{d.finding} ({'better' if d.finding == d.better else 'worse'})"


def reading_note(differences: Sequence[Difference]) -> str:
    """How to read the tables and the sentences, once."""
    times = "in one of each at random"
    if units := [d.unit for d in differences if d.paired]:
        times = f"on the same {units[0]}"
    return (
        f"a − b: the first system minus the second; of 100: how often the first is higher {times}. "
        f"{family_note(differences)} Higher is not better unless it says so: simpatico list NAME"
    )


def show_plan(runs: Sequence[Run], choice: Selection, options: dict[str, Any]) -> None:
    """Detectable differences by number of dialogs, from a pilot run or a given SD."""
    if bool(runs) == bool(options["sd"]):
        raise click.UsageError("--plan needs a pilot RUN, or --sd NUMBER in its place")
    if runs:
        spreads, family = measure_pilot(runs, choice)
    else:
        spreads, family = [PilotSpread("any score", options["sd"], options["sd"], 0)], 1
    design = Design(
        family=options["family"] or family, alpha=1 - options["confidence"], power=options["power"]
    )
    amounts = read_amounts("--detect", options["detect"], [s.score for s in spreads])
    rows = plan_comparisons(
        spreads, design, detect=lambda score: amounts.get(score, amounts.get(""))
    )
    if options["as_json_"]:
        show_json([row.as_json() for row in rows])
        return
    for paired in (True, False):
        own = [row for row in rows if row.paired is paired and row.sd is not None]
        if own:
            show_planned(own, paired=paired)
    note(
        f"found {100 * design.power:.4g} times in 100 at p {design.alpha:.4g} after Holm over "
        f"{design.family} comparisons (--family, --power)."
    )
    if runs and min(s.n for s in spreads) < RELIABLE_PILOT:
        note("a spread from so few is rough itself; take the numbers as an order of size.")
    if not amounts:
        note("how many a difference of your own needs: --detect 0.05, or --detect empathy=0.2")


def show_planned(rows: Sequence[PlannedComparison], *, paired: bool) -> None:
    """One row per score: SD, difference detected with n of each, and n that a difference needs."""
    sizes = sorted({n for row in rows for n in row.shows})
    unit = "prompts that both answer" if paired else "dialogs of each system"
    with_target = any(row.detect for row in rows)
    columns = ["", "sd of pairs" if paired else "sd", *(f"{n:,}" for n in sizes)]
    columns += ["to find", "needs"] if with_target else []
    body = []
    for row in rows:
        detectable = [row.shows.get(n) for n in sizes]
        amounts = [*detectable, row.detect] if with_target else detectable
        cells = [NO_VALUE if v is None else format_significant(v) for v in amounts]
        needed = [NO_VALUE if row.needed is None else f"{row.needed:,}"] if with_target else []
        body.append([row.score, row.sd, *cells, *needed])
    title = (
        f"{'same' if paired else 'different'} prompts: difference that shows with so many {unit}"
    )
    show_table(title, columns, body)
