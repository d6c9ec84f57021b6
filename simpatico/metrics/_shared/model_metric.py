"""What metrics that run a model have in common: names that carry it, scores, and their checks.

In such a metric annotated attributes are parameters, and all others are facts about the metric.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

import polars as pl

from simpatico.errors import BadValue
from simpatico.metric import Better, Merge, Score, UsesModels, model_suffix, plain_name
from simpatico.metrics._shared.pairs import mean_statistic
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
        check_choices(self)

    @property
    def plain(self) -> str:
        """The name without the model."""
        return plain_name(self.name)

    def score(
        self,
        part: str,
        of: pl.Expr | Callable[[pl.DataFrame], Any],
        meaning: str,
        *,
        range: tuple[float, float] = (0.0, 1.0),
        better: Better = "higher",
        title: str = "",
        comparison: str = "",
    ) -> Score:
        """One score of the metric, named by the metric, the `part` of it, and the model.

        `comparison` holds the words for a higher and for a lower score, see `both_ways`.
        """
        title = title or self.title or title_from_name(self.plain)
        more, less = both_ways(comparison or f"has a (higher|lower) {title}")
        name = f"{self.plain}{part}{model_suffix(self)}"
        return Score(name, of, range, meaning, better, title, more, less)

    def scores_with_extremes(
        self, meaning: str, comparison: str, range: tuple[float, float] = (0.0, 1.0)
    ) -> tuple[Score, ...]:
        """The mean of `sum` over a dialog's turns, their lowest value and their highest."""
        title = self.title or title_from_name(self.plain)
        lowest, highest = " at its lowest", " at its highest"
        return (
            self.score("", mean_statistic("sum"), meaning, range=range, comparison=comparison),
            *(
                self.score(
                    part,
                    pl.col(column),
                    f"{meaning},{where}",
                    range=range,
                    title=f"{title},{where}",
                    comparison=comparison + where,
                )
                for part, column, where in (("_min", "least", lowest), ("_max", "most", highest))
            ),
        )


def with_extremes(table: pl.DataFrame, column: str) -> pl.DataFrame:
    """The statistics with those of `EXTREMES`, which are null where a turn has no value."""
    value = pl.when("n").then(column)
    return table.with_columns(least=value, most=value)


def both_ways(comparison: str) -> tuple[str, str]:
    """What is said of the system that scores higher, and what of the one that scores lower.

    Example: "is (more|less) apt" gives "is more apt than" and "is less apt than".
    """
    alternatives = re.compile(r"\(([^()|]+)\|([^()|]+)\)")
    return alternatives.sub(r"\1", comparison) + " than", alternatives.sub(
        r"\2", comparison
    ) + " than"


def check_choices(metric: Any) -> None:
    """Refuse a value that the type of a parameter, a Literal, does not list."""
    types = get_type_hints(type(metric))
    for field in fields(metric):
        choices, value = get_args(types[field.name]), getattr(metric, field.name)
        if get_origin(types[field.name]) is Literal and value not in choices:
            *others, last = map(repr, choices)
            raise BadValue(
                f"{plain_name(type(metric).name)}.{field.name} is {value!r}; "
                f"it is {', '.join(others)} or {last}"
            )


def check_minimum(metric: Any, **lowest: int) -> None:
    """Refuse a parameter below its lowest value."""
    for field, low in lowest.items():
        if (value := getattr(metric, field)) < low:
            name = plain_name(type(metric).name)
            raise BadValue(f"{name}.{field} is {value}; it is {low} or more")
