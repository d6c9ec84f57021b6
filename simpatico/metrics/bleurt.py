"""BLEURT: how well a turn says what a reference says, as a model trained on ratings judges it.

Sellam, Das & Parikh (2020, ACL). The score is the single output (a logit, about 0 to 1) of a BERT
that was fine-tuned on ratings of translations, given reference and turn; with several references
the best counts.
Example: outputs of .31 and .58 beside two references give .58.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import polars as pl

from simpatico.errors import DataError
from simpatico.features import Feature, Features
from simpatico.features.classes import ClassProbabilities
from simpatico.metric import Card, Carried, Score, UsesModels, model_suffix
from simpatico.metrics._shared.pairs import NEEDS, NO_REFERENCE, Pairs, mean_statistic
from simpatico.turns import Level, Turns


@dataclass(frozen=True)
class Bleurt(UsesModels):
    """Parameter `model`: a regression model of reference and turn with a single output."""

    model: str = "hub:Elron/bleurt-large-512"

    name: ClassVar = Carried("bleurt")
    published: ClassVar[tuple[str, ...]] = ("hub:Elron/bleurt-large-512",)
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="How well a turn says what a reference says, by a model trained on ratings.",
        undefined=NO_REFERENCE,
        citation=(
            "Sellam, Das and Parikh 2020, BLEURT: Learning Robust Metrics for Text Generation; "
            "github.com/google-research/bleurt; checkpoint BLEURT-large-512 as "
            "hub:Elron/bleurt-large-512, which is plain BERT with one output"
        ),
        kind="traditional",
        careful="It was trained on translations of news, and a good reply need not say the same.",
    )

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (self._rater, *NEEDS)

    @property
    def _rater(self) -> ClassProbabilities:
        return ClassProbabilities(self.model, pair=True, output="logits")

    @property
    def scores(self) -> tuple[Score, ...]:
        return (
            Score(
                f"bleurt{model_suffix(self)}",
                of=mean_statistic("bleurt"),
                range=(-inf, inf),
                meaning="the model's rating of the turn beside its best reference",
                better="higher",
                title="BLEURT",
                more="says more of what the references say than",
                less="says less of what the references say than",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = Pairs.with_references(turns, features)
        ratings = features[self._rater].of(pairs.other, pairs.text)
        if len(pairs) and ratings.shape[1] != 1:
            raise DataError(
                f"{self.model} gives {ratings.shape[1]} numbers for a pair, where bleurt needs "
                "one; name a model that rates"
            )
        return pairs.statistics(bleurt=pairs.best_per_turn(ratings.ravel()))
