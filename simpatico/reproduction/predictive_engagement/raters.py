"""Tables 2 and 3 and Figure 2: inter-rater agreement, and turns against whole conversations.

Table 2: 49 workers rated 297 utterances of 50 ConvAI conversations, five ratings from 1 to 5 each.
Table 3: the least, greatest and mean rating of a conversation's utterances against the engagement
score of the conversation, Pearson's r, n = 50. Figure 2, right: utterance by utterance.

Deviations: the published file has one label of 0 or 1 for an utterance in place of its five
ratings, so that Table 2 cannot be recomputed (agreement on the 600 rated pairs stands in) and Table
3 is recomputed on labels. All 25 conversations with a bot have the score 0 in that file, which can
make a high correlation by itself; rows without them and with the interlocutors' real ratings stand
beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.readers.judgement_files import read_judgements
from simpatico.reproduction.cells import Cell, make_cell, result_cell
from simpatico.reproduction.clustered_correlation import dense_codes
from simpatico.reproduction.predictive_engagement import paper
from simpatico.stats.bootstrap import bootstrap_sums
from simpatico.stats.correlation import correlation
from simpatico.stats.correlation_bootstrap import bootstrap_correlation
from simpatico.validation.raters.agreement import cohen_kappa, krippendorff_alpha
from simpatico.validation.raters.ceiling import leave_one_out_statistic
from simpatico.validation.raters.ratings import RatingViews

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
ABOVE_0 = "crowd's labels, conversations scored above 0"
REAL = "crowd's labels, the interlocutors' own ratings"
SINGLE = "a label or thumb with the score of its conversation"
ROW_NOTES = {
    ABOVE_0: "in the published file all 25 conversations with a bot are scored 0",
    REAL: "the mean of what both sides got from each other, bots' zeros left out",
}
AGGREGATIONS = ("min", "max", "mean")


def rater_agreement_cells(
    pairs: pl.DataFrame | None, workers: pl.DataFrame | None, *, seed: int
) -> Iterator[Cell]:
    """Table 2: nothing can be computed on the 297 utterances, something on the 600 pairs."""
    for column, figure in (("mean kappa", paper.KAPPA), ("mean Pearson", paper.PEARSON)):
        yield make_cell((TABLE_2, CROWD, column), None, paper=figure, notes=[NO_RATINGS])
    if pairs is None:
        return
    # pairs have three ratings each; only the human-written half says which worker gave which
    tables = []
    for part in paper.SETS:
        rows = pairs if part == paper.ALL else pairs.filter(part=part)
        matrix = np.array(rows["ratings"].to_list(), dtype=np.float64)
        note = "raters distinguished by their place in the file only"
        tables.append((part, note, matrix, dense_codes(rows["query"])))
    if workers is not None:
        matrix, queries = worker_matrix(workers)
        note = f"{matrix.shape[1]} workers distinguished by their ids"
        tables.append((f"{paper.WRITTEN}, by worker", note, matrix, queries))
    for row, note, matrix, clusters in tables:
        (leave_one_out,) = bootstrap_sums(
            [leave_one_out_statistic(RatingViews(matrix))], clusters, seed=seed
        )
        alpha = krippendorff_alpha(matrix, clusters=clusters, seed=seed)
        for column, result in {
            "mean weighted kappa": cohen_kappa(matrix, clusters=clusters, seed=seed),
            "Krippendorff's alpha, ordinal": alpha,
            "one rater with the mean of the others, Pearson": leave_one_out,
        }.items():
            place, notes = (TABLE_2, row, column), [OVERALL, note]
            yield result_cell(place, result, rows=len(matrix), notes=notes)


def worker_matrix(workers: pl.DataFrame) -> tuple[Floats, Ints]:
    """A row a pair, a column a worker, NaN where there is no rating; and each row's query."""
    wide = workers.pivot(
        "worker", index=["query", "reply"], values="rating", aggregate_function="first"
    )
    matrix = wide.drop("query", "reply").fill_null(float("nan")).to_numpy().astype(np.float64)
    return matrix, dense_codes(wide["query"])


