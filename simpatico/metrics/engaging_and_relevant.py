"""Engaging and relevant: the probabilities of both, in one number.

Ghazarian et al. (2020, AAAI), Predictive Engagement. `combine` says how: their mean, as the paper
does, the smaller or the larger. The mean is (1 - weight) engagement + weight relevance.
Example: engagement .3 and relevance .8 give .55, .3 or .8; with weight .7, .3 x .3 + .7 x .8 = .65.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.metric import Card, Carried, Score, UsesModels, model_suffix
from simpatico.metrics._shared.evaluator import Evaluator, first_missing
from simpatico.metrics._shared.occlusion import occlusion_evidence
from simpatico.metrics._shared.pairs import NO_ANSWERED_TURN, Pairs, mean_statistic
from simpatico.metrics.engagement import Engagement
from simpatico.metrics.relevance import Relevance
from simpatico.turns import Level, Turns

EQUAL_WEIGHT = 0.5
COMBINATIONS: dict[str, Callable[[Floats, Floats, float], Floats]] = {
    "mean": lambda engaging, relevant, weight: (1 - weight) * engaging + weight * relevant,
    "min": lambda engaging, relevant, _: np.minimum(engaging, relevant),
    "max": lambda engaging, relevant, _: np.maximum(engaging, relevant),
}
MEANINGS = {"mean": "mean", "min": "smaller", "max": "larger"}


@dataclass(frozen=True)
class EngagingAndRelevant(UsesModels):
    """Parameters: `combine`, "mean", "min" or "max"; `engagement_model` and `relevance_model`,
    folders of trained heads; `weight` of relevance in the mean.
    """

    combine: Literal["mean", "min", "max"] = "mean"
    engagement_model: str = "engagement"
    relevance_model: str = "relevance"
    weight: float = EQUAL_WEIGHT

    name: ClassVar = Carried("engaging_and_relevant")
    carries: ClassVar[tuple[str, ...]] = ("engagement_model", "relevance_model")
    published: ClassVar[tuple[str, ...]] = ("engagement", "relevance")
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="How likely a turn is engaging and a reply to what it answers, in one number.",
        undefined=NO_ANSWERED_TURN,
        citation=(
            "Ghazarian et al. 2020, Predictive Engagement: An Efficient Metric for Automatic "
            "Evaluation of Open-Domain Dialogue Systems, which takes the mean"
        ),
        kind="evaluator",
        careful="Which of the two moves it, only `engagement` and `relevance` tell.",
    )

    def __post_init__(self) -> None:
        if self.combine not in COMBINATIONS:
            raise BadValue(
                f"engaging_and_relevant.combine is {self.combine!r}; there are mean, min and max"
            )
        if not 0 <= self.weight <= 1:
            raise BadValue(
                f"engaging_and_relevant.weight is {self.weight}; it is from 0 for engagement "
                "alone to 1 for relevance alone"
            )
        if self.combine != "mean" and self.weight != EQUAL_WEIGHT:
            raise BadValue(
                f"engaging_and_relevant.weight is {self.weight}, which only the mean goes by; "
                f"leave it out where combine is {self.combine!r}"
            )

    @property
    def _parts(self) -> tuple[Evaluator, Evaluator]:
        return Engagement(self.engagement_model), Relevance(self.relevance_model)

    @property
    def missing(self) -> str | None:
        for part in self._parts:
            setting = f"engaging_and_relevant.{part.plain}_model"
            if why := first_missing(part.classifiers_for(setting)):
                return why
        return None

    @property
    def needs(self) -> tuple[Feature, ...]:
        return tuple(dict.fromkeys(feature for part in self._parts for feature in part.needs))

    @property
    def scores(self) -> tuple[Score, ...]:
        return (
            Score(
                f"engaging_and_relevant{model_suffix(self)}",
                of=mean_statistic("both"),
                range=(0.0, 1.0),
                meaning=f"{MEANINGS[self.combine]} of the probabilities of engaging and relevant",
                better="higher",
                title="Engaging and relevant",
                more="is more engaging and relevant than",
                less="is less engaging and relevant than",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = Pairs.with_answered(turns, features)
        values = self.probability(features, pairs.other, pairs.text)
        return pairs.statistics("no_known_words", both=pairs.best_per_turn(values))

    def probability(
        self, features: Features, contexts: Sequence[str], texts: Sequence[str]
    ) -> Floats:
        """Both probabilities of each pair in one; NaN where one of them is."""
        engaging, relevant = (part.probability(features, contexts, texts) for part in self._parts)
        return COMBINATIONS[self.combine](engaging, relevant, self.weight)

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """By how much each word raises or lowers the score of its turn."""
        pairs = Pairs.with_answered(turns, features)
        return occlusion_evidence(turns, pairs, lambda a, b: self.probability(features, a, b))
