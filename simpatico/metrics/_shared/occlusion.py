"""Which words move an evaluator's score of a turn: each is left out, and the turn scored again.

Occlusion, or leave-one-out evidence (Li, Monroe & Jurafsky 2016, Understanding Neural Networks
through Representation Erasure). At most `MAX_STRETCHES` stretches of a turn are tried, and
`MAX_STRETCHES_A_DIALOG` of all turns of a dialog; in longer turns a stretch is a group of
neighbouring words. A turn of a single word has no evidence, since nothing is left to score without
it; nor has one of more than `MAX_CHARACTERS`.
Example: "tea is nice" has a score of .7 and "tea is" one of .4: "nice" weighs .3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.features.spans import EVIDENCE
from simpatico.features.word_positions import word_positions
from simpatico.metrics._shared.pairs import Pairs
from simpatico.turns import Turns

PairScorer = Callable[[Sequence[str], Sequence[str]], Floats]
"""From texts and the replies to them to a score of each; NaN where there is none."""

MAX_STRETCHES = 40
"""Stretches of a turn that are left out in turn."""
MAX_STRETCHES_A_DIALOG = 240
"""Stretches of all turns of a dialog, so that a long one takes seconds and not minutes."""
MAX_CHARACTERS = 20_000
"""Of a turn; encoders read far fewer, and every stretch costs another look at all."""
MIN_EFFECT = 0.001
"""A stretch that moves the score by no more than this is not shown."""


def occlusion_evidence(turns: Turns, pairs: Pairs, scorer: PairScorer) -> pl.DataFrame:
    """For each stretch of words, the score of its turn less what it is without them."""
    most = stretches_per_turn(turns.frame["dialog"].gather(pairs.turn_rows))
    stretches = [
        (pair, start, end)
        for pair, text in enumerate(pairs.text)
        for start, end in word_stretches(text, int(most[pair]))
    ]
    if not stretches:
        return pl.DataFrame(schema=EVIDENCE)
    owner = np.array([pair for pair, _, _ in stretches])
    contexts = [*pairs.other, *(pairs.other[pair] for pair in owner)]
    without = [cut_out(pairs.text[pair], start, end) for pair, start, end in stretches]
    scores = scorer(contexts, [*pairs.text, *without])
    rows = pl.DataFrame(
        {
            "row": pairs.turn_rows[owner],
            "start": [start for _, start, _ in stretches],
            "end": [end for _, _, end in stretches],
            "weight": scores[: len(pairs)][owner] - scores[len(pairs) :],
        },
        EVIDENCE,
    )
    return rows.filter(pl.col("weight").fill_nan(0.0).abs() > MIN_EFFECT)


def stretches_per_turn(dialogs: pl.Series) -> Ints:
    """How many stretches of each turn are tried: the fewer, the more turns its dialog has."""
    counts = dialogs.to_frame("dialog").select(pl.len().over("dialog"))["len"].to_numpy()
    share = np.clip(MAX_STRETCHES_A_DIALOG // np.maximum(counts, 1), 2, MAX_STRETCHES)
    return np.asarray(share, np.int64)


def word_stretches(text: str, most: int) -> list[tuple[int, int]]:
    """Where words stand in a text; more than `most` are taken in groups of neighbours.

    None where there are fewer than two, or too many letters.
    """
    if len(text) > MAX_CHARACTERS:
        return []
    words: list[tuple[int, int]] = []
    for start, end, _ in word_positions(text):
        if words and start < words[-1][1]:  # parts of one word overlap: take them as one
            words[-1] = (words[-1][0], max(end, words[-1][1]))
        else:
            words.append((start, end))
    if len(words) < 2:
        return []
    cuts = np.linspace(0, len(words), min(most, len(words)) + 1).astype(int).tolist()
    return [(words[a][0], words[b - 1][1]) for a, b in pairwise(cuts)]


def cut_out(text: str, start: int, end: int) -> str:
    """The text without a stretch, and with no space more than there was."""
    before, after = text[:start], text[end:]
    return before + (after.lstrip() if not before or before[-1].isspace() else after)
