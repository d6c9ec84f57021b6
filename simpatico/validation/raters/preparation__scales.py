"""One scale for a quality: judgements made on several are not put together."""

from __future__ import annotations

import polars as pl

from simpatico.errors import DataError
from simpatico.judgements import Judgements, shown
from simpatico.wording import join_with_and

OF = ["quality", "whole"]
"""Turns and whole dialogs are never put together, so that each may have a scale of its own."""


def on_one_scale(judgements: Judgements) -> tuple[Judgements, list[str]]:
    """The judgements without qualities of two scales, and a sentence for each that was left out.

    A bound that was not given may be any. Where no quality is left, that is an error.
    """
    frame = judgements.frame.with_columns(whole=pl.col("turn").is_null())
    low, high = pl.col("scale_min"), pl.col("scale_max")
    differ = pl.max_horizontal(e.drop_nulls().n_unique() for e in (low, high)) > 1
    mixed = frame.group_by(OF).agg(differ.alias("differ")).filter("differ").select(OF).sort(OF)
    left = frame.join(mixed, on=OF, how="anti", maintain_order="left")
    told = [sentence(frame, quality, whole=whole) for quality, whole in mixed.iter_rows()]
    if told and left.is_empty():
        raise DataError(f"{told[0]}; {WAY_OUT}")
    return Judgements(left.drop("whole")), [f"{t}, and left out; {WAY_OUT}" for t in told]


WAY_OUT = "keep judgements of one scale, or standardise each judge's (--standardise)"


def sentence(frame: pl.DataFrame, quality: str, *, whole: bool) -> str:
    """Which quality, and its scales."""
    given = pl.any_horizontal(pl.col("scale_min", "scale_max").is_not_null())
    own = frame.filter(given, pl.col("quality") == quality, pl.col("whole") == whole)
    scales = own.select("scale_min", "scale_max").unique().sort("scale_min", "scale_max")
    ends = [f"{shown(low)} to {shown(high)}" for low, high in scales.iter_rows()]
    units = "dialogs" if whole else "turns"
    return f"quality {quality!r} of {units} was judged on {len(ends)} scales, {join_with_and(ends)}"
