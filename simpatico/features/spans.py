"""Words as evidence: what each contributes to the score of its turn, and where it stands."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features.word_positions import row_positions
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
"""A word of less weight than this has none but for rounding."""


def spans(turns: Turns, table: WordTable, weights: Floats) -> pl.DataFrame:
    """The words that contribute to a score, as `row, start, end, weight`; `weights` has one a word.

    Words that share a character are one span with the sum of their weights.
    """
    turn = np.repeat(np.arange(len(turns)), table.counts)
    contributes = np.abs(np.where(np.isfinite(weights), weights, 0.0)) > ROUNDING
    words = np.flatnonzero(contributes & turns.scored[turn])
    positions_in, rows = row_positions(turns.frame["text"], table), list[list[float]]()
    for row, group in groupby(words.tolist(), lambda word: int(turn[word])):
        positions, first = positions_in(row), len(rows)
        for word in group:
            start, end, _ = positions[word - int(table.ends[row])]
            # "½" is the letters of two words
            if len(rows) > first and start < rows[-1][2]:
                rows[-1][2:] = [end, rows[-1][3] + weights[word]]
            else:
                rows.append([row, start, end, weights[word]])
    frame = pl.DataFrame(rows, EVIDENCE, orient="row", strict=False)
    return frame.filter(pl.col("weight").abs() > ROUNDING)


def word_effects(
    table: WordTable, weights: Floats, scores: Floats, value: Callable[[int, Floats], Floats]
) -> Floats:
    """For each word, the score of its turn less what it would be without that word (occlusion).

    `weights` has a row for each word of the vocabulary; `value` gives the scores of a turn, by its
    row number, for several rows of summed weights. Words of no weight and turns of no score get 0.
    """
    effects = np.zeros(len(table.codes))
    for row in np.flatnonzero(np.isfinite(scores)).tolist():
        begin, end = table.ends[row : row + 2]
        own = weights[table.codes[begin:end]]
        hits = np.flatnonzero(own.any(axis=1))
        if len(hits):
            # Sums of all others are added up, not subtracted, so that 0 stays exactly 0.
            rows, none = own[hits], np.zeros((1, own.shape[1]))
            before = np.cumsum(np.concatenate([none, rows[:-1]]), axis=0)
            after = np.cumsum(np.concatenate([none, rows[:0:-1]]), axis=0)[::-1]
            effects[begin + hits] = scores[row] - value(row, before + after)
    return effects
