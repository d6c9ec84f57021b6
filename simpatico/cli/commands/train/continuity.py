"""`simpatico train continuity`: logs in, a model of whether the addressed user replies out."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.commands.train._command_line import record_command
from simpatico.cli.commands.train._users import (
    INPUT_OPTIONS,
    MODEL_OPTIONS,
    WITH_CONTINUE,
    data_name,
    format_estimate,
    format_p_suffix,
    note_excluded,
    pop_encoder,
    read_all_turns,
    refuse_options,
)
from simpatico.cli.options import (
    combine_options,
    parse_settings,
    renamed_options,
    typed_parameters,
)
from simpatico.cli.output import note, result, show_table
from simpatico.cli.progress import ProgressDisplay
from simpatico.errors import UnknownName

if TYPE_CHECKING:
    from simpatico.metric import Metric
    from simpatico.stats.by_user import ReplyResults
    from simpatico.training.users.continuity.data import By, Filters
    from simpatico.training.users.continuity.outcomes import Window
    from simpatico.training.users.continuity.train import ContinuityReport
    from simpatico.turns import Turns

FLAGS = {
    "base": "continue",
    "settings": "set",
    "minutes": "reply-within",
    "left": "min-remaining",
    "fewest": "min-dialogs",
    "most": "max-dialogs",
}
"""Options whose names differ from those of the settings."""
SUBSETS = {"persons met before": "known users", "persons never met": "new users"}
DATE = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"])
EXAMPLE_OPTIONS = [
    click.option(
        "--reply-within",
        "minutes",
        type=float,
        default=30.0,
        show_default=True,
        help="Minutes. Replies later than this count as no reply; 0 = no limit.",
    ),
    click.option(
        "--min-remaining",
        "left",
        type=float,
        default=0.0,
        show_default=True,
        help="Exclude turns with fewer minutes of log after them, where a reply may have been cut "
        "off.",
    ),
    click.option("--bot", multiple=True, help="Speaker to exclude. May be repeated."),
    click.option(
        "--repeated",
        type=float,
        default=0.5,
        show_default=True,
        help="Exclude speakers with a larger share of repeated turns than this.",
    ),
    click.option(
        "--min-dialogs",
        "fewest",
        type=int,
        default=0,
        show_default=True,
        help="Minimum number of training dialogs of a user; the paper uses 30.",
    ),
    click.option(
        "--max-dialogs",
        "most",
        type=int,
        default=400,
        show_default=True,
        help="Maximum number of training dialogs of a user; the most recent ones are used.",
    ),
    click.option(
        "--split",
        type=click.Choice(["time", "person"]),
        default="time",
        show_default=True,
        help="Chronological 8:1:1 split over all turns, or over the dialogs of each user.",
    ),
    click.option(
        "--validation-from",
        type=DATE,
        metavar="DATE",
        help="Date at which the validation set begins.",
    ),
    click.option(
        "--test-from", type=DATE, metavar="DATE", help="Date at which the test set begins."
    ),
]
BASELINE_OPTIONS = [
    click.option("--baselines", is_flag=True, help="Compare with metrics that need no training."),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="METRIC.PARAMETER=VALUE",
        help="Parameter of a baseline metric, such as fed.model=package:smollm2. May be repeated.",
    ),
    click.option(
        "--baseline-turns",
        type=click.IntRange(0),
        default=0,
        help="Maximum number of turns per split that baseline metrics score, evenly spaced.  "
        "[default: all]",
    ),
]


BASELINE_NAMES = ("baselines", "settings", "baseline_turns")
FIXED_BY_MODEL = (
    *("minutes", "fewest", "most", "split", "validation_from", "test_from", "mode", "encoder"),
    *("seed", "licence"),
    *BASELINE_NAMES,
)
"""Options that have no effect on an update, which keeps the settings of the model."""


@click.command(
    cls=renamed_options(
        minutes="--reply-within",
        left="--min-remaining",
        fewest="--min-dialogs",
        most="--max-dialogs",
    )
)
@combine_options([*INPUT_OPTIONS, *EXAMPLE_OPTIONS, *MODEL_OPTIONS, *BASELINE_OPTIONS])
def continuity(data: tuple[Path, ...], out: Path, format: str | None, **options: Any) -> None:
    """Train a model of whether the user replies, for `--set reply_chance.model=path:MODEL`.

    Needs no ratings: a log shows which turns got a reply. Chronological split: train, validation,
    test.
    """
    from simpatico.training.card import About
    from simpatico.training.users.continuity.baselines import BaselineMetrics
    from simpatico.training.users.continuity.train import (
        ContinuityTraining,
        fine_tune_continuity,
        train_continuity,
    )

    if options["base"] and not options["fine_tune"]:
        refuse_options(FIXED_BY_MODEL, WITH_CONTINUE, FLAGS)
        update(read_all_turns(data, format), out, data_name(data), options)
        return
    if options["fine_tune"]:
        refuse_options(BASELINE_NAMES, "--fine-tune", FLAGS)
    # readers of the card must not learn who was excluded
    public = {**options, "data": data, "bot": ("NAME",) * len(options["bot"])}
    command = record_command("simpatico train continuity", public, switches=(), flags=FLAGS)
    about = About(data_name(data), options.pop("licence") or "not stated", command)
    baselines = BaselineMetrics(load_baselines(options), options.pop("baseline_turns"))
    by, window, filters = pop_split(options), pop_window(options), pop_filters(options)
    base, encoder = options.pop("base"), pop_encoder(options)
    training = ContinuityTraining(encoder=encoder, window=window, filters=filters, by=by, **options)
    turns = read_all_turns(data, format)
    with ProgressDisplay():
        if training.fine_tune:
            report = fine_tune_continuity(turns, out, training=training, about=about, base=base)
        else:
            report = train_continuity(
                turns, out, training=training, about=about, baselines=baselines
            )
        show_continuity_report(report, window)
    result(str(out))


def update(turns: Turns, out: Path, data: str, options: dict[str, Any]) -> None:
    """Update the users of a model with new turns."""
    from simpatico.training.users.continuity.train import update_continuity
    from simpatico.training.users.update import UpdateRequest

    request, filters = UpdateRequest(options["base"], out, data), pop_filters(options)
    with ProgressDisplay():
        done = update_continuity(turns, request, left=options["left"], filters=filters)
    show_reply_results("New turns", [done.results])
    note_excluded(done.excluded)
    note_unfinished(done.unfinished, done.window, "new turn")
    result(str(out))


def pop_split(options: dict[str, Any]) -> By | None:
    """How the options split examples; null for 8:1:1 in time."""
    how, validation, test = (options.pop(n) for n in ("split", "validation_from", "test_from"))
    if (validation is None) != (test is None):
        raise click.UsageError("Give both --validation-from and --test-from, or neither.")
    if validation is None:
        return "person" if how == "person" else None
    if how == "person":
        raise click.UsageError("--validation-from and --test-from need --split time.")
    from simpatico.training.users.splits import cuts_at_dates

    dates: list[datetime] = [validation, test]
    return cuts_at_dates(*(date.replace(tzinfo=UTC) for date in dates))


def pop_window(options: dict[str, Any]) -> Window:
    from simpatico.training.users.continuity.outcomes import Window

    return Window(options.pop("minutes") or None, options.pop("left"))


def pop_filters(options: dict[str, Any]) -> Filters:
    from simpatico.training.users.continuity.data import Filters

    bots = frozenset(options.pop("bot"))
    return Filters(bots, *(options.pop(name) for name in ("repeated", "fewest", "most")))


def load_baselines(options: dict[str, Any]) -> dict[str, Metric | str]:
    """The baselines' metrics with the parameters of `--set`, or why one cannot be had."""
    from simpatico.errors import SimpaticoError
    from simpatico.registry import load
    from simpatico.training.users.continuity.baselines import METRICS

    parameters = parse_settings(options.pop("settings"))
    if unknown := sorted(set(parameters) - set(METRICS.values())):
        raise UnknownName(
            f"--set names {unknown[0]!r}, which is not among {', '.join(METRICS.values())}"
        )
    metrics: dict[str, Metric | str] = {}
    for name, metric in METRICS.items() if options.pop("baselines") else ():
        try:
            metrics[name] = load(metric, **typed_parameters(metric, parameters.get(metric, {})))
        except SimpaticoError as error:
            metrics[name] = str(error)
    return metrics


