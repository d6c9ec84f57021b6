"""`simpatico train engagement`: rated conversations in, a model of how engaging a reply is out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.commands.train._command_line import (
    FILE,
    LICENCE,
    LIMITATION,
    OUT,
    fine_tune_option,
    record_command,
    seed_option,
)
from simpatico.cli.options import combine_options, renamed_options
from simpatico.cli.output import note, result, show_table
from simpatico.cli.progress import ProgressDisplay
from simpatico.wording import format_difference, format_interval

if TYPE_CHECKING:
    from simpatico.stats.result import Result
    from simpatico.training.engagement.report import EngagementReport
    from simpatico.training.engagement.splits import ExchangeInput

READER_OPTIONS = ("reading", "quality", "threshold", "thumbs", "control")
"""Options that select the ratings of a file."""
SWITCHES = ("thumbs", "level")
FLAGS = {"level": "balance-length", "limit": "limitation"}
"""Options whose names differ from those of the settings."""

DATA_OPTIONS = [
    click.option(
        "--data",
        type=FILE,
        required=True,
        multiple=True,
        help="train_full.json of ConvAI, the folder of Ji et al., or a CSV, TSV or JSONL file with "
        "query, reply, label (1 = engaging) or rating, and optionally dialog. May be repeated.",
    ),
    OUT,
    click.option(
        "--validation",
        type=FILE,
        help="Validation set, for early stopping.  [default: 20% of the dialogs]",
    ),
    click.option("--test", type=FILE, help="Test set.  [default: 20% of the dialogs]"),
    click.option(
        "--reading",
        type=click.Choice(["rated", "paper"]),
        default="rated",
        show_default=True,
        help="ConvAI: use the interlocutor's rating of the speaker of a reply, or the ratings the "
        "paper used, which include a 0 stored under a user's id.",
    ),
    click.option("--without", type=FILE, help="File of dialogs to exclude, one name per line."),
    click.option(
        "--quality",
        type=click.Choice(["interesting", "fun"]),
        default="interesting",
        show_default=True,
        help="Ji et al.: rating to use.",
    ),
    click.option(
        "--threshold",
        type=float,
        help="Ratings above this are engaging.  [default: 2; Ji et al.: each worker's mean]",
    ),
    click.option(
        "--thumbs/--no-thumbs",
        default=False,
        show_default=True,
        help="ConvAI: also use the thumbs up and down of single turns.",
    ),
    click.option(
        "--control",
        is_flag=True,
        help="Ji et al.: keep the system that was degraded on purpose.",
    ),
]
MODEL_OPTIONS = [
    click.option(
        "--head",
        type=click.Choice(["paper", "best"]),
        default="paper",
        show_default=True,
        help="The paper's network (layers of 64, 32 and 8 units), or a linear model that also uses "
        "character n-grams.",
    ),
    click.option(
        "--pooling",
        type=click.Choice(["mean", "max"]),
        default="mean",
        show_default=True,
        help="How a text's token vectors are combined.",
    ),
    click.option("--encoder", default="", help="Encoder of the text vectors."),
    click.option("--base", default="", help="Trained model to start from: path:MODEL or a name."),
    fine_tune_option(
        "Epochs of fine-tuning the encoder, which reads query and reply together; 0 = none."
    ),
    click.option("--baselines", is_flag=True, help="Also train a linear SVM and a Bi-RNN."),
    seed_option("Random seed of the split."),
    click.option(
        "--seeds",
        type=int,
        default=1,
        show_default=True,
        help="Number of random splits over which results are averaged.",
    ),
    click.option(
        "--balance-length/--no-balance-length",
        "level",
        default=False,
        show_default=True,
        help="Weight both labels equally at every reply length, so that length predicts nothing.",
    ),
    LICENCE,
    LIMITATION,
]


@click.command(
    cls=renamed_options(
        level="--balance-length", no_level="--no-balance-length", limit="--limitation"
    )
)
@combine_options([*DATA_OPTIONS, *MODEL_OPTIONS])
def engagement(out: Path, **options: Any) -> None:
    """Train a model of how engaging a reply is, for `--set engagement.model=path:MODEL`.

    With --base, a trained model is adapted to another domain with few labels. Reports results on
    the test set, compared with baselines from reply length alone and question marks alone.
    """
    from simpatico.training.card import About
    from simpatico.training.engagement.train import (
        EngagementSettings,
        fine_tune_engagement,
        train_engagement,
    )

    command = record_command("simpatico train engagement", options, switches=SWITCHES, flags=FLAGS)
    exchanges = read_splits(options)
    facts = {name: options.pop(name) for name in READER_OPTIONS}
    name = " and ".join(path.name for path in options.pop("data"))
    about = About(name, options.pop("licence") or "not stated", command, facts)
    settings = EngagementSettings(limits=options.pop("limit"), **options)
    with ProgressDisplay():
        if settings.fine_tune:
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
    """The results on the test set, compared with baselines."""
    rows = []
    for row in report.rows:
        balanced, auc = row.balanced_accuracy, row.auc
        rows.append(
            (row.name, balanced.value, format_bounds(balanced), auc.value, format_bounds(auc))
        )
    columns = ["model", "balanced accuracy", "95% CI", "AUC", "95% CI"]
    show_table("Test set", columns, rows)
    for name, gain in report.ahead.items():
        difference = format_difference(gain.numbers[0], 3)
        note(f"AUC minus that of {name}: {difference}, 95% CI {format_bounds(gain)}")
    if (share := report.people["held out"]) is not None:
        note(f"{share:.1%} of the engaging exchanges of the test set are between two people")


def format_bounds(result: Result) -> str:
    """The 95% CI of a result."""
    _, low, high = result.numbers
    return format_interval(low, high, 3)
