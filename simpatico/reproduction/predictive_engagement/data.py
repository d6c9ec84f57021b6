"""The files of Ghazarian et al. (2020): rated pairs, labelled pairs, 50 conversations."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import polars as pl

from simpatico.errors import DataError
from simpatico.reproduction.predictive_engagement.paper import (
    CTX,
    GENERATED,
    MAX,
    MEAN,
    RUBER,
    WRITTEN,
)
from simpatico.training.engagement.exchanges import Exchanges

FOLDER = "predictive-engagement"
PAIRS = "Eng_Scores_queries_gen_gtruth_replies.csv"
WORKERS = "DailyDialog_groungtruth_annotated.csv"
DIALOGS, LABELS = "50convs_AMT.txt", "humanAMT_engscores_utt.csv"
LEARN, CHECK = "DD_finetune_train.csv", "DD_finetune_valid.csv"

THEIRS = {
    RUBER: "Ruber_Unref_Score",
    CTX: "CTX_Unref_Score",
    MEAN: "Eng_Score_MeanPooling",
    MAX: "Eng_Score_MaxPooling",
}
SAID = re.compile(r"<(sp\d)>(.*?)</\1>", re.DOTALL)
ASKED = 10
"""Pairs on one sheet of the crowd workers."""


def place(data: Path, name: str, folder: str = FOLDER) -> Path | None:
    """Where a file is, in `data` or in its folder there."""
    tries = (data / folder / name, data / name)
    return next((path for path in tries if path.is_file()), None)


def table(path: Path, columns: tuple[str, ...]) -> pl.DataFrame:
    """A CSV as text without the line ends that its cells carry."""
    found = pl.read_csv(path, infer_schema_length=0)
    if lacking := [name for name in columns if name not in found.columns]:
        raise DataError(f"{path}: no column {lacking[0]!r}; it has {', '.join(found.columns)}")
    return found.select(pl.col(columns).str.strip_chars().fill_null(""))


def numeric(frame: pl.DataFrame, names: list[str], path: Path) -> pl.DataFrame:
    """The columns as numbers; what is none is refused."""
    made = frame.with_columns(pl.col(names).cast(pl.Float64, strict=False))
    for name in names:
        if n := made[name].null_count():
            raise DataError(f"{path}: {n} of {made.height} values of {name!r} are no numbers")
    return made


def plain(text: str) -> str:
    """Letters and digits only, in small letters: how texts are known again across files."""
    return "".join(letter for letter in text.lower() if letter.isalnum())


def rated_pairs(path: Path) -> pl.DataFrame:
    """One row a pair: query, reply, part, three ratings, their mean, and the authors' scores.

    The file has a row for each single rating, all of the generated replies first.
    """
    names = list(THEIRS.values())
    rows = table(path, ("query", "response", "human_score", *names))
    rows = numeric(rows, ["human_score", *names], path)
    half = pl.int_range(pl.len()) < pl.len() // 2
    part = pl.when(half).then(pl.lit(GENERATED)).otherwise(pl.lit(WRITTEN)).alias("part")
    found = (
        rows.with_columns(part)
        .group_by("part", "query", "response", maintain_order=True)
        .agg(
            ratings=pl.col("human_score"),
            judged=pl.col("human_score").mean(),
            **{name: pl.col(column).first() for name, column in THEIRS.items()},
        )
        .rename({"response": "reply"})
    )
    if (sizes := set(found["ratings"].list.len())) != {3}:
        raise DataError(f"{path}: pairs with {sorted(sizes)} ratings, where each should have 3")
    return found


def ratings_by_worker(path: Path) -> pl.DataFrame:
    """query, reply, worker, rating of the human-written replies; ten pairs stand on a sheet."""
    ten = range(1, ASKED + 1)
    columns = ["WorkerId"]
    columns += [f"{name}{n}" for n in ten for name in ("Input.query", "Input.response")]
    columns += [f"Answer.pair{n}" for n in ten]
    sheets = table(path, tuple(columns))
    single = [
        sheets.select(
            query=f"Input.query{n}",
            reply=f"Input.response{n}",
            worker="WorkerId",
            rating=f"Answer.pair{n}",
        )
        for n in ten
    ]
    return numeric(pl.concat(single), ["rating"], path)


def dialogs(path: Path) -> pl.DataFrame:
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
        rows.append((cells[0], score, [said.strip() for _, said in SAID.findall(cells[5])]))
    names = ["dialog", "score", "texts"]
    return pl.DataFrame(rows, names, orient="row", schema_overrides={"texts": pl.List(pl.String)})


def labelled_exchanges(talks: pl.DataFrame, path: Path) -> pl.DataFrame:
    """dialog, score, query, reply, label: turns 1-2, 3-4, ... of each conversation, known by text.

    Exchanges of equal texts take the labels in the order of both files.
    """
    labels = defaultdict[tuple[str, str], list[float]](list)
    given = numeric(table(path, ("query", "reply", "label")), ["label"], path)
    for query, reply, label in given.iter_rows():
        labels[plain(query), plain(reply)].append(label)
    rows = []
    for dialog, score, texts in talks.iter_rows():
        for query, reply in zip(texts[::2], texts[1::2], strict=False):
            if waiting := labels[plain(query), plain(reply)]:
                rows.append((dialog, score, query, reply, waiting.pop(0)))
    columns = ["dialog", "score", "query", "reply", "label"]
    return pl.DataFrame(rows, columns, orient="row")


def labelled_as(pairs: pl.DataFrame, source: str) -> Exchanges:
    """Labelled pairs to train or test on; without a column dialog each is one by itself."""
    label = pairs["label"].to_numpy()
    alone = [f"{source} {row}" for row in range(pairs.height)]
    return Exchanges(
        source=source,
        dialog=pairs["dialog"].to_list() if "dialog" in pairs.columns else alone,
        query=pairs["query"].to_list(),
        reply=pairs["reply"].to_list(),
        rating=label.astype(np.float64),
        label=label.astype(np.int64),
        kind=[""] * pairs.height,
    )


def target_pairs(path: Path, met: pl.DataFrame | None) -> tuple[pl.DataFrame, int]:
    """query, reply, label of a file to fine-tune on, and how many were dropped.

    Dropped are pairs of which the query or the reply is among `met`, the rated pairs.
    """
    found = numeric(table(path, ("query", "reply", "label")), ["label"], path)
    if met is None:
        return found, 0
    known = {plain(text) for text in [*met["query"], *met["reply"]]}
    fresh = [
        not {plain(query), plain(reply)} & known
        for query, reply in found.select("query", "reply").iter_rows()
    ]
    kept = found.filter(pl.Series(fresh, dtype=pl.Boolean))
    return kept, found.height - kept.height
