"""Word n-grams that their speaker has used before in the dialog."""

from __future__ import annotations

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Ints
from simpatico.features.words import WordTable
from simpatico.turns import Turns


def find_repeats(turns: Turns, table: WordTable, n: int) -> tuple[Ints, Ints, Bools]:
    """Of every n-gram: its turn, its first word, and whether its speaker had it before."""
    turn = np.repeat(np.arange(len(turns)), table.counts)
    start = np.flatnonzero(turn[: max(len(turn) - n + 1, 0)] == turn[n - 1 :])
    speaker = (
        turns.frame.select(pl.struct("dialog", "speaker").rank("dense")).to_series().to_numpy()
    )
    # a code for each n-gram of each speaker, grown word by word and kept dense
    kinds = speaker[turn[start]].astype(np.int64)
    for step in range(n):
        codes = table.codes[start + step].astype(np.int64)
        pairs = kinds * (int(codes.max(initial=0)) + 1) + codes
        kinds = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    again = np.ones(len(start), np.bool_)
    again[np.unique(kinds, return_index=True)[1]] = False
    return turn[start], start, again
