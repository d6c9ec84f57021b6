"""Whether one correlation of Table 5 is larger than another, and what is left beside length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from simpatico.reproduction.cells import Cell, CellKey, result_cell
from simpatico.reproduction.clustered_correlation import (
    KINDS,
    correlation_difference,
    dense_codes,
    partial_correlation,
)
from simpatico.reproduction.predictive_engagement.correlations import (
    AUTHORS,
    AUTHORS_MEAN,
    ScoreColumn,
    combination_name,
    mean_names,
    rows_of_part,
)
from simpatico.reproduction.predictive_engagement.paper import CTX, GENERATED, MEAN, SETS
from simpatico.reproduction.predictive_engagement.scores import COHERENCE, LOG_LENGTH, PairScores

BOLD = "the paper prints this one in bold, p below .05"


def comparisons(scores: PairScores) -> list[tuple[str, str]]:
    """Which two columns are compared: the first should be the larger."""
    names = [(AUTHORS_MEAN, AUTHORS + CTX), (AUTHORS_MEAN, LOG_LENGTH)]
    for relevance in scores.relevance:
        names += [(relevance, other) for other in (AUTHORS + CTX, COHERENCE, LOG_LENGTH)]
        for engagement in scores.engagement:
            both = combination_name("mean", engagement, relevance)
            others = (relevance, AUTHORS_MEAN, AUTHORS + CTX, LOG_LENGTH)
            names += [(both, other) for other in others]
    for engagement in scores.engagement:
        names += [(engagement, AUTHORS + MEAN), (engagement, LOG_LENGTH)]
    return names


def difference_cells(
    pairs: pl.DataFrame, columns: Sequence[ScoreColumn], scores: PairScores, *, seed: int
) -> Iterator[Cell]:
    """Each comparison on both halves and on all pairs."""
    values = {column.name: column.values for column in columns}
    ratings, queries = pairs["mean_rating"].to_numpy(), dense_codes(pairs["query"])
    names = [both for both in comparisons(scores) if both[0] in values and both[1] in values]
    for kind in KINDS:
        for part in SETS:
            rows = rows_of_part(pairs, part)
            for first, second in names:
                two = np.stack([values[first][rows], values[second][rows]], axis=1)
                difference, note = correlation_difference(
                    two, ratings[rows], queries[rows], kind=kind, seed=seed
                )
                bold = (first, second) == (AUTHORS_MEAN, AUTHORS + CTX) and part != GENERATED
                notes = [note, *([BOLD] if bold else [])]
                table = f"Table 5: differences between correlations, {kind.title()}"
                key = CellKey(table, part, f"{first} − {second}")
                yield result_cell(key, difference, rows=int(rows.sum()), notes=notes)


def partial_cells(
    pairs: pl.DataFrame, columns: Sequence[ScoreColumn], scores: PairScores, *, seed: int
) -> Iterator[Cell]:
    """Relevance, engagement and both with people's ratings, the reply's length held equal."""
    values = {column.name: column.values for column in columns}
    if LOG_LENGTH not in values:
        return
    authors = [AUTHORS + CTX, AUTHORS + MEAN, AUTHORS_MEAN]
    names = [*authors, *scores.relevance, *scores.engagement, *mean_names(scores)]
    ratings, queries = pairs["mean_rating"].to_numpy(), dense_codes(pairs["query"])
    for kind in KINDS:
        table = f"Table 5: with people's ratings, the reply's length held equal, {kind.title()}"
        for part in SETS:
            rows = rows_of_part(pairs, part)
            for name in names:
                two = np.stack([values[name][rows], values[LOG_LENGTH][rows]], axis=1)
                r = partial_correlation(two, ratings[rows], queries[rows], kind=kind, seed=seed)
                yield result_cell(CellKey(table, part, name), r, rows=int(rows.sum()))
