"""What an estimate is told as: a row per system and per pair of systems, and a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from simpatico.comparison.estimates.dialogs import DialogTable
from simpatico.stats.correction import Correction, correct_p_values
from simpatico.stats.prediction_powered import RatedUnits
from simpatico.stats.result import Result
from simpatico.wording import format_count

Estimator = Callable[[Sequence[int]], Result]
"""From one system, or two, to the mean rating or the difference of the means."""


@dataclass(frozen=True, kw_only=True)
class RatingEstimate:
    """The mean rating of system `a`, or, with `b`, the difference a − b; field names are the JSON.

    `people_*`: the same by the ratings alone; `rated` and `unrated` count dialogs of both systems.
    """

    a: str
    b: str | None
    value: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_adjusted: float | None = None
    people_value: float | None
    people_low: float | None
    people_high: float | None
    rated: int
    unrated: int
    status: str
    method: str


@dataclass(frozen=True)
class QualityEstimates:
    """One quality: mean ratings of systems, their differences, and what the proxy was worth.

    `worth`: how many dialogs rated by people alone would be as precise; null where undefined.
    """

    quality: str
    unit: str
    proxy: str
    rated: int
    worth: Result | None
    means: list[RatingEstimate]
    differences: list[RatingEstimate]
    notes: list[str]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def verdict(self) -> str:
        """What the proxy bought, in one sentence."""
        count = format_count(self.rated, "rated dialog")
        if not any(row.unrated for row in self.means):
            return f"{self.quality}: {count}, which is all there are; there is nothing to estimate."
        if self.worth is None or self.worth.value is None:
            return f"{self.quality}: {count}."
        if self.worth.low is None or self.worth.value <= self.rated:
            return (
                f"{self.quality}: {self.proxy} does not help to predict these ratings, so that "
                f"your {count} are worth no more than they are."
            )
        value, low, high = (format_count(round(x)) for x in self.worth.numbers)
        return f"{self.quality}: with {self.proxy} your {count} are worth {value} [{low}, {high}]."


def estimate_rows(
    table: DialogTable,
    units: RatedUnits,
    estimators: tuple[Estimator, Estimator],
    correction: Correction,
) -> tuple[list[RatingEstimate], list[RatingEstimate]]:
    """Means and differences by the first estimator, beside those of people alone by the second."""
    unrated = table.count_by_system(~units.rated)
    systems = range(len(table.systems))
    families: list[list[RatingEstimate]] = []
    for groups in ([(g,) for g in systems], list(combinations(systems, 2))):
        rows = []
        for own in groups:
            result, people = (estimate(own) for estimate in estimators)
            row = RatingEstimate(
                a=table.systems[own[0]],
                b=table.systems[own[1]] if len(own) > 1 else None,
                value=result.value,
                low=result.low,
                high=result.high,
                p_value=result.p_value if len(own) > 1 else None,  # no mean is tested against 0
                people_value=people.value,
                people_low=people.low,
                people_high=people.high,
                rated=result.n,
                unrated=int(np.sum(unrated[list(own)])),
                status=result.status,
                method=result.method,
            )
            rows.append(row)
        p_adjusted, _ = correct_p_values([row.p_value for row in rows], correction)
        families.append([replace(r, p_adjusted=p) for r, p in zip(rows, p_adjusted, strict=True)])
    return families[0], families[1]
