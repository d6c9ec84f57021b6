"""Scored units and rated units joined by key, never by position."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from simpatico.errors import DataError, UnknownName
from simpatico.turns import Level

KEYS = ["dialog", "turn", "speaker", "system", "prompt", "dialogs"]


@dataclass(frozen=True)
class MatchedUnits:
    """One row per unit and quality that was both rated and scored; `unmatched`: rated, not scored.

    `unmatched` counts by quality, for every rated quality.
    """

    frame: pl.DataFrame
    scores: list[str]
    unmatched: dict[str, int]

    def of_quality(self, quality: str) -> pl.DataFrame:
        """The rows of one quality."""
        return self.frame.filter(pl.col("quality") == quality)

    def check_scores(self, names: Iterable[str]) -> None:
        """Refuse names that are no score of the table."""
        if unknown := sorted(set(names) - set(self.scores)):
            raise UnknownName(f"no score {unknown[0]!r}; there are {', '.join(self.scores)}")

    @property
    def qualities(self) -> list[str]:
        """Every rated quality, also one without any scored unit."""
        return sorted(self.unmatched)


def match_units(scores: pl.DataFrame, gold: pl.DataFrame, level: Level) -> MatchedUnits:
    """Scores (a table of turns or of dialogs) with the ratings of the same units.

    A rating that names no speaker belongs to the one scored unit of its turn or dialog; where
    several were scored it could be about any of them, and counts as unmatched. At system level
    turns are averaged within their dialog and dialogs within their system, scores and ratings
    alike.
    """
    table_level: Level = "turn" if "turn" in scores.columns else "dialog"
    if level not in (table_level, "system"):
        raise DataError(
            f"a table of {table_level} scores has no level {level!r}; choose {table_level!r} or "
            "'system'"
        )
    unit = ["dialog", "turn"] if table_level == "turn" else ["dialog"]
    names = [c for c in scores.columns if c not in KEYS and scores.schema[c].is_float()]
    system = pl.col("system") if "system" in scores.columns else pl.lit(None, pl.String)
    keys = [pl.col(c).cast(pl.Int32) if c == "turn" else pl.col(c) for c in unit]
    units = scores.select(*keys, "speaker", system.alias("system"), *names)
    ratings = gold.filter(pl.col("turn").is_not_null() == (table_level == "turn"))
    columns = ratings.select(*unit, "speaker", "quality", "value")
    with_speaker = columns.filter(pl.col("speaker").is_not_null())
    without_speaker = columns.filter(pl.col("speaker").is_null()).drop("speaker")
    only_speaker = units.filter(pl.len().over(unit) == 1)
    parts = [
        units.join(with_speaker, on=[*unit, "speaker"], how="inner"),
        only_speaker.join(without_speaker, on=unit, how="inner"),
    ]
    # Sorted, so that the order of neither table can change a last digit.
    key = ["quality", *unit, "speaker"]
    frame = pl.concat(parts, how="diagonal").sort(key)
    if duplicates := int(frame.select(key).is_duplicated().sum()):
        raise DataError(
            f"{duplicates} scored units have more than one rating of a quality; "
            "aggregate the ratings of each unit first, as Judgements.gold() does"
        )
    n_matched = dict(frame.group_by("quality").len().iter_rows())
    n_rated = ratings.group_by("quality").len().iter_rows()
    unmatched = {quality: n - n_matched.get(quality, 0) for quality, n in n_rated}
    return MatchedUnits(
        mean_by_system(frame, names) if level == "system" else frame, names, unmatched
    )


def mean_by_system(frame: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    """Means of dialogs, then of systems; a unit without a score takes no part in its mean."""
    means = pl.col([*names, "value"]).fill_nan(None).mean()
    # In order: polars otherwise returns groups in random order, and means of means would then
    # differ in the last digit from one call to the next.
    units = frame.group_by("quality", "system", "dialog", "speaker", maintain_order=True)
    systems = units.agg(means).group_by("quality", "system", maintain_order=True).agg(means)
    return systems.filter(pl.col("system").is_not_null()).sort("quality", "system")
