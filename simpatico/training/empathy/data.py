"""Sentences that express a part of empathy or none, and what people said in other conversations.

The sentences were written for this project, about as many for each part as for what is none:
advice, talk about oneself, dismissal and plain talk. The background are sentences of conversations
that nobody labelled; most of them express no part.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simpatico.errors import DataError
from simpatico.features.degenerate import degenerate_texts
from simpatico.features.empathy import PARTS
from simpatico.features.sentences import sentences
from simpatico.turns import Turns

SENTENCES = Path(__file__).parents[2] / "data" / "empathy" / "sentences.tsv"
OTHER = ("advice", "self_focus", "dismissal", "plain")
"""What a sentence may be that expresses no part."""
FEWEST = 10
"""Sentences of each part without which a head cannot be cross-validated."""
SHORTEST = 2
"""Words of a background sentence."""


class LabelledSentence(NamedTuple):
    """A sentence, and the part of empathy that it expresses or what it is instead."""

    part: str
    text: str


def read_sentences(path: Path) -> list[LabelledSentence]:
    """A table of two columns, part and text, divided by tabs."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    if not rows or not {"part", "text"} <= set(rows[0]):
        raise DataError(f"{path}: needs the columns 'part' and 'text', divided by a tab")
    labelled = [LabelledSentence(row["part"], row["text"] or "") for row in rows]
    for line, one in enumerate(labelled, 2):
        if one.part not in (*PARTS, *OTHER) or not one.text.strip():
            raise DataError(
                f"{path}:{line}: part {one.part!r} and text {one.text!r}; a part is one of "
                f"{', '.join((*PARTS, *OTHER))}, and a text has words"
            )
    for part in PARTS:
        if (n := sum(one.part == part for one in labelled)) < FEWEST:
            raise DataError(f"{path}: {n} sentences of {part}; training needs at least {FEWEST}")
    return labelled


def background_sentences(sources: Sequence[Turns], most: int, seed: int) -> list[str]:
    """As many different sentences of each source, at most `most` in all."""
    rng, chosen = np.random.default_rng(seed), list[str]()
    for turns in sources:
        texts = turns.frame["text"].to_list()
        found = dict.fromkeys(one for text in texts for one in sentences(text))
        usable = [one for one in found if one.isascii() and len(one.split()) >= SHORTEST]
        order = rng.permutation(len(usable))[: most // len(sources)]
        chosen += [usable[at] for at in np.sort(order)]
    degenerate = degenerate_texts(chosen)
    return [one for one, bad in zip(chosen, degenerate, strict=True) if not bad]