def show_continuity_report(report: ContinuityReport, window: Window) -> None:
    """Results on the test set, compared with baselines."""
    from simpatico.stats.by_user import NO_INTERVAL

    show_reply_results("Test set", report.results)
    for name, rows in report.subsets.items():
        show_reply_results(f"Test set, turns to {SUBSETS[name]}", rows)
    for row in report.gains:
        p = format_p_suffix(row.accuracy.p_value)
        note(f"accuracy minus that of {row.name}: {format_estimate(row.accuracy)}{p}")
    if report.results[0].accuracy.low is None:
        note(NO_INTERVAL)
    for name, n in report.unscored.items():
        if n:
            note(f"{name} did not score {n:,} turns")
    for name, why in report.unavailable.items():
        note(f"{name} is not available: {why}")
    note_excluded(report.excluded)
    note_unfinished(report.unfinished, window, "turn of the test set")


def note_unfinished(n: int, window: Window, noun: str) -> None:
    """Say how many turns count as without a reply though the log ends too soon to tell."""
    if n:
        count = f"{n:,} {noun.replace('turn', 'turns') if n > 1 else noun}"
        note(
            f"{count} {'has' if n == 1 else 'have'} less than {window.minutes:g} minutes of log "
            f"afterwards and count{'s' * (n == 1)} as no reply; exclude such turns with "
            "--min-remaining"
        )


def show_reply_results(title: str, rows: list[ReplyResults]) -> None:
    columns = ["model", "accuracy", "macro-F1", "AUC", "turns", "users"]
    cells = [
        (row.name, *map(format_estimate, (row.accuracy, row.macro_f1, row.auc)), row.n, row.users)
        for row in rows
    ]
    show_table(title, columns, cells)
