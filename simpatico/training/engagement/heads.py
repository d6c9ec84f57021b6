"""Heads over frozen vectors of exchanges: fitted by the method of their shape, and applied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats, Floats32
from simpatico.features.heads.head import Head
from simpatico.training.engagement.exchanges import Exchanges
from simpatico.training.fit.linear import fit_linear_head
from simpatico.training.fit.mlp import HeadShape, PairExamples, fit_head
from simpatico.training.heads.train import HeadForm, encode_texts


class EncodedTexts(NamedTuple):
    """Distinct texts by their rows in a table of vectors; many queries and replies recur."""

    rows: dict[str, int]
    vectors: Floats32

    @classmethod
    def of(cls, parts: Sequence[Exchanges], form: HeadForm) -> EncodedTexts:
        """The vectors of all texts in some exchanges."""
        return cls(*encode_texts([t for part in parts for t in (*part.query, *part.reply)], form))


def fit_engagement_head(
    shape: HeadShape,
    texts: EncodedTexts,
    train: PairExamples,
    validation: PairExamples,
    *,
    seed: int,
    base: Head | None = None,
    tick: Callable[[int], object] = lambda n: None,
) -> Head:
    """A head of this shape; `base` is a head to start from.

    Without character n-grams it is a network fitted by Adam, with them a logistic regression fitted
    by L-BFGS, which thousands of sparse columns need.
    """
    vectors = texts.vectors
    if shape.grams is None:
        return fit_head(shape, vectors, train, validation, seed=seed, base=base, tick=tick)
    names = list(texts.rows)
    return fit_linear_head(shape.grams, names, vectors, train, validation, base=base, tick=tick)


def head_logits(head: Head, texts: EncodedTexts, exchanges: Exchanges) -> Floats:
    """The logit of each exchange, above 0 for engaging; those of its n-grams are added."""
    first, second = (
        texts.vectors[[texts.rows[text] for text in column]]
        for column in (exchanges.query, exchanges.reply)
    )
    logits = head.logit(head.inputs(first, second)).astype(np.float64)
    if head.grams is None:
        return logits
    return logits + head.grams.logits(exchanges.query, exchanges.reply)
