"""`simpatico train engagement`: rated conversations in, a model of how engaging a reply is out.

After Ghazarian et al. (2020). Labels often follow the length of a reply, so length alone is a
baseline, and --balance-length removes what it predicts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.train import _command_line as shared
from simpatico.cli.output import note, result, show_table, value_with_interval
from simpatico.cli.progress import ProgressDisplay
from simpatico.wording import format_difference, format_interval

if TYPE_CHECKING:
    from simpatico.training.engagement.exchanges import ExchangeInput
    from simpatico.training.engagement.report import EngagementReport

READER_OPTIONS = ("reading", "quality", "threshold", "thumbs", "control")
"""Options that select the ratings of a file."""
SWITCHES = ("thumbs", "level")
FLAGS = {"level": "balance-length", "limit": "limitation"}
"""Options whose names differ from those of the settings."""

data_options = opt.combine(
    shared.data(
        "train_full.json of ConvAI, the folder of Ji et al., or a CSV, TSV or JSONL file with "
        "query, reply, label (1 = engaging) or rating, and optionally dialog."
    ),
    shared.model_folder,
    shared.split_files("20% of the dialogs"),
    opt.choice(
        "--reading",
        ["rated", "paper"],
        "ConvAI: rated = how the interlocutor rated the speaker of a reply; paper = as in "
        "Ghazarian et al. (2020), where 0 also stands for users who were not rated.",
    ),
    opt.path("--without", "File of dialogs to exclude, one name per line."),
    opt.choice("--quality", ["interesting", "fun"], "Ji et al.: rating to use."),
    opt.option(
        "--threshold",
        "Ratings above this are engaging.  [default: 2; Ji et al.: each rater's mean]",
        type=float,
    ),
    opt.value(
        "--thumbs/--no-thumbs", False, "ConvAI: also use the thumbs up and down of single turns."
    ),
    opt.flag("--control", "Ji et al.: keep the system that was degraded on purpose."),
)
engagement_model_options = opt.combine(
    opt.choice(
        "--head",
        ["paper", "best"],
        "The network of Ghazarian et al. (2020), with layers of 64, 32 and 8 units, or a linear "
        "model that also uses character n-grams.",
    ),
    opt.choice("--pooling", ["mean", "max"], shared.POOLING),
    shared.encoder,
    opt.text("--base", "Trained model to start from: path:MODEL or a name."),
    shared.fine_tune(shared.PAIR),
    opt.flag("--baselines", "Also train a linear SVM and a Bi-RNN."),
    shared.split_seed,
    opt.value("--seeds", 1, "Number of random splits over which results are averaged."),
    opt.value(
        "--balance-length/--no-balance-length",
        False,
        "Weight both labels equally at every reply length, so that length predicts nothing.",
        "level",
    ),
    shared.licence,
    shared.limitation,
)


@click.command(
    cls=opt.accept_old_names(
        level="balance-length", no_level="no-balance-length", limit="limitation"
    )
)
@data_options
@engagement_model_options
def engagement(out: Path, **options: Any) -> None:
    """Train a model of how engaging a reply is.

    With --base, a trained model is adapted to another domain with few labels. Reports results on
    the test set, compared with baselines from reply length alone and question marks alone.

    Use it with `--set engagement.model=path:MODEL`.

    \b
    Example:
      simpatico train engagement --data rated.csv --head best --out MODEL
    """
    from simpatico.training.card import About
    from simpatico.training.engagement.train import (
        EngagementSettings,
        fine_tune_engagement,
        train_engagement,
    )

    command = shared.record_command(
        "simpatico train engagement", options, switches=SWITCHES, flags=FLAGS
    )
    exchanges = read_splits(options)
    facts = {name: options.pop(name) for name in READER_OPTIONS}
    name, licence = shared.data_name(options.pop("data")), options.pop("licence") or "not stated"
    about = About(name, licence, command, facts)
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
    from simpatico.training.engagement.exchanges import ExchangeInput, join_exchanges

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
    rows = [
        (row.name, *(value_with_interval(*r.numbers) for r in (row.balanced_accuracy, row.auc)))
        for row in report.rows
    ]
    show_table("Test set [95% CI]", ["model", "balanced accuracy", "AUC"], rows)
    for name, gain in report.ahead.items():
        value, low, high = gain.numbers
        interval = format_interval(low, high, 3)
        note(f"AUC minus that of {name}: {format_difference(value, 3)}, 95% CI {interval}")
    if (share := report.people["held out"]) is not None:
        note(f"{share:.1%} of the engaging exchanges of the test set are between two people")
