"""`simpatico train continuity`: logs in, a model of whether the person talked to answers out."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.commands.train._command_line import recorded
from simpatico.cli.commands.train._users import (
    KEEPING,
    MODEL,
    WHERE,
    conversations,
    encoder_of,
    likely,
    named,
    set_aside,
    span,
    without,
)
from simpatico.cli.options import parsed, together, typed
from simpatico.cli.output import note, result, show_table
from simpatico.cli.progress import Progress
from simpatico.errors import UnknownName

if TYPE_CHECKING:
    from simpatico.metric import Metric
    from simpatico.stats.by_person import Measured
    from simpatico.training.users.continuity.data import By, Filters
    from simpatico.training.users.continuity.outcomes import Window
    from simpatico.training.users.continuity.train import Report
    from simpatico.turns import Turns

FLAGS = {"base": "continue", "settings": "set"}
DATE = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"])
ASKED = [
    click.option(
        "--minutes",
        type=float,
        default=30.0,
        show_default=True,
        help="Later answers are none; 0 is without limit.",
    ),
    click.option(
        "--left",
        type=float,
        default=0.0,
        show_default=True,
        help="Leave out turns after which a log goes on for fewer minutes, where it may be cut.",
    ),
    click.option("--bot", multiple=True, help="Speaker to leave out. May be repeated."),
    click.option(
        "--repeated",
        type=float,
        default=0.5,
        show_default=True,
        help="Leave out speakers of whom a larger share of turns is repeated.",
    ),
    click.option(
        "--fewest",
        type=int,
        default=0,
        show_default=True,
        help="Dialogs to learn from that a person must have; the paper asks for 30.",
    ),
    click.option(
        "--most",
        type=int,
        default=400,
        show_default=True,
        help="Dialogs of a person that are learned from, the last ones.",
    ),
    click.option(
        "--split",
        type=click.Choice(["time", "person"]),
        default="time",
        show_default=True,
        help="8:1:1 in time over all, or over the dialogs of each person.",
    ),
    click.option("--validation-from", type=DATE, help="Date from which turns decide."),
    click.option("--test-from", type=DATE, help="Date from which turns are held out."),
]
BASELINES = [
    click.option("--baselines", is_flag=True, help="Show what metrics without training guess."),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="METRIC.PARAMETER=VALUE",
        help="A parameter of a baseline's metric, such as fed.model=package:smollm2; repeatable.",
    ),
    click.option(
        "--baseline-turns",
        type=click.IntRange(0),
        default=0,
        help="Let metrics score at most so many turns of each side, evenly.  [default: all]",
    ),
]


CONTEST = ("baselines", "settings", "baseline_turns")
KEPT = (
    *("minutes", "fewest", "most", "split", "validation_from", "test_from", "mode", "encoder"),
    *("seed", "licence"),
    *CONTEST,
)
"""Options that do nothing where a model is gone on from."""


@click.command()
@together([*WHERE, *ASKED, *MODEL, *BASELINES])
def continuity(data: tuple[Path, ...], out: Path, format: str | None, **options: Any) -> None:
    """Learn whether the person who is talked to answers, for `--set reply_chance.model=path:MODEL`.

    Nobody has to rate anything: in a log, a turn was answered or was not. What decides comes after
    what is learned from, and what is held out after both.
    """
    from simpatico.training.model_folder import About
    from simpatico.training.users.continuity.train import Training

    if options["base"] and not options["fine_tune"]:
        without(KEPT, KEEPING, FLAGS)
        go_on(conversations(data, format), out, named(data), options)
        return
    if options["fine_tune"]:
        without(CONTEST, "--fine-tune", FLAGS)
    # who is left out is nobody's business who reads the card
    told = {**options, "data": data, "bot": ("NAME",) * len(options["bot"])}
    command = recorded("simpatico train continuity", told, switches=(), flags=FLAGS)
    about = About(named(data), options.pop("licence") or "not stated", command)
    metrics, most = chosen(options), options.pop("baseline_turns")
    by, window, filters = split(options), windowed(options), filtered(options)
    base, encoder = options.pop("base"), encoder_of(options)
    training = Training(encoder=encoder, window=window, filters=filters, by=by, **options)
    turns = conversations(data, format)
    with Progress():
        if training.fine_tune:
            from simpatico.training.users.continuity.train__continuity_tuned import (
                tune_continuity,
            )

            report = tune_continuity(turns, out, training=training, about=about, base=base)
            summarise(report, window)
        else:
            from simpatico.training.users.continuity.baselines import Contest
            from simpatico.training.users.continuity.train import train_continuity

            contest = Contest(metrics, most)
            report = train_continuity(turns, out, training=training, about=about, contest=contest)
            summarise(report, window)
    result(str(out))


def go_on(turns: Turns, out: Path, data: str, options: dict[str, Any]) -> None:
    """Let persons of a model learn from new turns."""
    from simpatico.training.users.update import Onward, continue_continuity

    onward, filters = Onward(options["base"], out, data), filtered(options)
    with Progress():
        went = continue_continuity(turns, onward, left=options["left"], filters=filters)
    show("New turns", [went.found])
    set_aside(went.aside)
    tell_of_end(went.unfinished, went.window, "new turn")
    result(str(out))


def split(options: dict[str, Any]) -> By | None:
    """How the options split examples."""
    how, check, test = (options.pop(n) for n in ("split", "validation_from", "test_from"))
    if (check is None) != (test is None):
        raise click.UsageError("give both --validation-from and --test-from, or neither")
    if check is None:
        return "person" if how == "person" else None
    if how == "person":
        raise click.UsageError("--validation-from and --test-from are for --split time")
    from simpatico.training.users.splits import dated

    dates: list[datetime] = [check, test]
    return dated(*(date.replace(tzinfo=UTC) for date in dates))


def windowed(options: dict[str, Any]) -> Window:
    from simpatico.training.users.continuity.outcomes import Window

    return Window(options.pop("minutes") or None, options.pop("left"))


def filtered(options: dict[str, Any]) -> Filters:
    from simpatico.training.users.continuity.data import Filters

    bots = frozenset(options.pop("bot"))
    return Filters(bots, *(options.pop(name) for name in ("repeated", "fewest", "most")))


def chosen(options: dict[str, Any]) -> dict[str, Metric | str]:
    """The baselines' metrics with what was set for them, or why there is none."""
    from simpatico.errors import SimpaticoError
    from simpatico.registry import load
    from simpatico.training.users.continuity.baselines import METRICS

    parameters = parsed(options.pop("settings"))
    if unused := sorted(set(parameters) - set(METRICS.values())):
        raise UnknownName(
            f"--set names {unused[0]!r}, which is not among {', '.join(METRICS.values())}"
        )
    found: dict[str, Metric | str] = {}
    for name, metric in METRICS.items() if options.pop("baselines") else ():
        try:
            found[name] = load(metric, **typed(metric, parameters.get(metric, {})))
        except SimpaticoError as error:
            found[name] = str(error)
    return found


