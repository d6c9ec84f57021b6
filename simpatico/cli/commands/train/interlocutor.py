"""`simpatico train interlocutor`: ratings by interlocutors in, a model of their scores out.

After Tsuta et al. (2023): outsiders who read a dialog rate it unlike its interlocutor. The baseline
is the mean of each user's earlier ratings: what a model knows without reading.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.train import _command_line as shared
from simpatico.cli.commands.train import _users as users
from simpatico.cli.output import note, result
from simpatico.cli.progress import ProgressDisplay

if TYPE_CHECKING:
    from simpatico.judge_answers import JudgeAnswers
    from simpatico.judgements import Judgements
    from simpatico.training.users.interlocutor.train import InterlocutorReport
    from simpatico.turns import Turns

RATING_RESULTS = {"r": "r", "mse": "MSE"}
FLAGS = {"base": "continue", "along": "split", "learn": "raters"}
rating_options = opt.combine(
    opt.repeatable(
        "--judgements",
        "File of human ratings.  [default: ratings inside the conversation files]",
        type=opt.PATH,
    ),
    opt.repeatable(
        "--judges",
        "File of model judges' answers (of `simpatico judge`), which become inputs, so that the "
        "model learns how each rater uses the scale.",
        type=opt.PATH,
    ),
    opt.path(
        "--calibrated",
        "Of --judges: file to write the predicted ratings of judged units outside of training to, "
        "as a judge's answers.",
    ),
    opt.option("--quality", "Rated quality to predict, where there are several."),
    opt.choice(
        "--raters",
        ["interlocutor", "outsiders", "all"],
        "Whose ratings to predict: the interlocutor's, the mean of the outsiders, or each "
        "rating by itself.",
        "learn",
    ),
    opt.choice(
        "--split",
        ["dialog", "person", "time"],
        "Chronological 8:1:1 split of each dialog's turns, of each user's dialogs, or over "
        "all turns.  [default: dialog for ratings of turns, person for ratings of dialogs]",
        "along",
        default=None,
    ),
)


FIXED_BY_MODEL = ("learn", "along", "mode", "encoder", "seed", "licence")
"""Options that have no effect on an update, which keeps the settings of the model."""


@click.command(cls=opt.accept_old_names(learn="raters"))
@users.input_options
@rating_options
@users.user_model_options
def interlocutor(data: tuple[Path, ...], out: Path, format: str | None, **options: Any) -> None:
    """Train a model of a user's ratings.

    Always evaluated on later ratings by the interlocutors themselves, and compared with the mean
    rating of each user, which needs no text.

    Use it with `--set interlocutor_score.model=path:MODEL`.

    \b
    Example:
      simpatico train interlocutor --data chats.jsonl --judgements ratings.csv \\
        --quality enjoyed --out MODEL
    """
    from simpatico.training.card import About
    from simpatico.training.users.interlocutor import train
    from simpatico.training.users.update import UpdateRequest

    if options["base"] and not options["fine_tune"]:
        users.refuse_options(FIXED_BY_MODEL, users.WITH_CONTINUE, FLAGS)
    parameters = {**options, "data": data}
    command = shared.record_command(
        "simpatico train interlocutor", parameters, switches=(), flags=FLAGS
    )
    about = About(shared.data_name(data), options.pop("licence") or "not stated", command)
    base, encoder = options.pop("base"), users.pop_encoder(options)
    judgements, judges = options.pop("judgements"), options.pop("judges")
    calibrated = options.pop("calibrated")
    if judges and (base or options["fine_tune"]):
        raise click.UsageError("--judges has no effect with --continue or --fine-tune.")
    if calibrated and not judges:
        raise click.UsageError("--calibrated needs --judges FILE.")
    place = opt.out_file(calibrated, option="--calibrated") if calibrated else None
    training = train.InterlocutorTraining(encoder=encoder, **options)
    turns = users.read_all_turns(data, format)
    if not judgements:
        ratings = judgements_in_data(data, format)
    else:
        ratings = judgements_in_files(judgements, format)
        if len(data) > 1:
            ratings = match_dialog_names(ratings, turns)
    with ProgressDisplay():
        if base and not training.fine_tune:
            request = UpdateRequest(base, out, shared.data_name(data))
            row = train.update_interlocutor(turns, ratings, request, quality=training.quality)
            users.show_results("New ratings", [row], RATING_RESULTS, "ratings")
        elif training.fine_tune:
            examples = train.RatingData.load(turns, ratings, training)
            report = train.fine_tune_interlocutor(
                examples, out, training=training, about=about, base=base
            )
            show_interlocutor_report(report)
        else:
            answers = read_answers(judges)
            report = train.train_interlocutor(
                turns, ratings, out, training=training, about=about, answers=answers
            )
            show_interlocutor_report(report)
            if place and report.calibrated is not None:
                write_calibrated(place, report.calibrated)
    result(str(out))


def read_answers(paths: tuple[Path, ...]) -> JudgeAnswers | None:
    """The answers of all files of judges; null where there is none."""
    from simpatico.readers.judge_answer_files import read_judges

    return read_judges(paths) if paths else None


def write_calibrated(path: Path, judgements: Judgements) -> None:
    """Predicted ratings as JSON lines, as a judge's answers are kept."""
    from simpatico.files import write_atomically

    write_atomically(path, judgements.frame.write_ndjson().encode())
    note(f"{len(judgements):,} predicted ratings of units outside of training: {path}")


