"""Word n-grams that their speaker has used before in the dialog."""

from __future__ import annotations

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Ints
from simpatico.features.words import MULTIPLIER, Keys, WordTable, mix_bits
from simpatico.turns import Turns


def find_repeats(turns: Turns, table: WordTable, n: int) -> tuple[Ints, Ints, Bools]:
    """Of every n-gram: its turn, its first word, and whether its speaker had it before."""
    turn = np.repeat(np.arange(len(turns)), table.counts)
    start = np.flatnonzero(turn[: max(len(turn) - n + 1, 0)] == turn[n - 1 :])
    speaker = (
        turns.frame.select(pl.struct("dialog", "speaker").rank("dense")).to_series().to_numpy()
    )
    grams = [speaker[turn[start]].astype(np.uint64)]
    grams += [table.codes[start + step].astype(np.uint64) for step in range(n)]
    keys = np.zeros(len(start), np.uint64)
    for part in grams:
        keys = mix_bits(keys * MULTIPLIER + part)
    # what shares its hash with no other stands once; only the others are compared in full
    rows = np.flatnonzero(pl.Series(keys).is_duplicated().to_numpy())
    again = np.zeros(len(start), np.bool_)
    again[rows] = ~first_of_each([part[rows] for part in grams])
    return turn[start], start, again


def first_of_each(grams: list[Keys]) -> Bools:
    """Whether each row is the first of its kind; the lists are the parts of the rows."""
    frame = pl.DataFrame({str(i): part for i, part in enumerate(grams)})
    return frame.select(pl.struct(pl.all()).is_first_distinct()).to_series().to_numpy()
