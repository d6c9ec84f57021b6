"""Scored units and rated units joined by key, never by position."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from simpatico.errors import DataError
from simpatico.turns import Level

UNIT_KEYS = {"turn": ["dialog", "turn"], "dialog": ["dialog"]}
KEYS = ["dialog", "turn", "speaker", "system", "prompt", "dialogs"]


@dataclass(frozen=True)
class MatchedUnits:
    """One row per unit and quality that was both rated and scored; `unmatched`: rated, not scored.

    `unmatched` counts by quality, for every quality that was rated.
    """

    frame: pl.DataFrame
    scores: list[str]
    unmatched: dict[str, int]

    def of_quality(self, quality: str) -> pl.DataFrame:
        """The rows of one quality."""
        return self.frame.filter(pl.col("quality") == quality)

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
        raise DataError(f"these are the scores of each {table_level}; they have no level {level!r}")
    names = [c for c in scores.columns if c not in KEYS and scores.schema[c].is_float()]
    rated = gold.filter(pl.col("turn").is_not_null() == (table_level == "turn"))
    keys = [pl.col(c) for c in ("dialog", "turn", "speaker") if c in scores.columns]
    system = pl.col("system") if "system" in scores.columns else pl.lit(None, pl.String)
    units = scores.select(*keys, system.alias("system"), *names)
    frame = join_units(units, rated, UNIT_KEYS[table_level])
    n_matched = dict(frame.group_by("quality").len().iter_rows())
    n_rated = rated.group_by("quality").len().iter_rows()
    unmatched = {quality: n - n_matched.get(quality, 0) for quality, n in n_rated}
    return MatchedUnits(
        mean_by_system(frame, names) if level == "system" else frame, names, unmatched
    )


def join_units(scores: pl.DataFrame, rated: pl.DataFrame, unit: list[str]) -> pl.DataFrame:
    """Rated units with the scores of the same unit, in the order of their keys."""
    rated = rated.select("dialog", "turn", "speaker", "quality", "value")
    if "turn" not in unit:
        rated = rated.drop("turn")
    scores = scores.with_columns(pl.col("turn").cast(pl.Int32)) if "turn" in unit else scores
    with_speaker = rated.filter(pl.col("speaker").is_not_null())
    without_speaker = rated.filter(pl.col("speaker").is_null()).drop("speaker")
    only_speaker = scores.filter(pl.len().over(unit) == 1)
    parts = [
        scores.join(with_speaker, on=[*unit, "speaker"], how="inner"),
        only_speaker.join(without_speaker, on=unit, how="inner"),
    ]
    key = ["quality", *unit, "speaker"]
    frame = pl.concat(parts, how="diagonal").sort(key)
    if duplicates := int(frame.select(key).is_duplicated().sum()):
        raise DataError(
            f"{duplicates} scored units have more than one judgement of a quality; "
            "take one value per unit first, as Judgements.gold() does"
        )
    return frame


def mean_by_system(frame: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    """Means of dialogs, then of systems; a unit without a score takes no part in its mean."""
    means = pl.col([*names, "value"]).fill_nan(None).mean()
    # In order, so that the same rows are always summed to the same last digit.
    units = frame.group_by("quality", "system", "dialog", "speaker", maintain_order=True)
    systems = units.agg(means).group_by("quality", "system", maintain_order=True).agg(means)
    return systems.filter(pl.col("system").is_not_null()).sort("quality", "system")
