"""Tables 2 and 3 and Figure 2: how far raters agree, and turns against whole conversations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.readers.judgement_files import read_judgements
from simpatico.reproduction import Cell
from simpatico.reproduction.cells import Spot, of_result, only_paper
from simpatico.reproduction.predictive_engagement.paper import (
    AGGREGATED,
    ALL,
    ASSIGNED,
    GENERATED,
    KAPPA,
    PEARSON,
    WRITTEN,
)
from simpatico.stats.bootstrap import bootstrap
from simpatico.stats.bootstrap_sums import resampled
from simpatico.stats.correlation import correlation
from simpatico.validation.raters.agreement import cohen_kappa, krippendorff_alpha
from simpatico.validation.raters.ceiling import one_more
from simpatico.validation.raters.ratings import Rated

TABLE_2 = "Table 2: agreement of raters"
TABLE_3 = "Table 3: turns of a conversation together against its engagement score, Pearson"
FIGURE_2 = "Figure 2, right: single utterances against the score of their conversation, Pearson"
CROWD = "297 utterances, crowd"
LABELLED = "crowd's labels, 50 conversations"
THUMBS = "ConvAI's thumbs, a substitute"
NO_RATINGS = (
    "the published files have one label (0 or 1) for an utterance and none of its five ratings"
)
OVERALL = "raters of overall quality, three a pair, 1-5: not the raters of engagement"
ABOVE = "crowd's labels, conversations scored above 0"
REAL = "crowd's labels, the interlocutors' own ratings"
SINGLE = "a label or thumb with the score of its conversation"
WHY = {
    ABOVE: "in the published file all 25 conversations with a bot are scored 0",
    REAL: "the mean of what both sides got from each other, bots' zeros left out",
}
WAYS = ("min", "max", "mean")


def agreement_cells(
    pairs: pl.DataFrame | None, workers: pl.DataFrame | None, *, seed: int
) -> Iterator[Cell]:
    """What can be said of agreement: nothing on the 297 utterances, something on the 600 pairs."""
    yield only_paper(Spot(TABLE_2, CROWD, "mean kappa"), KAPPA, NO_RATINGS)
    yield only_paper(Spot(TABLE_2, CROWD, "mean Pearson"), PEARSON, NO_RATINGS)
    if pairs is None:
        return
    for part in (GENERATED, WRITTEN, ALL):
        some = pairs if part == ALL else pairs.filter(part=part)
        matrix = np.array(some["ratings"].to_list(), dtype=np.float64)
        told = [OVERALL, "raters told apart by their place in the file only"]
        yield from agreement_of((part, told), matrix, codes(some["query"]), seed=seed)
    if workers is not None:
        matrix, query = by_worker(workers)
        told = [OVERALL, f"{matrix.shape[1]} workers told apart by their ids"]
        yield from agreement_of((f"{WRITTEN}, by worker", told), matrix, query, seed=seed)


def agreement_of(
    about: tuple[str, list[str]], matrix: Floats, clusters: Ints, *, seed: int
) -> Iterator[Cell]:
    """Kappa, alpha, and one rater against the mean of the others."""
    row, notes = about
    (single,) = resampled([one_more(Rated(matrix))], clusters, seed=seed)
    found = {
        "mean weighted kappa": cohen_kappa(matrix, clusters=clusters, seed=seed),
        "Krippendorff's alpha, ordinal": krippendorff_alpha(matrix, clusters=clusters, seed=seed),
        "one rater with the mean of the others, Pearson": single,
    }
    for column, result in found.items():
        yield of_result(Spot(TABLE_2, row, column), result, rows=len(matrix), notes=notes)


def by_worker(workers: pl.DataFrame) -> tuple[Floats, Ints]:
    """A row a pair, a column a worker, NaN where there is no rating; and each row's query."""
    wide = workers.pivot(
        "worker", index=["query", "reply"], values="rating", aggregate_function="first"
    )
    matrix = wide.drop("query", "reply").fill_null(float("nan")).to_numpy().astype(np.float64)
    return matrix, codes(wide["query"])


def codes(names: pl.Series) -> Ints:
    """Names as numbers from 0."""
    return (names.rank("dense") - 1).to_numpy().astype(np.int64)


