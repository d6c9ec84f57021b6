"""The dialogs to choose from, with their scores, ratings and ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico import wording as phrases
from simpatico.arrays import Floats
from simpatico.errors import UnknownName, suggest_names
from simpatico.stats.ranks import mid_ranks

RATED = 4
"""Fewest rated dialogs in which ranks of raters and of a score can be set side by side."""

UNIT = ["dialog", "speaker", "system"]
RATING: dict[str, pl.DataType] = {
    "value": pl.Float64(),
    "judges": pl.Int64(),
    "quality": pl.String(),
    "scale_min": pl.Float64(),
    "scale_max": pl.Float64(),
}


@dataclass(frozen=True)
class Pool:
    """Dialogs in the order of their ids; the first of `scores` is the one the page is about."""

    frame: pl.DataFrame
    scores: tuple[str, ...]
    titles: Mapping[str, str]

    @cached_property
    def values(self) -> Floats:
        """A row per dialog and a column per score, NaN where there is none."""
        return np.stack([self.column(name) for name in self.scores], axis=1)

    @cached_property
    def places(self) -> Floats:
        """The percentiles of `values`, each score on its own."""
        return np.stack([percentiles(column) for column in self.values.T], axis=1)

    @property
    def lead(self) -> Floats:
        return self.values[:, 0]

    @cached_property
    def rating(self) -> Floats:
        return self.column("_value")

    @cached_property
    def both(self) -> npt.NDArray[np.bool_]:
        """Which dialogs have a rating and the lead."""
        return np.isfinite(self.rating) & np.isfinite(self.lead)

    @cached_property
    def rated(self) -> bool:
        """Whether raters and the lead can be set side by side."""
        return bool(self.both.sum() >= RATED) and varies(self.rating[self.both])

    def column(self, name: str) -> Floats:
        values = self.frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
        return np.where(np.isfinite(values), values, np.nan)

    def scale(self, row: int) -> tuple[float, float] | None:
        """The ends of the scale on which the dialog was rated, where they are known."""
        low, high = self.frame["_scale_min"][row], self.frame["_scale_max"][row]
        return (low, high) if low is not None and high is not None and low < high else None

    def share(self, row: int) -> float | None:
        """Where the rating stands on its scale, 0 to 1."""
        if (scale := self.scale(row)) is None:
            return None
        return float((self.rating[row] - scale[0]) / (scale[1] - scale[0]))

    def title(self, place: int = 0) -> str:
        """The name of a score inside a sentence."""
        return phrases.lower_first_letter(score_title(self.scores[place], self.titles))


def gather_pool(
    dialogs: pl.DataFrame,
    scores: tuple[str, ...],
    titles: Mapping[str, str],
    ratings: pl.DataFrame | None,
) -> Pool:
    """Dialogs with their ratings, sorted, so that a tie goes to the first id."""
    for name in scores:
        if name not in dialogs.columns:
            raise UnknownName(f"no score {name!r}; {suggest_names(name, dialogs.columns)}")
    key = ["dialog", "speaker"]
    if ratings is None:
        ratings = pl.DataFrame(schema={"dialog": pl.String, "speaker": pl.String, **RATING})
    given = [pl.col(c).cast(t).alias(f"_{c}") for c, t in RATING.items()]
    known = ratings.select(*key, *given).filter(pl.col("_value").is_finite())
    once = known.sort(known.columns).unique(key, keep="first", maintain_order=True)
    frame = dialogs.select(*UNIT, *scores).sort(UNIT)
    return Pool(frame.join(once, on=key, how="left", maintain_order="left"), scores, titles)


def score_title(score: str, titles: Mapping[str, str]) -> str:
    """What a score is called: its title, or its name as words."""
    return titles.get(score) or phrases.title_from_name(score)


def percentiles(values: Floats) -> Floats:
    """Mid-rank percentiles among the values that exist."""
    known = np.isfinite(values)
    found = np.full(len(values), np.nan)
    found[known] = 100 * (mid_ranks(values[known]) - 0.5) / max(int(known.sum()), 1)
    return found


def varies(values: Floats) -> bool:
    known = values[np.isfinite(values)]
    return bool(known.size and known.min() < known.max())
