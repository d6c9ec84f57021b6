"""`simpatico train engagement`: rated conversations in, a model of how engaging a reply is out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.commands.train._command_line import (
    FILE,
    LICENCE,
    LIMIT,
    OUT,
    fine_tune_option,
    record_command,
    seed_option,
)
from simpatico.cli.options import combine_options
from simpatico.cli.output import note, result, show_table
from simpatico.cli.progress import ProgressDisplay

if TYPE_CHECKING:
    from simpatico.stats.result import Result
    from simpatico.training.engagement.report import EngagementReport
    from simpatico.training.engagement.splits import ExchangeInput

READER_OPTIONS = ("reading", "quality", "threshold", "thumbs", "control")
"""Options that say which ratings of a file are used."""
SWITCHES = ("thumbs", "level")

DATA_OPTIONS = [
    click.option(
        "--data",
        type=FILE,
        required=True,
        multiple=True,
        help="ConvAI's train_full.json, the folder of Ji et al., or a CSV, TSV or JSONL file with "
        "query, reply, and label (1 is engaging) or rating; dialog, if known. May be repeated.",
    ),
    OUT,
    click.option("--validation", type=FILE, help="Exchanges that decide when to stop."),
    click.option("--test", type=FILE, help="Exchanges to hold out; else 20% of the dialogs."),
    click.option(
        "--reading",
        type=click.Choice(["rated", "paper"]),
        default="rated",
        show_default=True,
        help="Of ConvAI: what the speaker of a reply got from the interlocutor, or what the paper "
        "took, where a zero under a person's id is a rating.",
    ),
    click.option("--without", type=FILE, help="File that names dialogs to leave out, one a line."),
    click.option(
        "--quality",
        type=click.Choice(["interesting", "fun"]),
        default="interesting",
        show_default=True,
        help="Of Ji et al.: which rating.",
    ),
    click.option(
        "--threshold",
        type=float,
        help="Ratings above it are engaging.  [default: 2; of Ji et al., each worker's own mean]",
    ),
    click.option(
        "--thumbs/--no-thumbs",
        default=False,
        show_default=True,
        help="Of ConvAI: learn from the thumbs that single turns got, too.",
    ),
    click.option(
        "--control",
        is_flag=True,
        help="Of Ji et al.: keep the system that was made worse on purpose.",
    ),
]
MODEL_OPTIONS = [
    click.option(
        "--head",
        type=click.Choice(["paper", "best"]),
        default="paper",
        show_default=True,
        help="The form: the paper's network, which has layers of 64, 32 and 8, or one that is "
        "linear and weighs short runs of characters, too: how a text is written.",
    ),
    click.option(
        "--pooling",
        type=click.Choice(["mean", "max"]),
        default="mean",
        show_default=True,
        help="How the vectors of a text's word pieces become one.",
    ),
    click.option("--encoder", default="", help="Model whose vectors the head sees."),
    click.option("--base", default="", help="Trained model to go on from: path:MODEL, or a name."),
    fine_tune_option(
        "Epochs in which the encoder itself learns, reading query and reply together."
    ),
    click.option("--baselines", is_flag=True, help="Train a linear SVM and a Bi-RNN beside it."),
    seed_option("How dialogs fall."),
    click.option(
        "--seeds", type=int, default=1, show_default=True, help="Estimate with so many seeds."
    ),
    click.option(
        "--level/--no-level",
        default=False,
        show_default=True,
        help="Let both labels count the same at every length, so that it cannot be learned.",
    ),
    LICENCE,
    LIMIT,
]


@click.command()
@combine_options([*DATA_OPTIONS, *MODEL_OPTIONS])
def engagement(out: Path, **options: Any) -> None:
    """Learn how engaging a reply is, for `--set engagement.model=path:MODEL`.

    With --base, a trained model goes on learning from a few labels of another domain. Shows how
    well it does on dialogs held out, beside what the length of a reply and question marks tell.
    """
    from simpatico.training.card import About
    from simpatico.training.engagement.train import EngagementSettings, train_engagement

    command = record_command("simpatico train engagement", options, switches=SWITCHES)
    exchanges = read_splits(options)
    facts = {name: options.pop(name) for name in READER_OPTIONS}
    name = " and ".join(path.name for path in options.pop("data"))
    about = About(name, options.pop("licence") or "not stated", command, facts)
    settings = EngagementSettings(limits=options.pop("limit"), **options)
    with ProgressDisplay():
        if settings.fine_tune:
            from simpatico.training.engagement.finetuned import fine_tune_engagement

            report = fine_tune_engagement(exchanges, out, settings=settings, about=about)
        else:
            report = train_engagement(exchanges, out, settings=settings, about=about)
    show_engagement_report(report)
    result(str(out))


def read_splits(options: dict[str, Any]) -> ExchangeInput:
    """The exchanges that the options name."""
    from simpatico.training.engagement.data import ExchangeReader, read_dialog_list
    from simpatico.training.engagement.exchanges import join_exchanges
    from simpatico.training.engagement.splits import ExchangeInput

    without = options.pop("without")
    reader = ExchangeReader(
        without=read_dialog_list(without) if without else frozenset(),
        **{name: options[name] for name in READER_OPTIONS},
    )
    data = join_exchanges([reader.read(path) for path in options["data"]])
    validation, test = (
        reader.read(path) if path else None
        for path in (options.pop("validation"), options.pop("test"))
    )
    return ExchangeInput(data, validation, test)


def show_engagement_report(report: EngagementReport) -> None:
    """The results on the test split, beside those of baselines."""
    rows = []
    for row in report.rows:
        balanced, auc = row.balanced_accuracy, row.auc
        rows.append(
            (row.name, balanced.value, format_bounds(balanced), auc.value, format_bounds(auc))
        )
    columns = ["guess by", "balanced accuracy", "95%", "AUC", "95%"]
    show_table("Dialogs held out", columns, rows)
    for name, gain in report.ahead.items():
        note(f"AUC above that of {name}: {gain.numbers[0]:+.3f}, 95% {format_bounds(gain)}")
    if (share := report.people["held out"]) is not None:
        note(f"{share:.1%} of the engaging exchanges held out are between people")


def format_bounds(result: Result) -> str:
    """The 95% CI of a result."""
    _, low, high = result.numbers
    return f"{low:.3f} to {high:.3f}"
