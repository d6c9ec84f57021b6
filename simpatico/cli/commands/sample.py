"""`simpatico sample`: which dialogs people should rate next, or how many ratings are needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np
import polars as pl

from simpatico.cli import options as opt
from simpatico.cli.commands.compare import read_ratings
from simpatico.cli.output import note, result, show_json, show_table
from simpatico.comparison.estimates.dialogs import BLEND, DialogTable, find_proxy, stack_systems
from simpatico.comparison.estimates.sampling import (
    SAMPLE_COLUMNS,
    PlannedRatings,
    RatingSpread,
    SampleSize,
    draw_sample,
    measure_spread,
    plan_ratings,
)
from simpatico.comparison.samples import PERCENT, Selection, as_floats
from simpatico.errors import DataError
from simpatico.evidence import evidence_of
from simpatico.files import write_atomically
from simpatico.judgements import Judgements
from simpatico.readers.judge_answer_files import read_judges
from simpatico.run.merge import open_runs
from simpatico.validation.judge_scores import (
    leading_quality,
    load_judged_systems,
    rating_noise,
    split_judges,
)
from simpatico.wording import NO_VALUE, format_correlation, format_count

MARK = ",".join(SAMPLE_COLUMNS).encode()
RELIABLE_BLEND = 30
"""Rated dialogs from which the blend orders dialogs better than one score does."""


@click.command(name="sample")
@click.argument("runs", nargs=-1, required=True, type=opt.PATH)
@opt.option("--n", "Number of dialogs to draw.", "size", type=click.IntRange(1))
@opt.value(
    "--k", 1, "Number of people who rate each dialog.", "raters", type=click.IntRange(1, 100)
)
@opt.judgements
@opt.rating_columns
@opt.option("--quality", "Rated quality.  [default: the leading one]")
@opt.proxy
@opt.judges
@opt.random_seed()
@opt.path("--out", "CSV file to write: dialog, system, proxy, stratum, weight, ratings.")
@opt.force
@opt.flag("--plan", "Number of ratings needed for an interval of --width.")
@opt.option(
    "--width",
    "With --plan: width of the 95% CI, from low to high, in the unit of the ratings.",
    type=click.FloatRange(0, min_open=True),
)
@opt.option(
    "--sd",
    "With --plan: SD of dialogs' ratings within a system, instead of --judgements.",
    type=click.FloatRange(0, min_open=True),
)
@opt.option(
    "--r",
    "With --sd: correlation of ratings and proxy within systems.",
    "correlation",
    type=click.FloatRange(-1, 1, min_open=True, max_open=True),
)
@opt.as_json
def command(runs: tuple[Path, ...], **options: Any) -> None:
    """Draw the dialogs of RUNS that people should rate next.

    As many of each system, balanced over the range of the proxy, at random within strata. Its
    weights go to `compare --correct ppi --sample FILE`. Dialogs with ratings (--judgements) count.
    With --plan, how many ratings a 95% CI of a wanted width needs, with and without the proxy.

    \b
    Examples:
      simpatico sample run --n 100 --out to-rate.csv
      simpatico sample run --n 50 --judgements ratings.csv --out next.csv
      simpatico sample run --plan --width 0.2 --judgements ratings.csv --k 3
    """
    check_options(options)
    ratings = read_ratings(options["judgements"], options["turns_from"], dict(options["columns"]))
    judges = read_judges(options["judges"]).judgements() if options["judges"] else None
    people, models = split_judges(ratings, judges)
    with open_runs(runs) as run:
        table = stack_systems(load_judged_systems(run, people, models, Selection()))
        quality = None
        if people is not None:
            quality = leading_quality(list(table.qualities), options["quality"])
        if options["plan"]:
            show_plan(table, quality, people, options)
        else:
            write_sample(table, quality, options)


def check_options(options: dict[str, Any]) -> None:
    """Refuse what cannot go together, before anything is read."""
    if not options["plan"]:
        if not options["size"] or not options["out"]:
            raise click.UsageError(
                "Missing --n NUMBER and --out FILE, or --plan with --width NUMBER."
            )
        if options["width"] or options["sd"] or options["correlation"] is not None:
            raise click.UsageError("--width, --sd and --r belong to --plan.")
        return
    if options["size"] or options["out"]:
        raise click.UsageError("--plan draws nothing; leave out --n and --out.")
    if not options["width"]:
        raise click.UsageError("--plan needs --width NUMBER, the width of the interval you want.")
    if bool(options["judgements"]) == bool(options["sd"]):
        raise click.UsageError(
            "--plan needs ratings of some dialogs (--judgements) or --sd NUMBER, and not both."
        )
    if options["correlation"] is not None and not options["sd"]:
        raise click.UsageError("--r goes with --sd; with --judgements it is measured.")
    if options["quality"] and not options["judgements"]:
        raise click.UsageError("--quality names what --judgements rates; give both.")


def choose_proxy(table: DialogTable, quality: str | None) -> str:
    """The blend where enough dialogs are rated, else the score of the best shipped evidence."""
    if quality is not None and table.frame[quality].count() >= RELIABLE_BLEND:
        return BLEND
    figures = {name: evidence_of(name).mean or 0.0 for name in table.proxies}
    best = max(figures, key=lambda name: abs(figures[name]), default=None)
    if best is None or not figures[best]:
        raise DataError("no score of this run is known to follow people; name one with --proxy")
    return best


def write_sample(table: DialogTable, quality: str | None, options: dict[str, Any]) -> None:
    """The file of dialogs to rate, and what is in it."""
    place = opt.out_file(options["out"], MARK)
    name = options["proxy"] or choose_proxy(table, quality)
    proxy = find_proxy(table, name, quality, options["seed"])
    rated = np.zeros(table.frame.height, dtype=bool)
    if quality is not None:
        rated = np.isfinite(as_floats(table.frame[quality]))
    size = SampleSize(options["size"], options["raters"], options["seed"])
    frame = draw_sample(table, proxy.values, rated, size)
    write_atomically(place, frame.select(SAMPLE_COLUMNS).write_csv().encode(), public=True)
    drawn = frame.filter(pl.col("ratings") > 0)
    if options["as_json"]:
        show_json(frame.to_dicts())
        return
    counts = drawn.group_by("system").len().sort("system")
    before = dict(frame.filter(ratings=0).group_by("system").len().iter_rows())
    rows = [[s, format_count(n), format_count(before.get(s, 0))] for s, n in counts.iter_rows()]
    show_table(
        f"{format_count(drawn.height, 'dialog')} to rate by {proxy.name}",
        ["system", "to rate", "rated before"],
        rows,
    )
    total = int(drawn["ratings"].sum())
    result(f"{format_count(total, 'rating')} to collect; written to {options['out']}.")
    note(f"Then: simpatico compare RUN --judgements FILE --correct ppi --sample {options['out']}")


def show_plan(
    table: DialogTable, quality: str | None, people: Judgements | None, options: dict[str, Any]
) -> None:
    """The dialogs of each system to rate, with and without the proxy."""
    dialogs = table.frame.height // len(table.systems)
    if quality is None or people is None:
        variance, r = options["sd"] ** 2, options["correlation"] or 0.0
        raters = float(options["raters"])  # --sd is that of the means of as many
        spread, name = RatingSpread(variance, variance * (1 - r**2), 2, raters=raters), "a proxy"
    else:
        proxy = find_proxy(table, options["proxy"] or BLEND, quality, options["seed"])
        info, name = table.qualities[quality], proxy.name
        noise = rating_noise(people, info.title, percent=info.unit == PERCENT)
        spread = measure_spread(table.units(quality, proxy), noise)
    rows = plan_ratings(spread, options["width"], dialogs, options["raters"])
    if options["as_json"]:
        show_json([row.as_json() for row in rows])
        return
    r = format_correlation(spread.with_raters(options["raters"]).correlation)
    show_table(
        f"Dialogs of each system to rate for a 95% CI {options['width']:g} wide",
        ["estimate", "ratings alone [95% CI]", f"with {name} (r = {r}) [95% CI]"],
        [plan_cells(row) for row in rows],
    )
    k = format_count(options["raters"], "rating")
    note(
        f"A system has {format_count(dialogs, 'dialog')} in this run on average, and a dialog gets "
        f"{k}. "
        f"{NO_VALUE}: more than there are."
    )


def plan_cells(row: PlannedRatings) -> list[str]:
    """What is estimated, and the dialogs needed without and with the proxy."""
    what = "mean of a system" if row.estimate == "mean" else "difference of two systems"
    sizes = (
        (row.alone, row.alone_low, row.alone_high),
        (row.with_proxy, row.with_proxy_low, row.with_proxy_high),
    )
    return [what, *map(size_cell, sizes)]


def size_cell(size: tuple[int | None, int | None, int | None]) -> str:
    """A number of dialogs with its interval."""
    n, low, high = (NO_VALUE if x is None else format_count(x) for x in size)
    return n if low == high else f"{n} [{low}, {high}]"
