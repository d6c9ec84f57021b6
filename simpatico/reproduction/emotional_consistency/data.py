"""The files of Liu et al.: labelled utterances, and conversations answered by three responders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from simpatico.errors import DataError
from simpatico.reproduction.emotional_consistency.paper import RESPONDERS
from simpatico.reproduction.predictive_engagement.data import numeric, place, table
from simpatico.training.emotion.data import Utterances

FOLDER = "emotional-consistency"
TALKS = "human_conversation/human_conversation(evaluated).csv"
TASKS = ("NNC", "EC")
PARTS = ("valid", "test")
NAMES = {"NNC": ("neutral", "emotional"), "EC": ("positive", "negative")}
"""What 0 and 1 stand for; that 1 is negative in EC shows in what its utterances say."""
COLUMNS = (
    ("sentence1(human)", "score1", "Dialog rating1"),
    ("sentence2(fb)", "score2", "Dialog rating2"),
    ("sentence3(gpt)", "score3", "dialog rating3"),
)
"""Answer, rating of the turn and of the dialog, by responder."""
ROUNDED = 1e-6


def found(data: Path, name: str) -> Path | None:
    """Where a file is, if it is there."""
    return place(data, name, FOLDER)


def labelled(path: Path, task: str) -> Utterances:
    """The utterances of a file, with the names of their labels; of which dialogs is unknown."""
    rows = table(path, ("label", "sentence1"))
    if odd := sorted(set(rows["label"]) - {"0", "1"}):
        raise DataError(f"{path}: a label is {odd[0]!r}, where {task} has 0 and 1")
    names = NAMES[task]
    if rows["label"].n_unique() < len(names):
        only = [names[int(n)] for n in rows["label"].unique()]
        raise DataError(
            f"{path}: all {rows.height:,} rows are {''.join(only)!r}, where {task} has "
            f"{' and '.join(names)}; get it again"
        )
    return Utterances(
        path.name, rows["sentence1"].to_list(), [(names[int(n)],) for n in rows["label"]]
    )


def conversations(path: Path) -> pl.DataFrame:
    """dialog, turn, responder, user, answer, rating, of_dialog: a row for each answer.

    Empty lines part the dialogs, and the last line holds the means of all ratings, which must be
    those of the rows. Only the first turn of a dialog has the rating of the dialog.
    """
    wanted = [name for some in COLUMNS for name in some]
    rows = table(path, ("user", *wanted)).with_row_index("line")
    said = rows.filter(pl.col("user") != "")
    if said.is_empty():
        raise DataError(f"{path}: no conversation in it; give the evaluated file of the authors")
    after = (pl.col("line").diff() > 1).fill_null(value=True)
    said = said.with_columns(dialog=after.cum_sum()).with_columns(
        turn=pl.int_range(pl.len()).over("dialog")
    )
    means = rows.filter((pl.col("user") == "") & (pl.col(COLUMNS[0][1]) != ""))
    found = [
        answers(said, means, names, who, path)
        for names, who in zip(COLUMNS, RESPONDERS, strict=True)
    ]
    return pl.concat(found).sort("dialog", "turn", maintain_order=True)


def answers(
    said: pl.DataFrame, means: pl.DataFrame, names: tuple[str, str, str], who: str, path: Path
) -> pl.DataFrame:
    """Those of one responder, once their means are those of the file."""
    answer, turn, dialog = names
    found = numeric(
        said.select(
            "dialog",
            "turn",
            responder=pl.lit(who),
            user="user",
            answer=answer,
            rating=turn,
            of_dialog=pl.when(pl.col(dialog) != "").then(dialog),
        ),
        ["rating"],
        path,
    ).with_columns(pl.col("of_dialog").cast(pl.Float64))
    for told, own in ((turn, "rating"), (dialog, "of_dialog")):
        written = float(means[told].item()) if means.height == 1 else None
        mean = float(np.nanmean(found[own].fill_null(np.nan).to_numpy()))
        if written is None or abs(written - mean) > ROUNDED:
            raise DataError(
                f"{path}: the mean of {told!r} is {mean}, and the last line has {written}; get the "
                "file again"
            )
    return found
