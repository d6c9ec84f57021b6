"""Heads over frozen vectors of exchanges: fitted by the method of their shape, and applied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats, Floats32
from simpatico.features.heads.head import Head
from simpatico.training.engagement.exchanges import Exchanges
from simpatico.training.fit.linear import PENALTIES, fit_linear_head
from simpatico.training.fit.mlp import HeadShape, PairExamples, fit_head
from simpatico.training.heads.train import HeadForm, encode_texts


class EncodedTexts(NamedTuple):
    """Distinct texts by their rows in a table of vectors."""

    rows: dict[str, int]
    vectors: Floats32

    @classmethod
    def of(cls, parts: Sequence[Exchanges], form: HeadForm) -> EncodedTexts:
        """The vectors of all texts in some exchanges."""
        return cls(*encode_texts([t for part in parts for t in (*part.query, *part.reply)], form))


def progress_steps(shape: HeadShape) -> int:
    """How often `fit_engagement_head` ticks: once an epoch, or once a penalty."""
    return shape.epochs if shape.grams is None else len(PENALTIES)


def fit_engagement_head(
    shape: HeadShape,
    encoded: EncodedTexts,
    train: PairExamples,
    validation: PairExamples,
    *,
    seed: int,
    base: Head | None = None,
    tick: Callable[[int], object] = lambda n: None,
) -> Head:
    """A head of this shape; `base` is a head to start from."""
    vectors = encoded.vectors
    if shape.grams is None:
        return fit_head(shape, vectors, train, validation, seed=seed, base=base, tick=tick)
    texts = list(encoded.rows)
    return fit_linear_head(shape.grams, texts, vectors, train, validation, base=base, tick=tick)


def head_logits(head: Head, encoded: EncodedTexts, exchanges: Exchanges) -> Floats:
    """The logit of each exchange, above 0 for engaging."""
    first, second = (
        encoded.vectors[[encoded.rows[text] for text in texts]]
        for texts in (exchanges.query, exchanges.reply)
    )
    logits = head.logit(head.inputs(first, second)).astype(np.float64)
    if head.grams is None:
        return logits
    return logits + head.grams.logits(exchanges.query, exchanges.reply)
