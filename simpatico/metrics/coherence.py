"""Coherence: how close in meaning a turn is to what it answers.

cos(u, v) = u·v / (|u| |v|) of two sentence vectors (Reimers & Gurevych 2019, EMNLP): that of the
turn, and that of the `history` turns up to the one it answers, joined.
Example: vectors (1, 0) and (.6, .8) have a cosine of .6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.embeddings import MINILM, Embeddings
from simpatico.metric import Card, Carried, Score, UsesModels, model_suffix
from simpatico.metrics._shared.pairs import NEEDS, Pairs, mean_statistic
from simpatico.turns import Level, Turns


@dataclass(frozen=True)
class Coherence(UsesModels):
    """Parameters: `model`, a sentence encoder; `history`, how many turns the context has."""

    model: str = MINILM
    history: int = 1

    name: ClassVar = Carried("coherence")
    published: ClassVar[tuple[str, ...]] = (MINILM,)
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
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
        if self.history < 1:
            raise BadValue(f"coherence.history is {self.history}; it is 1 or more")

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (Embeddings(self.model), *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        return (
            Score(
                f"coherence{model_suffix(self)}",
                of=mean_statistic("cosine"),
                range=(-1.0, 1.0),
                meaning="cosine of the embeddings of the turn and the turn replied to",
                better="higher",
                title="Coherence",
                more="is more coherent with the previous turn than",
                less="is less coherent with the previous turn than",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        texts, number = turns.frame["text"].to_list(), turns.frame["turn"].to_list()

        def context_of(row: int) -> str:
            return " ".join(texts[max(row - self.history + 1, row - number[row]) : row + 1])

        pairs = Pairs.with_answered(turns, features, context_of, model=self.model)
        cosines = pairs.cosines(features[Embeddings(self.model)])
        return pairs.statistics(cosine=pairs.best_per_turn(cosines))
