"""BLEURT: how well a turn says what a reference says, as a model trained on ratings judges it.

Sellam, Das & Parikh (2020, ACL). The score is the single output (a logit, about 0 to 1) of a BERT
that was fine-tuned on ratings of translations, given reference and turn; with several references
the best counts.
Example: outputs of .31 and .58 beside two references give .58.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import DataError
from simpatico.features import Features
from simpatico.features.classes import ClassProbabilities
from simpatico.metric import Card, Carried
from simpatico.metrics._shared.pair_metric import PairMetric
from simpatico.metrics._shared.pairs import NO_REFERENCE, Pairs


@dataclass(frozen=True)
class Bleurt(PairMetric):
    """Parameter `model`: a regression model of reference and turn with a single output."""

    model: str = "hub:Elron/bleurt-large-512"

    name = Carried("bleurt")
    published = ("hub:Elron/bleurt-large-512",)
    title = "BLEURT"
    pairs = Pairs.with_references
    statistic = "bleurt"
    range = (-inf, inf)
    meaning = "the model's rating of the turn beside its best reference"
    comparison = "says (more|less) of what the references say"
    card = Card(
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
    def feature(self) -> ClassProbabilities:
        return ClassProbabilities(self.model, pair=True, output="logits")

    def values(self, features: Features, others: Sequence[str], texts: Sequence[str]) -> Floats:
        ratings = features[self.feature].of(others, texts)
        if texts and ratings.shape[1] != 1:
            raise DataError(
                f"{self.model} has {ratings.shape[1]} outputs, where bleurt needs one; name a "
                "regression model"
            )
        return np.ravel(ratings)
