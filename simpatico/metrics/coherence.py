"""Coherence: how close in meaning a turn is to what it answers.

cos(u, v) = u·v / (|u| |v|) of two sentence vectors (Reimers & Gurevych 2019, EMNLP): that of the
turn, and that of the `history` turns up to the one it answers, joined.
Example: vectors (1, 0) and (.6, .8) have a cosine of .6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simpatico.arrays import Floats
from simpatico.features import Features
from simpatico.features.embeddings import MINILM, Embeddings
from simpatico.metric import Card, Carried
from simpatico.metrics._shared.pair_metric import PairMetric
from simpatico.metrics._shared.pairs import Pairs, text_cosines
from simpatico.metrics._shared.parameters import bounded, check_parameters
from simpatico.turns import Turns


@dataclass(frozen=True)
class Coherence(PairMetric):
    """Parameters: `model`, a sentence encoder; `history`, how many turns the context has."""

    model: str = MINILM
    history: int = bounded(1, 1, 1_000)

    name = Carried("coherence")
    published = (MINILM,)
    statistic = "cosine"
    range = (-1.0, 1.0)
    meaning = "cosine of the embeddings of the turn and the turn replied to"
    comparison = "is (more|less) coherent with the previous turn"
    card = Card(
        about="How close in meaning a turn is to what it answers.",
        undefined=(
            "Null when the turn answers nothing, or when it or what it answers has no words or is "
            "in a script that the model does not read."
        ),
        citation=(
            "the cosine of sentence vectors, as in Reimers and Gurevych 2019, Sentence-BERT; "
            "encoder all-MiniLM-L6-v2"
        ),
        kind="traditional",
        careful="Repeating what was said scores highest, and a good change of subject low.",
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def feature(self) -> Embeddings:
        return Embeddings(self.model)

    def pairs(self, turns: Turns, features: Features) -> Pairs:
        texts, number = turns.frame["text"].to_list(), turns.frame["turn"].to_list()

        # `number` counts from 0 in each dialog: a context does not reach back into another dialog
        def context_of(row: int) -> str:
            return " ".join(texts[max(row - self.history + 1, row - number[row]) : row + 1])

        return Pairs.with_answered(turns, features, context_of, model=self.model)

    def values(self, features: Features, others: Sequence[str], texts: Sequence[str]) -> Floats:
        return text_cosines(features[self.feature], texts, others)
