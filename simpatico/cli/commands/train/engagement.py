"""`simpatico train engagement`: rated conversations in, a model of how engaging a reply is out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli.commands.train._command_line import recorded
from simpatico.cli.options import combine_options
from simpatico.cli.output import note, result, show_table
from simpatico.cli.progress import Progress

if TYPE_CHECKING:
    from simpatico.stats.classification__measures import Estimate
    from simpatico.training.engagement.exchanges import Exchanges
    from simpatico.training.engagement.report__engagement_report import Report
    from simpatico.training.engagement.splits import Given

TAKEN = ("reading", "quality", "threshold", "thumbs", "control")
"""Options that say what of a file is taken."""
SWITCHES = ("thumbs", "level")
Command = Callable[..., None]
FILE = click.Path(path_type=Path)

DATA = [
    click.option(
        "--data",
        type=FILE,
        required=True,
        multiple=True,
        help="ConvAI's train_full.json, the folder of Ji et al., or a CSV, TSV or JSONL file with "
        "query, reply, and label (1 is engaging) or rating; dialog, if known. May be repeated.",
    ),
    click.option("--out", type=FILE, required=True, help="The model's folder to write."),
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
MODEL = [
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
    click.option(
        "--fine-tune",
        type=int,
        default=0,
        show_default=True,
        help="Epochs in which the encoder itself learns, reading query and reply together.",
    ),
    click.option("--baselines", is_flag=True, help="Train a linear SVM and a Bi-RNN beside it."),
    click.option("--seed", type=int, default=0, show_default=True, help="How dialogs fall."),
    click.option(
        "--seeds", type=int, default=1, show_default=True, help="Estimate with so many seeds."
    ),
    click.option(
        "--level/--no-level",
        default=False,
        show_default=True,
        help="Let both labels count the same at every length, so that it cannot be learned.",
    ),
    click.option("--licence", default="", help="Licence of the data, for the card."),
    click.option("--limit", multiple=True, help="Sentence for the card's limits. May be repeated."),
]


@click.command()
@combine_options([*DATA, *MODEL])
def engagement(out: Path, **options: Any) -> None:
    """Learn how engaging a reply is, for `--set engagement.model=path:MODEL`.

    With --base, a trained model goes on learning from a few labels of another domain. Shows how
    well it does on dialogs held out, beside what the length of a reply and question marks tell.
    """
    from simpatico.training.card import About
    from simpatico.training.engagement.train import Training, train_engagement

    command = recorded("simpatico train engagement", options, switches=SWITCHES)
    given = read_given(options)
    facts = {name: options.pop(name) for name in TAKEN}
    name = " and ".join(path.name for path in options.pop("data"))
    about = About(name, options.pop("licence") or "not stated", command, facts)
    training = Training(limits=options.pop("limit"), **options)
    with Progress():
        if training.fine_tune:
            from simpatico.training.engagement.finetuned import tune_engagement

            report = tune_engagement(given, out, training=training, about=about)
        else:
            report = train_engagement(given, out, training=training, about=about)
    summarise(report)
    result(str(out))


def read_given(options: dict[str, Any]) -> Given:
    """The exchanges that the options name."""
    from simpatico.training.engagement.data import Taken, listed
    from simpatico.training.engagement.exchanges import joined
    from simpatico.training.engagement.splits import Given

    without = options.pop("without")
    taken = Taken(
        options["reading"],
        listed(without) if without else frozenset(),
        *(options[name] for name in TAKEN[1:]),
    )

    def part(path: Path | None) -> Exchanges | None:
        return taken.of(path) if path else None

    data = joined([taken.of(path) for path in options["data"]])
    return Given(data, part(options.pop("validation")), part(options.pop("test")))


def summarise(report: Report) -> None:
    """The figures on dialogs held out, beside simpler guesses."""
    rows = [
        (
            row.name,
            row.balanced_accuracy.value,
            span(row.balanced_accuracy),
            row.auc.value,
            span(row.auc),
        )
        for row in report.rows
    ]
    columns = ["guess by", "balanced accuracy", "95%", "AUC", "95%"]
    show_table("Dialogs held out", columns, rows)
    for name, found in report.ahead.items():
        note(f"AUC above that of {name}: {found.value:+.3f}, 95% {span(found)}")
    if (share := report.people["held out"]) is not None:
        note(f"{share:.1%} of the engaging exchanges held out are between people")


def span(found: Estimate) -> str:
    """An interval for people."""
    return f"{found.low:.3f} to {found.high:.3f}"
