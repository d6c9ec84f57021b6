"""Which words move what an evaluator says of a turn: each is left out, and the turn judged again.

At most `MOST` stretches of a turn are tried, and `DIALOG` of all turns of a dialog together; in
longer turns a stretch is a group of neighbouring words. A turn of a single word has no evidence,
since nothing is left to judge without it; nor has one of more than `LONGEST` characters.
Example: "tea is nice" has a score of .7 and "tea is" one of .4: "nice" weighs .3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.arrays import Floats
from simpatico.features.spans import EVIDENCE
from simpatico.features.word_positions import places
from simpatico.metrics._shared.pairs import Pairs
from simpatico.turns import Turns

Judge = Callable[[Sequence[str], Sequence[str]], Floats]
"""From texts and the replies to them to a score of each; NaN where there is none."""

MOST = 40
"""Stretches of a turn that are left out in turn."""
DIALOG = 240
"""Stretches of all turns of a dialog, so that a long one takes seconds and not minutes."""
LONGEST = 20_000
"""Characters of a turn; encoders read far fewer, and every stretch costs another look at all."""
NOISE = 0.001
"""A stretch that moves the score by no more than this is not told."""


def left_out(turns: Turns, pairs: Pairs, judge: Judge) -> pl.DataFrame:
    """For each stretch of words, the score of its turn less what it is without them."""
    most = shares(turns.frame["dialog"].gather(pairs.row))
    tried = [
        (pair, start, end)
        for pair, text in enumerate(pairs.text)
        for start, end in stretches(text, int(most[pair]))
    ]
    if not tried:
        return pl.DataFrame(schema=EVIDENCE)
    whose = np.array([pair for pair, _, _ in tried])
    firsts = [*pairs.other, *(pairs.other[pair] for pair in whose)]
    rests = [without(pairs.text[pair], start, end) for pair, start, end in tried]
    found = judge(firsts, [*pairs.text, *rests])
    rows = pl.DataFrame(
        {
            "row": pairs.row[whose],
            "start": [start for _, start, _ in tried],
            "end": [end for _, _, end in tried],
            "weight": found[: len(pairs)][whose] - found[len(pairs) :],
        },
        EVIDENCE,
    )
    return rows.filter(pl.col("weight").fill_nan(0.0).abs() > NOISE)


def shares(dialogs: pl.Series) -> npt.NDArray[np.int64]:
    """How many stretches of each turn are tried: the fewer, the more turns its dialog has."""
    counts = dialogs.to_frame("dialog").select(pl.len().over("dialog"))["len"].to_numpy()
    found: npt.NDArray[np.int64] = np.clip(DIALOG // np.maximum(counts, 1), 2, MOST)
    return found.astype(np.int64)


def stretches(text: str, most: int) -> list[tuple[int, int]]:
    """Where words stand in a text; more than `most` are taken in groups of neighbours.

    None where there are fewer than two, or too many letters.
    """
    if len(text) > LONGEST:
        return []
    apart: list[tuple[int, int]] = []
    for start, end, _ in places(text):
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    if len(apart) < 2:
        return []
    cuts = np.linspace(0, len(apart), min(most, len(apart)) + 1).astype(int).tolist()
    return [(apart[a][0], apart[b - 1][1]) for a, b in pairwise(cuts)]


def without(text: str, start: int, end: int) -> str:
    """The text with a stretch cut out, and with no space more than there was."""
    before, after = text[:start], text[end:]
    return before + (after.lstrip() if not before or before[-1].isspace() else after)
