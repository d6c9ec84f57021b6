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
from simpatico.metric import Card, Merge, Score, UsesModels, model_suffix
from simpatico.metrics._shared.classifier import BinaryClassifier
from simpatico.metrics._shared.occlusion import occlusion_evidence
from simpatico.metrics._shared.pairs import NEEDS, Pairs, mean_statistic
from simpatico.models.names import split_model_names
from simpatico.turns import Level, Turns

OWN_MODEL_CAUTION = "It is only as good as its figures on dialogs it has not seen."
"""What the number cannot say, for a model that is not shipped and names no limits."""


@dataclass(frozen=True)
class Evaluator(UsesModels):
    """The probability that a reply is what people were asked about, given what it answers."""

    model: str = ""

    name: ClassVar[str]
    plain: ClassVar[str]
    kind: ClassVar[HeadKind]
    head: ClassVar[str]
    facts: ClassVar[Card]
    meaning: ClassVar[str]
    command: ClassVar[str]
    level: ClassVar[Level] = "turn"
    merge: ClassVar[dict[str, Merge]] = {"least": "min", "most": "max"}

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
        return (self.score("", mean_statistic("sum"), ""),)

    def score(self, part: str, of: pl.Expr, where: str) -> Score:
        """The mean, the lowest or the highest: `part` of the name, `where` in words."""
        return Score(
            f"{self.plain}{part}{model_suffix(self)}",
            of=of,
            range=(0.0, 1.0),
            meaning=self.meaning + where.replace(" at ", ", at "),
            better="higher",
            title=self.plain.capitalize() + where.replace(" at ", ", at "),
            more=f"is more {self.head}{where} than",
            less=f"is less {self.head}{where} than",
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = Pairs.with_answered(turns, features)
        values = pairs.best_per_turn(self.probability(features, pairs.other, pairs.text))
        ends = pl.Series(values).fill_nan(None)
        return pairs.statistics("no_known_words", sum=values).with_columns(least=ends, most=ends)

    def probability(
        self, features: Features, contexts: Sequence[str], texts: Sequence[str]
    ) -> Floats:
        """The mean probability of each pair; NaN where a classifier has none."""
        each = [one.probabilities(features, contexts, texts) for one in self.classifiers]
        return np.asarray(np.mean(each, axis=0))

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """By how much each word raises or lowers the probability of its turn."""
        pairs: Pairs = Pairs.with_answered(turns, features)
        return occlusion_evidence(turns, pairs, lambda a, b: self.probability(features, a, b))


def first_missing(classifiers: Sequence[BinaryClassifier]) -> str | None:
    """What the first that is not here lacks; null when all are."""
    return next((why for one in classifiers if (why := one.missing)), None)
