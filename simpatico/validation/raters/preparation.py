"""Getting judgements ready: one scale for all judges, and out with those who did not look."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

from simpatico.errors import DataError
from simpatico.judgements import SCHEMA, Judgements

WHO = ["judge", "judge_kind"]
SHARED = 5
"""Units a judge must share with others before a correlation may speak against them."""


@dataclass(frozen=True)
class Prepared:
    """The judgements that are left, and what became of every judge.

    `judges` has a row per judge (and quality, where that matters): judge, judge_kind, ratings,
    value (what was looked at), kept, and the reason where something was left out.
    """

    judgements: Judgements
    judges: pl.DataFrame

    @property
    def dropped(self) -> int:
        """How many judges were left out, wholly or for one quality."""
        return int((~self.judges["kept"]).sum())

    @property
    def ratings_dropped(self) -> int:
        """How many ratings were left out with them."""
        return int(self.judges.filter(~pl.col("kept"))["ratings"].sum())


def standardised(judgements: Judgements) -> Prepared:
    """Each rating as (value − judge's mean) / judge's standard deviation, by quality and scale.

    A judge who gave every unit the same rating has no such values: they become null, and
    the judge is reported as not kept for that quality.
    """
    own, value = [*WHO, "quality"], pl.col("value")
    alike = [*own, "scale_min", "scale_max"]
    lowest, highest = value.min().over(alike), value.max().over(alike)
    # squares of very large ratings would not be finite
    scaled = value / pl.max_horizontal(highest.abs(), lowest.abs())
    z = (scaled - scaled.mean().over(alike)) / scaled.std().over(alike)
    frame = judgements.frame.with_columns(
        given=value, value=pl.when((lowest < highest) & z.is_finite()).then(z)
    )
    judges = frame.group_by(own, maintain_order=True).agg(
        ratings=pl.col("given").count(),
        kept=value.is_not_null().any(),
        value=pl.col("given").mean(),
    )
    none = pl.lit(None, pl.Float64)
    frame = frame.with_columns(scale_min=none, scale_max=none).select(list(SCHEMA))
    few, same = pl.lit("fewer than two ratings"), pl.lit("the same rating for every unit")
    reason = pl.when(pl.col("ratings") < 2).then(few).otherwise(same)
    judges = judges.with_columns(reason=pl.when(~pl.col("kept")).then(reason))
    return Prepared(Judgements(frame), judges.sort(own))


def without(judgements: Judgements, judges: Collection[str], *, reason: str) -> Prepared:
    """Leave out judges by name; a name that nobody has is an error."""
    names = set(judgements.frame["judge"].drop_nulls())
    if missing := sorted(set(judges) - names):
        raise DataError(
            f"there is no judge {missing[0]!r} among the {len(names)} named ones to leave out"
        )
    known = everybody(judgements).with_columns(
        value=pl.lit(None, pl.Float64),
        kept=~pl.col("judge").is_in(list(judges)).fill_null(False),
    )
    return sifted(judgements, known, reason)


def attentive(
    judgements: Judgements, *, quality: str = "attention", least: float = 1.0
) -> Prepared:
    """Leave out judges whose mean on attention checks, which come as a quality, is below `least`.

    The checks themselves are taken out; judges who were never checked stay, with value null.
    """
    checks = judgements.frame.filter(quality=quality)
    if checks.is_empty():
        raise DataError(f"there are no judgements of {quality!r} to tell who paid attention")
    rest = Judgements(judgements.frame.filter(pl.col("quality") != quality))
    passed = checks.group_by(WHO).agg(value=pl.col("value").mean())
    known = everybody(rest).join(passed, on=WHO, how="left", nulls_equal=True)
    known = known.with_columns(kept=(pl.col("value") >= least).fill_null(True))
    return sifted(rest, known, f"mean of {quality!r} is below {least:g}")


def consistent(judgements: Judgements, *, least: float = 0.0) -> Prepared:
    """Leave out judges whose correlation with the mean of the others is below `least`.

    The lowest goes first and the rest is looked at anew, so that one who contradicts everybody
    does not take others along. The correlation is the mean over qualities, by units. Judges who
    share fewer than five units with others or never vary stay, with value null.
    """
    gone: list[pl.DataFrame] = []
    frame = judgements.frame
    found = with_others(frame)
    while not (low := found.filter(pl.col("value") < least).sort("value", *WHO).head(1)).is_empty():
        gone.append(low)
        frame = frame.join(low, on=WHO, how="anti", nulls_equal=True)
        found = with_others(frame)
    looked = pl.concat([found, *gone])
    known = everybody(judgements).join(looked, on=WHO, how="left", nulls_equal=True)
    known = known.with_columns(kept=(pl.col("value") >= least).fill_null(True))
    return sifted(judgements, known, f"correlation with the other judges is below {least:g}")


def with_others(frame: pl.DataFrame) -> pl.DataFrame:
    """Each judge's correlation with the mean of the other judges of the same units."""
    unit, own = ["dialog", "turn", "speaker", "quality"], [*WHO, "quality"]
    value = pl.col("value")
    there = frame.filter(value.is_not_null(), value.is_not_nan())
    there = there.with_columns(others=(value.sum() - value).over(unit), rated=pl.len().over(unit))
    there = there.filter(pl.col("rated") > 1)
    there = there.with_columns(others=pl.col("others") / (pl.col("rated") - 1))
    varied = (value.min() < value.max()) & (pl.col("others").min() < pl.col("others").max())
    found = there.group_by(own).agg(
        shared=pl.len(), r=pl.when(varied).then(pl.corr("value", "others"))
    )
    found = found.filter(pl.col("r").is_finite(), pl.col("shared") >= SHARED)
    return found.group_by(WHO).agg(
        value=(pl.col("r") * pl.col("shared")).sum() / pl.col("shared").sum()
    )


def everybody(judgements: Judgements) -> pl.DataFrame:
    """All judges, with how many ratings each gave."""
    return judgements.frame.group_by(WHO, maintain_order=True).agg(ratings=pl.col("value").count())


def sifted(judgements: Judgements, known: pl.DataFrame, reason: str) -> Prepared:
    """The judgements of those who are kept, and the list of all."""
    kept = known.filter("kept").select(WHO)
    frame = judgements.frame.join(kept, on=WHO, how="semi", nulls_equal=True, maintain_order="left")
    judges = known.with_columns(reason=pl.when(~pl.col("kept")).then(pl.lit(reason)))
    columns = [*WHO, "ratings", "value", "kept", "reason"]
    return Prepared(Judgements(frame.select(list(SCHEMA))), judges.select(columns).sort(WHO))
