"""`simpatico compare`: systems against each other, or a plan for such a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from simpatico.cli.output import heading, note, result, show_json, show_table
from simpatico.comparison.difference import Difference, Finding, Settings, compare
from simpatico.comparison.gate.rules import read_amounts
from simpatico.comparison.headline import (
    based_on,
    faced,
    family_note,
    grouped,
    headline,
    lede,
    main_pair,
    pairs_of,
    percent,
    plain,
)
from simpatico.comparison.plan import Planned, Spreads, pilot, plan
from simpatico.comparison.samples import Choice
from simpatico.comparison.verdict import HINT, as_json, digits, sentence
from simpatico.run import Run
from simpatico.stats.power import POWER, Design
from simpatico.wording import (
    NO_VALUE,
    format_count,
    format_number,
    format_p,
    format_significant,
)

MANY = 6
"""Pairs beyond which only findings and hints are told in sentences."""
TOLD: tuple[Finding, ...] = ("higher", "lower", "hint")
SURE = 100
"""Pilot values from which a spread is known to about 15%."""
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
    choice = Choice(options["level"], scores, options["every"], options["with_human"])
    opened = [Run(run) for run in runs]
    if options["planning"]:
        show_plan(opened, choice, options)
        return
    if not runs:
        raise click.UsageError("name a run folder, such as the one `simpatico demo` makes")
    settings = Settings(options["correction"], options["confidence"], options["seed"])
    found = compare(opened, choice, settings)
    if options["as_json_"]:
        show_json([as_json(d) for d in found])
    else:
        show_differences(found)


def show_differences(found: Sequence[Difference]) -> None:
    """What it comes to, then a table and sentences for each pair of systems."""
    main = main_pair(found)
    if main is None:
        result("These systems have no score in common; nothing to compare.")
        return
    pairs = {pair: faced(own) for pair, own in pairs_of(found).items()}
    heading(plain(headline(pairs[main])))
    result(plain(lede(pairs[main])))
    for own in pairs.values():
        result("")
        show_pair(own)
        show_groups(own, whole=len(pairs) <= MANY)
    rest = [d for d in found if d.finding not in TOLD]
    if len(pairs) > MANY and rest:
        result(untold(rest))
    note(explained(found))


def show_pair(own: Sequence[Difference]) -> None:
    """The numbers of one pair, one row per score."""
    first = own[0]
    uneven = len({(d.n_a, d.n_b) for d in own}) > 1
    columns = ["", first.a, first.b, "a − b", percent(first), "of 100", "p", "verdict"]
    rows = [
        [
            d.score,
            d.mean_a,
            d.mean_b,
            format_number(d.difference, digits(d)),
            NO_VALUE if d.low is None else f"{shown(d, d.low)} to {shown(d, d.high)}",
            format_number(d.times_in_100, 0),
            chances(d),
            worded(d),
            *(
                [
                    format_count(d.n_a)
                    if d.paired
                    else f"{format_count(d.n_a)}, {format_count(d.n_b)}"
                ]
                if uneven
                else []
            ),
        ]
        for d in own
    ]
    columns += ["n"] if uneven else []
    show_table(f"{first.a} against {first.b}, {based_on(own)}", columns, rows)


def shown(told: Difference, value: float | None) -> str:
    return format_number(value, digits(told))


def chances(told: Difference) -> str:
    """The corrected p; of a hint also the one it has alone."""
    corrected, own = (format_p(p).removeprefix("= ") for p in (told.p_adjusted, told.p_value))
    return f"{corrected} ({own} alone)" if told.finding == "hint" else corrected


def worded(told: Difference) -> str:
    """The finding in a word; better or worse only where the score has a direction."""
    if told.better is None or told.finding not in ("higher", "lower"):
        return WORDS[told.finding]
    return f"{told.finding} ({'better' if told.finding == told.better else 'worse'})"


def show_groups(own: Sequence[Difference], *, whole: bool) -> None:
    """What can be said of one pair; unless `whole`, only what was found."""
    for title, group in grouped(own):
        if whole or group[0].finding in TOLD:
            heading(title)
            for difference in group:
                result(f"  {sentence(difference).removesuffix(f' {HINT}.')}")


def untold(rest: Sequence[Difference]) -> str:
    """The comparisons without a sentence, counted."""
    unclear = sum(d.finding == "unclear" for d in rest)
    counts = {"can't be told apart": unclear, "not compared": len(rest) - unclear}
    said = ", ".join(f"{n:,} {words}" for words, n in counts.items() if n)
    return f"{format_count(len(rest), 'other comparison')}: {said}."


def explained(found: Sequence[Difference]) -> str:
    """How to read the tables and the sentences, once."""
    times = "in one of each at random"
    if any(d.paired for d in found):
        times = f"on the same {next(d.unit for d in found if d.paired)}"
    return (
        f"a − b: the first system minus the second; of 100: how often the first is higher {times}. "
        f"{family_note(found)} Higher is not better unless it says so: simpatico list NAME"
    )


def show_plan(runs: Sequence[Run], choice: Choice, options: dict[str, Any]) -> None:
    """What would show with how many dialogs, from a pilot run or a given spread."""
    if bool(runs) == bool(options["sd"]):
        raise click.UsageError("--plan needs a pilot RUN, or --sd NUMBER in its place")
    if runs:
        spreads, family = pilot(runs, choice)
    else:
        spreads, family = [Spreads("any score", options["sd"], options["sd"], 0)], 1
    design = Design(
        family=options["family"] or family, alpha=1 - options["confidence"], power=options["power"]
    )
    amounts = read_amounts("--detect", options["detect"], [s.score for s in spreads])
    rows = plan(spreads, design, detect=lambda score: amounts.get(score, amounts.get("")))
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
    if runs and min(s.n for s in spreads) < SURE:
        note("a spread from so few is rough itself; take the numbers as an order of size.")
    if not amounts:
        note("how many a difference of your own needs: --detect 0.05, or --detect empathy=0.2")


def show_planned(rows: Sequence[Planned], *, paired: bool) -> None:
    """One row per score: the spread, what shows with n of each, and what a difference needs."""
    sizes = sorted({n for row in rows for n in row.shows})
    unit = "prompts that both answer" if paired else "dialogs of each system"
    asked = any(row.detect for row in rows)
    columns = ["", "sd of pairs" if paired else "sd", *(f"{n:,}" for n in sizes)]
    columns += ["to find", "needs"] if asked else []
    body = []
    for row in rows:
        line: list[Any] = [row.score, row.sd, *(short(row.shows.get(n)) for n in sizes)]
        if asked:
            line += [short(row.detect), "–" if row.needed is None else f"{row.needed:,}"]
        body.append(line)
    title = (
        f"{'same' if paired else 'different'} prompts: difference that shows with so many {unit}"
    )
    show_table(title, columns, body)


def short(value: float | None) -> str:
    return NO_VALUE if value is None else format_significant(value)
