"""The files of Liu et al.: labelled utterances, and conversations answered by three responders.

NNC and EC files: a label and an utterance, without its corpus or dialog. Conversations: 60 dialogs
of users' turns, each answered by a person, Blenderbot and DialoGPT and rated 0, .5 or 1 for
emotional consistency, by turn and by dialog.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from simpatico.errors import DataError
from simpatico.reproduction.csv_files import cast_to_numbers, locate_file, read_text_columns
from simpatico.reproduction.emotional_consistency.paper import RESPONDERS
from simpatico.training.emotion.data import Utterances

FOLDER = "emotional-consistency"
CONVERSATIONS = "human_conversation/human_conversation(evaluated).csv"
TASKS = ("NNC", "EC")
PARTS = ("valid", "test")
LABEL_NAMES = {"NNC": ("neutral", "emotional"), "EC": ("positive", "negative")}
"""What 0 and 1 stand for; that 1 is negative in EC shows in what its utterances say."""
COLUMNS = (
    ("sentence1(human)", "score1", "Dialog rating1"),
    ("sentence2(fb)", "score2", "Dialog rating2"),
    ("sentence3(gpt)", "score3", "dialog rating3"),
)
"""Answer, rating of the turn and of the dialog, by responder."""
MEAN_TOLERANCE = 1e-6
"""The file states its means with ten decimals."""


def read_published(data: Path, omissions: list[str]) -> dict[str, Utterances]:
    """The published files of labelled utterances; those not there are noted in `omissions`."""
    names = {f"{task}_{part}.csv": task for task in TASKS for part in PARTS}
    paths = {name: locate_file(data, FOLDER, name) for name in (*names, CONVERSATIONS)}
    if not any(paths.values()):
        raise DataError(
            f"{data} has no file of {FOLDER} such as {next(iter(names))}; give the folder "
            f"that holds {FOLDER}"
        )
    omissions += [f"{FOLDER}: no {name}" for name, path in paths.items() if path is None]
    return {
        name: read_labelled_utterances(path, names[name])
        for name, path in paths.items()
        if path is not None and name in names
    }


def read_labelled_utterances(path: Path, task: str) -> Utterances:
    """The utterances of a file, with the names of their labels; of which dialogs is unknown."""
    rows = read_text_columns(path, ("label", "sentence1"))
    if odd := sorted(set(rows["label"]) - {"0", "1"}):
        raise DataError(f"{path}: a label is {odd[0]!r}, where {task} has 0 and 1")
    names = LABEL_NAMES[task]
    labels = [names[int(n)] for n in rows["label"]]
    if len(set(labels)) < len(names):
        raise DataError(
            f"{path}: all {rows.height:,} rows are {''.join(labels[:1])!r}, where {task} has "
            f"{' and '.join(names)}; get it again"
        )
    return Utterances(path.name, rows["sentence1"].to_list(), [(label,) for label in labels])


def read_conversations(path: Path) -> pl.DataFrame:
    """dialog, turn, responder, user, answer, rating, dialog_rating: a row for each answer.

    Empty lines part the dialogs, and the last line holds the means of all ratings, which must be
    those of the rows. Only the first turn of a dialog has the rating of the dialog.
    """
    columns = [name for names in COLUMNS for name in names]
    rows = read_text_columns(path, ("user", *columns)).with_row_index("line")
    turns = rows.filter(pl.col("user") != "")
    if turns.is_empty():
        raise DataError(f"{path}: no conversation in it; give the evaluated file of the authors")
    starts_dialog = (pl.col("line").diff() > 1).fill_null(value=True)
    turns = turns.with_columns(dialog=starts_dialog.cum_sum()).with_columns(
        turn=pl.int_range(pl.len()).over("dialog")
    )
    means = rows.filter((pl.col("user") == "") & (pl.col(COLUMNS[0][1]) != ""))
    answers = []
    for (answer, rating, dialog_rating), responder in zip(COLUMNS, RESPONDERS, strict=True):
        own = cast_to_numbers(
            turns.select(
                "dialog",
                "turn",
                responder=pl.lit(responder),
                user="user",
                answer=answer,
                rating=rating,
                dialog_rating=pl.when(pl.col(dialog_rating) != "").then(dialog_rating),
            ),
            ["rating"],
            path,
        ).with_columns(pl.col("dialog_rating").cast(pl.Float64))
        check_mean(own["rating"], rating, means, path)
        check_mean(own["dialog_rating"], dialog_rating, means, path)
        answers.append(own)
    return pl.concat(answers).sort("dialog", "turn", maintain_order=True)


def check_mean(ratings: pl.Series, column: str, means: pl.DataFrame, path: Path) -> None:
    """Compare the mean of a column with the one that the file itself states."""
    file_mean = float(means[column].item()) if means.height == 1 else None
    mean = float(np.nanmean(ratings.fill_null(np.nan).to_numpy()))
    if file_mean is None or abs(file_mean - mean) > MEAN_TOLERANCE:
        raise DataError(
            f"{path}: the mean of {column!r} is {mean}, and the last line has {file_mean}; get "
            "the file again"
        )
