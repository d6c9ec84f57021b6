"""Tables 5 and 6 and Figure 5: relevance, engagement and both against people's ratings of pairs.

The paper takes the plain mean of two probabilities; minimum and maximum, and the mean of
standardised columns, stand beside it. Beyond the paper: whether one correlation is larger than
another, and what is left of it with the reply's length held equal. Every interval resamples
queries, so that both replies to a query are drawn together.

The paper's own columns ("theirs: ") are computed from the scores that the authors published; ours
are of the shipped evaluators. Its claim is that relevance and engagement together correlate better
with people (.61) than relevance alone (.54), tested as dependent overlapping correlations
(Diedenhofen and Musch 2015); here Williams' t, one of these tests, stands beside a bootstrap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats, Ints
from simpatico.reproduction.cells import Cell, make_cell, printed_tables, result_cell
from simpatico.reproduction.clustered_correlation import (
    KINDS,
    CorrelationKind,
    correlation_difference,
    dense_codes,
)
from simpatico.reproduction.predictive_engagement import paper
from simpatico.reproduction.predictive_engagement.data import AUTHORS_COLUMNS, alphanumeric_key
from simpatico.reproduction.predictive_engagement.scores import COHERENCE, LOG_LENGTH, PairScores
from simpatico.stats.correlation_bootstrap import bootstrap_correlations
from simpatico.stats.partial_correlation import partial_correlations

Combination = Literal["mean", "min", "max", "even", "weighted"]
COMBINATIONS: dict[Combination, str] = {
    "mean": "mean",
    "min": "minimum",
    "max": "maximum",
    "even": "mean of z-scores",
    "weighted": "mean, 70% relevance,",
}
RELEVANCE_WEIGHT = 0.7
"""What relevance counts in the weighted mean: of .5, .6 ... 1 it goes best with people's judgements
of three other sets of dialogs, Pearson's r averaged over them."""
AUTHORS = "theirs: "
"""How columns of the authors' published scores begin."""
RECOMPUTED = "computed from the authors' published scores"
TABLE_6 = "Table 6: examples"
HUMAN = "people, from 0 to 1"
MAX_EXAMPLE_TITLE = 40
BOLD = "the paper prints this one in bold, p below .05"


class ScoreColumn(NamedTuple):
    """Scores of all pairs under a name; `paper` is what the paper calls it."""

    name: str
    values: Floats
    paper: str = ""
    notes: Sequence[str] = ()


def correlation_table(kind: CorrelationKind) -> str:
    """The name of the table."""
    return f"Table 5: with people's ratings, {kind.title()}"


def combine_columns(engagement: Floats, relevance: Floats, how: Combination) -> Floats:
    """Two columns as one; NaN where either is.

    "even" standardises both first: a plain mean follows the column with the larger spread.
    """
    if how == "weighted":
        return (1 - RELEVANCE_WEIGHT) * engagement + RELEVANCE_WEIGHT * relevance
    both = np.stack([engagement, relevance])
    if how == "even":  # z-scores, without looking at any rating
        spread = np.nanstd(both, axis=1, keepdims=True)
        both = (both - np.nanmean(both, axis=1, keepdims=True)) / np.maximum(spread, 1e-12)
    reduce = {"min": np.min, "max": np.max}.get(how, np.mean)
    return np.asarray(reduce(both, axis=0))


def combination_name(how: Combination, engagement: str, relevance: str) -> str:
    """What a combination is called."""
    return f"{COMBINATIONS[how]} of {engagement} and {relevance}"


AUTHORS_MEAN = AUTHORS + combination_name("mean", paper.MEAN, paper.CTX)
AUTHORS_MAIN = (AUTHORS + paper.CTX, AUTHORS + paper.MEAN, AUTHORS_MEAN)


def main_columns(scores: PairScores) -> list[str]:
    """Relevance, engagement and the plain mean of both: the authors', then ours."""
    means = [
        combination_name("mean", engagement, relevance)
        for relevance in scores.relevance
        for engagement in scores.engagement
    ]
    return [*AUTHORS_MAIN, *scores.relevance, *scores.engagement, *means]


def score_columns(pairs: pl.DataFrame, scores: PairScores) -> Iterator[ScoreColumn]:
    """The authors' scores, ours, both combined, and baselines, in the order shown."""
    authors = {name: pairs[name].to_numpy().astype(np.float64) for name in AUTHORS_COLUMNS}
    for name in (paper.RUBER, paper.CTX, paper.MEAN, paper.MAX):
        yield ScoreColumn(AUTHORS + name, authors[name], name, [RECOMPUTED])
    for name, engagement in ((paper.BOTH_MEAN, paper.MEAN), (paper.BOTH_MAX, paper.MAX)):
        for how in COMBINATIONS:
            both = combine_columns(authors[engagement], authors[paper.CTX], how)
            label = AUTHORS + combination_name(how, engagement, paper.CTX)
            yield ScoreColumn(label, both, name if how == "mean" else "", [RECOMPUTED])
    own = (*scores.relevance, *scores.engagement)
    for name in own:
        yield ScoreColumn(name, scores.columns[name], notes=scores.notes[name])
    for relevance in scores.relevance:
        for engagement in scores.engagement:
            for how in COMBINATIONS:
                both = combine_columns(scores.columns[engagement], scores.columns[relevance], how)
                yield ScoreColumn(combination_name(how, engagement, relevance), both)
    for name in (name for name in scores.columns if name not in own):
        yield ScoreColumn(name, scores.columns[name], notes=scores.notes[name])


