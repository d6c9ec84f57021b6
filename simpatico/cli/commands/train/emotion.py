"""`simpatico train emotion`: labelled utterances in, a text classifier out.

Data sets name emotions differently, so --map says what each label means; the command on the card
records it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.train import _command_line as shared
from simpatico.cli.output import note, result, show_table, value_with_interval
from simpatico.cli.progress import ProgressDisplay

if TYPE_CHECKING:
    from simpatico.training.emotion.report import EmotionReport
    from simpatico.training.emotion.task import UtteranceInput

CLASS_COLUMNS = {"accuracy": "accuracy", "macro_f1": "macro-F1", "auc": "AUC"}
EMOTION_COLUMNS = {"average_precision": "average precision", "f1": "F1"}
"""The results that are shown of two classes and of each of the eight emotions, and their titles."""

SWITCHES = ("balanced", "runs", "spelling", "svm", "tidy")
FLAGS = {"mapped": "map", "polarity": "polarity-model", "limit": "limitation"}
"""Options whose names differ from those of the settings."""
OPTIONS = opt.combine(
    shared.data(
        "CSV, TSV or JSONL file with a text, a label and optionally a dialog per row, or train.tsv "
        "of GoEmotions."
    ),
    opt.choice(
        "--target",
        ["neutrality", "polarity", "plutchik"],
        "What to predict: emotional or not, positive or negative, or the eight emotions of "
        "Plutchik.",
        "kind",
        required=True,
    ),
    shared.model_folder,
    shared.split_files("10%"),
    opt.value("--text", "text", "Column of the text."),
    opt.value("--label", "label", "Column of the label."),
    opt.repeatable(
        "--map",
        "What a label means: positive, negative, neutral, or omit to exclude it; for plutchik "
        "one or more of the eight emotions, comma-separated.",
        "mapped",
        metavar="LABEL=MEANING",
    ),
    opt.value(
        "--polarity-model",
        "polarity",
        "Classifies utterances as positive or negative where their label does not say.",
        "polarity",
    ),
    shared.fine_tune(),
    opt.value("--rate", 1e-5, "Learning rate of fine-tuning."),
    opt.text("--encoder", "Encoder to fine-tune, or to take text vectors from."),
    shared.split_seed,
    opt.value(
        "--tidy/--no-tidy",
        True,
        "Undo tokenisation in the texts, such as spaces before punctuation.",
    ),
    opt.value(
        "--spelling/--no-spelling",
        False,
        "Fine-tuning with --no-tidy: show an uncased encoder capitals and spaced punctuation.",
    ),
    opt.option(
        "--balanced/--no-balanced",
        "Weight both classes equally.  [default: balanced for heads, not balanced for fine-tuning]",
        default=None,
    ),
    opt.value("--runs/--no-runs", True, "Use character n-grams in addition to text vectors."),
    opt.value(
        "--penalty", 0.0, "Ridge penalty of a linear head, for other domains; 0 = a hidden layer."
    ),
    opt.value("--svm/--no-svm", True, "Also train a linear SVM as a baseline."),
    shared.licence,
    shared.limitation,
)


@click.command(cls=opt.accept_old_names(kind="target", limit="limitation"))
@OPTIONS
def emotion(out: Path, kind: Any, **options: Any) -> None:
    """Train an emotion classifier.

    A label without a --map counts as positive (negative) where at least 70% of its utterances are.
    Reports results on the test set, compared with baselines from style alone and words alone.

    Use it with `--set emotional_consistency.polarity_model=path:MODEL`.

    \b
    Example:
      simpatico train emotion --data labels.csv --target polarity \\
        --map joy=positive --map anger=negative --out MODEL
    """
    from simpatico.training.card import About
    from simpatico.training.emotion.task import EmotionSettings
    from simpatico.training.emotion.train import train_emotion

    parameters = {**options, "kind": kind}
    command = shared.record_command(
        "simpatico train emotion", parameters, switches=SWITCHES, flags=FLAGS
    )
    utterances = read_splits(options)
    name, licence = shared.data_name(options.pop("data")), options.pop("licence") or "not stated"
    about = About(name, licence, command)
    mapping, limits = parse_mapping(options.pop("mapped")), options.pop("limit")
    settings = EmotionSettings(mapped=mapping, limits=limits, **options)
    with ProgressDisplay():
        report = train_emotion(utterances, out, kind=kind, settings=settings, about=about)
    show_emotion_report(report)
    result(str(out))


def parse_mapping(pairs: tuple[str, ...]) -> dict[str, str]:
    """`LABEL=MEANING` as a mapping; split at the last =, since a label may contain one."""
    for pair in pairs:
        if not all(pair.rpartition("=")):
            raise click.UsageError(f"--map takes LABEL=MEANING, such as joy=positive, not {pair!r}")
    return {name: meaning for name, _, meaning in (pair.rpartition("=") for pair in pairs)}


def read_splits(options: dict[str, Any]) -> UtteranceInput:
    """The utterances that the options name."""
    from simpatico.training.emotion.data import UtteranceColumns, join_utterances, read_utterances
    from simpatico.training.emotion.task import UtteranceInput

    columns = UtteranceColumns(options.pop("text"), options.pop("label"))
    data = join_utterances([read_utterances(path, columns) for path in options["data"]])
    validation, test = (
        read_utterances(path, columns) if path else None
        for path in (options.pop("validation"), options.pop("test"))
    )
    return UtteranceInput(data, validation, test)


def show_emotion_report(report: EmotionReport) -> None:
    """The results on the test set, compared with baselines."""
    task = report.task
    titles = EMOTION_COLUMNS if task.kind == "plutchik" else CLASS_COLUMNS
    for head, rows in report.rows.items():
        body = [
            (row.name, *(value_with_interval(*getattr(row, name).numbers) for name in titles))
            for row in rows
        ]
        n = f"{rows[0].classes[1].n:,} of {rows[0].n:,} utterances"
        show_table(f"Test set: {head}, {n} [95% CI]", ["model", *titles.values()], body)
    note(
        f"excluded: {task.left_out:,} utterances with irrelevant or contradictory labels; "
        f"{task.duplicates:,} with a text that is also in another split"
    )
