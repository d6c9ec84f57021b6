"""`simpatico train emotion`: labelled utterances in, a model of what utterances express out."""

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
    from simpatico.training.emotion.data import Utterances
    from simpatico.training.emotion.report import Report
    from simpatico.training.emotion.splits import Given

Command = Callable[..., None]
FILE = click.Path(path_type=Path)
TWO = {"accuracy": "accuracy", "macro_f1": "macro-F1", "auc": "AUC"}
EIGHT = {"precision": "average precision", "f1": "F1"}
"""Which figures are shown, and as what."""

SWITCHES = ("balanced", "runs", "svm", "tidy")
FLAGS = {"mapped": "map", "polarity": "polarity-model"}
"""Options that are called otherwise than what they set."""
OPTIONS = [
    click.option(
        "--data",
        type=FILE,
        required=True,
        multiple=True,
        help="CSV, TSV or JSONL file with a text and a label a row, and its dialog if known, or "
        "GoEmotions' train.tsv. May be repeated.",
    ),
    click.option(
        "--kind",
        type=click.Choice(["neutrality", "polarity", "plutchik"]),
        required=True,
        help="What is learned: emotional or not, positive or negative, or eight emotions.",
    ),
    click.option("--out", type=FILE, required=True, help="The model's folder to write."),
    click.option("--validation", type=FILE, help="Utterances that decide when to stop."),
    click.option("--test", type=FILE, help="Utterances to hold out; else 10%."),
    click.option("--text", default="text", show_default=True, help="Column with what is said."),
    click.option("--label", default="label", show_default=True, help="Column with the label."),
    click.option(
        "--map",
        "mapped",
        multiple=True,
        metavar="LABEL=MEANING",
        help="What a label means: positive, negative, neutral, omit to leave it out, or for "
        "plutchik one of the eight emotions, or several with commas. May be repeated.",
    ),
    click.option(
        "--polarity-model",
        "polarity",
        default="polarity",
        show_default=True,
        help="Says of utterances whether they are positive, where labels do not.",
    ),
    click.option(
        "--fine-tune",
        type=int,
        default=0,
        show_default=True,
        metavar="EPOCHS",
        help="Epochs in which the encoder itself learns.",
    ),
    click.option(
        "--rate", type=float, default=1e-5, show_default=True, help="How fast it then learns."
    ),
    click.option("--encoder", default="", help="Model that is fine-tuned or gives vectors."),
    click.option("--seed", type=int, default=0, show_default=True, help="How texts fall."),
    click.option(
        "--tidy/--no-tidy",
        default=True,
        show_default=True,
        help="Take out of texts what a tokeniser left in them.",
    ),
    click.option(
        "--balanced/--no-balanced",
        default=None,
        help="Let both classes count the same.  [default: of heads; not in fine-tuning]",
    ),
    click.option(
        "--runs/--no-runs",
        default=True,
        show_default=True,
        help="Let heads weigh runs of characters beside the vectors.",
    ),
    click.option(
        "--svm/--no-svm",
        default=True,
        show_default=True,
        help="Train a linear support vector machine beside it.",
    ),
    click.option("--licence", default="", help="Licence of the data, for the card."),
    click.option("--limit", multiple=True, help="Sentence for the card's limits. May be repeated."),
]


@click.command()
@combine_options(OPTIONS)
def emotion(out: Path, kind: Any, **options: Any) -> None:
    """Learn what utterances express, for `--set emotional_consistency.polarity=path:MODEL`.

    A label that nobody says is positive or negative is so where 70% of its utterances are. Shows
    how well the model does on utterances held out, beside what style and words alone tell.
    """
    from simpatico.training.card import About
    from simpatico.training.emotion.train import Training, train_emotion

    told = {**options, "kind": kind}
    command = recorded("simpatico train emotion", told, switches=SWITCHES, flags=FLAGS)
    given = read_given(options)
    name = " and ".join(path.name for path in options.pop("data"))
    about = About(name, options.pop("licence") or "not stated", command)
    mapped, limits = meanings(options.pop("mapped")), options.pop("limit")
    training = Training(mapped=mapped, limits=limits, **options)
    with Progress():
        report = train_emotion(given, out, kind=kind, training=training, about=about)
    summarise(report)
    result(str(out))


def meanings(given: tuple[str, ...]) -> dict[str, str]:
    """What labels are said to mean."""
    for one in given:
        if not all(one.rpartition("=")):
            raise click.UsageError(f"--map takes LABEL=MEANING such as joy=positive, not {one!r}")
    return {name: meant for name, _, meant in (one.rpartition("=") for one in given)}


def read_given(options: dict[str, Any]) -> Given:
    """The utterances that the options name."""
    from simpatico.training.emotion.data import Columns, joined, read_utterances
    from simpatico.training.emotion.splits import Given

    columns = Columns(options.pop("text"), options.pop("label"))

    def part(path: Path | None) -> Utterances | None:
        return read_utterances(path, columns) if path else None

    data = joined([read_utterances(path, columns) for path in options["data"]])
    return Given(data, part(options.pop("validation")), part(options.pop("test")))


def summarise(report: Report) -> None:
    """The figures on utterances held out, beside simpler guesses."""
    drawn = report.ready.drawn
    measures = EIGHT if report.ready.kind == "plutchik" else TWO
    columns = [name for measure in measures for name in (measures[measure], "95%")]
    for head, rows in report.rows.items():
        title = f"Utterances held out: {head}, {rows[0].classes[1].n:,} of {rows[0].n:,}"
        body = [(row.name, *cells([getattr(row, name) for name in measures])) for row in rows]
        show_table(title, ["guess by", *columns], body)
    note(
        f"{drawn.left_out:,} utterances left out whose labels say nothing of it or two things at "
        f"once; {drawn.repeated:,} whose text another side has, too"
    )


def cells(found: list[Estimate]) -> list[object]:
    """Each figure, and its interval for people."""
    return [part for one in found for part in (one.value, f"{one.low:.3f} to {one.high:.3f}")]
