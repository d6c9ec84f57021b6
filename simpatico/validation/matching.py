"""Scored units and judged units put together by key, never by position."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from simpatico.errors import DataError
from simpatico.turns import Level

PLACE = {"turn": ["dialog", "turn"], "dialog": ["dialog"]}
KEYS = ["dialog", "turn", "speaker", "system", "prompt", "dialogs"]


@dataclass(frozen=True)
class Matched:
    """One row per judged unit and quality that was scored too, and who was left over."""

    frame: pl.DataFrame
    scores: list[str]
    unmatched: dict[str, int]

    def of(self, quality: str) -> pl.DataFrame:
        return self.frame.filter(pl.col("quality") == quality)

    @property
    def qualities(self) -> list[str]:
        return sorted(self.unmatched)


def matched(scores: pl.DataFrame, gold: pl.DataFrame, level: Level) -> Matched:
    """Scores (a table of turns or of dialogs) beside the judgements of the same units.

    A judgement that names no speaker belongs to the one scored unit of its turn or dialog; where
    several were scored it could be about any of them, and counts as unmatched. At system level
    turns are averaged within their dialog and dialogs within their system, scores and judgements
    alike.
    """
    at: Level = "turn" if "turn" in scores.columns else "dialog"
    if level not in (at, "system"):
        raise DataError(f"these are the scores of each {at}; they have no level {level!r}")
    names = [c for c in scores.columns if c not in KEYS and scores.schema[c].is_float()]
    judged = gold.filter(pl.col("turn").is_not_null() == (at == "turn"))
    frame = paired(scores.select(*keys_of(scores), *names), judged, PLACE[at])
    found = dict(frame.group_by("quality").len().iter_rows())
    units = judged.group_by("quality").len().iter_rows()
    left = {quality: n - found.get(quality, 0) for quality, n in units}
    return Matched(of_systems(frame, names) if level == "system" else frame, names, left)


def keys_of(scores: pl.DataFrame) -> list[pl.Expr]:
    """The unit keys; a table without systems gets one that is null."""
    system = pl.col("system") if "system" in scores.columns else pl.lit(None, pl.String)
    here = [pl.col(c) for c in ("dialog", "turn", "speaker") if c in scores.columns]
    return [*here, system.alias("system")]


def paired(scores: pl.DataFrame, judged: pl.DataFrame, place: list[str]) -> pl.DataFrame:
    """Judged units with the scores of the same unit, in order of their keys."""
    judged = judged.select("dialog", "turn", "speaker", "quality", "value")
    if "turn" not in place:
        judged = judged.drop("turn")
    scores = scores.with_columns(pl.col("turn").cast(pl.Int32)) if "turn" in place else scores
    named = judged.filter(pl.col("speaker").is_not_null())
    unnamed = judged.filter(pl.col("speaker").is_null()).drop("speaker")
    alone = scores.filter(pl.len().over(place) == 1)
    parts = [
        scores.join(named, on=[*place, "speaker"], how="inner"),
        alone.join(unnamed, on=place, how="inner"),
    ]
    order = ["quality", *place, "speaker"]
    whole = pl.concat(parts, how="diagonal").sort(order)
    if twice := int(whole.select(order).is_duplicated().sum()):
        raise DataError(
            f"{twice} scored units have more than one judgement of a quality; "
            "take one value per unit first, as Judgements.gold() does"
        )
    return whole


def of_systems(frame: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    """Means of dialogs, then of systems; a unit without a score takes no part in its mean."""
    means = pl.col([*names, "value"]).fill_nan(None).mean()
    dialogs = frame.group_by("quality", "system", "dialog", "speaker").agg(means)
    systems = dialogs.group_by("quality", "system").agg(means)
    return systems.filter(pl.col("system").is_not_null()).sort("quality", "system")
