"""What metrics that run a model have in common: names that carry it, scores, and their checks.

In such a metric annotated attributes are parameters, and all others are facts about the metric.
Numbers of different models are not comparable, so a score's name ends in the model's wherever that
is not the one that the published figures are of: `bart_score_recall[smollm2]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import polars as pl

from simpatico.metric import Better, Merge, Score, UsesModels, model_suffix
from simpatico.metrics._shared.parameters import check_parameters
from simpatico.metrics._shared.scores import make_score, mean_statistic
from simpatico.turns import Level
from simpatico.wording import title_from_name

EXTREMES: dict[str, Merge] = {"least": "min", "most": "max"}
"""How the lowest and the highest value of a dialog's turns merge."""


class ModelMetric(UsesModels):
    """A metric that runs a model; it and its scores are named after that, unless it is published.

    `title` is that of the main score, where its name in plain words would not do.
    """

    name: ClassVar[str]
    level: ClassVar[Level] = "turn"
    published: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str] = ""

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def plain(self) -> str:
        """The name without the model, which is that of the class."""
        return type(self).name

    def score(
        self,
        part: str,
        of: pl.Expr | Callable[[pl.DataFrame], Any],
        meaning: str,
        comparison: str = "",
        *,
        range: tuple[float, float] = (0.0, 1.0),
        better: Better = "higher",
        title: str = "",
    ) -> Score:
        """One score, named by the metric, the `part` of it and the model; see `make_score`."""
        name = f"{self.plain}{part}{model_suffix(self)}"
        title = title or self.title or title_from_name(self.plain)
        return make_score(name, of, meaning, comparison, range=range, better=better, title=title)

    def scores_with_extremes(
        self, meaning: str, comparison: str, range: tuple[float, float] = (0.0, 1.0)
    ) -> tuple[Score, ...]:
        """The mean of `sum` over a dialog's turns, their lowest value and their highest."""
        title = self.title or title_from_name(self.plain)
        scores = [self.score("", mean_statistic("sum"), meaning, comparison, range=range)]
        for part, column, where in (
            ("_min", "least", "at its lowest"),
            ("_max", "most", "at its highest"),
        ):
            phrases = f"{meaning}, {where}", f"{comparison} {where}"
            scores.append(
                self.score(part, pl.col(column), *phrases, range=range, title=f"{title}, {where}")
            )
        return tuple(scores)


def with_extremes(table: pl.DataFrame, column: str) -> pl.DataFrame:
    """The statistics with those of `EXTREMES`, which are null where a turn has no value."""
    value = pl.when(pl.col("n").cast(pl.Boolean)).then(pl.col(column).fill_nan(None))
    return table.with_columns(least=value, most=value)
