"""Engaging and relevant: the probabilities of both, in one number.

Ghazarian et al. (2020, AAAI), Predictive Engagement. `combine` says how: their mean, as the paper
does, the smaller or the larger. The mean is (1 - weight) engagement + weight relevance.
Example: engagement .3 and relevance .8 give .55, .3 or .8; with weight .7, .3 x .3 + .7 x .8 = .65.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.metric import Card, Carried
from simpatico.metrics._shared.evaluator import Evaluator, ReplyMetric, first_missing
from simpatico.metrics._shared.pairs import NO_ANSWERED_TURN
from simpatico.metrics._shared.parameters import bounded
from simpatico.metrics.engagement import Engagement
from simpatico.metrics.relevance import Relevance

EQUAL_WEIGHT = 0.5
"""The mean that the paper takes."""
COMBINATIONS: dict[str, Callable[[Floats, Floats, float], Floats]] = {
    "mean": lambda engaging, relevant, weight: (1 - weight) * engaging + weight * relevant,
    "min": lambda engaging, relevant, _: np.minimum(engaging, relevant),
    "max": lambda engaging, relevant, _: np.maximum(engaging, relevant),
}
MEANINGS = {"mean": "mean", "min": "smaller", "max": "larger"}


@dataclass(frozen=True)
class EngagingAndRelevant(ReplyMetric):
    """Parameters: `combine`, "mean", "min" or "max"; `engagement_model` and `relevance_model`,
    folders of trained heads; `weight` of relevance in the mean.
    """

    combine: Literal["mean", "min", "max"] = "mean"
    engagement_model: str = "engagement"
    relevance_model: str = "relevance"
    weight: float = bounded(EQUAL_WEIGHT, 0, 1)

    name = Carried("engaging_and_relevant")
    carries = ("engagement_model", "relevance_model")
    published = ("engagement", "relevance")
    statistic = "both"
    comparison = "is (more|less) engaging and relevant"
    card = Card(
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
        super().__post_init__()
        if self.combine != "mean" and self.weight != EQUAL_WEIGHT:
            raise BadValue(
                f"engaging_and_relevant.weight is {self.weight}, which applies to the mean "
                f"only; leave it out where combine is {self.combine!r}"
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
    def meaning(self) -> str:
        return f"{MEANINGS[self.combine]} of the probabilities of engaging and relevant"

    def values(self, features: Features, others: Sequence[str], texts: Sequence[str]) -> Floats:
        """Both probabilities of each pair in one; NaN where one of them is."""
        engaging, relevant = (part.values(features, others, texts) for part in self._parts)
        return COMBINATIONS[self.combine](engaging, relevant, self.weight)