def rows_of_part(pairs: pl.DataFrame, part: str) -> Bools:
    """Which pairs are of a part."""
    if part == paper.ALL:
        return np.ones(pairs.height, dtype=np.bool_)
    return (pairs["part"] == part).to_numpy()


def correlation_cells(
    pairs: pl.DataFrame, columns: Sequence[ScoreColumn], *, seed: int
) -> Iterator[Cell]:
    """Pearson and Spearman of every column, on both halves and on all pairs."""
    matrix = np.stack([column.values for column in columns], axis=1)
    ratings, queries = pairs["mean_rating"].to_numpy(), dense_codes(pairs["query"])
    table = printed_tables("predictive_engagement")["correlations"]
    for index, kind in enumerate(KINDS):
        for part in paper.SETS:
            rows = rows_of_part(pairs, part)
            results = bootstrap_correlations(
                matrix[rows], ratings[rows], queries[rows], kind=kind, seed=seed
            )
            for column, r in zip(columns, results, strict=True):
                figures = table[part].get(column.paper)
                yield result_cell(
                    (correlation_table(kind), part, column.name),
                    r,
                    paper=figures[index] if figures else None,
                    rows=int(rows.sum()),
                    notes=column.notes,
                )


def two_columns(
    pairs: pl.DataFrame, columns: Sequence[ScoreColumn], names: Sequence[tuple[str, str]]
) -> Iterator[tuple[CorrelationKind, str, tuple[str, str], tuple[Floats, Floats, Ints]]]:
    """Those of the named columns that are there, for both correlations and every part.

    Kind, part and names, then what a correlation takes: both columns, ratings and queries.
    """
    values = {column.name: column.values for column in columns}
    ratings, queries = pairs["mean_rating"].to_numpy(), dense_codes(pairs["query"])
    for kind in KINDS:
        for part in paper.SETS:
            rows = rows_of_part(pairs, part)
            for first, second in names:
                if first in values and second in values:
                    two = np.stack([values[first][rows], values[second][rows]], axis=1)
                    data = two, ratings[rows], queries[rows]
                    yield kind, part, (first, second), data


def difference_cells(
    pairs: pl.DataFrame, columns: Sequence[ScoreColumn], scores: PairScores, *, seed: int
) -> Iterator[Cell]:
    """By how much one correlation is above another: ours above theirs, and both above length."""
    names = [(AUTHORS_MEAN, AUTHORS + paper.CTX), (AUTHORS_MEAN, LOG_LENGTH)]
    for relevance in scores.relevance:
        names += [(relevance, other) for other in (AUTHORS + paper.CTX, COHERENCE, LOG_LENGTH)]
        for engagement in scores.engagement:
            both = combination_name("mean", engagement, relevance)
            others = (relevance, AUTHORS_MEAN, AUTHORS + paper.CTX, LOG_LENGTH)
            names += [(both, other) for other in others]
    for engagement in scores.engagement:
        names += [(engagement, AUTHORS + paper.MEAN), (engagement, LOG_LENGTH)]
    for kind, part, two, data in two_columns(pairs, columns, names):
        difference, note = correlation_difference(*data, kind=kind, seed=seed)
        notes = [note, BOLD] if two == names[0] and part != paper.GENERATED else [note]
        table = f"Table 5: differences between correlations, {kind.title()}"
        place = table, part, " − ".join(two)
        yield result_cell(place, difference, rows=len(data[1]), notes=notes)


def partial_cells(
    pairs: pl.DataFrame, columns: Sequence[ScoreColumn], scores: PairScores, *, seed: int
) -> Iterator[Cell]:
    """Relevance, engagement and both with people's ratings, the reply's length held equal."""
    names = [(name, LOG_LENGTH) for name in main_columns(scores)]
    for kind, part, (name, _), data in two_columns(pairs, columns, names):
        two, ratings, queries = data
        (r,) = partial_correlations(two[:, :1], ratings, two[:, 1], queries, kind=kind, seed=seed)
        table = f"Table 5: with people's ratings, the reply's length held equal, {kind.title()}"
        yield result_cell((table, part, name), r, rows=len(ratings))


def example_cells(
    pairs: pl.DataFrame, columns: Sequence[ScoreColumn], scores: PairScores
) -> Iterator[Cell]:
    """Table 6: people, relevance, engagement and the mean of both for each example."""
    texts = zip(pairs["query"], pairs["reply"], strict=True)
    rows = {
        (alphanumeric_key(query), alphanumeric_key(reply)): row
        for row, (query, reply) in enumerate(texts)
    }
    names = main_columns(scores)
    for number, example in enumerate(printed_tables("predictive_engagement")["examples"], 1):
        query, reply, human, *others = example.values()
        row = rows.get((alphanumeric_key(query), alphanumeric_key(reply)))
        title = f"{number}: {reply}"
        if len(reply) > MAX_EXAMPLE_TITLE:
            title = f"{number}: {reply[: MAX_EXAMPLE_TITLE - 1].rstrip()}…"
        if row is None:
            place, notes = (TABLE_6, title, HUMAN), ["not among the pairs"]
            yield make_cell(place, None, paper=human, notes=notes)
            continue
        figures = dict(zip(AUTHORS_MAIN, others, strict=True)) | {HUMAN: human}
        # the mean of three ratings from 1 to 5, rescaled to 0 to 1
        values = {HUMAN: (pairs["mean_rating"][row] - 1) / 4}
        values |= {c.name: float(c.values[row]) for c in columns if c.name in names}
        for column, value in values.items():
            ours = None if np.isnan(value) else value
            note = f"{int(ours is None)} of 1 not scored; {query} – {reply}"
            yield Cell(TABLE_6, title, column, figures.get(column), ours, None, None, 1, note)
