"""Words as evidence: what each does to the score of its turn, and where it stands there."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features.word_positions import places
from simpatico.features.words import WordTable
from simpatico.turns import Turns

EVIDENCE: dict[str, pl.DataType] = {
    "row": pl.Int64(),
    "start": pl.Int64(),
    "end": pl.Int64(),
    "weight": pl.Float64(),
}
"""Columns of evidence: a turn's row, code points of its text, and what they do to its score."""

ROUNDING = 1e-12
"""A word of less weight than this weighs nothing but for rounding."""


def spans(turns: Turns, table: WordTable, weights: Floats) -> pl.DataFrame:
    """The words that weigh something, as `row, start, end, weight`; one weight per word is given.

    Words that share a character are one span with the sum of their weights.
    """
    turn = np.repeat(np.arange(len(turns)), table.counts)
    weighty = np.abs(np.where(np.isfinite(weights), weights, 0.0)) > ROUNDING
    heavy = np.flatnonzero(weighty & turns.scored[turn])
    texts, found = turns.frame["text"], list[list[float]]()
    for row, group in groupby(heavy.tolist(), lambda word: int(turn[word])):
        stand, first = places(texts[row]), len(found)
        for word in group:
            start, end, _ = stand[word - int(table.ends[row])]
            if len(found) > first and start < found[-1][2]:
                found[-1][2:] = [end, found[-1][3] + weights[word]]
            else:
                found.append([row, start, end, weights[word]])
    rows = pl.DataFrame(found, EVIDENCE, orient="row", strict=False)
    return rows.filter(pl.col("weight").abs() > ROUNDING)


def effects(
    table: WordTable, weights: Floats, scores: Floats, value: Callable[[int, Floats], Floats]
) -> Floats:
    """For each word, the score of its turn less what it would be without that word.

    `weights` has a row for each word of the vocabulary; `value` gives the scores of a turn, by its
    row number, for several rows of summed weights. Words of no weight and turns of no score get 0.
    """
    found = np.zeros(len(table.codes))
    for row in np.flatnonzero(np.isfinite(scores)).tolist():
        begin, end = table.ends[row : row + 2]
        own = weights[table.codes[begin:end]]
        hits = np.flatnonzero(own.any(axis=1))
        if len(hits):
            found[begin + hits] = scores[row] - value(row, others(own[hits]))
    return found


def others(rows: Floats) -> Floats:
    """For each row the sum of all others; added up, not taken away, so that 0 stays exactly 0."""
    none = np.zeros((1, rows.shape[1]))
    before = np.cumsum(np.concatenate([none, rows[:-1]]), axis=0)
    after = np.cumsum(np.concatenate([none, rows[:0:-1]]), axis=0)[::-1]
    return np.asarray(before + after)
