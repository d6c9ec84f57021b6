"""What evaluators of a reply have in common: a probability by trained heads, card and evidence.

Several models, joined by a plus, are an ensemble: the mean of their probabilities counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features import Feature, Features
from simpatico.features.heads.folder import HeadKind, is_heads_folder
from simpatico.metric import Card, Score
from simpatico.metrics._shared.classifier import BinaryClassifier
from simpatico.metrics._shared.model_metric import EXTREMES, with_extremes
from simpatico.metrics._shared.occlusion import occlusion_evidence
from simpatico.metrics._shared.pair_metric import PairMetric
from simpatico.metrics._shared.pairs import NEEDS, Pairs
from simpatico.models.names import split_model_names
from simpatico.turns import Turns

OWN_MODEL_CAUTION = "It is only as good as its figures on dialogs it has not seen."
"""What the number cannot say, for a model that is not shipped and names no limits."""


class ReplyMetric(PairMetric):
    """A probability of each reply, given what it answers, and which words move it."""

    pairs = Pairs.with_answered
    unknown = "no_known_words"

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """By how much each word raises or lowers the score of its turn."""
        pairs = self.pairs(turns, features)
        return occlusion_evidence(turns, pairs, lambda a, b: self.values(features, a, b))


@dataclass(frozen=True)
class Evaluator(ReplyMetric):
    """The probability that a reply is what people were asked about, given what it answers."""

    model: str = ""

    kind: ClassVar[HeadKind]
    head: ClassVar[str]
    """What the head finds in a reply, an adjective."""
    facts: ClassVar[Card]
    command: ClassVar[str]
    """How to train a model."""
    shows_extremes: ClassVar[bool] = False
    """Whether a dialog has the lowest and the highest value of its turns as scores, too."""
    statistic = "sum"
    merge = EXTREMES

    @property
    def comparison(self) -> str:
        return f"is (more|less) {self.head}"

    @property
    def classifiers(self) -> tuple[BinaryClassifier, ...]:
        """The ensemble, named by this metric's own parameter."""
        return self.classifiers_for(f"{self.plain}.model")

    def classifiers_for(self, setting: str) -> tuple[BinaryClassifier, ...]:
        """The ensemble, named by a parameter of another metric."""
        models = split_model_names(self.model)
        return tuple(
            BinaryClassifier(m, self.kind, self.head, setting, self.command) for m in models
        )

    @property
    def missing(self) -> str | None:
        return first_missing(self.classifiers)

    @property
    def card(self) -> Card:
        careful = self.facts.careful if self.model == type(self).model else OWN_MODEL_CAUTION
        if self.model != type(self).model and all(
            is_heads_folder(one.model) for one in self.classifiers
        ):
            # whoever trained a model may have said what it is not good for
            careful = next(iter(self.classifiers[0].recipe.limits), careful)
        origins = dict.fromkeys(one.origin for one in self.classifiers)
        return replace(
            self.facts, about=" ".join([self.facts.about, *filter(None, origins)]), careful=careful
        )

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (*dict.fromkeys(need for one in self.classifiers for need in one.needs), *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        every = self.scores_with_extremes(self.meaning, self.comparison)
        return every if self.shows_extremes else every[:1]

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        return with_extremes(super().__call__(turns, features), "sum")

    def values(self, features: Features, others: Sequence[str], texts: Sequence[str]) -> Floats:
        """The mean probability of each pair; NaN where a classifier has none."""
        each = [one.probabilities(features, others, texts) for one in self.classifiers]
        return np.asarray(np.mean(each, axis=0))


def first_missing(classifiers: Sequence[BinaryClassifier]) -> str | None:
    """What the first that is not here lacks; null when all are."""
    return next((why for one in classifiers if (why := one.missing)), None)
