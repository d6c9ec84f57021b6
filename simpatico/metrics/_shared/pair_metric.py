"""Metrics of one number: a model compares each turn with a reference, or with what it answers.

With v(t, r) the model's number for turn t beside a text r, a unit with n scored turns has
sum over t of max over r of v(t, r) / n.
Example: a turn has .2 and .6 beside two references, another .4 beside one: (.6 + .4) / 2 = .5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import polars as pl

from simpatico.arrays import Floats
from simpatico.features import Feature, Features
from simpatico.metric import Better, Score
from simpatico.metrics._shared.model_metric import ModelMetric
from simpatico.metrics._shared.pairs import NEEDS, Pairs
from simpatico.metrics._shared.scores import mean_statistic
from simpatico.turns import Turns


class PairMetric(ModelMetric):
    """The mean over turns of one number; of several texts to compare with, the best counts.

    A metric of this kind says which texts it compares (`pairs`), by which model (`feature`), to
    what number (`values`), and what that number means.
    """

    pairs: ClassVar[Callable[..., Pairs]]
    """From turns and features to the texts that are compared."""
    statistic: ClassVar[str]
    """The column that holds the number."""
    better: ClassVar[Better] = "higher"

    @property
    def feature(self) -> Feature:
        """What runs the model."""
        raise NotImplementedError

    @property
    def meaning(self) -> str:
        """What the number says."""
        raise NotImplementedError

    @property
    def comparison(self) -> str:
        """What is said of a higher and of a lower score, see `make_score`."""
        return ""

    @property
    def range(self) -> tuple[float, float]:
        """Between which values it lies."""
        return (0.0, 1.0)

    @property
    def unknown(self) -> str:
        """The reason of a turn that has a text to compare with, and yet no number."""
        return "undefined"

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (self.feature, *self.feature.needs, *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        return (
            self.score(
                "",
                mean_statistic(self.statistic),
                self.meaning,
                self.comparison,
                range=self.range,
                better=self.better,
            ),
        )

    def values(self, features: Features, others: Sequence[str], texts: Sequence[str]) -> Floats:
        """A number for each text and the other one beside it; NaN where there is none."""
        raise NotImplementedError

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = self.pairs(turns, features)
        values = pairs.best_per_turn(self.values(features, pairs.other, pairs.text))
        return pairs.statistics(self.unknown, **{self.statistic: values})