def summarise(report: Report, window: Window) -> None:
    """The figures on turns held out, beside simpler guesses."""
    from simpatico.stats.by_person import NO_INTERVAL

    show("Turns held out", report.rows)
    for part in report.parts:
        show(f"Turns held out, to {part.name}", part.rows)
    for row in report.above:
        note(f"above {row.name}: accuracy {span(row.accuracy)}{likely(row.p['accuracy'])}")
    if report.rows[0].accuracy.low is None:
        note(NO_INTERVAL)
    for name, n in report.unscored.items():
        if n:
            note(f"{name} gave {n:,} turns no number")
    for name, why in report.refused.items():
        note(f"{name} is not here: {why}")
    set_aside(report.aside)
    tell_of_end(report.unfinished, window, "turn held out")


def tell_of_end(n: int, window: Window, what: str) -> None:
    """How many turns count as not answered though the log ends too soon to tell."""
    if n:
        some = f"{n:,} {what.replace('turn', 'turns') if n > 1 else what}"
        note(
            f"{some} {'has' if n == 1 else 'have'} less than {window.minutes:g} minutes of log "
            f"afterwards and count{'s' * (n == 1)} as not answered; --left leaves such turns out"
        )


def show(title: str, rows: list[Measured]) -> None:
    """A table of figures."""
    columns = ["guess by", "accuracy", "macro-F1", "AUC", "turns", "persons"]
    cells = [
        (row.name, span(row.accuracy), span(row.macro_f1), span(row.auc), row.n, row.persons)
        for row in rows
    ]
    show_table(title, columns, cells)
