"""Are the turns of a ratings file counted as ours are? The first turn of a dialog is turn 0.

A file that counts from 1 rates the neighbour of each turn, or turns that do not exist. Two signs of
that: more rated turns match scored ones with numbers one lower (or higher), by a sign test over
dialogs; or, where they match both ways, ratings correlate more with the neighbours' scores, by the
difference of the summed squared correlations of all scores over resamples of dialogs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl
from scipy.special import bdtrc

from simpatico.comparison.samples import as_floats
from simpatico.stats.bootstrap import bootstrap_p, cluster_codes, defined_draws
from simpatico.stats.correlation_bootstrap import correlation_draws
from simpatico.validation.matching import match_units

MATCHING = 0.8
"""Of the rated turns of scored dialogs, the share that another count must match: else it is not
the count that is wrong, but something else."""
SIGN_TEST, CORRELATION_TEST = 0.05, 0.005
"""p below which a count is doubted; correlations with neighbours can also be real, so less."""
ORDINAL = {-1: "one lower", 1: "one higher"}
NEIGHBOUR = {-1: "before", 1: "after"}


@dataclass(frozen=True)
class TurnNumbers:
    """How many rated turns match a scored turn as numbered, and with numbers one lower or higher.

    `likely_first`: the number that the file seems to give to the first turn of a dialog, null
    where nothing speaks against 0; `sign`: what speaks against it.
    """

    rated: int
    matched: int
    matched_one_lower: int
    matched_one_higher: int
    likely_first: int | None = None
    sign: Literal["matches", "correlation"] | None = None
    p_value: float | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def warning(self) -> str | None:
        """What is doubtful and the way out, in one sentence; null where nothing is."""
        if self.likely_first is None:
            return None
        shift = -self.likely_first
        matched = self.matched_one_lower if shift < 0 else self.matched_one_higher
        facts = (
            f"{self.matched:,} of {self.rated:,} rated turns match a scored turn as numbered, "
            f"{matched:,} with numbers {ORDINAL[shift]}"
        )
        if self.sign == "correlation":
            facts = (
                f"ratings correlate more with the scores of the turn {NEIGHBOUR[shift]} than with "
                f"those of the turn they name, p = {self.p_value:.2g}"
            )
        return (
            f"the ratings seem to count turns from {self.likely_first}, not from 0 ({facts}); "
            f"if so, add --turns-from {self.likely_first}"
        )


def check_turn_numbers(scores: pl.DataFrame, gold: pl.DataFrame, *, seed: int = 0) -> TurnNumbers:
    """Whether ratings of turns (`Judgements.gold()`) name the turns of a table of scores."""
    rated = gold.filter(pl.col("turn").is_not_null())
    units = rated.select("dialog", "turn", "speaker").unique()
    matches = {shift: matched_dialogs(units, scores, shift) for shift in (0, *ORDINAL)}
    now, lower, higher = map(len, matches.values())
    check = TurnNumbers(units.height, now, lower, higher)
    # A turn 0 in the file settles that it does not count from 1. Numbers one higher fit every file
    # that rates the user's turns, unless a speaker's name shows whose turns are meant.
    possible = {-1: units["turn"].min() != 0, 1: not units["speaker"].has_nulls()}
    in_run = int(units["dialog"].is_in(scores["dialog"].unique().implode()).sum())
    for shift in (s for s in ORDINAL if possible[s]):
        if len(matches[shift]) < max(1, MATCHING * in_run, len(matches[0])):
            continue
        p = sign_test(matches[0], matches[shift])
        if p < SIGN_TEST or not len(matches[0]):
            return replace(check, likely_first=-shift, sign="matches", p_value=p)
        p = neighbour_test(scores, rated, shift, seed=seed)
        if p < CORRELATION_TEST:
            return replace(check, likely_first=-shift, sign="correlation", p_value=p)
    return check


def matched_dialogs(units: pl.DataFrame, scores: pl.DataFrame, shift: int) -> pl.Series:
    """The dialogs of the rated units that match a scored turn, once for each of them."""
    moved = units.with_columns(pl.col("turn") + shift)
    turns = scores.select("dialog", pl.col("turn").cast(pl.Int32), "speaker")
    key = ["dialog", "turn"]
    alone = turns.filter(pl.len().over(key) == 1)
    named = moved.join(turns, on=[*key, "speaker"], how="semi")
    unnamed = moved.filter(pl.col("speaker").is_null()).join(alone, on=key, how="semi")
    return pl.concat([named["dialog"], unnamed["dialog"]])


def sign_test(now: pl.Series, moved: pl.Series) -> float:
    """One-sided p of as many dialogs in which more turns match once they are moved, as by coin."""
    counts = pl.concat(
        [now.to_frame().select("dialog", n=-1), moved.to_frame().select("dialog", n=1)]
    )
    gains = counts.group_by("dialog").agg(pl.col("n").sum())["n"]
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    # P(X >= better) of a binomial with as many fair coins as there are dialogs that differ
    return float(bdtrc(better - 1, better + worse, 0.5)) if better else 1.0


def neighbour_test(scores: pl.DataFrame, rated: pl.DataFrame, shift: int, *, seed: int) -> float:
    """p of ratings that correlate more with the scores of neighbours, where turns match both ways.

    The statistic is the difference of the summed squared r of all scores; Bonferroni over
    qualities. 1 where there are too few dialogs or the turns' own scores correlate as much.
    """
    own = match_units(scores, rated, "turn")
    moved = match_units(scores, rated.with_columns(pl.col("turn") + shift), "turn").frame
    key = ["quality", "dialog", "turn"]
    moved = moved.with_columns(pl.col("turn") - shift).select(*key, *own.scores)
    both = own.frame.join(moved, on=key, suffix=" neighbour").sort(key)
    names = [*own.scores, *(f"{name} neighbour" for name in own.scores)]
    p_values = [1.0]
    for quality in own.qualities if own.scores else ():
        frame = both.filter(pl.col("quality") == quality)
        code, dialogs = cluster_codes(frame["dialog"].to_numpy())
        matrix = np.column_stack([as_floats(frame[name]) for name in names])
        draws = correlation_draws(
            matrix, as_floats(frame["value"]), code, kind="pearson", seed=seed
        )
        squares = np.nansum(draws.reshape(len(draws), 2, -1) ** 2, axis=2)
        gains = defined_draws(squares[:, 1] - squares[:, 0], dialogs)
        if gains is not None and np.median(gains) > 0:
            p_values.append(bootstrap_p(gains))
    return min(1.0, min(p_values) * max(len(own.qualities), 1))
