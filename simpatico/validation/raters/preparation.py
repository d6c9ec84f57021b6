"""Ratings made ready for analysis: attention checks, z-scores per judge, one scale, no people."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from simpatico.comparison.samples import HUMAN
from simpatico.errors import DataError
from simpatico.judgements import SCHEMA, Judgements, format_bound
from simpatico.run import Run
from simpatico.wording import join_with_and

JUDGE = ["judge", "judge_kind"]
SCALE_GROUP = ["quality", "of_dialog"]
"""Turns and whole dialogs are never pooled, so that each may have a scale of its own."""
SCALE_ADVICE = "keep judgements of one scale, or standardise each judge's (--standardise)"


@dataclass(frozen=True)
class PreparedJudgements:
    """The judgements that are left, and what became of every judge.

    `judges` has a row per judge (and quality, where that matters): judge, judge_kind, ratings,
    value (the criterion), kept, and the reason where something was left out.
    """

    judgements: Judgements
    judges: pl.DataFrame

    @property
    def n_judges_dropped(self) -> int:
        """How many judges were left out, entirely or for one quality."""
        return int((~self.judges["kept"]).sum())

    @property
    def n_ratings_dropped(self) -> int:
        """How many ratings went with them."""
        return int(self.judges.filter(~pl.col("kept"))["ratings"].sum())


def standardise_judgements(judgements: Judgements) -> PreparedJudgements:
    """Each rating as a z-score, (value − judge's mean) / judge's SD, by quality and scale.

    A judge who gave every unit the same rating has no z-scores: the values become null, and the
    judge is reported as not kept for that quality.
    """
    own, value = [*JUDGE, "quality"], pl.col("value")
    group = [*own, "scale_min", "scale_max"]
    lowest, highest = value.min().over(group), value.max().over(group)
    # Divided by the largest first, since squares of very large ratings would not be finite.
    share = value / pl.max_horizontal(highest.abs(), lowest.abs())
    z = (share - share.mean().over(group)) / share.std().over(group)
    frame = judgements.frame.with_columns(
        raw=value, value=pl.when((lowest < highest) & z.is_finite()).then(z)
    )
    judges = frame.group_by(own, maintain_order=True).agg(
        ratings=pl.col("raw").count(),
        kept=value.is_not_null().any(),
        value=pl.col("raw").mean(),
    )
    no_bound = pl.lit(None, pl.Float64)
    frame = frame.with_columns(scale_min=no_bound, scale_max=no_bound).select(list(SCHEMA))
    few, same = pl.lit("fewer than two ratings"), pl.lit("the same rating for every unit")
    reason = pl.when(pl.col("ratings") < 2).then(few).otherwise(same)
    judges = judges.with_columns(reason=pl.when(~pl.col("kept")).then(reason))
    return PreparedJudgements(Judgements(frame), judges.sort(own))


def drop_inattentive(
    judgements: Judgements, *, quality: str = "attention", least: float = 1.0
) -> PreparedJudgements:
    """Leave out judges whose mean on attention checks, which come as a quality, is below `least`.

    The checks themselves are removed; judges who were never checked stay, with value null.
    """
    checks = judgements.frame.filter(quality=quality)
    if checks.is_empty():
        raise DataError(
            f"no ratings of {quality!r}; name the quality that holds the attention checks"
        )
    frame = judgements.frame.filter(pl.col("quality") != quality)
    judges = frame.group_by(JUDGE, maintain_order=True).agg(ratings=pl.col("value").count())
    means = checks.group_by(JUDGE, maintain_order=True).agg(value=pl.col("value").mean())
    judges = judges.join(means, on=JUDGE, how="left", nulls_equal=True)
    judges = judges.with_columns(kept=(pl.col("value") >= least).fill_null(True))
    reason = pl.lit(f"mean of {quality!r} is below {least:g}")
    judges = judges.with_columns(reason=pl.when(~pl.col("kept")).then(reason))
    attentive = judges.filter("kept").select(JUDGE)
    frame = frame.join(attentive, on=JUDGE, how="semi", nulls_equal=True, maintain_order="left")
    columns = [*JUDGE, "ratings", "value", "kept", "reason"]
    return PreparedJudgements(
        Judgements(frame.select(list(SCHEMA))), judges.select(columns).sort(JUDGE)
    )


def drop_mixed_scales(judgements: Judgements) -> tuple[Judgements, list[str]]:
    """The judgements without qualities on two scales, and a note for each that was left out.

    A missing bound may be any. Where no quality is left, that is an error.
    """
    frame = judgements.frame.with_columns(of_dialog=pl.col("turn").is_null())
    bounds = pl.col("scale_min"), pl.col("scale_max")
    differ = pl.max_horizontal(bound.drop_nulls().n_unique() for bound in bounds) > 1
    groups = frame.group_by(SCALE_GROUP).agg(differ.alias("differ"))
    on_two_scales = groups.filter("differ").select(SCALE_GROUP).sort(SCALE_GROUP)
    rest = frame.join(on_two_scales, on=SCALE_GROUP, how="anti", maintain_order="left")
    problems = []
    has_bound = pl.any_horizontal(pl.col("scale_min", "scale_max").is_not_null())
    for quality, of_dialog in on_two_scales.iter_rows():
        own = frame.filter(has_bound, quality=quality, of_dialog=of_dialog)
        scales = own.select("scale_min", "scale_max").unique().sort("scale_min", "scale_max")
        ends = [f"{format_bound(low)} to {format_bound(high)}" for low, high in scales.iter_rows()]
        units = "dialogs" if of_dialog else "turns"
        on_scales = f"judged on {len(ends)} scales, {join_with_and(ends)}"
        problems.append(f"quality {quality!r} of {units} was {on_scales}")
    if problems and rest.is_empty():
        raise DataError(f"{problems[0]}; {SCALE_ADVICE}")
    notes = [f"{problem}, and left out; {SCALE_ADVICE}" for problem in problems]
    return Judgements(rest.drop("of_dialog")), notes


def drop_people(run: Run, judgements: Judgements) -> tuple[Judgements, bool, list[str]]:
    """The judgements that are not of people, whether people are left out, and a note on that.

    The difference between people and bots is one of kind: any score that tells them apart would
    seem to predict ratings. A run of people only, and judgements of people only, stay as they are.
    """
    table = run.scan("dialog")
    units = table.select("dialog", "speaker", "system").filter(pl.col("system").is_not_null())
    frame = judgements.frame
    dialogs = frame["dialog"].unique().implode()
    units_of_dialogs = units.filter(pl.col("dialog").is_in(dialogs)).collect()
    people = units_of_dialogs.filter(pl.col("system") == HUMAN)
    if people.is_empty() or people.height == units_of_dialogs.height:
        return judgements, False, []
    rest = frame.join(people, on=["dialog", "speaker"], how="anti", maintain_order="left")
    if rest.is_empty():
        return judgements, False, []
    n_dropped = frame.height - rest.height
    note = f"{n_dropped:,} judgements of people are left out, since they are no system under test"
    return Judgements(rest), True, [note] if n_dropped else []
