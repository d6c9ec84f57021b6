"""How empathic a reply reads: what its sentences express, and how close it stays to its context.

The parts are those of EPITOME (Sharma et al. 2020, EMNLP): emotional reaction (warmth, concern),
interpretation (saying what the other feels or went through), exploration (asking about it). With
p(s) the probability that sentence s expresses a part, the reply has for that part
  (max over s of p(s) + mean over s of p(s)) / 2,
so that neither one warm sentence in a lecture counts in full nor a short reply is put last.
With c the cosine of reply and context, its relevance is min(max(c, 0), .6) / .6, and 0 for c > .95,
as a reply that repeats what it answers says nothing. Perceived empathy is
  .45 emotional reaction + .225 interpretation + .225 exploration + .1 relevance.
Example: parts of .8, .4 and .2 and a cosine of .3 give .36 + .09 + .045 + .05 = .545.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from simpatico.arrays import Floats
from simpatico.features.sentences import sentences

PARTS = ("emotional_reaction", "interpretation", "exploration")
WEIGHTS = (0.45, 0.225, 0.225)
"""Of the parts: readers go by warmth first; studies differ in how much a question is worth."""
RELEVANCE_WEIGHT = 0.1
ENOUGH, COPY = 0.6, 0.95
"""Cosine from which a reply is as close as it need be, and above which it is a copy."""

SentenceScorer = Callable[[Sequence[str]], Floats]
"""From sentences to the probability that each expresses a part."""


def part_scores(scorers: Sequence[SentenceScorer], replies: Sequence[str]) -> Floats:
    """For each reply, a column a part: the mean of its highest and its average sentence."""
    if not replies:
        return np.zeros((0, len(scorers)))
    cut = [sentences(reply) for reply in replies]
    flat = [sentence for own in cut for sentence in own]
    values = np.column_stack([scorer(flat) for scorer in scorers])
    counts = np.array([len(own) for own in cut])
    starts = np.cumsum(counts) - counts
    highest = np.maximum.reduceat(values, starts, axis=0)
    mean = np.add.reduceat(values, starts, axis=0) / counts[:, None]
    return np.asarray((highest + mean) / 2)


def relevance(cosines: Floats) -> Floats:
    """From 0 for a reply that has nothing to do with its context, or copies it, to 1."""
    return np.asarray(np.where(cosines > COPY, 0.0, np.clip(cosines, 0.0, ENOUGH) / ENOUGH))


def perceived_empathy(parts: Floats, cosines: Floats) -> Floats:
    """The weighted mean of the parts and of relevance, from 0 to 1."""
    # added up in a fixed order: a product of matrices rounds one row otherwise than many
    total = RELEVANCE_WEIGHT * relevance(cosines)
    for part, weight in zip(parts.T, WEIGHTS, strict=True):
        total = total + weight * part
    return np.asarray(total)