def aggregation_cells(
    exchanges: pl.DataFrame | None, convai: Path | None, *, seed: int
) -> Iterator[Cell]:
    """Turns put together by their least, greatest and mean value, against the conversation's."""
    if exchanges is None:
        for way in WAYS:
            yield only_paper(
                Spot(TABLE_3, LABELLED, way), AGGREGATED[way], "the files are not there"
            )
    else:
        yield from labelled(exchanges, seed=seed)
        if convai is not None:
            yield from of_labels(REAL, real(exchanges, convai), seed=seed)
    if convai is not None:
        yield from liked(convai, seed=seed)


def together(rows: pl.DataFrame, keys: list[str], value: str) -> pl.DataFrame:
    """One row a conversation or side: the least, greatest and mean of its values, and its score."""
    ways = {"min": pl.col(value).min(), "max": pl.col(value).max(), "mean": pl.col(value).mean()}
    return rows.group_by(keys, maintain_order=True).agg(score=pl.col("score").first(), **ways)


def labelled(exchanges: pl.DataFrame, *, seed: int) -> Iterator[Cell]:
    """The crowd's labels in the 50 conversations, and in those that are not just given a 0."""
    for row, some in {LABELLED: exchanges, ABOVE: exchanges.filter(pl.col("score") > 0)}.items():
        yield from of_labels(row, some, seed=seed)


def real(exchanges: pl.DataFrame, convai: Path) -> pl.DataFrame:
    """The exchanges with what interlocutors really gave the conversation, both sides' mean."""
    given = read_judgements(convai, format="convai2017").frame.drop_nulls("value")
    score = given.filter(quality="engagement").group_by("dialog").agg(score=pl.col("value").mean())
    return exchanges.drop("score").join(score, on="dialog", how="inner", maintain_order="left")


def of_labels(row: str, exchanges: pl.DataFrame, *, seed: int) -> Iterator[Cell]:
    """Labels of utterances, together and single, against the score of their conversation."""
    whole = together(exchanges, ["dialog"], "label")
    same = row == LABELLED
    told = [
        "of labels 0 and 1, where the paper has the means of five ratings from 1 to 5",
        f"{exchanges.height} utterances found in {whole.height} conversations by their texts",
        *([] if same else [WHY[row]]),
    ]
    for way in WAYS:
        found = correlation(whole[way].to_numpy(), whole["score"].to_numpy())
        paper = AGGREGATED[way] if same else None
        spot = Spot(TABLE_3, row, way)
        yield of_result(spot, found, paper=paper, rows=whole.height, notes=told)
    single = bootstrap(
        exchanges["label"], exchanges["score"], codes(exchanges["dialog"]), seed=seed
    )
    spot = Spot(FIGURE_2, row, SINGLE)
    paper = ASSIGNED if same else None
    yield of_result(spot, single, paper=paper, rows=exchanges.height, notes=told)


def liked(convai: Path, *, seed: int) -> Iterator[Cell]:
    """Thumbs of single turns against the rating that their speaker got."""
    turns = thumbs(convai)
    sides = together(turns, ["dialog", "speaker"], "liked")
    told = [
        "thumbs down (1) and up (2) that interlocutors gave to turns, against the engagement "
        "rating they gave to who wrote these, where there are both"
    ]
    dialog = codes(sides["dialog"])
    for way in WAYS:
        found = bootstrap(sides[way], sides["score"], dialog, seed=seed)
        yield of_result(Spot(TABLE_3, THUMBS, way), found, rows=sides.height, notes=told)
    found = bootstrap(turns["liked"], turns["score"], codes(turns["dialog"]), seed=seed)
    spot = Spot(FIGURE_2, THUMBS, SINGLE)
    yield of_result(spot, found, rows=turns.height, notes=told)


def thumbs(convai: Path) -> pl.DataFrame:
    """dialog, speaker, liked, score of turns that have a thumb and whose speaker has a rating."""
    given = read_judgements(convai, format="convai2017").frame.drop_nulls("value")
    keys = ["dialog", "speaker"]
    score = given.filter(quality="engagement").select(*keys, score="value")
    turns = given.filter(quality="liked").select(*keys, liked="value")
    return turns.join(score, on=keys, how="inner", maintain_order="left")
