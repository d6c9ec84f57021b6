"""Tables 5 and 6 and Figure 5: relevance, engagement and both against people's ratings of pairs.

The paper takes the plain mean of two probabilities; minimum and maximum, and the mean of
standardised columns, stand beside it. Every interval resamples queries, so that both replies to a
query are drawn together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats
from simpatico.reproduction.cells import Cell, CellKey, paper_only_cell, result_cell
from simpatico.reproduction.clustered_correlation import KINDS, CorrelationKind, dense_codes
from simpatico.reproduction.predictive_engagement import paper
from simpatico.reproduction.predictive_engagement.data import AUTHORS_COLUMNS, alphanumeric_key
from simpatico.reproduction.predictive_engagement.scores import PairScores
from simpatico.stats.correlation_bootstrap import bootstrap_correlations

Combination = Literal["mean", "min", "max", "even", "weighted"]
COMBINATIONS: dict[Combination, str] = {
    "mean": "mean",
    "min": "least",
    "max": "greatest",
    "even": "mean at one spread",
    "weighted": "mean, seven tenths relevance,",
}
RELEVANCE_WEIGHT = 0.7
"""What relevance counts in the weighted mean: of .5, .6 ... 1 it goes best with people's judgements
of three other sets of dialogs, Pearson's r averaged over them."""
AUTHORS = "theirs: "
"""How columns of the authors' published scores begin."""
RECOMPUTED = "the authors' own published scores, correlated anew"
TABLE_6 = "Table 6: examples"
HUMAN = "people, from 0 to 1"
MAX_EXAMPLE_TITLE = 40


class ScoreColumn(NamedTuple):
    """Scores of all pairs under a name; `printed` is the paper's name of it."""

    name: str
    values: Floats
    printed: str = ""
    notes: Sequence[str] = ()


def correlation_table(kind: CorrelationKind) -> str:
    """The name of the table."""
    return f"Table 5: with people's ratings, {kind.title()}"


def combine_columns(engagement: Floats, relevance: Floats, how: Combination) -> Floats:
    """Two columns as one; NaN where either is."""
    if how == "even":  # z-scores, without looking at any rating
        engagement, relevance = (
            (column - np.nanmean(column)) / max(float(np.nanstd(column)), 1e-12)
            for column in (engagement, relevance)
        )
    both = np.stack([engagement, relevance])
    match how:
        case "min":
            return np.asarray(both.min(axis=0))
        case "max":
            return np.asarray(both.max(axis=0))
        case "weighted":
            return np.asarray((1 - RELEVANCE_WEIGHT) * engagement + RELEVANCE_WEIGHT * relevance)
    return np.asarray(both.mean(axis=0))


def combination_name(how: Combination, engagement: str, relevance: str) -> str:
    """What a combination is called."""
    return f"{COMBINATIONS[how]} of {engagement} and {relevance}"


def mean_names(scores: PairScores) -> list[str]:
    """The plain means of each engagement with each relevance."""
    return [
        combination_name("mean", engagement, relevance)
        for relevance in scores.relevance
        for engagement in scores.engagement
    ]


AUTHORS_MEAN = AUTHORS + combination_name("mean", paper.MEAN, paper.CTX)


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
    for index, kind in enumerate(KINDS):
        for part in paper.SETS:
            rows = rows_of_part(pairs, part)
            results = bootstrap_correlations(
                matrix[rows], ratings[rows], queries[rows], kind=kind, seed=seed
            )
            for column, r in zip(columns, results, strict=True):
                figures = paper.CORRELATIONS[part].get(column.printed)
                yield result_cell(
                    CellKey(correlation_table(kind), part, column.name),
                    r,
                    paper=figures[index] if figures else None,
                    rows=int(rows.sum()),
                    notes=column.notes,
                )


def example_cells(
    pairs: pl.DataFrame, columns: Sequence[ScoreColumn], scores: PairScores
) -> Iterator[Cell]:
    """Table 6: people, relevance, engagement and the mean of both for each example."""
    texts = zip(pairs["query"], pairs["reply"], strict=True)
    rows = {
        (alphanumeric_key(query), alphanumeric_key(reply)): row
        for row, (query, reply) in enumerate(texts)
    }
    authors = [AUTHORS + paper.CTX, AUTHORS + paper.MEAN, AUTHORS_MEAN]
    shown = [*authors, *scores.relevance, *scores.engagement, *mean_names(scores)]
    for number, example in enumerate(paper.EXAMPLES, 1):
        row = rows.get((alphanumeric_key(example.query), alphanumeric_key(example.reply)))
        title = example.reply
        if len(title) > MAX_EXAMPLE_TITLE:
            title = f"{title[: MAX_EXAMPLE_TITLE - 1].rstrip()}…"
        name = f"{number}: {title}"
        if row is None:
            key = CellKey(TABLE_6, name, HUMAN)
            yield paper_only_cell(key, example.human, "not among the pairs")
            continue
        printed = dict(zip(authors, example[-3:], strict=True)) | {HUMAN: example.human}
        # the mean of three ratings from 1 to 5, rescaled to 0 to 1
        values = {HUMAN: (pairs["mean_rating"][row] - 1) / 4}
        values |= {c.name: float(c.values[row]) for c in columns if c.name in shown}
        for column, value in values.items():
            ours = None if np.isnan(value) else value
            note = f"{int(ours is None)} of 1 not scored; {example.query} – {example.reply}"
            yield Cell(TABLE_6, name, column, printed.get(column), ours, None, None, 1, note)
