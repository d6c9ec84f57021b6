"""Who took part and who looked on: how far their judgements of the same units agree."""

from __future__ import annotations

import polars as pl

from simpatico.judgements import UNIT, JudgeKind, Judgements
from simpatico.stats.bootstrap import bootstrap
from simpatico.stats.correlation import correlation
from simpatico.stats.result import Result
from simpatico.validation.raters.agreement import AgreementRow, row

SCORE = "inside_outside"
INSIDE: JudgeKind = "interlocutor"
OUTSIDE: tuple[JudgeKind, ...] = ("outsider", "expert")
"""People who were not part of the conversation; a model is none, and nobody knows of null."""

FEWEST = 10
"""With fewer units that both judged, an interval would span nearly everything."""


def inside_outside(judgements: Judgements, quality: str, *, seed: int = 0) -> list[AgreementRow]:
    """Pearson's r of the interlocutor's rating with the mean of the onlookers'; no row under ten.

    Whole dialogs are resampled where several units are of one dialog; else the interval is
    Fisher's.
    """
    frame = judgements.frame.filter(pl.col("quality") == quality)
    inside = means(frame.filter(pl.col("judge_kind") == INSIDE), "inside")
    outside = means(frame.filter(pl.col("judge_kind").is_in(OUTSIDE)), "outside")
    both = inside.join(outside, on=UNIT, how="inner", nulls_equal=True).sort(UNIT)
    return [row(quality, SCORE, correlated(both, seed))] if both.height >= FEWEST else []


def means(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """The mean rating of each unit that was rated."""
    value = pl.col("value")
    rated = frame.filter(value.is_not_null(), value.is_not_nan())
    return rated.group_by(UNIT).agg(value.mean().alias(name))


def correlated(both: pl.DataFrame, seed: int) -> Result:
    """The correlation over units, those of one dialog together."""
    x, y, dialogs = both["inside"].to_numpy(), both["outside"].to_numpy(), both["dialog"]
    alone = dialogs.n_unique() == both.height
    found = correlation(x, y) if alone else bootstrap(x, y, dialogs.to_numpy(), seed=seed)
    return found.named(f"{found.method}; the interlocutor with the mean of those who looked on")
