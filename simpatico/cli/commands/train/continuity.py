"""`simpatico train continuity`: logs in, a model of whether the addressed user replies out.

After Tsuta et al. (2023): a reply is a sign that the user wants to continue, and logs have it for
free. Results are also shown for users who are not in the training set, of whom the model knows
nothing.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.train import _command_line as shared
from simpatico.cli.commands.train import _users as users
from simpatico.cli.output import note, result
from simpatico.cli.progress import ProgressDisplay
from simpatico.wording import format_count

if TYPE_CHECKING:
    from simpatico.metric import Metric
    from simpatico.training.users.continuity.data import By, Filters
    from simpatico.training.users.continuity.outcomes import Window
    from simpatico.training.users.continuity.train import ContinuityReport
    from simpatico.turns import Turns

RENAMED = {
    "minutes": "reply-within",
    "left": "min-remaining",
    "fewest": "min-dialogs",
    "most": "max-dialogs",
}
"""Options that had the names of the settings in the last release."""
FLAGS = {"base": "continue", "settings": "set", **RENAMED}
"""Options whose names differ from those of the settings."""
# the codes are those of the report
SUBSETS = {"persons met before": "known users", "persons never met": "new users"}
REPLY_RESULTS = {"accuracy": "accuracy", "macro_f1": "macro-F1", "auc": "AUC"}
DATE = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"])

example_options = opt.combine(
    opt.value(
        "--reply-within",
        30.0,
        "Minutes. Replies later than this count as no reply; 0 = no limit.",
        "minutes",
    ),
    opt.value(
        "--min-remaining",
        0.0,
        "Exclude turns with fewer minutes of log after them, where a reply may have been cut off.",
        "left",
    ),
    opt.repeatable("--bot", "Speaker to exclude, such as a bot in a chat room."),
    opt.value(
        "--repeated", 0.5, "Exclude speakers with a larger share of repeated turns than this."
    ),
    opt.value(
        "--min-dialogs",
        0,
        "Minimum number of training dialogs of a user; Tsuta et al. (2023) use 30.",
        "fewest",
    ),
    opt.value(
        "--max-dialogs",
        400,
        "Maximum number of training dialogs of a user; the most recent ones are used.",
        "most",
    ),
    opt.choice(
        "--split",
        ["time", "person"],
        "Chronological 8:1:1 split over all turns, or over the dialogs of each user.",
    ),
    opt.option(
        "--validation-from", "Date at which the validation set begins.", type=DATE, metavar="DATE"
    ),
    opt.option("--test-from", "Date at which the test set begins.", type=DATE, metavar="DATE"),
)
baseline_options = opt.combine(
    opt.flag("--baselines", "Compare with metrics that need no training."),
    opt.settings,
    opt.value(
        "--baseline-turns",
        0,
        "Maximum number of turns per split that baseline metrics score, evenly spaced.",
        type=click.IntRange(0),
        show_default="all",
    ),
)


BASELINE_NAMES = ("baselines", "settings", "baseline_turns")
FIXED_BY_MODEL = (
    *("minutes", "fewest", "most", "split", "validation_from", "test_from", "mode", "encoder"),
    *("seed", "licence"),
    *BASELINE_NAMES,
)
"""Options that have no effect on an update, which keeps the settings of the model."""


@click.command(cls=opt.accept_old_names(**RENAMED))
@users.input_options
@example_options
@users.user_model_options
@baseline_options
def continuity(data: tuple[Path, ...], out: Path, format: str | None, **options: Any) -> None:
    """Train a model of whether the user replies.

    Needs no ratings: a log shows which turns got a reply. Chronological split: train, validation,
    test.

    Use it with `--set reply_chance.model=path:MODEL`.

    \b
    Example:
      simpatico train continuity --data logs.jsonl --reply-within 60 --out MODEL
    """
    from simpatico.training.card import About
    from simpatico.training.users.continuity import train
    from simpatico.training.users.continuity.baselines import BaselineMetrics
    from simpatico.training.users.continuity.outcomes import Window

    if options["base"] and not options["fine_tune"]:
        users.refuse_options(FIXED_BY_MODEL, users.WITH_CONTINUE, FLAGS)
        update(users.read_all_turns(data, format), out, shared.data_name(data), options)
        return
    if options["fine_tune"]:
        users.refuse_options(BASELINE_NAMES, "--fine-tune", FLAGS)
    # readers of the card must not learn who was excluded
    public = {**options, "data": data, "bot": ("NAME",) * len(options["bot"])}
    command = shared.record_command("simpatico train continuity", public, switches=(), flags=FLAGS)
    about = About(shared.data_name(data), options.pop("licence") or "not stated", command)
    baselines = BaselineMetrics(load_baselines(options), options.pop("baseline_turns"))
    by, filters = pop_split(options), pop_filters(options)
    window = Window(options.pop("minutes") or None, options.pop("left"))
    base, encoder = options.pop("base"), users.pop_encoder(options)
    training = train.ContinuityTraining(
        encoder=encoder, window=window, filters=filters, by=by, **options
    )
    turns = users.read_all_turns(data, format)
    with ProgressDisplay():
        if training.fine_tune:
            report = train.fine_tune_continuity(
                turns, out, training=training, about=about, base=base
            )
        else:
            report = train.train_continuity(
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
    users.show_results("New turns", [done.results], REPLY_RESULTS, "turns")
    users.note_excluded(done.excluded)
    note_unfinished(done.unfinished, done.window, "new turn")
    result(str(out))


def pop_split(options: dict[str, Any]) -> By | None:
    """How the options split examples; null for 8:1:1 in time.

    Dates are UTC, as those of the logs are after reading.
    """
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


def pop_filters(options: dict[str, Any]) -> Filters:
    """Which speakers are users to train on: no bots, and enough dialogs."""
    from simpatico.training.users.continuity.data import Filters

    bots = frozenset(options.pop("bot"))
    return Filters(bots, *(options.pop(name) for name in ("repeated", "fewest", "most")))


def load_baselines(options: dict[str, Any]) -> dict[str, Metric | str]:
    """The baselines' metrics with the parameters of `--set`, or why one cannot be had.

    A baseline without its model is no reason to stop a training; the report says what is missing.
    """
    from simpatico.errors import SimpaticoError
    from simpatico.registry import load
    from simpatico.training.users.continuity.baselines import METRICS

    parameters = opt.parse_settings(options.pop("settings"))
    opt.refuse_other_metrics(parameters, list(METRICS.values()))
    metrics: dict[str, Metric | str] = {}
    for name, metric in METRICS.items() if options.pop("baselines") else ():
        try:
            metrics[name] = load(metric, **opt.typed_parameters(metric, parameters.get(metric, {})))
        except SimpaticoError as error:
            metrics[name] = str(error)
    return metrics


def show_continuity_report(report: ContinuityReport, window: Window) -> None:
    """Results on the test set, compared with baselines."""
    from simpatico.stats.by_user import NO_INTERVAL

    users.show_results("Test set", report.results, REPLY_RESULTS, "turns")
    for name, rows in report.subsets.items():
        users.show_results(f"Test set, turns to {SUBSETS[name]}", rows, REPLY_RESULTS, "turns")
    for row in report.gains:
        p = users.format_p_suffix(row.accuracy.p_value)
        note(f"accuracy minus that of {row.name}: {users.format_estimate(row.accuracy)}{p}")
    if report.results[0].accuracy.low is None:
        note(NO_INTERVAL)
    for name, n in report.unscored.items():
        if n:
            note(f"{name} did not score {n:,} turns")
    for name, why in report.unavailable.items():
        note(f"{name} is not available: {why}")
    users.note_excluded(report.excluded)
    note_unfinished(report.unfinished, window, "turn of the test set")


def note_unfinished(n: int, window: Window, noun: str) -> None:
    """Say how many turns count as without a reply though the log ends too soon to tell."""
    if n:
        count = format_count(n, noun, noun.replace("turn", "turns"))
        have, counts = ("has", "counts") if n == 1 else ("have", "count")
        note(
            f"{count} {have} less than {window.minutes:g} minutes of log afterwards and {counts} "
            "as no reply; exclude such turns with --min-remaining"
        )
