"""`simpatico train emotion`: labelled utterances in, a model of what utterances express out."""

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
    from simpatico.training.emotion.report import EmotionReport
    from simpatico.training.emotion.splits import UtteranceInput

CLASS_COLUMNS = {"accuracy": "accuracy", "macro_f1": "macro-F1", "auc": "AUC"}
EMOTION_COLUMNS = {"average_precision": "average precision", "f1": "F1"}
"""The results that are shown of two classes and of each of the eight emotions, and their titles."""

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
    OUT,
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
    fine_tune_option("Epochs in which the encoder itself learns.", metavar="EPOCHS"),
    click.option(
        "--rate", type=float, default=1e-5, show_default=True, help="How fast it then learns."
    ),
    click.option("--encoder", default="", help="Model that is fine-tuned or gives vectors."),
    seed_option("How texts fall."),
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
    LICENCE,
    LIMIT,
]


@click.command()
@combine_options(OPTIONS)
def emotion(out: Path, kind: Any, **options: Any) -> None:
    """Learn what utterances express, for `--set emotional_consistency.polarity=path:MODEL`.

    A label that nobody says is positive or negative is so where 70% of its utterances are. Shows
    how well the model does on utterances held out, beside what style and words alone tell.
    """
    from simpatico.training.card import About
    from simpatico.training.emotion.train import EmotionSettings, train_emotion

    recorded = {**options, "kind": kind}
    command = record_command("simpatico train emotion", recorded, switches=SWITCHES, flags=FLAGS)
    utterances = read_splits(options)
    name = " and ".join(path.name for path in options.pop("data"))
    about = About(name, options.pop("licence") or "not stated", command)
    mapping, limits = parse_mapping(options.pop("mapped")), options.pop("limit")
    settings = EmotionSettings(mapped=mapping, limits=limits, **options)
    with ProgressDisplay():
        report = train_emotion(utterances, out, kind=kind, settings=settings, about=about)
    show_emotion_report(report)
    result(str(out))


def parse_mapping(pairs: tuple[str, ...]) -> dict[str, str]:
    """`LABEL=MEANING` as a mapping."""
    for pair in pairs:
        if not all(pair.rpartition("=")):
            raise click.UsageError(f"--map takes LABEL=MEANING such as joy=positive, not {pair!r}")
    return {name: meaning for name, _, meaning in (pair.rpartition("=") for pair in pairs)}


def read_splits(options: dict[str, Any]) -> UtteranceInput:
    """The utterances that the options name."""
    from simpatico.training.emotion.data import UtteranceColumns, join_utterances, read_utterances
    from simpatico.training.emotion.splits import UtteranceInput

    columns = UtteranceColumns(options.pop("text"), options.pop("label"))
    data = join_utterances([read_utterances(path, columns) for path in options["data"]])
    validation, test = (
        read_utterances(path, columns) if path else None
        for path in (options.pop("validation"), options.pop("test"))
    )
    return UtteranceInput(data, validation, test)


def show_emotion_report(report: EmotionReport) -> None:
    """The results on the test split, beside those of baselines."""
    data = report.task.data
    titles = EMOTION_COLUMNS if report.task.kind == "plutchik" else CLASS_COLUMNS
    columns = [column for title in titles.values() for column in (title, "95%")]
    for head, rows in report.rows.items():
        body = []
        for row in rows:
            results = [getattr(row, name).numbers for name in titles]
            cells = [c for value, low, high in results for c in (value, f"{low:.3f} to {high:.3f}")]
            body.append((row.name, *cells))
        title = f"Utterances held out: {head}, {rows[0].classes[1].n:,} of {rows[0].n:,}"
        show_table(title, ["guess by", *columns], body)
    note(
        f"{data.left_out:,} utterances left out whose labels say nothing of it or two things at "
        f"once; {data.repeated:,} whose text another side has, too"
    )