def judgements_in_data(data: tuple[Path, ...], format: str | None) -> Judgements:
    """Judgements in files of conversations, whose dialogs get the same prefixes as their turns."""
    import polars as pl

    from simpatico.judgements import Judgements
    from simpatico.readers import Conversations
    from simpatico.readers.conversations import dialog_prefixes
    from simpatico.readers.judgement_files import read_judgements

    frames = []
    conversations = Conversations(data, format)
    for path, prefix in zip(data, dialog_prefixes(conversations.sources), strict=True):
        dialog, clashes = pl.col("dialog"), list(conversations.clashing_ids)
        name = pl.when(dialog.is_in(clashes)).then(pl.lit(f"{prefix}/") + dialog).otherwise(dialog)
        frames.append(read_judgements(path, format=format).frame.with_columns(name.alias("dialog")))
    return Judgements(pl.concat(frames))


def judgements_in_files(paths: tuple[Path, ...], format: str | None) -> Judgements:
    """All judgements of the files."""
    import polars as pl

    from simpatico.judgements import Judgements
    from simpatico.readers.judgement_files import read_judgements

    return Judgements(pl.concat([read_judgements(path, format=format).frame for path in paths]))


def match_dialog_names(judgements: Judgements, turns: Turns) -> Judgements:
    """Judgements whose dialogs have the names that dialogs of several inputs have.

    They may have these names already, or the name in their own input, if no other input has it.
    """
    import polars as pl

    from simpatico.judgements import Judgements, match_dialog_ids

    rated = judgements.frame["dialog"].unique(maintain_order=True)
    full_name = match_dialog_ids(rated, set(turns.frame["dialog"]))
    return Judgements(judgements.frame.with_columns(pl.col("dialog").replace(full_name)))


def show_interlocutor_report(report: InterlocutorReport) -> None:
    """Results on the test set, compared with mean ratings."""
    from simpatico.stats.by_user import NO_INTERVAL

    users.show_results("Test set", report.results, RATING_RESULTS, "ratings")
    for row in report.gains:
        r = "" if row.r is None else f"r higher by {users.format_estimate(row.r)}; "
        mse = f"{users.format_estimate(row.mse)}{users.format_p_suffix(row.mse.p_value)}"
        note(f"compared with {row.name}: {r}mean squared error lower by {mse}")
    if report.results[0].mse.low is None:
        note(NO_INTERVAL)
    users.note_excluded(report.excluded)