def aggregation_cells(
    exchanges: pl.DataFrame | None, convai: Path | None, *, seed: int
) -> Iterator[Cell]:
    """Turns aggregated by their least, greatest and mean value, against the conversation's."""
    if exchanges is None:
        for way in AGGREGATIONS:
            place, notes = (TABLE_3, LABELLED, way), ["the files are missing"]
            yield make_cell(place, None, paper=paper.AGGREGATED[way], notes=notes)
    else:
        yield from label_cells(LABELLED, exchanges, seed=seed)
        yield from label_cells(ABOVE_0, exchanges.filter(pl.col("score") > 0), seed=seed)
    if convai is None:
        return
    ratings = read_judgements(convai, format="convai2017").frame.drop_nulls("value")
    if exchanges is not None:
        # what interlocutors really gave the conversation: the mean of both sides
        engagement = ratings.filter(quality="engagement").group_by("dialog")
        real = engagement.agg(score=pl.col("value").mean())
        rows = exchanges.drop("score").join(real, on="dialog", how="inner", maintain_order="left")
        yield from label_cells(REAL, rows, seed=seed)
    yield from thumb_cells(ratings, seed=seed)


def aggregate_turns(rows: pl.DataFrame, keys: list[str], value: str) -> pl.DataFrame:
    """One row a conversation or side: the least, greatest and mean of its values, and its score."""
    ways = {way: getattr(pl.col(value), way)() for way in AGGREGATIONS}
    return rows.group_by(keys, maintain_order=True).agg(score=pl.col("score").first(), **ways)


def label_cells(row: str, exchanges: pl.DataFrame, *, seed: int) -> Iterator[Cell]:
    """Labels of utterances, aggregated and single, against the score of their conversation."""
    dialogs = aggregate_turns(exchanges, ["dialog"], "label")
    in_paper = row == LABELLED
    notes = [
        "of labels 0 and 1, where the paper has the means of five ratings from 1 to 5",
        f"{exchanges.height} utterances found in {dialogs.height} conversations by their texts",
        *([] if in_paper else [ROW_NOTES[row]]),
    ]
    for way in AGGREGATIONS:
        r = correlation(dialogs[way].to_numpy(), dialogs["score"].to_numpy())
        figure = paper.AGGREGATED[way] if in_paper else None
        yield result_cell((TABLE_3, row, way), r, paper=figure, rows=dialogs.height, notes=notes)
    clusters = dense_codes(exchanges["dialog"])
    r = bootstrap_correlation(exchanges["label"], exchanges["score"], clusters, seed=seed)
    figure, place = paper.ASSIGNED if in_paper else None, (FIGURE_2, row, SINGLE)
    yield result_cell(place, r, paper=figure, rows=exchanges.height, notes=notes)


def thumb_cells(ratings: pl.DataFrame, *, seed: int) -> Iterator[Cell]:
    """Thumbs of single turns against the rating that their speaker got.

    A substitute for ratings of utterances that are not published: ConvAI's interlocutors could give
    a thumb to each turn while they talked.
    """
    keys = ["dialog", "speaker"]
    score = ratings.filter(quality="engagement").select(*keys, score="value")
    turns = ratings.filter(quality="liked").select(*keys, liked="value")
    turns = turns.join(score, on=keys, how="inner", maintain_order="left")
    sides = aggregate_turns(turns, keys, "liked")
    notes = [
        "thumbs down (1) and up (2) that interlocutors gave to turns, against the engagement "
        "rating they gave to who wrote these, where there are both"
    ]
    places = [((TABLE_3, THUMBS, way), sides, way) for way in AGGREGATIONS]
    for place, rows, column in (*places, ((FIGURE_2, THUMBS, SINGLE), turns, "liked")):
        clusters = dense_codes(rows["dialog"])
        r = bootstrap_correlation(rows[column], rows["score"], clusters, seed=seed)
        yield result_cell(place, r, rows=rows.height, notes=notes)
