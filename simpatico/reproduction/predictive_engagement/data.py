"""The files of Ghazarian et al. (2020): rated pairs, labelled pairs, 50 conversations.

Rated pairs: 300 queries of DailyDialog with a generated and a human-written reply each, three
ratings from 1 to 5 of each pair (Table 5). Conversations: the crowd study of Table 2. Labelled
pairs: the DailyDialog pairs of the transfer step. Texts are spelt differently across files, so they
are matched by letters and digits.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import polars as pl

from simpatico.errors import DataError
from simpatico.reproduction.csv_files import cast_to_numbers, read_text_columns
from simpatico.reproduction.predictive_engagement import paper
from simpatico.training.engagement.exchanges import Exchanges

FOLDER = "predictive-engagement"
PAIRS = "Eng_Scores_queries_gen_gtruth_replies.csv"
WORKERS = "DailyDialog_groungtruth_annotated.csv"
DIALOGS, LABELS = "50convs_AMT.txt", "humanAMT_engscores_utt.csv"
TARGET_TRAIN, TARGET_TEST = "DD_finetune_train.csv", "DD_finetune_valid.csv"

AUTHORS_COLUMNS = {
    paper.RUBER: "Ruber_Unref_Score",
    paper.CTX: "CTX_Unref_Score",
    paper.MEAN: "Eng_Score_MeanPooling",
    paper.MAX: "Eng_Score_MaxPooling",
}
TAGGED_TURN = re.compile(r"<(sp\d)>(.*?)</\1>", re.DOTALL)
PAIRS_A_SHEET = 10
"""Pairs on one sheet of the crowd workers."""


def alphanumeric_key(text: str) -> str:
    """Letters and digits only, in small letters: how texts are recognised across files."""
    return "".join(letter for letter in text.lower() if letter.isalnum())


def read_rated_pairs(path: Path) -> pl.DataFrame:
    """One row a pair: query, reply, part, three ratings, their mean, and the authors' scores.

    The file has a row for each single rating, all of the generated replies first.
    """
    names = list(AUTHORS_COLUMNS.values())
    rows = read_text_columns(path, ("query", "response", "human_score", *names))
    rows = cast_to_numbers(rows, ["human_score", *names], path)
    first_half = pl.int_range(pl.len()) < pl.len() // 2
    part = pl.when(first_half).then(pl.lit(paper.GENERATED)).otherwise(pl.lit(paper.WRITTEN))
    pairs = (
        rows.with_columns(part=part)
        .group_by("part", "query", "response", maintain_order=True)
        .agg(
            ratings=pl.col("human_score"),
            mean_rating=pl.col("human_score").mean(),
            **{name: pl.col(column).first() for name, column in AUTHORS_COLUMNS.items()},
        )
        .rename({"response": "reply"})
    )
    if (sizes := set(pairs["ratings"].list.len())) != {3}:
        raise DataError(f"{path}: pairs with {sorted(sizes)} ratings, where each should have 3")
    return pairs


def read_worker_ratings(path: Path) -> pl.DataFrame:
    """query, reply, worker, rating of the human-written replies; ten pairs stand on a sheet."""
    columns = [
        {"query": f"Input.query{n}", "reply": f"Input.response{n}", "rating": f"Answer.pair{n}"}
        for n in range(1, PAIRS_A_SHEET + 1)
    ]
    names = [name for pair in columns for name in pair.values()]
    sheets = read_text_columns(path, ("WorkerId", *names))
    pairs = [sheets.select(worker="WorkerId", **pair) for pair in columns]
    return cast_to_numbers(pl.concat(pairs), ["rating"], path)


def read_crowd_dialogs(path: Path) -> pl.DataFrame:
    """dialog, score and the texts of the 50 conversations; the third column is engagement."""
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split("\t")
        if len(cells) < 6:
            raise DataError(f"{path}: line {number} has {len(cells)} columns, where 6 are needed")
        try:
            score = float(cells[2])
        except ValueError:
            raise DataError(
                f"{path}: line {number} has the engagement score {cells[2]!r}, which is no number"
            ) from None
        rows.append((cells[0], score, [text.strip() for _, text in TAGGED_TURN.findall(cells[5])]))
    names = ["dialog", "score", "texts"]
    return pl.DataFrame(rows, names, orient="row", schema_overrides={"texts": pl.List(pl.String)})


def read_labelled_exchanges(dialogs: pl.DataFrame, path: Path) -> pl.DataFrame:
    """dialog, score, query, reply, label: turns 1-2, 3-4, ... of each conversation, known by text.

    Exchanges of equal texts take the labels in the order of both files.
    """
    labels = defaultdict[tuple[str, str], list[float]](list)
    table = cast_to_numbers(read_text_columns(path, ("query", "reply", "label")), ["label"], path)
    for query, reply, label in table.iter_rows():
        labels[alphanumeric_key(query), alphanumeric_key(reply)].append(label)
    rows = []
    for dialog, score, texts in dialogs.iter_rows():
        for query, reply in zip(texts[::2], texts[1::2], strict=False):
            if waiting := labels[alphanumeric_key(query), alphanumeric_key(reply)]:
                rows.append((dialog, score, query, reply, waiting.pop(0)))
    columns = ["dialog", "score", "query", "reply", "label"]
    return pl.DataFrame(rows, columns, orient="row")


def pairs_as_exchanges(pairs: pl.DataFrame, source: str) -> Exchanges:
    """Labelled pairs to train or test on; without a column dialog each is one by itself."""
    label = pairs["label"].to_numpy()
    single = [f"{source} {row}" for row in range(pairs.height)]
    return Exchanges(
        source=source,
        dialog=pairs["dialog"].to_list() if "dialog" in pairs.columns else single,
        query=pairs["query"].to_list(),
        reply=pairs["reply"].to_list(),
        rating=label.astype(np.float64),
        label=label.astype(np.int64),
        kind=[""] * pairs.height,
    )


def read_target_pairs(path: Path, rated: pl.DataFrame | None) -> tuple[pl.DataFrame, int]:
    """query, reply, label of a file to fine-tune on, and how many were dropped.

    Dropped are pairs of which the query or the reply is among the rated pairs: they would leak the
    test set into the training.
    """
    pairs = cast_to_numbers(read_text_columns(path, ("query", "reply", "label")), ["label"], path)
    if rated is None:
        return pairs, 0
    rated_texts = {alphanumeric_key(text) for text in [*rated["query"], *rated["reply"]]}
    fresh = [
        not {alphanumeric_key(query), alphanumeric_key(reply)} & rated_texts
        for query, reply in pairs.select("query", "reply").iter_rows()
    ]
    remaining = pairs.filter(pl.Series(fresh, dtype=pl.Boolean))
    return remaining, pairs.height - remaining.height
